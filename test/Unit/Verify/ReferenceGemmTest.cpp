//===- ReferenceGemmTest.cpp - References of matrix products --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceCase.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace lathe;
using namespace lathe::test;

namespace {

struct Linear {
  Linear(std::string dtype, int64_t T, int64_t K, int64_t N)
      : T(T), K(K), N(N), dtype(dtype), x(Tensor(dtype, {T, K}).random(1)),
        w(Tensor(dtype, {N, K}).random(2)), bias(Tensor(dtype, {N}).random(3)),
        post(Tensor(dtype, {T, N}).random(4)) {}

  Tensor run(std::vector<IndexRange> ranges = {}) const {
    Tensor out = unwritten(post);
    test::run("linear_sigmoid_mul", {{"DT", dtype}}, {x, w, bias, post}, {out},
              {{T, K, N}, {}, {}, ranges});
    return out;
  }

  Tensor expected() const {
    Tensor out = unwritten(post);
    for (int64_t t = 0; t < T; ++t)
      for (int64_t n = 0; n < N; ++n) {
        double sum = bias.at({n});
        for (int64_t k = K; k-- > 0;)
          sum += x.at({t, k}) * w.at({n, k});
        double gate = 1 / (1 + std::exp(-out.round(sum)));
        out.set({t, n}, gate * post.at({t, n}));
      }
    return out;
  }

  int64_t T, K, N;
  std::string dtype;
  Tensor x, w, bias, post;
};

TEST(ReferenceGemm, LinearFollowsTheFormula) {
  for (std::string dtype : {"bf16", "f16"})
    for (auto [T, K, N] : {std::tuple{5, 37, 11}, {1, 1, 1}, {3, 0, 4}}) {
      Linear linear(dtype, T, K, N);
      expectSame(linear.run(), linear.expected());
    }
  Linear empty("bf16", 0, 4, 4);
  EXPECT_EQ(empty.run().count, 0);
}

TEST(ReferenceGemm, LinearRoundsTheProductAndBiasOnce) {
  // 256 + 1 is a tie that goes down in bf16, but 256 + 1 + 1/128 goes up to
  // 258. sigmoid(y - 256 - ...) would hide it, so the gate looks at -y near 0.
  Linear linear("bf16", 1, 2, 1);
  linear.x = Tensor("bf16", {1, 2}).values({1, 1});
  linear.w = Tensor("bf16", {1, 2}).values({1, 0.00390625});
  linear.bias = Tensor("bf16", {1}).values({0.00001});
  linear.post = Tensor("bf16", {1, 1}).values({1});
  EXPECT_EQ(linear.run()[0], linear.post.round(1 / (1 + std::exp(-1.0078125))));
  linear.bias.set(0, 0);
  EXPECT_EQ(linear.run()[0], linear.post.round(1 / (1 + std::exp(-1.0))));
  EXPECT_NE(linear.post.round(1 / (1 + std::exp(-1.0078125))),
            linear.post.round(1 / (1 + std::exp(-1.0))));
}

TEST(ReferenceGemm, LinearWithoutWeightsHalvesTheSecondFactor) {
  Linear linear("f16", 4, 9, 6);
  linear.w = Tensor("f16", {6, 9}).fill(0);
  linear.bias = Tensor("f16", {6}).fill(0);
  Tensor out = linear.run();
  for (int64_t i = 0; i < out.count; ++i)
    EXPECT_EQ(out[i], linear.post[i] / 2);
}

TEST(ReferenceGemm, LinearSampleIsPartOfTheWhole) {
  Linear linear("bf16", 6, 8, 7);
  EXPECT_EQ(referenceOf("linear_sigmoid_mul", {{"DT", "bf16"}}).sampledRank(),
            2u);
  Tensor whole = linear.run(), some = linear.run({{2, 4}, {5, 7}});
  for (int64_t t = 0; t < 6; ++t)
    for (int64_t n = 0; n < 7; ++n)
      EXPECT_EQ(some.at({t, n}),
                t >= 2 && t < 4 && n >= 5 ? whole.at({t, n}) : 96);
}

struct ScaledProduct {
  ScaledProduct(std::string dtype, int64_t M, int64_t N, int64_t K, int64_t GN,
                int64_t GK)
      : M(M), N(N), K(K), GN(GN), GK(GK), dtype(dtype),
        a(Tensor(dtype, {M, K}).random(1, -200, 200)),
        b(Tensor(dtype, {N, K}).random(2, -200, 200)),
        aScales(Tensor("f32", {M, (K + GK - 1) / GK}).random(3, 0.1, 2)),
        bScales(Tensor("f32", {(N + GN - 1) / GN, (K + GK - 1) / GK})
                    .random(4, 0.1, 2)) {}

