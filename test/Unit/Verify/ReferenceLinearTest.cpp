//===- ReferenceLinearTest.cpp - References of dense projections ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceCase.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace lathe;

namespace {

constexpr llvm::StringRef activations[] = {"none", "relu",      "silu",
                                           "gelu", "gelu_tanh", "sigmoid"};

double activate(llvm::StringRef name, double x) {
  if (name == "relu")
    return x < 0 ? 0 : x;
  if (name == "silu")
    return x / (1 + std::exp(-x));
  // 1 + erf(z) and 1 + tanh(z), without what cancels below zero.
  if (name == "gelu")
    return x / 2 * std::erfc(x * -0.70710678118654752);
  if (name == "gelu_tanh")
    return x / (1 + std::exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)));
  if (name == "sigmoid")
    return 1 / (1 + std::exp(-x));
  return x;
}

/// Multiples of 1/8: their sums and products are exact.
std::vector<double> eighths(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> distribution(-16, 16);
  std::vector<double> values(count);
  for (double &value : values)
    value = distribution(random) / 8.0;
  return values;
}

/// One call of `linear`; x and w by logical index, whatever their layout.
struct Linear {
  Linear(int64_t M, int64_t N, int64_t K, Names options = {},
         std::string dtype = "bf16", std::string result = "f32",
         Bindings pitches = {})
      : M(M), N(N), K(K), options(options), result(result),
        dims(withSizes(pitches)),
        call("linear", dims, {{"DT", dtype}, {"OT", result}}, options),
        x(eighths(size_t(M * K), 1)), w(eighths(size_t(N * K), 2)),
        bias(eighths(call.size("bias"), 3)),
        residual(eighths(call.size("residual"), 4)) {}

  Bindings withSizes(Bindings all) const {
    all["M"] = M;
    all["N"] = N;
    all["K"] = K;
    return all;
  }
  llvm::StringRef option(llvm::StringRef name, llvm::StringRef usual) const {
    auto it = options.find(name);
    return it == options.end() ? usual : llvm::StringRef(it->second);
  }

  std::vector<double> run(llvm::ArrayRef<IndexRange> ranges = {}) {
    auto laid = [](llvm::ArrayRef<double> values, int64_t rows, int64_t columns,
                   bool turned) {
      if (!turned)
        return values.vec();
      std::vector<double> out;
      for (int64_t column = 0; column < columns; ++column)
        for (int64_t row = 0; row < rows; ++row)
          out.push_back(values[size_t(row * columns + column)]);
      return out;
    };
    call.set("x", laid(x, M, K, option("x_layout", "mk") == "km"));
    call.set("w", laid(w, N, K, option("w_layout", "nk") == "kn"));
    call.set("bias", bias);
    call.set("residual", residual);
    call.set("out", std::vector<double>(size_t(M * N), 96));
    call.run(ranges);
    return call.get("out");
  }

  double exact(int64_t m, int64_t n) const {
    double sum = bias.empty() ? 0 : bias[size_t(n)];
    for (int64_t k = K; k-- > 0;)
      sum += x[size_t(m * K + k)] * w[size_t(n * K + k)];
    sum = activate(option("activation", "none"), sum);
    return residual.empty() ? sum : sum + residual[size_t(m * N + n)];
  }

  void expectFormula() {
    std::vector<double> out = run();
    FloatFormat format = *parseFloatFormat(result);
    for (int64_t m = 0; m < M; ++m)
      for (int64_t n = 0; n < N; ++n) {
        double expected = roundTo(format, exact(m, n));
        // Functions of libm may be off in the last bit of f64.
        double steps = stepsApart(format, out[size_t(m * N + n)], expected);
        EXPECT_LE(steps, result == "f32" ? 1 : 0) << m << ", " << n;
      }
  }

  int64_t M, N, K;
  Names options;
  std::string result;
  Bindings dims;
  ReferenceCase call;
  std::vector<double> x, w, bias, residual;
};

TEST(ReferenceLinear, FollowsTheFormulaInEveryLayout) {
  for (std::string x : {"mk", "km"})
    for (std::string w : {"nk", "kn"})
      for (std::string with : {"no", "yes"}) {
        SCOPED_TRACE(x + " " + w + " " + with);
        Names options = {{"x_layout", x},
                         {"w_layout", w},
                         {"with_bias", with},
                         {"with_residual", with}};
        Linear(5, 7, 19, options).expectFormula();
        Linear(1, 1, 1, options, "f16", "f16").expectFormula();
        Linear(4, 3, 6, options, "bf16", "bf16",
               {{"XS", 9}, {"WS", 8}, {"RS", 5}, {"OS", 4}})
            .expectFormula();
      }
}

