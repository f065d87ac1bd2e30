//===- FloatFormatTest.cpp - Encodings against llvm::APFloat --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Support/FloatFormat.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <random>

using namespace lathe;
using llvm::APFloat;

namespace {
struct Known {
  FloatFormat format;
  const llvm::fltSemantics &semantics;
  const char *name;
};
} // namespace

static std::vector<Known> allFormats() {
  return {{FloatFormat::F8E4M3FN, APFloat::Float8E4M3FN(), "f8E4M3FN"},
          {FloatFormat::F8E5M2, APFloat::Float8E5M2(), "f8E5M2"},
          {FloatFormat::F8E4M3FNUZ, APFloat::Float8E4M3FNUZ(), "f8E4M3FNUZ"},
          {FloatFormat::F8E5M2FNUZ, APFloat::Float8E5M2FNUZ(), "f8E5M2FNUZ"},
          {FloatFormat::F16, APFloat::IEEEhalf(), "f16"},
          {FloatFormat::BF16, APFloat::BFloat(), "bf16"},
          {FloatFormat::TF32, APFloat::FloatTF32(), "tf32"},
          {FloatFormat::F32, APFloat::IEEEsingle(), "f32"},
          {FloatFormat::F64, APFloat::IEEEdouble(), "f64"}};
}

static unsigned paddingOf(const Known &known) {
  return floatStorageBits(known.format) -
         APFloat::semanticsSizeInBits(known.semantics);
}

static double expectedDecode(const Known &known, uint64_t bits) {
  unsigned width = APFloat::semanticsSizeInBits(known.semantics);
  APFloat value(known.semantics, llvm::APInt(width, bits >> paddingOf(known)));
  bool lost;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

static APFloat expectedEncode(const Known &known, double value,
                              APFloat::roundingMode mode) {
  APFloat result(value);
  bool lost;
  result.convert(known.semantics, mode, &lost);
  return result;
}

static void checkEncode(const Known &known, double value) {
  for (auto [rounding, mode] :
       {std::pair(FloatRounding::NearestEven, APFloat::rmNearestTiesToEven),
        std::pair(FloatRounding::NearestAway, APFloat::rmNearestTiesToAway)}) {
    uint64_t bits =
        encodeFloat(known.format, value, FloatOverflow::Special, rounding);
    APFloat expected = expectedEncode(known, value, mode);
    if (expected.isNaN()) {
      EXPECT_TRUE(std::isnan(decodeFloat(known.format, bits)))
          << known.name << " " << value;
      continue;
    }
    EXPECT_EQ(bits, expected.bitcastToAPInt().getZExtValue()
                        << paddingOf(known))
        << known.name << " of " << value << " = " << std::hexfloat << value;
  }
}

TEST(FloatFormat, NamesAndSizes) {
  for (const Known &known : allFormats())
    EXPECT_EQ(parseFloatFormat(known.name), known.format);
  EXPECT_EQ(parseFloatFormat("i8"), std::nullopt);
  EXPECT_EQ(floatStorageBits(FloatFormat::F8E5M2), 8u);
  EXPECT_EQ(floatStorageBits(FloatFormat::BF16), 16u);
  EXPECT_EQ(floatStorageBits(FloatFormat::TF32), 32u);
  EXPECT_EQ(floatStorageBits(FloatFormat::F64), 64u);
}

TEST(FloatFormat, DecodesEveryPatternUpTo16Bits) {
  for (const Known &known : allFormats()) {
    if (floatStorageBits(known.format) > 16)
      continue;
    for (uint64_t bits = 0; bits >> floatStorageBits(known.format) == 0;
         ++bits) {
      double got = decodeFloat(known.format, bits);
      double expected = expectedDecode(known, bits);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(got)) << known.name << " " << bits;
        continue;
      }
      EXPECT_EQ(llvm::bit_cast<uint64_t>(got),
                llvm::bit_cast<uint64_t>(expected))
          << known.name << " " << bits;
      if (floatStorageBits(known.format) == 8)
        EXPECT_EQ(decodeTable(known.format)[bits], got);
      EXPECT_EQ(encodeFloat(known.format, got), bits) << known.name;
    }
  }
}

// Around every value, every tie and both ends, by single steps of a double:
// through f32 these would round twice.
TEST(FloatFormat, EncodesAroundEveryTie) {
  for (const Known &known : allFormats()) {
    unsigned bits = floatStorageBits(known.format);
    if (bits > 16)
      continue;
    for (uint64_t pattern = 0; pattern >> (bits - 1) == 0; ++pattern) {
      double low = decodeFloat(known.format, pattern);
      double high = decodeFloat(known.format, pattern + 1);
      if (!std::isfinite(low))
        continue;
      double middle =
          std::isfinite(high)
              ? (low + high) / 2
              : low + (low - decodeFloat(known.format, pattern - 1)) / 2;
      for (double value :
           {low, middle, std::nextafter(middle, 0.0),
            std::nextafter(middle, 1e300), std::nextafter(low, 1e300)}) {
        checkEncode(known, value);
        checkEncode(known, -value);
      }
    }
  }
}

TEST(FloatFormat, EncodesRandomAndExtremeDoubles) {
  std::mt19937_64 random(1);
  std::vector<double> values = {0.0,
                                -0.0,
                                std::numeric_limits<double>::denorm_min(),
                                std::numeric_limits<double>::min(),
                                std::numeric_limits<double>::max(),
                                std::numeric_limits<double>::infinity(),
                                std::nan(""),
                                std::numeric_limits<float>::max(),
                                std::numeric_limits<float>::denorm_min()};
  for (int i = 0; i != 20000; ++i)
    values.push_back(llvm::bit_cast<double>(random()));
  std::uniform_real_distribution<double> exponent(-155, 132);
  for (int i = 0; i != 40000; ++i)
    values.push_back(std::exp2(exponent(random)));
  for (const Known &known : allFormats())
    for (double value : values) {
      checkEncode(known, value);
      checkEncode(known, -value);
    }
}

