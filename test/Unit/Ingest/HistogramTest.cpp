//===- HistogramTest.cpp - Tests of histograms and seen shapes ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/HistogramTools.h"
#include "lathe/Ingest/Seen.h"

#include "gtest/gtest.h"

using namespace lathe;

static HistogramPoint point(int64_t rows, double weight, double timeUs = 0) {
  HistogramPoint result;
  result.entry = "norm";
  result.phase = "decode";
  result.dims["T"] = rows;
  result.weight = weight;
  result.timeUs = timeUs;
  return result;
}

static Histogram histogram(std::vector<HistogramPoint> points,
                           double unshaped = 0) {
  Histogram result;
  result.name = "h";
  result.opset = "x";
  result.points = std::move(points);
  result.unshapedWeight = unshaped;
  return result;
}

TEST(HistogramTest, SharesFollowRecordedTime) {
  std::vector<Histogram> timed = {histogram({point(1, 0.5, 10)}, 0.5),
                                  histogram({point(1, 1, 60)})};
  std::vector<double> shares = defaultShares(timed);
  EXPECT_DOUBLE_EQ(shares[0], 0.25);
  EXPECT_DOUBLE_EQ(shares[1], 0.75);
  timed[0].points.push_back(point(2, 0.1));
  EXPECT_EQ(defaultShares(timed), std::vector<double>({0.5, 0.5}));
}

TEST(HistogramTest, MergeKeepsTheWhole) {
  std::vector<Histogram> parts = {histogram({point(1, 0.9)}, 0.1),
                                  histogram({point(1, 0.2), point(2, 0.8)})};
  auto merged = mergeHistograms(parts, {0.5, 0.5});
  ASSERT_TRUE(bool(merged));
  ASSERT_EQ(merged->points.size(), 2u);
  EXPECT_DOUBLE_EQ(merged->points[0].weight, 0.55);
  EXPECT_DOUBLE_EQ(merged->points[1].weight, 0.4);
  EXPECT_DOUBLE_EQ(merged->unshapedWeight, 0.05);
}

TEST(HistogramTest, PhasesAndStridesKeepPointsApart) {
  HistogramPoint strided = point(1, 0.2), prefill = point(1, 0.3);
  strided.dims["XS"] = 512;
  prefill.phase = "prefill";
  auto merged =
      mergeHistograms({histogram({point(1, 0.5), strided, prefill})}, {1});
  ASSERT_TRUE(bool(merged));
  EXPECT_EQ(merged->points.size(), 3u);
}

TEST(HistogramTest, ComparesByLargestChange) {
  auto changes = compareHistograms(
      histogram({point(1, 0.5), point(2, 0.3), point(3, 0.2)}),
      histogram({point(1, 0.5), point(2, 0.1), point(4, 0.4)}));
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(dimsText(changes[0].point.dims), "T = 4");
  EXPECT_FALSE(changes[0].wasThere);
  EXPECT_TRUE(changes[1].isThere || changes[2].isThere);
}

TEST(HistogramTest, SeenShapesWithTimesAreWeighedByThem) {
  auto operators =
      loadOperators({LATHE_SOURCE_DIR "/templates/operators/rms_norm"});
  ASSERT_TRUE(bool(operators)) << llvm::toString(operators.takeError());
  Hardware hardware;
  hardware.name = "slow";
  hardware.bandwidth = 1e9;
  SeenShape shape;
  shape.choice.op = "rms_norm";
  shape.dims = {{"T", 4}, {"H", 128}};
  shape.timeUs = 30;
  shape.count = 2;
  SeenShape other = shape;
  other.dims["XS"] = 256;
  other.timeUs = 10;
  ShapeCollector timed(*operators, hardware);
  timed.add(shape);
  timed.add(other);
  timed.add(shape);
  auto seen = timed.finish();
  ASSERT_TRUE(bool(seen));
  ASSERT_EQ(seen->histogram.points.size(), 2u);
  EXPECT_EQ(seen->histogram.points[0].count, 4);
  EXPECT_DOUBLE_EQ(seen->histogram.points[0].weight, 60.0 / 70);

  other.timeUs = 0;
  ShapeCollector untimed(*operators, hardware);
  untimed.add(shape);
  untimed.add(other);
  shape.dims.erase("H");
  untimed.add(shape);
  seen = untimed.finish();
  ASSERT_TRUE(bool(seen));
  // Without a time for all, by bytes; no peak is known here.
  EXPECT_DOUBLE_EQ(seen->histogram.points[0].weight, 0.5);
  EXPECT_EQ(seen->uncovered.size(), 1u);
}
