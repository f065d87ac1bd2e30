//===- BucketsTest.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Rank/Buckets.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace lathe;

using Time = std::function<double(size_t, int64_t)>;

static BucketAnswer cut(std::vector<std::string> kernels, const Time &time,
                        int64_t lo = 0, int64_t hi = int64_t(1) << 40,
                        int64_t multiple = 1, double tolerance = 0) {
  BucketQuestion q;
  q.lo = lo;
  q.hi = hi;
  q.multiple = multiple;
  q.kernels = std::move(kernels);
  q.time = time;
  q.tolerance = tolerance;
  return cutBuckets(q);
}

TEST(Buckets, OneKernelTakesAll) {
  auto answer = cut({"a"}, [](size_t, int64_t) { return 1.0; });
  ASSERT_EQ(answer.intervals.size(), 1u);
  EXPECT_EQ(answer.intervals[0].lo, 0);
  EXPECT_EQ(answer.intervals[0].hi, int64_t(1) << 40);
}

TEST(Buckets, FindsTheCrossingExactly) {
  auto answer = cut({"small", "large"}, [](size_t k, int64_t v) {
    return k == 0 ? 1.0 + 2.0 * double(v) : 1235.0 + double(v);
  });
  ASSERT_EQ(answer.intervals.size(), 2u);
  EXPECT_EQ(answer.intervals[0].hi, 1234);
  EXPECT_EQ(answer.intervals[1].lo, 1235);
  EXPECT_EQ(answer.intervals[1].kernel, 1u);
}

TEST(Buckets, ToleranceMergesWhatHardlyDiffers) {
  Time wobble = [](size_t k, int64_t v) {
    return 100.0 + ((v / 1000) % 2 == int64_t(k) ? 1 : 0);
  };
  EXPECT_EQ(cut({"a", "b"}, wobble, 0, 100000, 1, 0.02).intervals.size(), 1u);
  EXPECT_GT(cut({"a", "b"}, wobble, 0, 100000, 1, 0).intervals.size(), 1u);
}

TEST(Buckets, LeavesAGapWhereNothingRuns) {
  auto answer = cut({"a"}, [](size_t, int64_t v) {
    return v >= 100 && v <= 5000 ? 1.0 : INFINITY;
  });
  ASSERT_EQ(answer.intervals.size(), 1u);
  EXPECT_GE(answer.intervals[0].lo, 100);
  EXPECT_EQ(answer.intervals[0].hi, 5000);
}

TEST(Buckets, KeepsToMultiples) {
  auto answer = cut(
      {"a", "b"},
      [](size_t k, int64_t v) {
        EXPECT_EQ(v % 8, 0);
        return k == 0 ? double(v) : 1000.0;
      },
      1, 100000, 8);
  ASSERT_EQ(answer.intervals.size(), 2u);
  EXPECT_EQ(answer.intervals[0].lo, 8);
  EXPECT_EQ(answer.intervals[0].hi, 1000);
  EXPECT_EQ(answer.intervals[1].lo, 1008);
}

TEST(Buckets, HotValuesAreJudged) {
  // Only at 7777 is the second kernel better, by far.
  BucketQuestion q;
  q.hi = 1 << 20;
  q.hot = {7777};
  q.kernels = {"usual", "special"};
  auto time = [](size_t k, int64_t v) {
    return k == 0 ? (v == 7777 ? 100.0 : 1.0) : 2.0;
  };
  q.time = time;
  auto answer = cutBuckets(q);
  ASSERT_EQ(answer.intervals.size(), 3u);
  EXPECT_EQ(answer.intervals[1].lo, 7777);
  EXPECT_EQ(answer.intervals[1].hi, 7777);
  EXPECT_EQ(answer.intervals[1].kernel, 1u);
}

TEST(Buckets, RandomStepsAreDisjointAndHeld) {
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::pair<double, double>> lines;
    for (int k = 0; k < 5; ++k)
      lines.emplace_back(random() % 1000, (random() % 100) / 10.0 + 0.1);
    Time time = [&](size_t k, int64_t v) {
      return lines[k].first + 1 + lines[k].second * double(v);
    };
    auto answer = cut({"a", "b", "c", "d", "e"}, time, 0, 1 << 24, 1, 0.01);
    int64_t next = 0;
    for (const BucketInterval &interval : answer.intervals) {
      EXPECT_EQ(interval.lo, next);
      next = interval.hi + 1;
      for (int64_t v :
           {interval.lo, interval.lo / 2 + interval.hi / 2, interval.hi}) {
        double best = INFINITY;
        for (size_t k = 0; k < lines.size(); ++k)
          best = std::min(best, time(k, v));
        EXPECT_LE(time(interval.kernel, v), best * 1.0101);
      }
    }
    EXPECT_EQ(next, (1 << 24) + 1);
  }
}

TEST(Buckets, PrintThemselves) {
  BucketQuestion q;
  q.hi = 10;
  q.hot = {3};
  q.kernels = {"a"};
  auto time = [](size_t, int64_t) { return 1.0; };
  q.time = time;
  std::string text;
  llvm::raw_string_ostream os(text);
  q.print(os);
  os << ": ";
  cutBuckets(q).print(os, q);
  EXPECT_EQ(text,
            "buckets of [0, 10] by 1 among 1 kernels, hot 3: [0, 10] a\n");
}
