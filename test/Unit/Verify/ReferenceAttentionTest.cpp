//===- ReferenceAttentionTest.cpp - References of attention ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceCase.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>
#include <numeric>

using namespace lathe;
using namespace lathe::test;

namespace {

using Lengths = std::vector<int64_t>;

int64_t sum(const Lengths &lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), int64_t(0));
}

Tensor listOf(const Lengths &values) {
  Tensor result("i32", {int64_t(values.size())});
  for (auto [i, value] : llvm::enumerate(values))
    result.set(i, value);
  return result;
}

Tensor offsets(const Lengths &lengths) {
  Lengths sums{0};
  for (int64_t length : lengths)
    sums.push_back(sums.back() + length);
  return listOf(sums);
}

/// softmax(scale * q k^T) v for one query, the weights formed in full.
double attend(int64_t first, int64_t keys, double scale,
              const std::function<double(int64_t)> &dot,
              const std::function<double(int64_t)> &value, double sink = 0) {
  double norm = sink, result = 0;
  for (int64_t j = first; j < keys; ++j)
    norm += std::exp(scale * dot(j));
  for (int64_t j = first; j < keys; ++j)
    result += std::exp(scale * dot(j)) / norm * value(j);
  return result;
}

/// Sequences whose keys and values are dense; each operator stores them its
/// own way.
struct Attention {
  Attention(Lengths lq, Lengths lk, int64_t hq, int64_t hkv, int64_t d,
            std::string dtype = "bf16")
      : lq(lq), lk(lk), hq(hq), hkv(hkv), d(d), dtype(dtype),
        q(Tensor(dtype, {sum(lq), hq, d}).random(1, -2, 2)),
        k(Tensor(dtype, {sum(lk), hkv, d}).random(2, -2, 2)),
        v(Tensor(dtype, {sum(lk), hkv, d}).random(3, -2, 2)) {}

  Tensor expected(bool causalIfSquare) const {
    return expected([&](int64_t s, int64_t i) {
      bool causal = causalIfSquare && lq[s] == lk[s];
      return std::pair<int64_t, int64_t>(0, causal ? i + 1 : lk[s]);
    });
  }
  /// Query i of q sees keys up to k - q + i of k, the last `window` of them.
  Tensor expectedCausal(int64_t window, double cap = 0,
                        bool withSinks = false) const {
    return expected(
        [&](int64_t s, int64_t i) {
          int64_t end = std::max<int64_t>(lk[s] - lq[s] + i + 1, 0);
          return std::pair(window ? std::max<int64_t>(end - window, 0) : 0,
                           end);
        },
        cap, withSinks);
  }
  Tensor sinks(bool any) const {
    return Tensor("f32", {any ? hq : 0}).random(4, -1, 3);
  }
  Tensor expected(
      const std::function<std::pair<int64_t, int64_t>(int64_t, int64_t)> &seen,
      double cap = 0, bool withSinks = false) const {
    Tensor sink = sinks(withSinks);
    Tensor out = unwritten(q);
    int64_t row = 0, begin = 0;
    for (size_t s = 0; s < lq.size(); begin += lk[s++])
      for (int64_t i = 0; i < lq[s]; ++i, ++row)
        for (int64_t h = 0; h < hq; ++h)
          for (int64_t c = 0; c < d; ++c) {
            auto [first, keys] = seen(int64_t(s), i);
            int64_t head = h / (hq / hkv);
            auto dot = [&](int64_t j) {
              double result = 0;
              for (int64_t x = 0; x < d; ++x)
                result += q.at({row, h, x}) * k.at({begin + j, head, x});
              if (cap == 0)
                return result;
              double unit = cap * std::sqrt(d);
              return unit * std::tanh(result / unit);
            };
            double own = withSinks ? std::exp(sink.at({h})) : 0;
            out.set({row, h, c},
                    attend(
                        first, keys, 1 / std::sqrt(d), dot,
                        [&](int64_t j) { return v.at({begin + j, head, c}); },
                        own));
          }
    return out;
  }

