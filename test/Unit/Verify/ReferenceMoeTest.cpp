//===- ReferenceMoeTest.cpp - References of mixtures of experts -----------===//
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

double silu(double x) { return x / (1 + std::exp(-x)); }

struct Experts {
  Experts(int64_t T, int64_t E, int64_t H, int64_t I, int64_t k,
          std::string dtype = "bf16")
      : T(T), E(E), H(H), I(I), k(k), dtype(dtype),
        x(Tensor(dtype, {T, H}).random(1)),
        w1(Tensor(dtype, {E, 2 * I, H}).random(2)),
        w2(Tensor(dtype, {E, H, I}).random(3)),
        weights(Tensor("f32", {T, k}).random(4, 0, 1)),
        ids(Tensor("i32", {T, k}).random(5, 0, E)) {}

  Tensor run(std::vector<IndexRange> ranges = {}) const {
    Tensor out = unwritten(Tensor("f32", {T, H}));
    test::run("fused_moe", {{"DT", dtype}}, {x, w1, w2, weights, ids}, {out},
              {{T, E, H, I, k}, {}, {}, ranges});
    return out;
  }

  /// w2[e] (silu(w1[e] gate) * up) of a token.
  std::vector<double> expert(int64_t t, int64_t e) const {
    std::vector<double> y(H);
    for (int64_t i = 0; i < I; ++i) {
      double gate = 0, up = 0;
      for (int64_t c = 0; c < H; ++c) {
        gate += w1.at({e, i, c}) * x.at({t, c});
        up += w1.at({e, I + i, c}) * x.at({t, c});
      }
      for (int64_t c = 0; c < H; ++c)
        y[c] += w2.at({e, c, i}) * silu(gate) * up;
    }
    return y;
  }

  /// Experts one after another, as the published formula goes.
  Tensor expected() const {
    Tensor out("f32", {T, H});
    for (int64_t t = 0; t < T; ++t) {
      std::vector<double> sum(H);
      for (int64_t e = 0; e < E; ++e) {
        double weight = 0;
        for (int64_t j = 0; j < k; ++j)
          weight += ids.at({t, j}) == e ? weights.at({t, j}) : 0;
        if (weight == 0)
          continue;
        std::vector<double> y = expert(t, e);
        for (int64_t c = 0; c < H; ++c)
          sum[c] += weight * y[c];
      }
      for (int64_t c = 0; c < H; ++c)
        out.set({t, c}, sum[c]);
    }
    return out;
  }

  int64_t T, E, H, I, k;
  std::string dtype;
  Tensor x, w1, w2, weights, ids;
};

/// Equal but for the order of an f64 sum.
void expectClose(const Tensor &found, const Tensor &expected) {
  ASSERT_EQ(found.count, expected.count);
  for (int64_t i = 0; i < found.count; ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-6 * (std::abs(expected[i]) + 1e-6));
}

TEST(ReferenceMoe, FollowsTheFormula) {
  for (std::string dtype : {"bf16", "f16"}) {
    Experts experts(7, 4, 12, 5, 3, dtype);
    expectClose(experts.run(), experts.expected());
  }
  EXPECT_EQ(Experts(0, 2, 4, 4, 2).run().count, 0);
}

TEST(ReferenceMoe, OneNumberByHand) {
  Experts experts(1, 1, 1, 1, 1);
  experts.x.set(0, 1);
  experts.w1 = Tensor("bf16", {1, 2, 1}).values({2, 3});
  experts.w2.set(0, 4);
  experts.weights.set(0, 0.5);
  experts.ids.set(0, 0);
  // silu(2) = 1.7615942, times 3 * 4 * 0.5.
  EXPECT_NEAR(experts.run()[0], 10.569565, 1e-5);
}

