//===- ReferenceQuantTest.cpp - References of the quantisers --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceCase.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace lathe;

namespace {
struct Types {
  const char *wide, *fp8;
};

/// Every dtype combination. Expected values are single f32 operations.
class ReferenceQuant : public testing::TestWithParam<Types> {
protected:
  Names dtypes() const {
    return {{"DT", GetParam().wide}, {"F8", GetParam().fp8}};
  }
  bool isFnuz() const {
    return GetParam().fp8 == llvm::StringRef("f8E4M3FNUZ");
  }
  float largest() const { return isFnuz() ? 240 : 448; }
  double round8(float value) const {
    return roundTo(*parseFloatFormat(GetParam().fp8), value);
  }
  float roundWide(float value) const {
    return float(roundTo(*parseFloatFormat(GetParam().wide), value));
  }
};
} // namespace

static float maxAbs(const std::vector<double> &x, size_t begin, size_t end) {
  float result = 0;
  for (size_t i = begin; i != end; ++i)
    result = std::max(result, std::abs(float(x[i])));
  return result;
}

TEST_P(ReferenceQuant, PerTokenMultipliesByTheReciprocal) {
  ReferenceCase c("fp8_dynamic_per_token_quant",
                  {{"T", 7}, {"H", 301}, {"XS", 304}}, dtypes());
  c.normal("x");
  c.run();
  auto x = c.get("x"), q = c.get("q"), scale = c.get("scale");
  volatile float rho = 1 / largest();
  for (size_t t = 0; t != 7; ++t) {
    float a = std::max(maxAbs(x, t * 301, (t + 1) * 301), 1e-12f);
    float s = a * rho;
    ASSERT_EQ(scale[t], s);
    float inverse = 1 / s;
    for (size_t h = 0; h != 301; ++h) {
      float product = float(x[t * 301 + h]) * inverse;
      float clamped = std::min(std::max(product, -largest()), largest());
      EXPECT_EQ(q[t * 301 + h], round8(clamped)) << t << " " << h;
    }
    // Half a step at most, of 1/8 to 1/16 of the value or of the least normal.
    for (size_t h = 0; h != 301; ++h) {
      double value = x[t * 301 + h];
      EXPECT_NEAR(q[t * 301 + h] * s, value, std::abs(value) / 15 + s * 0x1p-9);
    }
    EXPECT_EQ(maxAbs(q, t * 301, (t + 1) * 301), largest());
  }
}

TEST_P(ReferenceQuant, PerTokenZerosAndNaN) {
  ReferenceCase c("fp8_dynamic_per_token_quant", {{"T", 3}, {"H", 4}},
                  dtypes());
  double inf = std::numeric_limits<double>::infinity();
  c.set("x", {0, -0.0, 0, 0, 1, std::nan(""), 2, 3, 1, inf, -2, 3});
  c.run();
  auto q = c.get("q"), scale = c.get("scale");
  EXPECT_EQ(scale[0], 1e-12f * (1 / largest()));
  for (size_t h = 0; h != 4; ++h) {
    EXPECT_EQ(q[h], 0);
    EXPECT_TRUE(std::isnan(q[4 + h]));
  }
  EXPECT_TRUE(std::isnan(scale[1]));
  EXPECT_EQ(scale[2], inf);
  EXPECT_TRUE(std::isnan(q[9]));
  EXPECT_EQ(q[8], 0);
  // There is no -0 in one of the two types.
  EXPECT_EQ(c.bits("q", 1), isFnuz() ? 0u : 0x80u);
}

TEST_P(ReferenceQuant, PerGroupDividesAndClamps) {
  // H is no multiple of G: the last group of a row has 44 values.
  ReferenceCase c("per_token_group_quant_fp8",
                  {{"T", 5}, {"H", 300}, {"G", 128}, {"XS", 320}}, dtypes());
  c.normal("x", 3);
  c.run();
  auto x = c.get("x"), q = c.get("quantized"), scales = c.get("scales");
  ASSERT_EQ(scales.size(), 15u);
  float most = isFnuz() ? 224 : 448;
  volatile float rho = 1 / most;
  for (size_t t = 0; t != 5; ++t)
    for (size_t g = 0; g != 3; ++g) {
      size_t begin = t * 300 + g * 128;
      size_t end = t * 300 + std::min<size_t>(300, (g + 1) * 128);
      float s = std::max(maxAbs(x, begin, end) * rho, 1e-10f);
      ASSERT_EQ(scales[t * 3 + g], s);
      for (size_t i = begin; i != end; ++i) {
        float quotient = float(x[i]) / s;
        EXPECT_EQ(q[i], round8(std::min(std::max(quotient, -most), most)));
      }
      EXPECT_EQ(maxAbs(q, begin, end), most);
    }
}

