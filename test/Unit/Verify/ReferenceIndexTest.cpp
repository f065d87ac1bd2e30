//===- ReferenceIndexTest.cpp - Sorting, top-k and cache updates ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceCase.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace lathe;

static constexpr double inf = std::numeric_limits<double>::infinity();
using Values = std::vector<double>;

TEST(ReferenceIndex, CacheTakesWhatSlotsSay) {
  for (const char *dtype : {"bf16", "f16"}) {
    const size_t T = 5, row = 2 * 3, slots = 4 * 2;
    ReferenceCase c("reshape_and_cache",
                    {{"T", 5}, {"NH", 2}, {"D", 3}, {"BS", 2}, {"NB", 4}},
                    {{"DT", dtype}});
    for (const char *name : {"key", "value", "key_cache", "value_cache"})
      c.normal(name, 1, 0, name[0] + unsigned(llvm::StringRef(name).size()));
    c.set("slot_mapping", {6, -1, 0, 3, -5});
    c.run();
    for (std::string name : {"key", "value"}) {
      auto fresh = c.get(name), expected = c.get(name + "_cache");
      auto slot = c.get("slot_mapping");
      for (size_t t = 0; t != T; ++t)
        if (slot[t] >= 0)
          std::copy_n(&fresh[t * row], row, &expected[size_t(slot[t]) * row]);
      EXPECT_EQ(c.get(name + "_cache_out"), expected);
    }
    ASSERT_EQ(c.sampledRank(), 2u);
    c.set("key_cache_out", Values(slots * row, 7));
    c.run({{1, 2}, {0, 1}});
    auto some = c.get("key_cache_out"), old = c.get("key_cache");
    for (size_t i = 0; i != some.size(); ++i)
      EXPECT_EQ(some[i], i / row == 2 ? old[i] : 7);
  }
}

TEST(ReferenceIndex, TopKFilterKeepsTiesAndNaN) {
  ReferenceCase c("topk_filter", {{"T", 5}, {"V", 6}, {"K", 2}, {"XS", 8}});
  double nan = std::nan("");
  c.set("logits", {1,   5,    3,   5,  5,    2,  // 5 ties: three stay
                   -1,  -2,   -3,  -4, -5,   -6, // negative values
                   0,   -0.0, -1,  1,  -1,   -2, // the second largest is a zero
                   nan, 1,    2,   3,  -nan, 0,  // NaN fill both places
                   nan, 1,    inf, 3,  -inf, 0});
  c.run();
  auto out = c.get("out");
  auto row = [&](size_t t) {
    return Values(out.begin() + t * 6, out.begin() + (t + 1) * 6);
  };
  EXPECT_EQ(row(0), (Values{-inf, 5, -inf, 5, 5, -inf}));
  EXPECT_EQ(row(1), (Values{-1, -2, -inf, -inf, -inf, -inf}));
  EXPECT_EQ(row(2), (Values{0, 0, -inf, 1, -inf, -inf}));
  EXPECT_TRUE(std::isnan(out[18]) && std::isnan(out[22]));
  EXPECT_EQ(out[19], 1); // nothing is less than NaN
  EXPECT_TRUE(std::isnan(out[24]));
  EXPECT_EQ(Values(out.begin() + 25, out.end()),
            (Values{-inf, inf, -inf, -inf, -inf}));
}

TEST(ReferenceIndex, TopKFilterAgreesWithSorting) {
  for (auto [V, K] :
       {std::pair<int64_t, int64_t>{1031, 50}, {17, 50}, {64, 1}}) {
    ReferenceCase c("topk_filter", {{"T", 3}, {"V", V}, {"K", K}});
    c.normal("logits");
    c.run();
    auto x = c.get("logits"), out = c.get("out");
    for (int64_t t = 0; t != 3; ++t) {
      Values sorted(x.begin() + t * V, x.begin() + (t + 1) * V);
      std::sort(sorted.begin(), sorted.end(), std::greater<>());
      double least = sorted[size_t(std::min(K, V)) - 1];
      for (int64_t v = 0; v != V; ++v)
        EXPECT_EQ(out[t * V + v], x[t * V + v] < least ? -inf : x[t * V + v]);
    }
  }
}

