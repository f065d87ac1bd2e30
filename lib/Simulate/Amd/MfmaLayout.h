//===- MfmaLayout.h - Matrices in the registers of a wave -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where MFMA instructions of gfx90a and gfx942 keep their matrices, as the
// MI200 and MI300 ISA guides and AMD's matrix instruction calculator say.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_AMD_MFMALAYOUT_H
#define LATHE_LIB_SIMULATE_AMD_MFMALAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace lathe::sim::amd {

enum class MfmaType : uint8_t { F64, F32, XF32, F16, BF16, FP8, BF8, I8 };

/// D = A * B + C for each of `blocks` independent products of m x k by k x n.
struct MfmaShape {
  llvm::StringRef name; ///< intrinsic, without "llvm.amdgcn.mfma."
  MfmaType a, b;
  uint8_t m, n, k, blocks;
  /// BLGP permutes the lanes of B on both chips. For f64 it negates instead.
  bool permutes;

  /// Elements of A (and of B) in each lane.
  unsigned inputsPerLane() const { return m * k * blocks / 64; }
  /// Elements of C and D in each lane.
  unsigned outputsPerLane() const { return m * n * blocks / 64; }
  bool isInteger() const { return a == MfmaType::I8; }
};

/// All that is simulated.
llvm::ArrayRef<MfmaShape> mfmaShapes();

struct MfmaPlace {
  unsigned lane, element;
};

/// Where element (row, k) of a block of A lies; B likewise, by column.
MfmaPlace mfmaInput(const MfmaShape &shape, unsigned block, unsigned row,
                    unsigned k);

/// Where element (row, column) of a block of C or D lies.
MfmaPlace mfmaOutput(const MfmaShape &shape, unsigned block, unsigned row,
                     unsigned column);

} // namespace lathe::sim::amd

#endif // LATHE_LIB_SIMULATE_AMD_MFMALAYOUT_H
