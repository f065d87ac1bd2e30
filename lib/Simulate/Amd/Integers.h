//===- Integers.h - AMD integer instructions --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_AMD_INTEGERS_H
#define LATHE_LIB_SIMULATE_AMD_INTEGERS_H

#include <cstdint>

namespace lathe::sim::amd {

/// V_BFE_U32 and V_BFE_I32; offset and width count modulo 32.
uint32_t extractBits(uint32_t value, uint32_t offset, uint32_t width);
uint32_t extractSignedBits(uint32_t value, uint32_t offset, uint32_t width);

/// V_PERM_B32: bytes 0 to 3 are those of `low`.
uint32_t permuteBytes(uint32_t high, uint32_t low, uint32_t selector);

/// V_ALIGNBYTE_B32.
uint32_t alignBytes(uint32_t high, uint32_t low, uint32_t shift);

/// `sum` plus the absolute differences of unsigned elements; if `masked`, not
/// of those that are zero in `b`.
uint32_t sumOfDifferences(uint32_t a, uint32_t b, uint32_t sum, unsigned bits,
                          bool masked);

/// V_LERP_U8: averages of bytes, rounded up where `round` has a low bit.
uint32_t interpolateBytes(uint32_t a, uint32_t b, uint32_t round);

/// V_DOT2, 4 and 8 on elements of 16, 8 and 4 bits.
uint32_t dotProduct(uint32_t a, uint32_t b, uint32_t c, unsigned bits,
                    bool isSigned, bool clamps);

} // namespace lathe::sim::amd

#endif // LATHE_LIB_SIMULATE_AMD_INTEGERS_H
