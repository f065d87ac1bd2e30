//===- ReferenceRopeTest.cpp - Rotary embeddings, convolution, sums -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceCase.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace lathe;

namespace {
class ReferenceRope : public testing::TestWithParam<const char *> {
protected:
  Names dtypes() const { return {{"DT", GetParam()}}; }
  double round(double value) const {
    return roundTo(*parseFloatFormat(GetParam()), value);
  }
  void expectClose(double got, double expected, double steps = 1) const {
    EXPECT_LE(stepsApart(*parseFloatFormat(GetParam()), got, round(expected)),
              steps)
        << got << " and " << expected;
  }
};
} // namespace

TEST_P(ReferenceRope, QkNormRoundsTwiceAndCopiesV) {
  ReferenceCase c("fused_qk_rmsnorm",
                  {{"T", 3}, {"HQ", 4}, {"HKV", 2}, {"D", 24}, {"XS", 200}},
                  dtypes());
  c.normal("hidden_states");
  c.normal("q_weight", 1, 0, 2);
  c.normal("k_weight", 1, 0, 3);
  c.run();
  auto x = c.get("hidden_states"), out = c.get("out");
  auto qw = c.get("q_weight"), kw = c.get("k_weight");
  for (size_t row = 0; row != 3 * 8; ++row) {
    size_t head = row % 8;
    double squares = 0;
    for (size_t d = 0; d != 24; ++d)
      squares += x[row * 24 + d] * x[row * 24 + d];
    double rstd = 1 / std::sqrt(squares / 24 + double(1e-6f));
    for (size_t d = 0; d != 24; ++d) {
      double value = x[row * 24 + d];
      if (head >= 6)
        EXPECT_EQ(out[row * 24 + d], value);
      else
        expectClose(out[row * 24 + d],
                    (head < 4 ? qw[d] : kw[d]) * round(value * rstd));
    }
  }
}

TEST_P(ReferenceRope, PositionZeroIsTheIdentity) {
  ReferenceCase c("fused_qkv_rope", {{"T", 1}, {"HQ", 2}, {"HKV", 1}, {"D", 8}},
                  dtypes());
  c.normal("qkv");
  c.set("positions", {0});
  c.run();
  auto qkv = c.get("qkv"), q = c.get("q"), k = c.get("k"), v = c.get("v");
  for (size_t i = 0; i != 16; ++i)
    EXPECT_EQ(q[i], qkv[i]);
  for (size_t i = 0; i != 8; ++i) {
    EXPECT_EQ(k[i], qkv[16 + i]);
    EXPECT_EQ(v[i], qkv[24 + i]);
  }
}

TEST_P(ReferenceRope, RotatesByPositionTimesFrequency) {
  for (const char *bias : {"no", "yes"}) {
    const size_t D = 20, R = 16, HQ = 3, HKV = 2, row = (HQ + 2 * HKV) * D;
    ReferenceCase c(
        "fused_qkv_rope",
        {{"T", 4}, {"HQ", HQ}, {"HKV", HKV}, {"D", D}, {"R", R}, {"XS", 160}},
        dtypes(), {{"with_bias", bias}});
    c.normal("qkv");
    c.set("positions", {1, 5, 4096, 131071});
    bool hasBias = bias == llvm::StringRef("yes");
    ASSERT_EQ(c.size("qkv_bias"), hasBias ? row : 0);
    c.normal("qkv_bias", 0.5, 0, 2);
    c.run();
    auto x = c.get("qkv"), b = c.get("qkv_bias"), p = c.get("positions");
    auto q = c.get("q"), k = c.get("k"), v = c.get("v");
    if (hasBias)
      for (size_t i = 0; i != x.size(); ++i)
        x[i] = round(x[i] + b[i % row]);
    for (size_t t = 0; t != 4; ++t)
      for (size_t head = 0; head != HQ + 2 * HKV; ++head) {
        const double *in = &x[t * row + head * D];
        const double *out = head < HQ ? &q[(t * HQ + head) * D]
                            : head < HQ + HKV
                                ? &k[(t * HKV + head - HQ) * D]
                                : &v[(t * HKV + head - HQ - HKV) * D];
        for (size_t d = head < HQ + HKV ? R : 0; d != D; ++d)
          EXPECT_EQ(out[d], in[d]);
        for (size_t i = 0; head < HQ + HKV && i != R / 2; ++i) {
          float exponent = float(2 * i) / float(R);
          float power = float(std::pow(10000.0, double(exponent)));
          float frequency = 1 / power;
          float angle = float(p[t]) * frequency;
          double cos = float(std::cos(double(angle)));
          double sin = float(std::sin(double(angle)));
          expectClose(out[i], in[i] * cos - in[i + R / 2] * sin);
          expectClose(out[i + R / 2], in[i + R / 2] * cos + in[i] * sin);
        }
      }
  }
}

