//===- WrittenRowsTest.cpp - What a launch wrote of an output -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify/WrittenRows.h"

#include "gtest/gtest.h"

using namespace lathe;

namespace {

using Box = std::vector<std::pair<int64_t, int64_t>>;

/// An output of 2-byte elements, and writes to it.
struct Output {
  OperandLayout layout;
  TestBuffer buffer;
  WrittenRows rows;

  Output(std::vector<int64_t> shape, std::vector<int64_t> strides)
      : layout{std::move(shape), std::move(strides), 2},
        buffer(llvm::cantFail(TestBuffer::create(*layout.bytes(), 2))),
        rows(layout, buffer) {}

  void write(uint64_t byte, uint64_t count) {
    for (uint64_t i = byte; i < byte + count; ++i) {
      rows.bits()[i / 8] |= uint8_t(1 << i % 8);
      buffer.data()[i] = 0;
    }
  }
  std::vector<std::pair<std::vector<int64_t>, int64_t>> runs() const {
    std::vector<std::pair<std::vector<int64_t>, int64_t>> found;
    rows.forEachRun(
        false, [&](llvm::ArrayRef<int64_t> index, uint64_t, int64_t length) {
          found.emplace_back(index.vec(), length);
        });
    return found;
  }
  std::string missing() const {
    return rows.forEachRun(true,
                           [](llvm::ArrayRef<int64_t>, uint64_t, int64_t) {});
  }
  /// Begin and end of each range of each box.
  std::vector<Box> boxes(unsigned rank) const {
    WrittenBoxes written;
    rows.addTo(written, rank);
    return plain(written);
  }
  static std::vector<Box> plain(const WrittenBoxes &written) {
    std::vector<Box> found;
    for (const std::vector<IndexRange> &box : written.boxes()) {
      Box &out = found.emplace_back();
      for (const IndexRange &range : box)
        out.emplace_back(range.begin, range.end);
    }
    return found;
  }
};

} // namespace

TEST(WrittenRows, FindsRunsAndHoles) {
  Output output({3, 4}, {4, 1});
  EXPECT_EQ(output.missing(), "nobody wrote element [0, 0] and 11 more");
  output.write(8, 8);  // row 1
  output.write(20, 4); // the end of row 2
  EXPECT_EQ(output.boxes(1), (std::vector<Box>{{{1, 3}}}));
  auto runs = output.runs();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].first, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(runs[0].second, 4);
  EXPECT_EQ(runs[1].first, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(runs[1].second, 2);
  output.write(0, 8);
  output.write(16, 3); // one element and half of another
  EXPECT_EQ(output.missing(), "nobody wrote element [2, 1]");
  output.write(19, 1);
  EXPECT_EQ(output.missing(), "");
}

TEST(WrittenRows, PaddingIsNobodys) {
  Output output({3, 4}, {6, 1});
  output.write(12, 8);
  EXPECT_EQ(output.rows.stray(), "");
  EXPECT_EQ(output.boxes(1), (std::vector<Box>{{{1, 2}}}));
  output.write(20, 1);
  EXPECT_EQ(output.rows.stray(), "bytes between rows were written");
}

TEST(WrittenRows, VectorsLeadByElement) {
  Output output({10}, {1});
  output.write(4, 4);
  output.write(18, 2);
  EXPECT_EQ(output.boxes(1), (std::vector<Box>{{{2, 4}}, {{9, 10}}}));
}

TEST(WrittenRows, LooksAtTouchedPagesOfHugeOutputs) {
  // 2^33 bytes; visiting every row would take seconds.
  Output output({int64_t(1) << 26, 64}, {64, 1});
  uint64_t row = (uint64_t(1) << 25) + 3;
  output.write(row * 128, 128);
  EXPECT_EQ(output.boxes(1),
            (std::vector<Box>{{{int64_t(row), int64_t(row) + 1}}}));
  ASSERT_EQ(output.runs().size(), 1u);
  EXPECT_EQ(output.runs()[0].second, 64);
}