TEST(ReferenceMoe, IdsOutsideTheExpertsAddNothing) {
  Experts experts(3, 2, 4, 4, 2);
  experts.ids =
      Tensor("i32", {3, 2}).values({-1, 0, 2, 1, 2147483647, -2147483647});
  Tensor out = experts.run();
  expectClose(out, experts.expected());
  for (int64_t c = 0; c < 4; ++c) {
    EXPECT_NE(out.at({1, c}), 0);
    EXPECT_EQ(out.at({2, c}), 0);
  }
}

TEST(ReferenceMoe, DuplicatesAreOneExpertWithTheirSum) {
  Experts twice(2, 3, 8, 4, 3);
  twice.ids = Tensor("i32", {2, 3}).values({1, 1, 2, 0, 2, 0});
  twice.weights = Tensor("f32", {2, 3}).values({.25, .5, .125, .5, .25, .75});
  Experts once = twice;
  once.ids = Tensor("i32", {2, 3}).values({1, -1, 2, -1, 2, 0});
  once.weights = Tensor("f32", {2, 3}).values({.75, 9, .125, 9, .25, 1.25});
  expectSame(twice.run(), once.run());

  // Weights that cancel are none, whatever the expert would give.
  twice.weights = Tensor("f32", {2, 3}).values({.5, -.5, .125, 0, .25, 0});
  for (int64_t i = 0; i < twice.w1.count / 3; ++i)
    twice.w1.set(i, std::nan("")),
        twice.w1.set(i + twice.w1.count / 3, std::nan(""));
  Tensor out = twice.run();
  expectClose(out, twice.expected());
  for (int64_t i = 0; i < out.count; ++i)
    EXPECT_FALSE(std::isnan(out[i]));
}

TEST(ReferenceMoe, OrderOfSlotsTokensAndExpertsDoesNotMatter) {
  Experts experts(4, 3, 6, 5, 2), turned = experts;
  auto otherToken = [](int64_t t) { return 3 - t; };
  auto otherExpert = [](int64_t e) { return (e + 1) % 3; };
  for (int64_t t = 0; t < 4; ++t) {
    for (int64_t j = 0; j < 2; ++j) {
      turned.ids.set({otherToken(t), 1 - j},
                     otherExpert(experts.ids.at({t, j})));
      turned.weights.set({otherToken(t), 1 - j}, experts.weights.at({t, j}));
    }
    for (int64_t c = 0; c < 6; ++c)
      turned.x.set({otherToken(t), c}, experts.x.at({t, c}));
  }
  for (int64_t e = 0; e < 3; ++e)
    for (int64_t c = 0; c < 6; ++c)
      for (int64_t i = 0; i < 5; ++i) {
        turned.w2.set({otherExpert(e), c, i}, experts.w2.at({e, c, i}));
        for (int64_t half : {0, 5})
          turned.w1.set({otherExpert(e), half + i, c},
                        experts.w1.at({e, half + i, c}));
      }
  Tensor out = experts.run(), back = turned.run();
  for (int64_t t = 0; t < 4; ++t)
    for (int64_t c = 0; c < 6; ++c)
      EXPECT_NEAR(out.at({t, c}), back.at({otherToken(t), c}), 1e-6);
}

TEST(ReferenceMoe, SampleIsPartOfTheWhole) {
  Experts experts(5, 2, 4, 4, 2);
  EXPECT_EQ(referenceOf("fused_moe", {{"DT", "bf16"}}).sampledRank(), 1u);
  Tensor whole = experts.run(), some = experts.run({{3, 4}});
  for (int64_t t = 0; t < 5; ++t)
    for (int64_t c = 0; c < 4; ++c)
      EXPECT_EQ(some.at({t, c}), t == 3 ? whole.at({t, c}) : 96);
}

struct ScaledExperts {
  ScaledExperts(std::string dtype, int64_t T, int64_t E, int64_t H, int64_t I,
                int64_t k, int64_t G)
      : T(T), E(E), H(H), I(I), k(k), G(G), dtype(dtype),
        x(Tensor(dtype, {T, H}).random(1, -16, 16)),
        w1(Tensor(dtype, {E, 2 * I, H}).random(2, -16, 16)),
        w2(Tensor(dtype, {E, H, I}).random(3, -16, 16)),
        weights(Tensor("f32", {T, k}).random(4, 0, 1)),
        ids(Tensor("i32", {T, k}).random(5, -2, E + 2)),
        aScale(scales({T, up(H)}, 6)), fc1(scales({E, up(2 * I), up(H)}, 7)),
        fc2(scales({E, up(H), up(I)}, 8)) {}