  Tensor forward(std::vector<IndexRange> ranges = {}) const {
    Tensor out = unwritten(q);
    run("attention_forward", {{"DT", dtype}},
        {q, k, v, offsets(lq), offsets(lk)}, {out}, {{hq, d}, {}, {}, ranges});
    return out;
  }

  /// Table entries in order, or backwards through a larger cache; entries
  /// that no token needs are not blocks.
  Tensor table(int64_t bs, int64_t extra, bool backwards,
               int64_t &blocks) const {
    int64_t longest = lk.empty() ? 0 : *std::max_element(lk.begin(), lk.end());
    int64_t entries = (longest + bs - 1) / bs + extra;
    Tensor result =
        Tensor("i32", {int64_t(lk.size()), entries}).fill(-1000000000);
    blocks = lk.size() * entries + 3;
    int64_t next = 0;
    for (size_t s = 0; s < lk.size(); ++s)
      for (int64_t i = 0; i * bs < lk[s]; ++i, ++next)
        result.set({int64_t(s), i}, backwards ? blocks - 1 - next : next);
    return result;
  }

  Tensor unified(int64_t bs, bool backwards,
                 std::vector<IndexRange> ranges = {}, int64_t window = 0,
                 int64_t mask = 0, double cap = 0,
                 bool withSinks = false) const {
    int64_t blocks;
    Tensor ids = table(bs, 2, backwards, blocks);
    Tensor kCache = Tensor(dtype, {blocks, bs, hkv, d}).fill(std::nan(""));
    Tensor vCache = kCache, out = unwritten(q);
    forEachKey([&](int64_t s, int64_t t, int64_t row) {
      int64_t block = ids.at({s, t / bs});
      for (int64_t h = 0; h < hkv; ++h)
        for (int64_t c = 0; c < d; ++c) {
          kCache.set({block, t % bs, h, c}, k.at({row, h, c}));
          vCache.set({block, t % bs, h, c}, v.at({row, h, c}));
        }
    });
    run("unified_attention", {{"DT", dtype}},
        {q, kCache, vCache, offsets(lq), listOf(lk), ids, sinks(withSinks)},
        {out},
        {{hq, hkv, d, bs, ids.shape[1], blocks, window},
         {mask, cap != 0, withSinks},
         {cap},
         ranges});
    return out;
  }

  Tensor decode(int64_t bs, bool backwards) const {
    int64_t blocks, x = 8;
    Tensor ids = table(bs, 1, backwards, blocks);
    Tensor kCache =
        Tensor(dtype, {blocks, hkv, d / x, bs, x}).fill(std::nan(""));
    Tensor vCache = Tensor(dtype, {blocks, hkv, d, bs}).fill(std::nan(""));
    Tensor out = unwritten(q);
    forEachKey([&](int64_t s, int64_t t, int64_t row) {
      int64_t block = ids.at({s, t / bs});
      for (int64_t h = 0; h < hkv; ++h)
        for (int64_t c = 0; c < d; ++c) {
          kCache.set({block, h, c / x, t % bs, c % x}, k.at({row, h, c}));
          vCache.set({block, h, c, t % bs}, v.at({row, h, c}));
        }
    });
    run("paged_attention_decode", {{"DT", dtype}},
        {q, kCache, vCache, ids, listOf(lk)}, {out},
        {{hq, hkv, d, bs, ids.shape[1], blocks}, {}, {}, {}});
    return out;
  }

  void forEachKey(
      const std::function<void(int64_t, int64_t, int64_t)> &visit) const {
    int64_t row = 0;
    for (size_t s = 0; s < lk.size(); ++s)
      for (int64_t t = 0; t < lk[s]; ++t)
        visit(s, t, row++);
  }

  Lengths lq, lk;
  int64_t hq, hkv, d;
  std::string dtype;
  Tensor q, k, v;
};

TEST(ReferenceAttention, ForwardFollowsTheFormula) {
  for (std::string dtype : {"bf16", "f16"}) {
    Attention attention({3, 0, 5, 1}, {4, 2, 5, 1}, 2, 2, 9, dtype);
    expectSame(attention.forward(), attention.expected(false));
  }
  EXPECT_EQ(Attention({}, {}, 2, 2, 8).forward().count, 0);
}