TEST(ReferenceLinear, KnowsEveryActivation) {
  for (llvm::StringRef activation : activations)
    for (std::string result : {"bf16", "f16", "f32"}) {
      SCOPED_TRACE(activation.str() + " " + result);
      Linear linear(6, 9, 8,
                    {{"activation", activation.str()}, {"with_bias", "yes"}},
                    "f16", result);
      linear.expectFormula();
      linear.bias = std::vector<double>(9, 30); // where it is flat
      linear.expectFormula();
      linear.bias = std::vector<double>(9, -5);
      linear.expectFormula();
    }
}

TEST(ReferenceLinear, WithoutColumnsIsTheActivatedBiasAndTheResidual) {
  Linear linear(
      3, 4, 0,
      {{"with_bias", "yes"}, {"with_residual", "yes"}, {"activation", "silu"}});
  linear.expectFormula();
  Linear nothing(2, 3, 0);
  EXPECT_EQ(nothing.run(), std::vector<double>(6, 0));
  EXPECT_EQ(Linear(0, 3, 4).run().size(), 0u);
}

TEST(ReferenceLinear, MultipliesWhatAPersonCanCheck) {
  Linear linear(2, 2, 2);
  linear.x = {1, 2, 3, 4};
  linear.w = {5, 6, 7, 8};
  EXPECT_EQ(linear.run(), (std::vector<double>{17, 23, 39, 53}));
}

TEST(ReferenceLinear, DoesNotDependOnTheOrderOfColumns) {
  Linear linear(4, 5, 64);
  std::vector<double> before = linear.run();
  std::vector<int64_t> order(64);
  for (int64_t k = 0; k < 64; ++k)
    order[size_t(k)] = k * 37 % 64;
  auto permute = [&](std::vector<double> &values) {
    std::vector<double> out(values);
    for (size_t i = 0; i < values.size(); ++i)
      out[i] = values[i / 64 * 64 + size_t(order[i % 64])];
    values = out;
  };
  permute(linear.x);
  permute(linear.w);
  EXPECT_EQ(linear.run(), before);
}

TEST(ReferenceLinear, IsLinear) {
  Linear a(4, 5, 33), b(4, 5, 33), sum(4, 5, 33);
  b.x = eighths(a.x.size(), 9);
  for (size_t i = 0; i < sum.x.size(); ++i)
    sum.x[i] = a.x[i] + 2 * b.x[i];
  std::vector<double> ofA = a.run(), ofB = b.run(), ofSum = sum.run();
  for (size_t i = 0; i < ofSum.size(); ++i)
    EXPECT_EQ(ofSum[i], ofA[i] + 2 * ofB[i]);
}

TEST(ReferenceLinear, RoundsOnce) {
  // 256 + 1 is a tie that goes down in bf16; any more makes it 258.
  Linear linear(1, 1, 2, {{"with_bias", "yes"}, {"with_residual", "yes"}},
                "bf16", "bf16");
  linear.x = {1, 1};
  linear.w = {256, 1};
  linear.bias = {0};
  linear.residual = {0};
  EXPECT_EQ(linear.run()[0], 256);
  linear.bias = {0x1p-20};
  EXPECT_EQ(linear.run()[0], 258);
  linear.bias = {0};
  linear.residual = {0x1p-20};
  EXPECT_EQ(linear.run()[0], 258);
}

TEST(ReferenceLinear, SumsBeyondF32AreInfinite) {
  for (llvm::StringRef activation : activations) {
    SCOPED_TRACE(activation.str());
    Linear linear(1, 2, 1, {{"activation", activation.str()}});
    linear.x = {0x1p100};
    linear.w = {0x1p100, -0x1p100};
    std::vector<double> out = linear.run();
    EXPECT_EQ(out[0], activation == "sigmoid" ? 1 : HUGE_VAL);
    if (activation == "none")
      EXPECT_EQ(out[1], -HUGE_VAL);
    else if (activation == "relu" || activation == "sigmoid")
      EXPECT_EQ(out[1], 0);
    else // infinity times zero, as in f32
      EXPECT_TRUE(std::isnan(out[1]));
  }
}

