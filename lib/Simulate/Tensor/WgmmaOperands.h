//===- WgmmaOperands.h - Matrices of wgmma in shared memory -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_TENSOR_WGMMAOPERANDS_H
#define LATHE_LIB_SIMULATE_TENSOR_WGMMAOPERANDS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace lathe::sim {

/// PTX ISA 9, "Matrix Descriptor Format" of wgmma. Bytes.
struct MatrixDescriptor {
  uint32_t start = 0;         ///< in the block's shared memory
  uint32_t leadingOffset = 0; ///< LBO
  uint32_t strideOffset = 0;  ///< SBO
  unsigned swizzleLog2 = 0;   ///< 0: none; 5, 6, 7
};

/// Errors: bits that have to be zero, and base offsets, whose effect is not
/// modelled.
llvm::Expected<MatrixDescriptor> decodeDescriptor(uint64_t bits);

/// A run of consecutive bytes of the operand that is consecutive in shared
/// memory too.
struct OperandRun {
  uint64_t shared = 0;  ///< offset of the first byte
  uint32_t operand = 0; ///< byte of the operand, see below
  uint32_t bytes = 0;
};

/// Where an operand of `rows` (M or N) by `kBytes` lies, K-major: its byte
/// number is row * kBytes + byte along K. `base`: address of the arena, whose
/// bits take part in swizzling.
void forEachRunKMajor(const MatrixDescriptor &descriptor, uint64_t base,
                      unsigned rows, unsigned kBytes,
                      llvm::function_ref<void(const OperandRun &)> visit);

/// The same for 16-bit elements that lie along M or N: the byte number is
/// k * rows * 2 + row * 2.
void forEachRunMNMajor(const MatrixDescriptor &descriptor, uint64_t base,
                       unsigned rows, unsigned k,
                       llvm::function_ref<void(const OperandRun &)> visit);

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_TENSOR_WGMMAOPERANDS_H