TEST(ReferenceAttention, UnifiedMayBeCausalBehindAWindow) {
  Attention attention({3, 0, 5, 4, 1}, {4, 2, 5, 2, 9}, 2, 2, 9);
  for (int64_t window : {0, 1, 3, 100})
    expectSame(attention.unified(16, true, {}, window, 1),
               attention.expectedCausal(window));
}

TEST(ReferenceAttention, UnifiedScoresMayBeCappedBesideASink) {
  Attention attention({3, 0, 5, 4, 1}, {4, 2, 5, 2, 9}, 4, 2, 9);
  for (int64_t window : {0, 3})
    for (double cap : {0.0, 0.75})
      for (bool sinks : {false, true})
        expectSame(attention.unified(16, true, {}, window, 1, cap, sinks),
                   attention.expectedCausal(window, cap, sinks));
}

TEST(ReferenceAttention, ForwardOfTwoSequencesIsTwoCalls) {
  Attention both({3, 2}, {4, 3}, 2, 2, 8), first({3}, {4}, 2, 2, 8),
      second({2}, {3}, 2, 2, 8);
  auto part = [](const Tensor &from, Tensor &to, int64_t row) {
    for (int64_t i = 0; i < to.count; ++i)
      to.set(i, from[row * from.shape[1] * from.shape[2] + i]);
  };
  part(both.q, first.q, 0), part(both.q, second.q, 3);
  part(both.k, first.k, 0), part(both.k, second.k, 4);
  part(both.v, first.v, 0), part(both.v, second.v, 4);
  Tensor whole = both.forward(), a = unwritten(first.q),
         b = unwritten(second.q);
  part(whole, a, 0), part(whole, b, 3);
  expectSame(a, first.forward());
  expectSame(b, second.forward());
}

TEST(ReferenceAttention, RowsOfNoSequenceStay) {
  Attention attention({2}, {2}, 1, 1, 4);
  attention.q = Tensor("bf16", {3, 1, 4}).random(1);
  for (const Tensor &out :
       {attention.forward(), attention.unified(16, false)}) {
    for (int64_t c = 0; c < 4; ++c)
      EXPECT_EQ(out.at({2, 0, c}), 96);
    EXPECT_NE(out.at({1, 0, 0}), 96);
  }
}

TEST(ReferenceAttention, WeightsSumToOne) {
  Attention attention({5}, {7}, 2, 2, 8);
  attention.v = Tensor("bf16", {7, 2, 8}).fill(1);
  expectSame(attention.forward(), unwritten(attention.q).fill(1));
}

TEST(ReferenceAttention, OneKeyGivesItsValue) {
  Attention attention({2, 1}, {1, 1}, 4, 4, 8);
  Tensor out = attention.forward();
  for (int64_t row = 0; row < 3; ++row)
    for (int64_t h = 0; h < 4; ++h)
      for (int64_t c = 0; c < 8; ++c)
        EXPECT_EQ(out.at({row, h, c}), attention.v.at({row / 2, h, c}));
}

TEST(ReferenceAttention, IsLinearInTheValues) {
  Attention attention({5}, {6}, 2, 2, 8);
  Tensor once = attention.forward();
  for (int64_t i = 0; i < attention.v.count; ++i)
    attention.v.set(i, -4 * attention.v[i]);
  Tensor scaled = attention.forward();
  for (int64_t i = 0; i < once.count; ++i)
    EXPECT_EQ(scaled[i], -4 * once[i]);
}