TEST(ReferenceIndex, AlignSortsAndPads) {
  // Experts 2, 0, 2 | 5, 2, -1 | 9, 0, 2 of six; blocks of two.
  ReferenceCase c("moe_align_block_size",
                  {{"T", 3}, {"TOPK", 3}, {"E", 6}, {"BS", 2}, {"P", 12}});
  c.set("topk_ids", {2, 0, 2, 5, 2, -1, 9, 0, 2});
  c.run();
  EXPECT_EQ(c.get("num_tokens_post_pad"), Values{8});
  EXPECT_EQ(c.get("sorted_token_ids"),
            (Values{1, 7, 0, 2, 4, 8, 3, 9, 9, 9, 9, 9}));
  EXPECT_EQ(c.get("expert_ids"), (Values{0, 2, 2, 5, -1, -1}));
}

TEST(ReferenceIndex, AlignWithoutTokensOrRoom) {
  ReferenceCase empty("moe_align_block_size",
                      {{"T", 0}, {"TOPK", 8}, {"E", 4}, {"BS", 4}, {"P", 0}});
  empty.run();
  EXPECT_EQ(empty.get("num_tokens_post_pad"), Values{0});
  ReferenceCase tight("moe_align_block_size",
                      {{"T", 2}, {"TOPK", 1}, {"E", 2}, {"BS", 2}, {"P", 2}});
  tight.set("topk_ids", {1, 0});
  tight.run();
  EXPECT_EQ(tight.get("num_tokens_post_pad"), Values{4});
  EXPECT_EQ(tight.get("sorted_token_ids"), (Values{1, 2}));
  EXPECT_EQ(tight.get("expert_ids"), Values{0});
}

TEST(ReferenceIndex, AlignedBlocksPartitionTheSlots) {
  const int64_t T = 37, K = 4, E = 16, BS = 8, P = T * K + E * BS;
  ReferenceCase c("moe_align_block_size",
                  {{"T", T}, {"TOPK", K}, {"E", E}, {"BS", BS}, {"P", P}});
  c.integers("topk_ids", 0, E);
  c.run();
  auto ids = c.get("topk_ids"), sorted = c.get("sorted_token_ids"),
       experts = c.get("expert_ids");
  size_t total = size_t(c.get("num_tokens_post_pad")[0]);
  ASSERT_EQ(total % BS, 0u);
  std::vector<bool> seen(T * K);
  double previous = -1, expert = -1;
  for (size_t i = 0; i != total; ++i) {
    if (experts[i / BS] != expert) {
      EXPECT_GT(experts[i / BS], expert);
      expert = experts[i / BS];
      previous = -1;
    }
    EXPECT_GE(sorted[i], previous);
    if (sorted[i] == T * K) {
      previous = T * K;
      EXPECT_NE(i % BS, 0u) << "a block of padding alone";
      continue;
    }
    EXPECT_GT(sorted[i], previous);
    previous = sorted[i];
    EXPECT_EQ(ids[size_t(sorted[i])], expert);
    EXPECT_FALSE(seen[size_t(sorted[i])]);
    seen[size_t(sorted[i])] = true;
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), T * K);
}

TEST(ReferenceIndex, CountAndSortIsStable) {
  const int64_t T = 29, K = 8, E = 12;
  ReferenceCase c("moe_count_and_sort", {{"T", T}, {"TOPK", K}, {"E", E}});
  c.integers("topk_ids", 0, E - 2); // two experts stay empty
  c.run();
  auto ids = c.get("topk_ids");
  std::vector<size_t> order(ids.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(ids[a], a) < std::pair(ids[b], b);
  });
  EXPECT_EQ(c.get("sorted_token_ids"), Values(order.begin(), order.end()));
  auto counts = c.get("expert_token_counts"), sums = c.get("cumsum");
  ASSERT_EQ(sums.size(), size_t(E + 1));
  EXPECT_EQ(sums[0], 0);
  for (size_t e = 0; e != size_t(E); ++e) {
    EXPECT_EQ(counts[e], std::count(ids.begin(), ids.end(), double(e)));
    EXPECT_EQ(sums[e + 1], sums[e] + counts[e]);
  }
}