  Tensor run() const {
    Tensor out = unwritten(Tensor("f32", {M, N}));
    test::run("block_scaled_mm", {{"F8", dtype}}, {a, b, aScales, bScales},
              {out}, {{M, N, K, GN, GK}, {0}, {}, {}});
    return out;
  }

  /// Scales every operand by itself, without blocks of sums.
  void expectFormula() const {
    Tensor out = run();
    for (int64_t m = 0; m < M; ++m)
      for (int64_t n = 0; n < N; ++n) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < K; ++k) {
          double term = a.at({m, k}) * b.at({n, k}) * aScales.at({m, k / GK}) *
                        bScales.at({n / GN, k / GK});
          sum += term;
          size += std::abs(term);
        }
        double error = std::abs(out.at({m, n}) - sum);
        EXPECT_LE(error, 1e-14 * size + std::abs(sum) * std::exp2(-24))
            << m << ", " << n;
      }
  }

  int64_t M, N, K, GN, GK;
  std::string dtype;
  Tensor a, b, aScales, bScales;
};

TEST(ReferenceGemm, ScaledProductFollowsTheFormula) {
  for (std::string dtype : {"f8E4M3FN", "f8E4M3FNUZ"}) {
    ScaledProduct(dtype, 3, 130, 200, 128, 128).expectFormula();
    ScaledProduct(dtype, 2, 5, 7, 2, 3).expectFormula();
    ScaledProduct(dtype, 1, 1, 1, 128, 128).expectFormula();
  }
  EXPECT_EQ(ScaledProduct("f8E4M3FN", 0, 4, 4, 2, 2).run().count, 0);
  Tensor none = ScaledProduct("f8E4M3FN", 2, 2, 0, 2, 2).run();
  for (int64_t i = 0; i < none.count; ++i)
    EXPECT_EQ(none[i], 0);
}

TEST(ReferenceGemm, ScaledProductOfAUnitRowPicksAColumn) {
  ScaledProduct product("f8E4M3FN", 1, 6, 10, 4, 4);
  product.a = Tensor("f8E4M3FN", {1, 10}).fill(0);
  product.a.set({0, 9}, 1);
  Tensor out = product.run();
  for (int64_t n = 0; n < 6; ++n)
    EXPECT_EQ(out.at({0, n}),
              float(product.b.at({n, 9}) * product.aScales.at({0, 2}) *
                    product.bScales.at({n / 4, 2})));
}

TEST(ReferenceGemm, ScaledProductTellsTheEncodingsApart) {
  // The same bytes are worth half in FNUZ, and NaN at other places.
  for (auto [dtype, value] :
       {std::pair{"f8E4M3FN", 448.0}, {"f8E4M3FNUZ", 240.0}}) {
    ScaledProduct product(dtype, 1, 1, 1, 1, 1);
    product.a.set(0, value);
    product.b.set(0, value);
    product.aScales.set(0, 1);
    product.bScales.set(0, 1);
    EXPECT_EQ(product.run()[0], value * value);
    product.a.set(0, std::nan(""));
    EXPECT_TRUE(std::isnan(product.run()[0]));
  }
}

} // namespace