TEST_P(ReferenceQuant, PerGroupZerosTiesAndNaN) {
  ReferenceCase c("per_token_group_quant_fp8", {{"T", 1}, {"H", 12}, {"G", 4}},
                  dtypes());
  // A group of zeros, one of NaN, one whose scale is the power of two 1 / 4.
  double most = isFnuz() ? 224 : 448;
  c.set("x", {0, 0, 0, 0, 1, std::nan(""), 2, 3, most / 4, 17.0 / 4, -19.0 / 4,
              0.25});
  c.run();
  auto q = c.get("quantized"), scales = c.get("scales");
  EXPECT_EQ(scales[0], 1e-10f);
  EXPECT_EQ(q[0], 0);
  EXPECT_TRUE(std::isnan(scales[1]) && std::isnan(q[4]) && std::isnan(q[6]));
  EXPECT_EQ(scales[2], 0.25);
  EXPECT_EQ(q[8], most);
  EXPECT_EQ(q[9], 16);   // 17 lies between 16 and 18: to even
  EXPECT_EQ(q[10], -20); // 19 between 18 and 20 alike
  EXPECT_EQ(q[11], 1);
}

TEST_P(ReferenceQuant, GroupsAreIndependent) {
  Bindings dims = {{"T", 2}, {"H", 64}, {"G", 16}};
  ReferenceCase a("per_token_group_quant_fp8", dims, dtypes());
  ReferenceCase b("per_token_group_quant_fp8", dims, dtypes());
  a.normal("x");
  auto x = a.get("x");
  auto y = x;
  for (size_t i = 0; i != x.size(); ++i) // groups in reverse order
    y[i] = x[(7 - i / 16) * 16 + i % 16];
  b.set("x", y);
  a.run();
  b.run();
  auto p = a.get("quantized"), q = b.get("quantized");
  for (size_t i = 0; i != x.size(); ++i)
    EXPECT_EQ(q[i], p[(7 - i / 16) * 16 + i % 16]);
}

TEST_P(ReferenceQuant, FusedNormRoundsTheNormedRow) {
  ReferenceCase c("fused_rmsnorm_quant",
                  {{"T", 4}, {"H", 200}, {"XS", 208}, {"RS", 216}}, dtypes());
  c.normal("x");
  c.normal("residual", 1, 0, 2);
  c.normal("weight", 1, 0, 3);
  c.run();
  auto x = c.get("x"), d = c.get("residual"), w = c.get("weight");
  auto q = c.get("quantized"), scale = c.get("scale"),
       sum = c.get("residual_out");
  volatile float rho = 1 / largest();
  for (size_t t = 0; t != 4; ++t) {
    double squares = 0;
    for (size_t h = 0; h != 200; ++h) {
      double r = roundWide(float(x[t * 200 + h] + d[t * 200 + h]));
      ASSERT_EQ(sum[t * 200 + h], r);
      squares += r * r;
    }
    float mean = float(squares) / 200;
    float shifted = mean + 1e-5f;
    float rstd = float(1 / std::sqrt(double(shifted)));
    std::vector<double> y(200);
    for (size_t h = 0; h != 200; ++h) {
      float scaled = float(sum[t * 200 + h]) * rstd;
      y[h] = roundWide(scaled * float(w[h]));
    }
    float s = maxAbs(y, 0, 200) * rho;
    ASSERT_EQ(scale[t], s);
    for (size_t h = 0; h != 200; ++h)
      EXPECT_EQ(q[t * 200 + h], round8(float(y[h]) / s)) << t << " " << h;
  }
}

TEST_P(ReferenceQuant, FusedNormOfZerosHasScaleOne) {
  ReferenceCase c("fused_rmsnorm_quant", {{"T", 2}, {"H", 8}}, dtypes());
  std::vector<double> x(16, 1.0), minus(16, -1.0);
  for (size_t h = 8; h != 16; ++h)
    minus[h] = 1;
  c.set("x", x);
  c.set("residual", minus);
  c.set("weight", std::vector<double>(8, 1.0));
  c.run();
  auto q = c.get("quantized"), scale = c.get("scale");
  EXPECT_EQ(scale[0], 1);
  EXPECT_EQ(q[0], 0);
  // The second row is constant: 2 * rsqrt(4) = 1, the largest of its row.
  EXPECT_EQ(scale[1], 1 / largest());
  EXPECT_EQ(q[8], largest());
}

INSTANTIATE_TEST_SUITE_P(DTypes, ReferenceQuant,
                         testing::Values(Types{"bf16", "f8E4M3FN"},
                                         Types{"bf16", "f8E4M3FNUZ"},
                                         Types{"f16", "f8E4M3FN"},
                                         Types{"f16", "f8E4M3FNUZ"}),
                         [](const auto &info) {
                           return std::string(info.param.wide) + info.param.fp8;
                         });
