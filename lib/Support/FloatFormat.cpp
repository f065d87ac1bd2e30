//===- FloatFormat.cpp - Bits of small floats and back --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Support/FloatFormat.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"

#include <array>
#include <cmath>

using namespace lathe;

namespace {
struct Layout {
  unsigned mantissa; ///< bits
  int bias;
  uint64_t largest;  ///< bits of the largest finite value
  uint64_t overflow; ///< bits of infinity, or of NaN where there is none
  uint64_t nan;
  unsigned width;   ///< bits from sign to the last of the mantissa
  unsigned padding; ///< zero bits below the mantissa
  bool isUnsignedZero;
};
} // namespace

static constexpr Layout layouts[] = {
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

static const Layout &layoutOf(FloatFormat format) {
  return layouts[unsigned(format)];
}

std::optional<FloatFormat> lathe::parseFloatFormat(llvm::StringRef dtype) {
  return llvm::StringSwitch<std::optional<FloatFormat>>(dtype)
      .Case("f8E4M3FN", FloatFormat::F8E4M3FN)
      .Case("f8E5M2", FloatFormat::F8E5M2)
      .Case("f8E4M3FNUZ", FloatFormat::F8E4M3FNUZ)
      .Case("f8E5M2FNUZ", FloatFormat::F8E5M2FNUZ)
      .Case("f16", FloatFormat::F16)
      .Case("bf16", FloatFormat::BF16)
      .Case("tf32", FloatFormat::TF32)
      .Case("f32", FloatFormat::F32)
      .Case("f64", FloatFormat::F64)
      .Default(std::nullopt);
}

unsigned lathe::floatStorageBits(FloatFormat format) {
  const Layout &layout = layoutOf(format);
  return layout.width + layout.padding;
}

double lathe::largestFinite(FloatFormat format) {
  const Layout &layout = layoutOf(format);
  return decodeFloat(format, layout.largest << layout.padding);
}

static double decode(const Layout &layout, uint64_t bits) {
  bits >>= layout.padding;
  uint64_t sign = bits >> (layout.width - 1) & 1;
  uint64_t magnitude = bits & ((uint64_t(1) << (layout.width - 1)) - 1);
  uint64_t signBit = sign << 63;
  if (layout.isUnsignedZero && sign && magnitude == 0)
    return std::nan("");
  if (magnitude > layout.largest)
    return magnitude == layout.overflow && layout.overflow != layout.nan
               ? llvm::bit_cast<double>(signBit | 0x7FF0000000000000)
               : std::nan("");
  uint64_t exponent = magnitude >> layout.mantissa;
  uint64_t fraction = magnitude & ((uint64_t(1) << layout.mantissa) - 1);
  if (exponent != 0)
    return llvm::bit_cast<double>(signBit |
                                  (exponent + 1023 - layout.bias) << 52 |
                                  fraction << (52 - layout.mantissa));
  double scale = llvm::bit_cast<double>(
      uint64_t(1 - layout.bias - int(layout.mantissa) + 1023) << 52);
  return std::copysign(double(fraction) * scale, sign ? -1.0 : 1.0);
}

double lathe::decodeFloat(FloatFormat format, uint64_t bits) {
  switch (format) {
  case FloatFormat::F8E4M3FN:
  case FloatFormat::F8E5M2:
  case FloatFormat::F8E4M3FNUZ:
  case FloatFormat::F8E5M2FNUZ:
    return decodeTable(format)[bits & 0xFF];
  case FloatFormat::BF16:
    return llvm::bit_cast<float>(uint32_t(bits) << 16);
  case FloatFormat::F32:
    return llvm::bit_cast<float>(uint32_t(bits));
  case FloatFormat::F64:
    return llvm::bit_cast<double>(bits);
  case FloatFormat::F16:
  case FloatFormat::TF32:
    return decode(layoutOf(format), bits);
  }
  llvm_unreachable("unknown format");
}

const float *lathe::decodeTable(FloatFormat format) {
  static const auto tables = [] {
    std::array<std::array<float, 256>, 4> result;
    for (unsigned f = 0; f != result.size(); ++f)
      for (unsigned byte = 0; byte != 256; ++byte)
        result[f][byte] = float(decode(layouts[f], byte));
    return result;
  }();
  return tables[unsigned(format)].data();
}

/// Significand without its low `shift` bits.
static uint64_t roundOff(uint64_t significand, unsigned shift,
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

uint64_t lathe::encodeFloat(FloatFormat format, double value,
                            FloatOverflow overflow, FloatRounding rounding) {
  uint64_t wide = llvm::bit_cast<uint64_t>(value);
  const Layout &layout = layoutOf(format);
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
  uint64_t result = shift > 60 ? 0 : roundOff(significand, shift, rounding);
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