TEST_P(ReferenceRope, RotationKeepsLength) {
  ReferenceCase c("fused_qkv_rope",
                  {{"T", 1}, {"HQ", 1}, {"HKV", 1}, {"D", 64}}, dtypes());
  c.normal("qkv");
  c.set("positions", {12345});
  c.run();
  auto qkv = c.get("qkv"), q = c.get("q");
  double before = 0, after = 0;
  for (size_t d = 0; d != 64; ++d) {
    before += qkv[d] * qkv[d];
    after += q[d] * q[d];
  }
  EXPECT_NEAR(after / before, 1, 5e-3);
}

TEST_P(ReferenceRope, MropeTakesAnglesFromItsAxes) {
  for (const char *interleaved : {"no", "yes"})
    for (const char *neox : {"no", "yes"}) {
      const size_t T = 3, HQ = 2, HKV = 1, HS = 20, R = 16, S[] = {2, 3, 3};
      ReferenceCase c("mrope",
                      {{"T", T},
                       {"HQ", HQ},
                       {"HKV", HKV},
                       {"HS", HS},
                       {"R", R},
                       {"S0", 2},
                       {"S1", 3},
                       {"S2", 3}},
                      dtypes(), {{"interleaved", interleaved}, {"neox", neox}});
      c.normal("q");
      c.normal("k", 1, 0, 2);
      c.normal("cos", 1, 0, 3);
      c.normal("sin", 1, 0, 4);
      c.run();
      auto cos = c.get("cos"), sin = c.get("sin");
      bool isNeox = neox == llvm::StringRef("yes");
      for (const char *name : {"q", "k"}) {
        size_t heads = name == llvm::StringRef("q") ? HQ : HKV;
        auto in = c.get(name), out = c.get(std::string(name) + "_out");
        for (size_t row = 0; row != T * heads; ++row) {
          size_t t = row / heads;
          for (size_t d = R; d != HS; ++d)
            EXPECT_EQ(out[row * HS + d], in[row * HS + d]);
          for (size_t i = 0; i != R / 2; ++i) {
            size_t axis = i < S[0] ? 0 : i < S[0] + S[1] ? 1 : 2;
            if (interleaved == llvm::StringRef("yes"))
              axis = i % 3 == 1 && i <= 3 * S[1]   ? 1
                     : i % 3 == 2 && i <= 3 * S[2] ? 2
                                                   : 0;
            size_t at = (axis * T + t) * (R / 2) + i;
            size_t a = row * HS + (isNeox ? i : 2 * i);
            size_t b = row * HS + (isNeox ? i + R / 2 : 2 * i + 1);
            expectClose(out[a], in[a] * cos[at] - in[b] * sin[at]);
            expectClose(out[b], in[b] * cos[at] + in[a] * sin[at]);
          }
        }
      }
    }
}