TEST(ReferenceLinear, SampleIsPartOfTheWhole) {
  Linear linear(6, 7, 5, {{"x_layout", "km"}}, "bf16", "bf16", {{"OS", 11}});
  EXPECT_EQ(linear.call.sampledRank(), 2u);
  std::vector<double> whole = linear.run();
  std::vector<double> some = linear.run({{2, 4}, {5, 7}});
  for (size_t i = 0; i < whole.size(); ++i)
    EXPECT_EQ(some[i], i / 7 >= 2 && i / 7 < 4 && i % 7 >= 5 ? whole[i] : 96);
}

struct Scaled {
  Scaled(std::string x, std::string w, Names options, std::string result,
         Bindings dims = {{"M", 4}, {"N", 6}, {"K", 21}})
      : K(dims.at("K").elements[0]), N(dims.at("N").elements[0]),
        result(result), call("scaled_linear", dims,
                             {{"XT", x}, {"WT", w}, {"OT", result}}, options) {
    call.integers("x", -15, 16, 1);
    call.integers("w", -15, 16, 2);
    call.set("x_scale", scales(call.size("x_scale"), 3));
    call.set("w_scale", scales(call.size("w_scale"), 4));
    call.normal("bias", 1, 0, 5);
  }

  /// Not one of them is a power of two.
  static std::vector<double> scales(size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> distribution(0.1, 2);
    std::vector<double> values(count);
    for (double &value : values)
      value = distribution(random);
    return values;
  }

  void expectFormula() {
    call.run();
    std::vector<double> x = call.get("x"), w = call.get("w");
    std::vector<double> xScale = call.get("x_scale"),
                        wScale = call.get("w_scale");
    std::vector<double> bias = call.get("bias"), out = call.get("out");
    FloatFormat format = *parseFloatFormat(result);
    for (size_t i = 0; i < out.size(); ++i) {
      auto m = int64_t(i) / N, n = int64_t(i) % N;
      double sum = 0;
      for (int64_t k = 0; k < K; ++k)
        sum += x[size_t(m * K + k)] * w[size_t(n * K + k)];
      sum *= xScale[xScale.size() == 1 ? 0 : size_t(m)] *
             wScale[wScale.size() == 1 ? 0 : size_t(n)];
      sum += bias.empty() ? 0 : bias[size_t(n)];
      EXPECT_EQ(stepsApart(format, out[i], roundTo(format, sum)), 0)
          << m << ", " << n;
    }
  }

  int64_t K, N;
  std::string result;
  ReferenceCase call;
};

TEST(ReferenceScaledLinear, FollowsTheFormula) {
  std::pair<std::string, std::string> types[] = {{"f8E4M3FN", "f8E4M3FN"},
                                                 {"f8E5M2", "f8E4M3FN"},
                                                 {"f8E4M3FNUZ", "f8E4M3FNUZ"},
                                                 {"f8E5M2FNUZ", "f8E4M3FNUZ"}};
  for (auto &[x, w] : types)
    for (std::string token : {"tensor", "token"})
      for (std::string channel : {"tensor", "channel"})
        for (std::string result : {"bf16", "f16", "f32"}) {
          SCOPED_TRACE(x + " " + w + " " + token + " " + channel);
          Scaled(x, w,
                 {{"x_scaling", token},
                  {"w_scaling", channel},
                  {"with_bias", result == "f16" ? "no" : "yes"}},
                 result)
              .expectFormula();
        }
}

TEST(ReferenceScaledLinear, TakesPitchesAndNoColumns) {
  Names options = {{"x_scaling", "token"}, {"with_bias", "yes"}};
  Scaled("f8E4M3FN", "f8E4M3FN", options, "f32",
         {{"M", 3}, {"N", 5}, {"K", 7}, {"XS", 9}, {"WS", 16}, {"OS", 6}})
      .expectFormula();
  Scaled("f8E4M3FN", "f8E4M3FN", options, "bf16",
         {{"M", 3}, {"N", 5}, {"K", 0}})
      .expectFormula();
}

TEST(ReferenceScaledLinear, IsTheSameUnderBothPolicies) {
  Scaled exact("f8E4M3FN", "f8E4M3FN", {{"accumulate", "exact"}}, "f32");
  Scaled native("f8E4M3FN", "f8E4M3FN", {{"accumulate", "native"}}, "f32");
  exact.call.run();
  native.call.run();
  EXPECT_EQ(exact.call.get("out"), native.call.get("out"));
}

} // namespace
