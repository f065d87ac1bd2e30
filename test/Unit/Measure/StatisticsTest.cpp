//===- StatisticsTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Measure/Statistics.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>

using namespace lathe::measure;

namespace {

std::vector<double> upTo(int n) {
  std::vector<double> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  // The order in which samples come must not matter.
  std::reverse(values.begin(), values.end());
  return values;
}

TEST(Statistics, SummarizesNothing) {
  Summary summary = summarize({});
  EXPECT_EQ(summary.samples, 0u);
  EXPECT_EQ(summary.median, 0);
  EXPECT_EQ(summary.high, 0);
}

TEST(Statistics, SummarizesOneSample) {
  Summary summary = summarize({7});
  EXPECT_EQ(summary.samples, 1u);
  EXPECT_EQ(summary.median, 7);
  EXPECT_EQ(summary.low, 7);
  EXPECT_EQ(summary.high, 7);
  EXPECT_EQ(summary.spread, 0);
}

/// Ranks of the 95 % interval of the median as tables of the sign test have
/// them.
TEST(Statistics, ConfidenceIsByOrderStatistics) {
  const struct {
    int n, low, high;
  } known[] = {{3, 1, 3},   {5, 1, 5},    {6, 1, 6},    {8, 1, 8},
               {9, 2, 8},   {10, 2, 9},   {15, 4, 12},  {20, 6, 15},
               {25, 8, 18}, {30, 10, 21}, {50, 18, 33}, {100, 40, 61}};
  for (auto [n, low, high] : known) {
    Summary summary = summarize(upTo(n));
    EXPECT_EQ(summary.low, low) << n;
    EXPECT_EQ(summary.high, high) << n;
    EXPECT_EQ(summary.median, (n + 1) / 2.0) << n;
    EXPECT_EQ(summary.least, 1) << n;
  }
}

TEST(Statistics, ConfidenceOfVeryMany) {
  Summary summary = summarize(upTo(10001));
  EXPECT_NEAR(summary.low, 5001 - 98, 2);
  EXPECT_NEAR(summary.high, 5001 + 98, 2);
}

TEST(Statistics, SpreadIsHalfTheQuartilesDistance) {
  EXPECT_DOUBLE_EQ(summarize(upTo(5)).spread, 1.0 / 3);
  EXPECT_EQ(summarize({4, 4, 4, 4}).spread, 0);
}

TEST(Statistics, PairsDecide) {
  std::vector<double> a(20, 9), b(20, 10);
  PairedAnswer answer = comparePairs(a, b);
  EXPECT_EQ(answer.comparison, Comparison::Faster);
  EXPECT_DOUBLE_EQ(answer.ratio, 0.9);
  EXPECT_EQ(comparePairs(b, a).comparison, Comparison::Slower);
}

TEST(Statistics, DriftOfBothDoesNotHideADifference) {
  std::vector<double> a, b;
  for (int i = 0; i < 20; ++i) {
    b.push_back(10.0 + i);
    a.push_back(0.95 * b.back());
  }
  EXPECT_EQ(comparePairs(a, b).comparison, Comparison::Faster);
}

TEST(Statistics, SmallDifferencesAreTies) {
  std::vector<double> a(20, 9.95), b(20, 10);
  EXPECT_EQ(comparePairs(a, b).comparison, Comparison::Tie);
  EXPECT_EQ(comparePairs(a, b, 0.001).comparison, Comparison::Faster);
}

TEST(Statistics, DifferencesThatPairsDoNotBearOutAreTies) {
  std::vector<double> a, b(20, 10);
  for (int i = 0; i < 20; ++i)
    a.push_back(i < 11 ? 9 : 11);
  PairedAnswer answer = comparePairs(a, b);
  EXPECT_EQ(answer.comparison, Comparison::Tie);
  EXPECT_LT(answer.low, 1);
  EXPECT_GT(answer.high, 1);
}

TEST(Statistics, FewPairsAreTies) {
  EXPECT_EQ(comparePairs({1, 1, 1, 1, 1}, {2, 2, 2, 2, 2}).comparison,
            Comparison::Tie);
  EXPECT_EQ(comparePairs({1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2}).comparison,
            Comparison::Faster);
  EXPECT_EQ(comparePairs({}, {}).comparison, Comparison::Tie);
  EXPECT_THROW(comparePairs({1}, {}), std::invalid_argument);
}

TEST(Statistics, SwappingInverts) {
  std::vector<double> a = {3, 5, 4, 6, 5, 4, 3, 7},
                      b = {4, 4, 6, 9, 5, 7, 4, 9};
  PairedAnswer forth = comparePairs(a, b), back = comparePairs(b, a);
  EXPECT_NEAR(forth.ratio * back.ratio, 1, 1e-12);
  EXPECT_NEAR(forth.low * back.high, 1, 1e-12);
}

TEST(Statistics, RanksCorrelate) {
  EXPECT_DOUBLE_EQ(rankCorrelation({1, 2, 3, 4}, {10, 20, 30, 1000}), 1);
  EXPECT_DOUBLE_EQ(rankCorrelation({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
  // 1 - 6 * 8 / (5 * 24)
  EXPECT_NEAR(rankCorrelation({1, 2, 3, 4, 5}, {3, 1, 2, 5, 4}), 0.6, 1e-12);
}

TEST(Statistics, TiesHaveAverageRanks) {
  EXPECT_DOUBLE_EQ(rankCorrelation({1, 1, 2, 2}, {5, 5, 9, 9}), 1);
  // ranks 0, 1.5, 1.5, 3 against 0, 1, 2, 3
  EXPECT_NEAR(rankCorrelation({1, 2, 2, 3}, {1, 2, 3, 4}), 4.5 / 4.743416,
              1e-6);
  EXPECT_EQ(rankCorrelation({1, 1, 1}, {1, 2, 3}), 0);
  EXPECT_EQ(rankCorrelation({1}, {1}), 0);
}

} // namespace