TEST_P(ReferenceRope, ConvolutionReachesIntoTheState) {
  for (const char *activation : {"silu", "none"})
    for (int64_t W : {1, 4}) {
      const size_t C = 3, T = 6;
      ReferenceCase c("causal_conv1d",
                      {{"T", T}, {"C", C}, {"W", W}, {"XS", 9}}, dtypes(),
                      {{"activation", activation}});
      c.normal("x");
      c.normal("weight", 1, 0, 2);
      c.normal("bias", 1, 0, 3);
      c.normal("initial_state", 1, 0, 4);
      c.run();
      auto x = c.get("x"), w = c.get("weight"), b = c.get("bias"),
           state = c.get("initial_state"), out = c.get("out");
      for (size_t channel = 0; channel != C; ++channel) {
        std::vector<double> s(state.begin() + channel * (W - 1),
                              state.begin() + (channel + 1) * (W - 1));
        s.insert(s.end(), x.begin() + channel * T,
                 x.begin() + (channel + 1) * T);
        for (size_t t = 0; t != T; ++t) {
          double sum = b[channel];
          for (int64_t tap = 0; tap != W; ++tap)
            sum += w[channel * W + tap] * s[t + tap];
          double y = round(sum);
          if (activation == llvm::StringRef("silu"))
            y = y / (1 + std::exp(-y));
          expectClose(out[channel * T + t], y);
        }
      }
    }
}

// Tokens that the last tap meets alone: a convolution with one unit tap shifts.
TEST_P(ReferenceRope, ConvolutionWithAUnitTapShifts) {
  ReferenceCase c("causal_conv1d", {{"T", 5}, {"C", 1}, {"W", 4}}, dtypes(),
                  {{"activation", "none"}});
  c.set("x", {1, 2, 3, 4, 5});
  c.set("weight", {0, 1, 0, 0});
  c.set("bias", {0});
  c.set("initial_state", {10, 20, 30});
  c.run();
  EXPECT_EQ(c.get("out"), (std::vector<double>{20, 30, 1, 2, 3}));
}

TEST_P(ReferenceRope, SumOfExpertsKnowsNoOrder) {
  const size_t T = 3, K = 5, H = 7;
  Bindings dims = {{"T", T}, {"TOPK", K}, {"H", H}};
  ReferenceCase a("moe_sum_reduce", dims, dtypes(), {},
                  {{"routed_scaling_factor", 2.5}});
  ReferenceCase b("moe_sum_reduce", dims, dtypes(), {},
                  {{"routed_scaling_factor", 2.5}});
  a.normal("expert_outputs");
  auto x = a.get("expert_outputs");
  auto y = x;
  for (size_t t = 0; t != T; ++t)
    for (size_t j = 0; j != K; ++j)
      std::copy_n(&x[(t * K + j) * H], H, &y[(t * K + (j + 2) % K) * H]);
  b.set("expert_outputs", y);
  a.run();
  b.run();
  auto out = a.get("out");
  EXPECT_EQ(out, b.get("out"));
  for (size_t t = 0; t != T; ++t)
    for (size_t h = 0; h != H; ++h) {
      double sum = 0;
      for (size_t j = 0; j != K; ++j)
        sum += x[(t * K + j) * H + h];
      expectClose(out[t * H + h], 2.5 * sum);
    }
}

TEST_P(ReferenceRope, RangesOfTwoIndices) {
  ReferenceCase c("moe_sum_reduce", {{"T", 3}, {"TOPK", 2}, {"H", 4}},
                  dtypes());
  c.set("expert_outputs", std::vector<double>(24, 1.0));
  c.set("out", std::vector<double>(12, 9.0));
  ASSERT_EQ(c.sampledRank(), 2u);
  c.run({{1, 3}, {2, 3}});
  EXPECT_EQ(c.get("out"),
            (std::vector<double>{9, 9, 9, 9, 9, 9, 2, 9, 9, 9, 2, 9}));
}

INSTANTIATE_TEST_SUITE_P(DTypes, ReferenceRope, testing::Values("bf16", "f16"),
                         [](const auto &info) { return info.param; });
