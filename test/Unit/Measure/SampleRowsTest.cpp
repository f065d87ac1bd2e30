//===- SampleRowsTest.cpp - Which rows of a reference are computed --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleRows.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace lathe::measure;
using testing::ElementsAre;

namespace {

/// Outputs of these shapes, whose first `rank` indices are rows.
struct Outputs {
  EntryPlan entry;
  Problem problem;

  Outputs(std::vector<std::vector<int64_t>> shapes, size_t rank, double flops) {
    for (std::vector<int64_t> &shape : shapes) {
      OperandPlan &operand = entry.operands.emplace_back();
      operand.dtype = "f32";
      operand.isOutput = true;
      View &view = problem.views.emplace_back();
      view.strides.assign(shape.size(), 1);
      for (size_t i = shape.size(); i-- > 1;)
        view.strides[i - 1] = view.strides[i] * shape[i];
      view.shape = std::move(shape);
    }
    const std::vector<int64_t> &first = problem.views.front().shape;
    problem.referenceRows.assign(first.begin(), first.begin() + long(rank));
    problem.flops = flops;
  }
  RowSample sample(double flops) { return sampleRows(entry, problem, flops); }
};

constexpr double many = 2e12, few = 2e10;

} // namespace

TEST(SampleRows, LeavesWholeWhatIsSmallOrHasNoRows) {
  EXPECT_TRUE(Outputs({{8192, 64}}, 1, few).sample(few).isWhole());
  EXPECT_TRUE(Outputs({{8192, 64}}, 1, 0).sample(few).isWhole());
  EXPECT_FALSE(Outputs({{8192, 64}}, 1, many).sample(few).isWhole());
  // One row does all.
  EXPECT_TRUE(Outputs({{8192, 64}}, 0, many).sample(few).isWhole());
  // Elements of the second output have no rows of their own.
  EXPECT_TRUE(Outputs({{8192, 64}, {8192}}, 2, many).sample(few).isWhole());
  EXPECT_TRUE(Outputs({{8192, 64}, {64, 64}}, 1, many).sample(few).isWhole());
  // The last dimension of the second one is rows: all of them are a row.
  EXPECT_TRUE(Outputs({{8192, 64}, {8192}}, 1, many).sample(few).isWhole());
  EXPECT_TRUE(Outputs({{0, 64}}, 1, many).sample(few).isWhole());
  EXPECT_TRUE(Outputs({{7, 64}}, 1, many).sample(few).isWhole());
}

TEST(SampleRows, OneStripInEachBandAndTheEnds) {
  Outputs product({{8192, 4096}}, 2, many);
  RowSample sample = product.sample(few);
  EXPECT_THAT(sample.extents, ElementsAre(1, 4096));
  EXPECT_EQ(sample.corners, 2u);
  EXPECT_EQ(sample.strata, 64u);
  for (uint64_t seed : {1, 2, 3}) {
    sample.draw(seed);
    ASSERT_EQ(sample.begins.size(), 66u);
    EXPECT_THAT(sample.begins[0], ElementsAre(0, 0));
    EXPECT_THAT(sample.begins[1], ElementsAre(8191, 0));
    std::vector<unsigned> bands(64);
    for (unsigned i = 2; i != 66; ++i)
      ++bands.at(size_t(sample.begins[i][0] / 128));
    EXPECT_THAT(bands, testing::Each(1u));
    EXPECT_LE(sample.distinctRows(), 66u * 4096);
    EXPECT_GE(sample.distinctRows(), 64u * 4096);
  }
  auto before = sample.begins;
  sample.draw(4);
  EXPECT_NE(sample.begins, before);
  sample.draw(3);
  EXPECT_EQ(sample.begins, before);
}

TEST(SampleRows, BandsOfEveryDimensionThatIsNarrowed) {
  // 1024 sequences of 128 heads; a head has 64 elements.
  Outputs heads({{1024, 128, 64}}, 2, many);
  RowSample sample = heads.sample(few);
  EXPECT_THAT(sample.extents, ElementsAre(1, 19)); // 1311 rows for 66 + 2
  EXPECT_EQ(sample.corners, 4u);
  EXPECT_EQ(sample.strata, 64u);
  sample.draw(7);
  std::vector<unsigned> rows(64), columns(64);
  for (size_t i = 0; i != sample.begins.size(); ++i) {
    int64_t row = sample.begins[i][0], column = sample.begins[i][1];
    ASSERT_TRUE(row >= 0 && row < 1024 && column >= 0 && column <= 128 - 19);
    if (i < 4) {
      EXPECT_EQ(row, i & 1 ? 1023 : 0);
      EXPECT_EQ(column, i & 2 ? 128 - 19 : 0);
      continue;
    }
    ++rows[size_t(row / 16)];
    ++columns[size_t(double(column) / 110 * 64)];
  }
  EXPECT_THAT(rows, testing::Each(1u));
  // 110 places do not divide into 64 bands: some have two places, some one.
  for (size_t i = 0; i + 1 != columns.size(); ++i)
    EXPECT_GE(columns[i] + columns[i + 1], 1u);
  EXPECT_LT(sample.distinctRows(), 68u * 19 + 1);
}

TEST(SampleRows, CountsWhatIsComparedOnce) {
  RowSample sample;
  sample.rows = {20};
  sample.extents = {4};
  sample.begins = {{0}, {16}, {2}};
  EXPECT_EQ(sample.distinctRows(), 3u * 4 - 2);
  Outputs outputs({{20, 8}, {20, 2}}, 1, many);
  SampledShare share;
  share.add(outputs.entry, outputs.problem, sample);
  EXPECT_EQ(share.draws, 1u);
  EXPECT_EQ(share.elements, 200u);
  EXPECT_EQ(share.compared, 100u);
  share.add(outputs.entry, outputs.problem, RowSample());
  EXPECT_EQ(share.draws, 1u);
}

TEST(SampleRows, NarrowsLeadingIndices) {
  Outputs heads({{1024, 128, 64}}, 2, many);
  View part = heads.sample(few).narrow(heads.problem.views[0]);
  EXPECT_THAT(part.shape, ElementsAre(1, 19, 64));
  EXPECT_THAT(part.strides, ElementsAre(8192, 64, 1));
}