TEST(ReferenceAttention, LargeScoresDoNotOverflow) {
  Attention attention({1}, {2}, 1, 1, 8);
  attention.q = Tensor("bf16", {1, 1, 8}).fill(0);
  attention.k = Tensor("bf16", {2, 1, 8}).fill(0);
  attention.v = Tensor("bf16", {2, 1, 8}).fill(0);
  auto all = [&] {
    Tensor latent = unwritten(attention.q);
    run("mla_decode_attention", {{"DT", "bf16"}},
        {attention.q, attention.k, listOf({2})}, {latent},
        {{1, 8, 0}, {}, {}, {}});
    // Its values are its keys.
    attention.v = attention.k;
    return std::vector<Tensor>{latent, attention.forward(),
                               attention.unified(16, false),
                               attention.decode(16, false)};
  };
  for (int64_t c = 0; c < 2; ++c) {
    attention.q.set(c, 1e10);
    attention.k.set({0, 0, c}, 1e10);
    attention.k.set({1, 0, c}, -1e10);
  }
  for (const Tensor &out : all())
    EXPECT_EQ(out[0], attention.k[0]);
  // Products that f32 holds, but not their sum: inf - inf is NaN.
  for (int64_t c = 0; c < 2; ++c)
    attention.q.set(c, 3e28);
  for (const Tensor &out : all())
    EXPECT_TRUE(std::isnan(out[0]));
}

TEST(ReferenceAttention, WithoutKeysIsZero) {
  Attention attention({2, 1}, {0, 1}, 2, 2, 8);
  Tensor latent = unwritten(Tensor("bf16", {2, 2, 8}));
  run("mla_decode_attention", {{"DT", "bf16"}},
      {latent, Tensor("bf16", {1, 1, 8}).fill(3), listOf({0, 1})}, {latent},
      {{2, 8, 0}, {}, {}, {}});
  for (int64_t i = 0; i < 32; ++i)
    EXPECT_EQ(latent[i], i < 16 ? 0 : 3);
  for (const Tensor &out : {attention.forward(), attention.unified(16, true)}) {
    for (int64_t i = 0; i < 32; ++i)
      EXPECT_EQ(out[i], 0);
    EXPECT_EQ(out.at({2, 1, 3}), attention.v.at({0, 1, 3}));
  }
}

TEST(ReferenceAttention, TwoKeysByHand) {
  // Scores 0 and ln 3 * 4 / sqrt(16): weights 1/4 and 3/4.
  Attention attention({1}, {2}, 1, 1, 16, "f16");
  attention.q = Tensor("f16", {1, 1, 16}).fill(0);
  attention.k = Tensor("f16", {2, 1, 16}).fill(0);
  attention.v = Tensor("f16", {2, 1, 16}).fill(0);
  attention.q.set(0, 4);
  attention.k.set({1, 0, 0}, 1.0986328125);
  attention.v.set({0, 0, 3}, 4);
  attention.v.set({1, 0, 3}, 8);
  EXPECT_NEAR(attention.forward().at({0, 0, 3}), 7, 0.004);
}

TEST(ReferenceAttention, UnifiedFollowsTheFormula) {
  // Causal, longer cache, shorter cache, decode, no query, causal again.
  Lengths lq{5, 3, 6, 1, 0, 3}, lk{5, 9, 2, 7, 4, 3};
  for (std::string dtype : {"bf16", "f16"})
    for (bool backwards : {false, true}) {
      Attention attention(lq, lk, 6, 2, 8, dtype);
      expectSame(attention.unified(4, backwards), attention.expected(true));
    }
  Attention wide({4}, {4}, 5, 1, 3);
  expectSame(wide.unified(16, true), wide.expected(true));
  EXPECT_EQ(Attention({}, {}, 2, 1, 8).unified(16, false).count, 0);
}

TEST(ReferenceAttention, UnifiedMasksSquareSequencesOnly) {
  Attention square({4}, {4}, 2, 2, 8), longer({3}, {4}, 2, 2, 8);
  Tensor out = square.unified(16, false), open = longer.unified(16, false);
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t c = 0; c < 8; ++c)
      EXPECT_EQ(out.at({0, h, c}), square.v.at({0, h, c}));
  expectSame(open, longer.expected(false));
  // A key that the mask hides changes nothing.
  for (int64_t h = 0; h < 2; ++h)
    square.k.set({3, h, 0}, std::nan("")), square.v.set({3, h, 0}, 77);
  Tensor other = square.unified(16, false);
  for (int64_t i = 0; i < out.count * 3 / 4; ++i)
    EXPECT_EQ(other[i], out[i]);
  EXPECT_TRUE(std::isnan(other[out.count - 1]));
}

