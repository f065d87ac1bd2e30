//===- WrittenRowsTest.cpp - What a launch wrote of an output -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify/WrittenRows.h"

#include "gtest/gtest.h"

using namespace lathe;

namespace {

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
  std::vector<std::pair<int64_t, int64_t>> leading() const {
    std::vector<IndexRange> ranges;
    rows.addLeading(ranges);
    std::vector<std::pair<int64_t, int64_t>> found;
    for (const IndexRange &range : ranges)
      found.emplace_back(range.begin, range.end);
    return found;
  }
};

using Ranges = std::vector<std::pair<int64_t, int64_t>>;

} // namespace

TEST(WrittenRows, FindsRunsAndHoles) {
  Output output({3, 4}, {4, 1});
  EXPECT_EQ(output.missing(), "nobody wrote element [0, 0] and 11 more");
  output.write(8, 8);  // row 1
  output.write(20, 4); // the end of row 2
  EXPECT_EQ(output.leading(), (Ranges{{1, 3}}));
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
  EXPECT_EQ(output.leading(), (Ranges{{1, 2}}));
  output.write(20, 1);
  EXPECT_EQ(output.rows.stray(), "bytes between rows were written");
}

TEST(WrittenRows, VectorsLeadByElement) {
  Output output({10}, {1});
  output.write(4, 4);
  output.write(18, 2);
  EXPECT_EQ(output.leading(), (Ranges{{2, 4}, {9, 10}}));
}

TEST(WrittenRows, LooksAtTouchedPagesOfHugeOutputs) {
  // 2^33 bytes; visiting every row would take seconds.
  Output output({int64_t(1) << 26, 64}, {64, 1});
  uint64_t row = (uint64_t(1) << 25) + 3;
  output.write(row * 128, 128);
  EXPECT_EQ(output.leading(), (Ranges{{int64_t(row), int64_t(row) + 1}}));
  ASSERT_EQ(output.runs().size(), 1u);
  EXPECT_EQ(output.runs()[0].second, 64);
}

TEST(WrittenRows, SamplesMustHaveTheEndsAndTheirShare) {
  Output output({1000, 4}, {4, 1}); // in 1000 blocks, of which 4 ran
  EXPECT_EQ(output.rows.sampleProblem(0, 4, 1000),
            "nobody wrote element [0, 0], the first and last blocks were run");
  output.write(0, 8);
  EXPECT_EQ(
      output.rows.sampleProblem(4, 4, 1000),
      "nobody wrote element [999, 3], the first and last blocks were run");
  output.write(7992, 8);
  EXPECT_EQ(output.rows.sampleProblem(5, 4, 1000),
            "4 of 1000 blocks wrote 5 of 4000 elements");
  EXPECT_EQ(output.rows.sampleProblem(8, 4, 1000), "");
}
