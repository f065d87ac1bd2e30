//===- TestMemoryTest.cpp - Operands between guard pages ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/TestMemory.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace lathe;

static TestBuffer make(uint64_t bytes, uint64_t alignment) {
  return llvm::cantFail(TestBuffer::create(bytes, alignment));
}

TEST(TestMemory, IsAlignedAsPromisedAndNotMore) {
  for (uint64_t alignment : {1, 2, 4, 8, 16, 32, 256, 4096})
    for (uint64_t bytes : {0, 1, 100, 5000, 20 << 20}) {
      TestBuffer buffer = make(bytes, alignment);
      auto at = reinterpret_cast<uint64_t>(buffer.data());
      EXPECT_EQ(at % (2 * alignment), alignment);
      EXPECT_EQ(buffer.bytes(), bytes);
      EXPECT_TRUE(buffer.redZonesIntact());
    }
}

TEST(TestMemory, GuardPagesStopAccess) {
  TestBuffer buffer = make(64, 64);
  EXPECT_DEATH(buffer.data()[4096] = 1, "");
  EXPECT_DEATH(buffer.data()[-2 * 4096] = 1, "");
}

TEST(TestMemory, RedZonesNoticeWrites) {
  for (uint64_t bytes : {uint64_t(100), uint64_t(20) << 20}) {
    TestBuffer buffer = make(bytes, 16);
    uint64_t hash = buffer.hash();
    buffer.data()[-1] = 1;
    EXPECT_FALSE(buffer.redZonesIntact());
    buffer.data()[bytes / 2] = 1;
    EXPECT_NE(buffer.hash(), hash);
  }
}

TEST(TestMemory, NothingIsLeftOfEarlierBuffers) {
  for (unsigned round = 0; round < 3; ++round) {
    TestBuffer buffer = make(300000, 16);
    for (uint64_t i = 0; i < buffer.bytes(); ++i)
      ASSERT_EQ(static_cast<unsigned char>(buffer.data()[i]), poisonByte);
    EXPECT_TRUE(buffer.redZonesIntact());
    memset(buffer.data() - 16, int(round), buffer.bytes() + 16);
  }
}

TEST(TestMemory, UntouchedPagesCostNothing) {
  constexpr uint64_t bytes = uint64_t(20) << 30;
  TestBuffer buffer = make(bytes, 16);
  EXPECT_TRUE(buffer.touched().empty());
  EXPECT_EQ(static_cast<unsigned char>(buffer.data()[bytes - 1]), poisonByte);
  EXPECT_TRUE(buffer.touched().empty());
  memset(buffer.data() + (bytes / 2), 1, 10000);
  auto touched = buffer.touched();
  ASSERT_EQ(touched.size(), 1u);
  EXPECT_LE(touched[0].first, bytes / 2);
  EXPECT_GE(touched[0].second, bytes / 2 + 10000);
  EXPECT_LE(touched[0].second - touched[0].first, 10000u + 2 * 4096);
}

TEST(TestMemory, RepeatsItsContent) {
  std::string content(3 * 4096, 0);
  for (size_t i = 0; i < content.size(); ++i)
    content[i] = char(i % 251);
  auto made = TestBuffer::createRepeating(uint64_t(5) << 30, 16, content);
  ASSERT_TRUE(bool(made)) << llvm::toString(made.takeError());
  for (uint64_t at : {uint64_t(0), uint64_t(1) << 20, uint64_t(1) << 32,
                      (uint64_t(5) << 30) - 1})
    EXPECT_EQ(made->data()[at], content[at % content.size()]) << at;
  EXPECT_TRUE(made->touched().empty());
  auto odd = TestBuffer::createRepeating(100, 16, "abc");
  EXPECT_FALSE(bool(odd));
  llvm::consumeError(odd.takeError());
}

TEST(OperandLayout, RowsAndBytes) {
  OperandLayout layout;
  layout.shape = {3, 5};
  layout.strides = {8, 1};
  layout.elementBytes = 2;
  EXPECT_EQ(layout.bytes(), 2u * (2 * 8 + 5));
  EXPECT_EQ(layout.elements(), 15u);
  EXPECT_FALSE(layout.isDense());
  std::vector<std::vector<int64_t>> rows;
  layout.forEachRow([&](uint64_t first, uint64_t offset, int64_t length) {
    rows.push_back({int64_t(first), int64_t(offset), length});
  });
  EXPECT_EQ(rows, (std::vector<std::vector<int64_t>>{
                      {0, 0, 5}, {5, 16, 5}, {10, 32, 5}}));
  layout.strides = {1, 3}; // transposed: single elements
  unsigned visited = 0;
  layout.forEachRow([&](uint64_t first, uint64_t offset, int64_t length) {
    EXPECT_EQ(length, 1);
    EXPECT_EQ(offset, 2 * (first / 5 + first % 5 * 3));
    ++visited;
  });
  EXPECT_EQ(visited, 15u);
  layout.shape = {0, 5};
  EXPECT_EQ(layout.bytes(), 0u);
  layout.forEachRow([](uint64_t, uint64_t, int64_t) { FAIL(); });
}

TEST(OperandLayout, RefusesWhatFitsNowhere) {
  OperandLayout layout;
  layout.shape = {INT64_MAX, INT64_MAX};
  layout.strides = {INT64_MAX, 1};
  EXPECT_FALSE(layout.bytes().has_value());
  layout.shape = {2, 2};
  layout.strides = {-4, 1};
  EXPECT_FALSE(layout.bytes().has_value());
}
