//===- ReferenceRowTest.cpp - Norms and elementwise references ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceCase.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace lathe;

namespace {
/// Every dtype of the row operators, with pitched rows.
class ReferenceRow : public testing::TestWithParam<const char *> {
protected:
  Names dtypes() const { return {{"DT", GetParam()}}; }
  FloatFormat format() const { return *parseFloatFormat(GetParam()); }
  double round(double value) const { return roundTo(format(), value); }
  /// One step of the dtype: both round an f64 value that may lie near a tie.
  void expectClose(double got, double expected, const char *what) const {
    EXPECT_LE(stepsApart(format(), got, round(expected)), 1)
        << what << ": " << got << " and " << expected;
  }
};
} // namespace

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

static std::vector<double> rowOf(const std::vector<double> &values, size_t row,
                                 size_t width) {
  return {values.begin() + row * width, values.begin() + (row + 1) * width};
}

static double meanSquare(const std::vector<double> &row) {
  double sum = 0;
  for (double value : row)
    sum += value * value;
  return sum / double(row.size());
}

TEST_P(ReferenceRow, RmsNormMeetsItsFormula) {
  ReferenceCase c("rms_norm", {{"T", 5}, {"H", 131}, {"XS", 144}}, dtypes());
  c.normal("x", 0.5);
  c.normal("weight", 0.1, 1, 2);
  c.run();
  auto x = c.get("x"), w = c.get("weight"), out = c.get("out");
  for (size_t t = 0; t != 5; ++t) {
    double rstd = 1 / std::sqrt(meanSquare(rowOf(x, t, 131)) + double(1e-6f));
    for (size_t h = 0; h != 131; ++h)
      expectClose(out[t * 131 + h], x[t * 131 + h] * rstd * w[h], "rms_norm");
  }
}

TEST_P(ReferenceRow, RmsNormKnowsNoScale) {
  // Scaling a row by a power of two scales nothing where eps is 0.
  ReferenceCase c("rms_norm", {{"T", 2}, {"H", 16}}, dtypes(), {},
                  {{"eps", 0.0}});
  std::vector<double> x(32);
  for (size_t h = 0; h != 16; ++h) {
    x[h] = round(std::sin(double(h + 1)));
    x[16 + h] = 8 * x[h];
  }
  c.set("x", x);
  c.set("weight", std::vector<double>(16, 1.0));
  c.run();
  auto out = c.get("out");
  EXPECT_EQ(rowOf(out, 0, 16), rowOf(out, 1, 16));
  EXPECT_NEAR(meanSquare(rowOf(out, 0, 16)), 1, 0.01);
}

TEST_P(ReferenceRow, RmsNormOfZerosIsZero) {
  ReferenceCase c("rms_norm", {{"T", 1}, {"H", 8}}, dtypes());
  c.set("x", std::vector<double>(8, 0.0));
  c.normal("weight");
  c.run();
  for (double value : c.get("out"))
    EXPECT_EQ(value, 0);
}

TEST_P(ReferenceRow, FusedAddNormalisesRoundedSums) {
  ReferenceCase c("fused_add_rms_norm",
                  {{"T", 3}, {"H", 67}, {"XS", 72}, {"RS", 80}}, dtypes());
  c.normal("x");
  c.normal("residual", 1, 0, 2);
  c.normal("weight", 0.1, 1, 3);
  c.run();
  auto x = c.get("x"), r = c.get("residual"), w = c.get("weight");
  auto out = c.get("out"), sum = c.get("residual_out");
  for (size_t i = 0; i != x.size(); ++i)
    EXPECT_EQ(sum[i], round(x[i] + r[i]));
  for (size_t t = 0; t != 3; ++t) {
    double rstd = 1 / std::sqrt(meanSquare(rowOf(sum, t, 67)) + double(1e-6f));
    for (size_t h = 0; h != 67; ++h)
      expectClose(out[t * 67 + h], sum[t * 67 + h] * rstd * w[h], "add");
  }
}

TEST_P(ReferenceRow, L2NormHasUnitLength) {
  ReferenceCase c("l2_norm", {{"T", 4}, {"H", 50}, {"XS", 64}}, dtypes());
  c.normal("x");
  c.run();
  auto x = c.get("x"), out = c.get("out");
  for (size_t t = 0; t != 4; ++t) {
    EXPECT_NEAR(meanSquare(rowOf(out, t, 50)) * 50, 1, 0.01);
    double sum = meanSquare(rowOf(x, t, 50)) * 50 + double(1e-6f);
    for (size_t h = 0; h != 50; ++h)
      expectClose(out[t * 50 + h], x[t * 50 + h] / std::sqrt(sum), "l2_norm");
  }
}

TEST_P(ReferenceRow, LayerNormHasMeanAndVariance) {
  ReferenceCase c("layer_norm", {{"T", 3}, {"H", 96}, {"XS", 100}}, dtypes());
  c.normal("x", 2, 3);
  c.normal("weight", 1, 0, 2);
  c.normal("bias", 1, 0, 3);
  c.run();
  auto x = c.get("x"), w = c.get("weight"), b = c.get("bias"),
       out = c.get("out");
  for (size_t t = 0; t != 3; ++t) {
    double mean = 0, variance = 0;
    for (double value : rowOf(x, t, 96))
      mean += value / 96;
    for (double value : rowOf(x, t, 96))
      variance += (value - mean) * (value - mean) / 96;
    double rstd = 1 / std::sqrt(variance + double(1e-5f));
    for (size_t h = 0; h != 96; ++h) {
      double expected = (x[t * 96 + h] - mean) * rstd * w[h] + b[h];
      EXPECT_NEAR(out[t * 96 + h], expected,
                  std::abs(expected - round(expected)) + 1e-6 +
                      std::abs(expected) * 0.01);
    }
  }
}

