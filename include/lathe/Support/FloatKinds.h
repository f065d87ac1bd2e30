//===- FloatKinds.h - Formats of floats and how to round --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Freestanding: also compiled for GPUs.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_SUPPORT_FLOATKINDS_H
#define LATHE_SUPPORT_FLOATKINDS_H

#include <stdint.h>

namespace lathe {

enum class FloatFormat : uint8_t {
  F8E4M3FN,   ///< bias 7, max 448, no infinity, NaN 0x7F and 0xFF
  F8E5M2,     ///< bias 15, max 57344, IEEE-like
  F8E4M3FNUZ, ///< bias 8, max 240, no infinity, no -0, NaN 0x80
  F8E5M2FNUZ, ///< bias 16, max 57344, no infinity, no -0, NaN 0x80
  F16,
  BF16,
  TF32, ///< f32 whose low 13 bits are zero
  F32,
  F64
};

enum class FloatRounding : uint8_t {
  NearestEven,
  NearestAway, ///< ties away from zero
  TowardZero
};

enum class FloatOverflow : uint8_t {
  /// What rounds beyond the largest finite value becomes infinity, or NaN where
  /// there is none.
  Special,
  /// It becomes the largest finite value, infinity too.
  Saturate
};

} // namespace lathe

#endif // LATHE_SUPPORT_FLOATKINDS_H