TEST(WrittenRows, TilesAreBoxes) {
  Output output({8, 16}, {16, 1});
  auto writeTile = [&](uint64_t row, uint64_t rows, uint64_t column,
                       uint64_t columns) {
    for (uint64_t i = row; i < row + rows; ++i)
      output.write(2 * (16 * i + column), 2 * columns);
  };
  writeTile(0, 4, 0, 4);
  writeTile(5, 3, 12, 4);
  EXPECT_EQ(output.boxes(2),
            (std::vector<Box>{{{0, 4}, {0, 4}}, {{5, 8}, {12, 16}}}));
  // Side by side in some rows: those share two boxes.
  writeTile(2, 2, 8, 2);
  EXPECT_EQ(output.boxes(2), (std::vector<Box>{{{0, 2}, {0, 4}},
                                               {{2, 4}, {0, 4}},
                                               {{2, 4}, {8, 10}},
                                               {{5, 8}, {12, 16}}}));
  EXPECT_EQ(output.boxes(1), (std::vector<Box>{{{0, 4}}, {{5, 8}}}));
}

TEST(WrittenRows, OutputsShareBoxes) {
  // One value a row beside the row itself, and another tile.
  Output rows({4, 6}, {6, 1}), scales({4}, {1}), more({4, 6}, {6, 1});
  rows.write(12, 12);
  scales.write(2, 2);
  WrittenBoxes written;
  rows.rows.addTo(written, 1);
  scales.rows.addTo(written, 1);
  EXPECT_EQ(Output::plain(written), (std::vector<Box>{{{1, 2}}}));
  more.write(16, 8); // the rest of row 1 and, apart, a part of it again
  WrittenBoxes both;
  rows.rows.addTo(both, 2);
  more.rows.addTo(both, 2);
  EXPECT_EQ(Output::plain(both), (std::vector<Box>{{{1, 2}, {0, 6}}}));
  Output cube({2, 3, 4}, {12, 4, 1});
  cube.write(8, 16); // rows 1 and 2 of the first matrix
  EXPECT_EQ(cube.boxes(2), (std::vector<Box>{{{0, 1}, {1, 3}}}));
  EXPECT_EQ(cube.boxes(3), (std::vector<Box>{{{0, 1}, {1, 3}, {0, 4}}}));
}

TEST(WrittenRows, FindsTilesInLongRows) {
  Output output({2, 100000}, {100000, 1});
  output.write(2 * 99990, 20);
  output.write(2 * (100000 + 255), 2 * 514);
  EXPECT_EQ(output.boxes(2), (std::vector<Box>{{{0, 1}, {99990, 100000}},
                                               {{1, 2}, {255, 769}}}));
}

TEST(WrittenRows, SamplesMustHaveTheEndsAndTheirShare) {
  Output output({1000, 4}, {4, 1}); // in 1000 blocks, of which 4 ran
  BlockSample ends{4, 1000, true, true, true};
  EXPECT_EQ(output.rows.sampleProblem(0, ends),
            "nobody wrote element [0, 0], the first block was run");
  output.write(0, 8);
  EXPECT_EQ(output.rows.sampleProblem(4, ends),
            "nobody wrote element [999, 3], the last block was run");
  BlockSample inside{4, 1000, true, false, true};
  EXPECT_EQ(output.rows.sampleProblem(8, inside), "");
  output.write(7992, 8);
  EXPECT_EQ(output.rows.sampleProblem(5, ends),
            "4 of 1000 blocks wrote 5 of 4000 elements");
  EXPECT_EQ(output.rows.sampleProblem(8, ends), "");
}

TEST(WrittenRows, EitherEndMayBeAnEndBlocks) {
  // A kernel that begins with the last rows: its last block has the first.
  Output output({1000, 4}, {4, 1});
  BlockSample last{1, 1000, false, true, true};
  EXPECT_EQ(output.rows.sampleProblem(4, last),
            "nobody wrote element [999, 3], the last block was run");
  output.write(0, 8);
  EXPECT_EQ(output.rows.sampleProblem(4, last), "");
  BlockSample both{2, 1000, true, true, true};
  EXPECT_EQ(output.rows.sampleProblem(4, both),
            "nobody wrote element [999, 3], the last block was run");
}

TEST(WrittenRows, BlocksOfAFixedGridMayHaveNoShare) {
  Output output({10, 4}, {4, 1});
  BlockSample sample{4, 132, false, false, false};
  EXPECT_EQ(output.rows.sampleProblem(4, sample), "");
  EXPECT_EQ(output.rows.sampleProblem(0, sample),
            "4 of 132 blocks wrote 0 of 40 elements");
}
