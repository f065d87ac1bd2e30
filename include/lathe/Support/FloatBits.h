//===- FloatBits.h - Encoding and decoding of floats ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Freestanding: the same text is compiled for the host and for GPUs. The host's
// door to it is FloatFormat.h.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_SUPPORT_FLOATBITS_H
#define LATHE_SUPPORT_FLOATBITS_H

#include "lathe/Support/FloatKinds.h"

namespace lathe {

struct FloatLayout {
  unsigned mantissa; ///< bits
  int bias;
  uint64_t largest;  ///< bits of the largest finite value
  uint64_t overflow; ///< bits of infinity, or of NaN where there is none
  uint64_t nan;
  unsigned width;   ///< bits from sign to the last of the mantissa
  unsigned padding; ///< zero bits below the mantissa
  bool isUnsignedZero;
};

/// By FloatFormat.
inline constexpr FloatLayout floatLayouts[] = {
    {3, 7, 0x7E, 0x7F, 0x7F, 8, 0, false},
    {2, 15, 0x7B, 0x7C, 0x7F, 8, 0, false},
    {3, 8, 0x7F, 0x80, 0x80, 8, 0, true},
    {2, 16, 0x7F, 0x80, 0x80, 8, 0, true},
    {10, 15, 0x7BFF, 0x7C00, 0x7FFF, 16, 0, false},
    {7, 127, 0x7F7F, 0x7F80, 0x7FFF, 16, 0, false},
    {10, 127, 0x3FBFF, 0x3FC00, 0x3FFFF, 19, 13, false},
    {23, 127, 0x7F7FFFFF, 0x7F800000, 0x7FFFFFFF, 32, 0, false},
    {52, 1023, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0x7FFFFFFFFFFFFFFF, 64,
     0, false},
};

/// MLIR's spellings.
inline constexpr const char *floatNames[] = {
    "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f16",
    "bf16",     "tf32",   "f32",        "f64"};

inline double decodeFloatBits(const FloatLayout &layout, uint64_t bits) {
  bits >>= layout.padding;
  uint64_t sign = bits >> (layout.width - 1) & 1;
  uint64_t magnitude = bits & ((uint64_t(1) << (layout.width - 1)) - 1);
  uint64_t signBit = sign << 63;
  if (layout.isUnsignedZero && sign && magnitude == 0)
    return __builtin_nan("");
  if (magnitude > layout.largest)
    return magnitude == layout.overflow && layout.overflow != layout.nan
               ? __builtin_bit_cast(double, signBit | 0x7FF0000000000000)
               : __builtin_nan("");
  uint64_t exponent = magnitude >> layout.mantissa;
  uint64_t fraction = magnitude & ((uint64_t(1) << layout.mantissa) - 1);
  if (exponent != 0)
    return __builtin_bit_cast(double,
                              signBit | (exponent + 1023 - layout.bias) << 52 |
                                  fraction << (52 - layout.mantissa));
  double scale = __builtin_bit_cast(
      double, uint64_t(1 - layout.bias - int(layout.mantissa) + 1023) << 52);
  double value = double(fraction) * scale;
  return sign ? -value : value;
}

/// The exact value of the low bits of `bits`; bits above are ignored.
inline double decodeFloatBits(FloatFormat format, uint64_t bits) {
  switch (format) {
  case FloatFormat::BF16:
    return __builtin_bit_cast(float, uint32_t(bits) << 16);
  case FloatFormat::F32:
    return __builtin_bit_cast(float, uint32_t(bits));
  case FloatFormat::F64:
    return __builtin_bit_cast(double, bits);
  default:
    return decodeFloatBits(floatLayouts[unsigned(format)], bits);
  }
}

/// Significand without its low `shift` bits.
inline uint64_t roundOffBits(uint64_t significand, unsigned shift,
                             FloatRounding rounding) {
  uint64_t kept = significand >> shift;
  if (shift == 0 || rounding == FloatRounding::TowardZero)
    return kept;
  uint64_t half = uint64_t(1) << (shift - 1);
  uint64_t rest = significand & (2 * half - 1);
  bool isUp = rest > half ||
              (rest == half &&
               (rounding == FloatRounding::NearestAway || (kept & 1) != 0));
  return kept + isUp;
}

/// See encodeFloat.
inline uint64_t encodeFloatBits(FloatFormat format, double value,
                                FloatOverflow overflow,
                                FloatRounding rounding) {
  auto wide = __builtin_bit_cast(uint64_t, value);
  const FloatLayout &layout = floatLayouts[unsigned(format)];
  uint64_t sign = wide >> 63;
  uint64_t magnitude = wide & 0x7FFFFFFFFFFFFFFF;
  if (format == FloatFormat::F64)
    return overflow == FloatOverflow::Saturate && magnitude == layout.overflow
               ? sign << 63 | layout.largest
               : wide;
  if (magnitude > 0x7FF0000000000000)
    return (layout.nan << layout.padding) |
           ((uint64_t(1) << layout.padding) - 1);

  uint64_t exponent = magnitude >> 52;
  uint64_t significand = magnitude & 0xFFFFFFFFFFFFF;
  if (exponent != 0)
    significand |= uint64_t(1) << 52;
  else
    exponent = 1;
  // Above the format's least exponent; below it the result is subnormal.
  int64_t scale = int64_t(exponent) - 1023 - (1 - layout.bias);
  unsigned shift = 52 - layout.mantissa + unsigned(scale < 0 ? -scale : 0);
  uint64_t result = shift > 60 ? 0 : roundOffBits(significand, shift, rounding);
  // A carry out of the mantissa steps the exponent by itself.
  if (scale > 0)
    result += uint64_t(scale) << layout.mantissa;
  if (result > layout.largest) {
    bool isInfinite = magnitude == 0x7FF0000000000000;
    if (overflow == FloatOverflow::Saturate ||
        (rounding == FloatRounding::TowardZero && !isInfinite))
      result = layout.largest;
    else if (layout.isUnsignedZero)
      return layout.nan;
    else
      result = layout.overflow;
  }
  if (result == 0 && layout.isUnsignedZero)
    return 0;
  return (sign << (layout.width - 1) | result) << layout.padding;
}

} // namespace lathe

#endif // LATHE_SUPPORT_FLOATBITS_H