TEST(ReferenceAttention, SampleIsPartOfTheWhole) {
  Attention attention({5, 3}, {5, 3}, 4, 2, 8);
  for (std::string op : {"attention_forward", "unified_attention",
                         "paged_attention_decode", "mla_decode_attention"})
    EXPECT_EQ(referenceOf(op, {{"DT", "bf16"}}).sampledRank(), 2u);
  Tensor whole = attention.unified(2, true);
  Tensor some = attention.unified(2, true, {{4, 7}, {1, 3}});
  for (int64_t t = 0; t < 8; ++t)
    for (int64_t h = 0; h < 4; ++h)
      EXPECT_EQ(some.at({t, h, 5}),
                t >= 4 && t < 7 && h >= 1 && h < 3 ? whole.at({t, h, 5}) : 96);
}

TEST(ReferenceAttention, DecodeFollowsTheFormula) {
  Lengths lengths{1, 16, 17, 40};
  for (std::string dtype : {"bf16", "f16"})
    for (bool backwards : {false, true}) {
      Attention attention({1, 1, 1, 1}, lengths, 6, 2, 16, dtype);
      expectSame(attention.decode(16, backwards), attention.expected(false));
    }
}

TEST(ReferenceAttention, DecodeOfNothingIsZero) {
  Attention attention({1, 1, 1}, {0, 3, 0}, 2, 1, 8);
  attention.lk[2] = -7;
  Tensor out = attention.decode(2, false);
  for (int64_t i = 0; i < 16; ++i) {
    EXPECT_EQ(out[i], 0);
    EXPECT_EQ(out[32 + i], 0);
  }
  EXPECT_NE(out[16], 0);
}

TEST(ReferenceAttention, DecodeSharesKeyHeads) {
  // Equal queries of one group give equal results, of another group not.
  Attention attention({1}, {5}, 4, 2, 8);
  for (int64_t h = 1; h < 4; ++h)
    for (int64_t c = 0; c < 8; ++c)
      attention.q.set({0, h, c}, attention.q.at({0, 0, c}));
  Tensor out = attention.decode(4, false);
  for (int64_t c = 0; c < 8; ++c) {
    EXPECT_EQ(out.at({0, 0, c}), out.at({0, 1, c}));
    EXPECT_EQ(out.at({0, 2, c}), out.at({0, 3, c}));
    EXPECT_NE(out.at({0, 1, c}), out.at({0, 2, c}));
  }
}

TEST(ReferenceAttention, LatentFollowsTheFormula) {
  for (std::string dtype : {"bf16", "f16"}) {
    int64_t heads = 3, C = 6, R = 4, row = 0;
    Lengths lengths{4, 1, 7};
    Tensor q = Tensor(dtype, {3, heads, C + R}).random(1, -2, 2);
    Tensor cache = Tensor(dtype, {12, 1, C + R}).random(2, -2, 2);
    Tensor out = unwritten(Tensor(dtype, {3, heads, C})), expected = out;
    run("mla_decode_attention", {{"DT", dtype}}, {q, cache, listOf(lengths)},
        {out}, {{heads, C, R}, {}, {}, {}});
    for (int64_t s = 0; s < 3; row += lengths[s++])
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t c = 0; c < C; ++c) {
          auto dot = [&](int64_t j) {
            double result = 0;
            for (int64_t x = 0; x < C + R; ++x)
              result += q.at({s, h, x}) * cache.at({row + j, 0, x});
            return result;
          };
          auto value = [&](int64_t j) { return cache.at({row + j, 0, c}); };
          expected.set({s, h, c},
                       attend(0, lengths[s], 1 / std::sqrt(C + R), dot, value));
        }
    expectSame(out, expected);
    // The one key of sequence 1.
    EXPECT_EQ(out.at({1, 2, 5}), cache.at({4, 0, 5}));
  }
}

} // namespace