TEST(ReferenceIndex, CountAndSortLeavesStrangersOut) {
  ReferenceCase c("moe_count_and_sort", {{"T", 2}, {"TOPK", 2}, {"E", 2}});
  c.set("topk_ids", {2, 1, -1, 0});
  c.run();
  EXPECT_EQ(c.get("sorted_token_ids"), (Values{3, 1, 4, 4}));
  EXPECT_EQ(c.get("expert_token_counts"), (Values{1, 1}));
  EXPECT_EQ(c.get("cumsum"), (Values{0, 1, 2}));
}

TEST(ReferenceIndex, GatingPicksTheLargestShares) {
  const size_t T = 6, E = 32, K = 8;
  ReferenceCase c("moe_topk_gating_softmax",
                  {{"T", int64_t(T)}, {"E", int64_t(E)}, {"TOPK", int64_t(K)}});
  c.normal("gating_output");
  c.run();
  auto x = c.get("gating_output"), w = c.get("topk_weights"),
       ids = c.get("topk_ids");
  for (size_t t = 0; t != T; ++t) {
    double sum = 0, chosen = 0;
    for (size_t e = 0; e != E; ++e)
      sum += std::exp(x[t * E + e]);
    std::vector<size_t> order(E);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(-x[t * E + a], a) < std::pair(-x[t * E + b], b);
    });
    for (size_t n = 0; n != K; ++n) {
      EXPECT_EQ(ids[t * K + n], double(order[n]));
      EXPECT_NEAR(w[t * K + n], std::exp(x[t * E + order[n]]) / sum, 1e-7);
      chosen += w[t * K + n];
    }
    EXPECT_LT(chosen, 1); // not renormalised
  }
}

TEST(ReferenceIndex, GatingOfAllExpertsSumsToOne) {
  ReferenceCase c("moe_topk_gating_softmax", {{"T", 1}, {"E", 9}, {"TOPK", 9}});
  c.normal("gating_output", 3);
  c.run();
  auto w = c.get("topk_weights");
  EXPECT_NEAR(std::accumulate(w.begin(), w.end(), 0.0), 1, 1e-6);
  EXPECT_TRUE(std::is_sorted(w.begin(), w.end(), std::greater<>()));
}

TEST(ReferenceIndex, GatingTiesGoToTheLowerIndex) {
  ReferenceCase c("moe_topk_gating_softmax", {{"T", 3}, {"E", 6}, {"TOPK", 4}});
  c.set("gating_output", {1, 2, 1, 2, 1, 0,                //
                          3, 3, 3, 3, 3, 3,                //
                          0, std::nan(""), 1, 2, 3, inf}); // all NaN
  c.run();
  auto ids = c.get("topk_ids"), w = c.get("topk_weights");
  EXPECT_EQ(ids, (Values{1, 3, 0, 2, 0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(w[4], float(1.0f / 6));
  EXPECT_TRUE(std::isnan(w[8]) && std::isnan(w[11]));
}

TEST(ReferenceIndex, GatingKeepsTheBestGroups) {
  // Groups (0 1), (2 3), (4 5), (6 7); the maxima of 1 and 3 are the largest.
  ReferenceCase c(
      "moe_topk_gating_softmax",
      {{"T", 2}, {"E", 8}, {"TOPK", 5}, {"GROUPS", 4}, {"KEPT", 2}});
  c.set("gating_output", {1, 2, 0, 5, 3, 3, 4, 1,   //
                          2, 0, 2, 1, 2, 0, 2, 1}); // tie: the first two groups
  c.run();
  auto ids = c.get("topk_ids"), w = c.get("topk_weights");
  // The fifth has a share of 0, as have all of the other groups.
  EXPECT_EQ(ids, (Values{3, 6, 7, 2, 0, 0, 2, 3, 1, 4}));
  EXPECT_EQ(w[4], 0);
  EXPECT_GT(w[3], 0);
  EXPECT_EQ(w[9], 0);
}

TEST(ReferenceIndex, GatingWithTooFewExperts) {
  ReferenceCase c("moe_topk_gating_softmax", {{"T", 1}, {"E", 2}, {"TOPK", 3}});
  c.set("gating_output", {0, 1});
  c.run();
  EXPECT_EQ(c.get("topk_ids"), (Values{1, 0, -1}));
  EXPECT_EQ(c.get("topk_weights")[2], 0);
}