TEST(FloatFormat, TruncatesTowardZero) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponent(-155, 132);
  for (const Known &known : allFormats())
    for (int i = 0; i != 20000; ++i) {
      double value = std::exp2(exponent(random)) * (i % 2 ? 1 : -1);
      double got = decodeFloat(
          known.format, encodeFloat(known.format, value, FloatOverflow::Special,
                                    FloatRounding::TowardZero));
      EXPECT_LE(std::abs(got), std::abs(value));
      EXPECT_TRUE(std::isfinite(got));
      if (std::abs(value) > largestFinite(known.format))
        EXPECT_EQ(std::abs(got), largestFinite(known.format));
      else
        EXPECT_EQ(got, roundTo(known.format, got)) << known.name;
      // The next value away from zero is beyond.
      if (std::abs(value) < largestFinite(known.format)) {
        uint64_t bits = encodeFloat(known.format, std::abs(got));
        unsigned padding = paddingOf(known);
        EXPECT_GT(decodeFloat(known.format, bits + (uint64_t(1) << padding)),
                  std::abs(value))
            << known.name << " " << value;
      }
    }
}

TEST(FloatFormat, OverflowsAsTheFormatSays) {
  struct Row {
    FloatFormat format;
    double last;   ///< largest that still rounds to the largest finite value
    uint64_t next; ///< what the double after it gives
    uint64_t largest;
  };
  for (const Row &row :
       {Row{FloatFormat::F8E4M3FN, 464, 0x7F, 0x7E},
        Row{FloatFormat::F8E4M3FNUZ, std::nextafter(248.0, 0.0), 0x80, 0x7F},
        Row{FloatFormat::F8E5M2, std::nextafter(61440.0, 0.0), 0x7C, 0x7B},
        Row{FloatFormat::F8E5M2FNUZ, std::nextafter(61440.0, 0.0), 0x80, 0x7F},
        Row{FloatFormat::F16, std::nextafter(65520.0, 0.0), 0x7C00, 0x7BFF}}) {
    double beyond = std::nextafter(row.last, 1e300);
    EXPECT_EQ(encodeFloat(row.format, row.last), row.largest);
    EXPECT_EQ(encodeFloat(row.format, beyond), row.next);
    double infinity = std::numeric_limits<double>::infinity();
    for (double value : {beyond, 1e30, infinity})
      EXPECT_EQ(encodeFloat(row.format, value, FloatOverflow::Saturate),
                row.largest);
    uint64_t sign = uint64_t(1) << (floatStorageBits(row.format) - 1);
    EXPECT_EQ(encodeFloat(row.format, -infinity, FloatOverflow::Saturate),
              row.largest | sign);
    EXPECT_EQ(encodeFloat(row.format, -infinity), row.next | sign);
    EXPECT_TRUE(std::isnan(
        decodeFloat(row.format, encodeFloat(row.format, std::nan(""),
                                            FloatOverflow::Saturate))));
  }
  EXPECT_EQ(largestFinite(FloatFormat::F8E4M3FN), 448);
  EXPECT_EQ(largestFinite(FloatFormat::F8E4M3FNUZ), 240);
  EXPECT_EQ(largestFinite(FloatFormat::F8E5M2), 57344);
  EXPECT_EQ(largestFinite(FloatFormat::F8E5M2FNUZ), 57344);
}

TEST(FloatFormat, ZerosAndNaNs) {
  EXPECT_EQ(encodeFloat(FloatFormat::F8E4M3FN, -0.0), 0x80u);
  EXPECT_EQ(encodeFloat(FloatFormat::F8E5M2, -0.0), 0x80u);
  EXPECT_EQ(encodeFloat(FloatFormat::F8E4M3FNUZ, -0.0), 0u);
  EXPECT_EQ(encodeFloat(FloatFormat::F8E5M2FNUZ, -0.0), 0u);
  // What underflows to zero loses its sign too where there is no -0.
  EXPECT_EQ(encodeFloat(FloatFormat::F8E4M3FNUZ, -1e-9), 0u);
  double nan = std::nan("");
  EXPECT_EQ(encodeFloat(FloatFormat::F8E4M3FN, nan), 0x7Fu);
  EXPECT_EQ(encodeFloat(FloatFormat::F8E5M2, nan), 0x7Fu);
  EXPECT_EQ(encodeFloat(FloatFormat::F8E4M3FNUZ, nan), 0x80u);
  EXPECT_EQ(encodeFloat(FloatFormat::F8E5M2FNUZ, nan), 0x80u);
  EXPECT_EQ(encodeFloat(FloatFormat::F16, nan), 0x7FFFu);
  EXPECT_EQ(encodeFloat(FloatFormat::BF16, -nan), 0x7FFFu);
  EXPECT_EQ(encodeFloat(FloatFormat::TF32, nan), 0x7FFFFFFFu);
  EXPECT_EQ(encodeFloat(FloatFormat::F32, nan), 0x7FFFFFFFu);
  EXPECT_TRUE(std::isnan(decodeFloat(FloatFormat::F8E4M3FN, 0xFF)));
  // The same byte is twice as much where the bias is one less.
  EXPECT_EQ(decodeFloat(FloatFormat::F8E4M3FN, 0x38), 1.0);
  EXPECT_EQ(decodeFloat(FloatFormat::F8E4M3FNUZ, 0x38), 0.5);
  EXPECT_EQ(encodeFloat(FloatFormat::TF32, 1 + 0x1p-10 + 0x1p-12), 0x3F802000u);
}