  int64_t up(int64_t n) const { return (n + G - 1) / G; }
  static Tensor scales(std::vector<int64_t> shape, unsigned seed) {
    return Tensor("f32", std::move(shape)).random(seed, 0.01, 0.02);
  }

  Tensor run(std::string outType) const {
    Tensor out = unwritten(Tensor(outType, {T, H}));
    test::run("fp8_blockscale_fused_moe", {{"F8", dtype}, {"OT", outType}},
              {x, w1, w2, weights, ids, aScale, fc1, fc2}, {out},
              {{T, E, H, I, k, G}, {}, {}, {}});
    return out;
  }

  /// Every slot by itself, every operand dequantised first.
  Tensor expected(std::string outType) const {
    Tensor out(outType, {T, H});
    for (int64_t t = 0; t < T; ++t)
      for (int64_t c = 0; c < H; ++c) {
        double sum = 0;
        for (int64_t j = 0; j < k; ++j) {
          int64_t e = ids.at({t, j});
          if (e < 0 || e >= E)
            continue;
          for (int64_t i = 0; i < I; ++i)
            sum += weights.at({t, j}) * w2.at({e, c, i}) *
                   fc2.at({e, c / G, i / G}) * silu(project(t, e, i)) *
                   project(t, e, I + i);
        }
        out.set({t, c}, sum);
      }
    return out;
  }

  double project(int64_t t, int64_t e, int64_t r) const {
    double sum = 0;
    for (int64_t c = 0; c < H; ++c)
      sum += w1.at({e, r, c}) * fc1.at({e, r / G, c / G}) * x.at({t, c}) *
             aScale.at({t, c / G});
    return sum;
  }

  int64_t T, E, H, I, k, G;
  std::string dtype;
  Tensor x, w1, w2, weights, ids, aScale, fc1, fc2;
};

TEST(ReferenceMoe, ScaledFollowsTheFormula) {
  // Blocks of 4 that neither 10 columns nor 2 * 3 rows fill.
  for (std::string dtype : {"f8E4M3FN", "f8E4M3FNUZ"})
    for (std::string out : {"f8E4M3FN", "f8E4M3FNUZ", "bf16"}) {
      ScaledExperts experts(dtype, 4, 3, 10, 3, 2, 4);
      expectSame(experts.run(out), experts.expected(out));
    }
  EXPECT_EQ(ScaledExperts("f8E4M3FN", 0, 2, 4, 4, 2, 4).run("bf16").count, 0);
}

TEST(ReferenceMoe, ScaledOverflowsToNaN) {
  ScaledExperts experts("f8E4M3FNUZ", 1, 1, 1, 1, 2, 128);
  auto one = [](Tensor &tensor, double value) {
    for (int64_t i = 0; i < tensor.count; ++i)
      tensor.set(i, value);
  };
  for (Tensor *tensor : {&experts.aScale, &experts.fc1, &experts.fc2,
                         &experts.x, &experts.weights})
    one(*tensor, 1);
  // silu(20) * 20 = 400, a token whose two slots name the expert twice.
  one(experts.w1, 20);
  one(experts.ids, 0);
  one(experts.w2, 0.25);
  EXPECT_EQ(experts.run("f8E4M3FNUZ")[0], 192); // from 200, less a little
  one(experts.w2, 0.3125);
  EXPECT_TRUE(std::isnan(experts.run("f8E4M3FNUZ")[0])); // 250 > 248
  EXPECT_EQ(experts.run("f8E4M3FN")[0], 256);
  EXPECT_EQ(experts.run("bf16")[0], 250);
}

} // namespace