TEST_P(ReferenceRow, LayerNormOfConstantRowsIsTheBias) {
  ReferenceCase c("layer_norm", {{"T", 2}, {"H", 32}}, dtypes());
  std::vector<double> x(64, 0.5);
  std::fill(x.begin() + 32, x.end(), -3);
  c.set("x", x);
  c.normal("weight");
  c.normal("bias", 1, 0, 2);
  c.run();
  auto bias = c.get("bias"), out = c.get("out");
  EXPECT_EQ(rowOf(out, 0, 32), bias);
  EXPECT_EQ(rowOf(out, 1, 32), bias);
}

TEST_P(ReferenceRow, SiluAndMulRoundsTwice) {
  // Odd rows: the last value is ignored.
  ReferenceCase c("silu_and_mul", {{"T", 3}, {"D", 25}, {"XS", 32}}, dtypes());
  c.normal("x");
  c.run();
  auto x = c.get("x"), out = c.get("out");
  ASSERT_EQ(out.size(), 36u);
  for (size_t t = 0; t != 3; ++t)
    for (size_t f = 0; f != 12; ++f) {
      double gate = x[t * 25 + f];
      double silu = round(gate * sigmoid(gate));
      expectClose(out[t * 12 + f], silu * x[t * 25 + 12 + f], "silu");
    }
}

TEST_P(ReferenceRow, GatedRmsNormInBothOrdersWithBothGates) {
  for (const char *order : {"before", "after"})
    for (const char *activation : {"silu", "sigmoid"}) {
      ReferenceCase c(
          "gated_rms_norm", {{"T", 3}, {"H", 40}, {"XS", 48}, {"ZS", 56}},
          dtypes(), {{"norm_before_gate", order}, {"activation", activation}});
      c.normal("x", 0.5);
      c.normal("z", 1, 0, 2);
      c.normal("weight", 0.1, 1, 3);
      c.run();
      auto x = c.get("x"), z = c.get("z"), w = c.get("weight"),
           out = c.get("out");
      for (size_t t = 0; t != 3; ++t) {
        std::vector<double> gate(40), row = rowOf(x, t, 40);
        for (size_t h = 0; h != 40; ++h) {
          gate[h] = sigmoid(z[t * 40 + h]);
          if (activation == llvm::StringRef("silu"))
            gate[h] *= z[t * 40 + h];
          if (order == llvm::StringRef("after"))
            row[h] *= gate[h];
        }
        double rstd = 1 / std::sqrt(meanSquare(row) + double(1e-6f));
        for (size_t h = 0; h != 40; ++h)
          expectClose(out[t * 40 + h], x[t * 40 + h] * rstd * w[h] * gate[h],
                      "gated");
      }
    }
}

// Kernels compute in f32: what it cannot hold is infinite before the norm.
TEST_P(ReferenceRow, GatedValuesOverflow) {
  ReferenceCase c("gated_rms_norm", {{"T", 1}, {"H", 4}}, dtypes(),
                  {{"norm_before_gate", "after"}});
  double most = largestFinite(format());
  c.set("x", {most, 1, -1, 0});
  c.set("z", std::vector<double>(4, most));
  c.set("weight", std::vector<double>(4, 1.0));
  c.run();
  auto out = c.get("out");
  bool isWide = most > 1e30;
  EXPECT_EQ(std::isnan(out[0]), isWide);
  if (!isWide)
    EXPECT_EQ(out[0], 2);
  EXPECT_EQ(out[1] == 0, isWide);
}

TEST_P(ReferenceRow, NaNStaysInItsRow) {
  for (const char *op : {"rms_norm", "l2_norm", "layer_norm"}) {
    ReferenceCase c(op, {{"T", 3}, {"H", 16}}, dtypes());
    std::vector<double> x(48, 1.0);
    x[17] = std::nan("");
    c.set("x", x);
    for (const char *vector : {"weight", "bias"})
      if ((llvm::StringRef(op) != "l2_norm" &&
           llvm::StringRef(vector) == "weight") ||
          llvm::StringRef(op) == "layer_norm")
        c.set(vector, std::vector<double>(16, 1.0));
    c.run();
    auto out = c.get("out");
    for (size_t i = 0; i != 48; ++i)
      EXPECT_EQ(std::isnan(out[i]), i / 16 == 1) << op << " " << i;
  }
}

// Only the asked rows are written, and they are those of the whole run.
TEST_P(ReferenceRow, RangesComputeTheirRowsAlone) {
  Bindings dims = {{"T", 6}, {"H", 24}};
  ReferenceCase whole("rms_norm", dims, dtypes()),
      part("rms_norm", dims, dtypes());
  for (ReferenceCase *c : {&whole, &part}) {
    c->normal("x");
    c->normal("weight", 1, 0, 2);
    c->set("out", std::vector<double>(6 * 24, 7.0));
  }
  ASSERT_EQ(part.sampledRank(), 1u);
  whole.run();
  part.run(IndexRange{2, 4});
  auto all = whole.get("out"), some = part.get("out");
  for (size_t t = 0; t != 6; ++t)
    EXPECT_EQ(rowOf(some, t, 24), t == 2 || t == 3
                                      ? rowOf(all, t, 24)
                                      : std::vector<double>(24, 7.0));
  part.run(IndexRange{5, 1 << 20}); // clipped at the last row
  EXPECT_EQ(rowOf(part.get("out"), 5, 24), rowOf(all, 5, 24));
}

INSTANTIATE_TEST_SUITE_P(DTypes, ReferenceRow,
                         testing::Values("bf16", "f16", "f32"),
                         [](const auto &info) { return info.param; });
