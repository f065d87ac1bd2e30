//===- Lanes.h - Which lane reads which, on AMD -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index functions of DPP, DS swizzle and the MFMA operand permutation, after
// the "AMD Instinct MI300" ISA guide.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_AMD_LANES_H
#define LATHE_LIB_SIMULATE_AMD_LANES_H

#include "llvm/Support/Error.h"

#include <optional>

namespace lathe::sim::amd {

inline constexpr unsigned waveLanes = 64;

/// Success if the DPP control exists on gfx90a and gfx942.
llvm::Error checkDppControl(uint64_t control);

/// The lane that `lane` reads; nothing where the control points outside of the
/// row or wave. `control` was checked.
std::optional<unsigned> dppSource(unsigned control, unsigned lane);

/// Whether the row and bank masks of a DPP instruction let `lane` be written.
bool dppWrites(unsigned rowMask, unsigned bankMask, unsigned lane);

/// Success if the pattern of DS_SWIZZLE_B32 is one of the modes quad, rotate
/// and masked.
llvm::Error checkSwizzle(uint64_t pattern);

/// The lane that `lane` reads. `pattern` was checked.
unsigned swizzleSource(unsigned pattern, unsigned lane);

/// The lane whose B operand an MFMA uses in place of lane's, by BLGP (0 to 7).
unsigned mfmaPermutedLane(unsigned blgp, unsigned lane);

} // namespace lathe::sim::amd

#endif // LATHE_LIB_SIMULATE_AMD_LANES_H
