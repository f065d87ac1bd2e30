//===- Wgmma.h - Matrix products of a warpgroup -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma.mma_async and its fences (PTX ISA 9, "Asynchronous Warpgroup Level
// Matrix Instructions"). Products are exact; the sum of an instruction's
// products and the accumulator is formed in double and rounded once.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_TENSOR_WGMMA_H
#define LATHE_LIB_SIMULATE_TENSOR_WGMMA_H

#include "../Machine.h"
#include "Elements.h"

namespace lathe::sim {

/// m64nNkK; K is 32 bytes of the operands' type.
struct WgmmaKind {
  MatrixType a = MatrixType::BF16, b = MatrixType::BF16;
  Accumulator accumulator = Accumulator::F32;
  unsigned n = 8, k = 16;
  bool aInRegisters = false;
  bool transposesA = false, transposesB = false; ///< MN-major
  bool negatesA = false, negatesB = false;
  bool saturates = false;

  /// Registers of the accumulator per thread.
  unsigned registers() const {
    return accumulator == Accumulator::F16 ? n / 4 : n / 2;
  }
};

/// What one thread brings.
struct WgmmaLane {
  char *accumulator = nullptr; ///< `registers()` of 4 bytes, read and written
  std::array<uint32_t, 4> a = {};
  uint64_t descriptorA = 0, descriptorB = 0;
  bool accumulates = true; ///< scale-d
};

/// Issues the product for the 128 threads that met; `lanes` by thread of the
/// warpgroup. Results are there at once; operands count as being read until a
/// wait covers the group.
void issueWgmma(llvm::ArrayRef<Call *> calls, const WgmmaKind &kind,
                llvm::ArrayRef<WgmmaLane> lanes);

void wgmmaFence(Thread &thread);
void wgmmaCommit(Thread &thread);
/// Until at most `pending` of the warp's latest groups are open.
void wgmmaWait(Thread &thread, uint64_t pending);

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_TENSOR_WGMMA_H
