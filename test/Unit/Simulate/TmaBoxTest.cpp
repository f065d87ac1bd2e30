//===- TmaBoxTest.cpp - Tensor maps and their boxes -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulate/Tensor/TmaBox.h"

#include <gtest/gtest.h>

using namespace lathe::sim;

// 100 columns by 10 rows of bf16, boxes of 64 by 8.
static TensorMap plainMap() {
  TensorMap map;
  map.dtype = "bf16";
  map.dims = {100, 10};
  map.strides = {208};
  map.box = {64, 8};
  map.swizzleBytes = 128;
  return map;
}

static std::string encodeError(const TensorMap &map, char *base) {
  char bytes[128];
  llvm::Error error = encodeTensorMap(map, bytes, base);
  return error ? llvm::toString(std::move(error)) : "";
}

static char *const aligned = reinterpret_cast<char *>(0x10000);

TEST(TmaBox, EncodesAndDecodes) {
  char bytes[128];
  TensorMap map = plainMap();
  map.offset = 32;
  ASSERT_FALSE(bool(encodeTensorMap(map, bytes, aligned)));
  auto decoded = decodeTensorMap(bytes);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->rank, 2);
  EXPECT_EQ(decoded->base, 0x10020u);
  EXPECT_EQ(decoded->dims[0], 100u);
  EXPECT_EQ(decoded->strides[0], 208u);
  EXPECT_EQ(decoded->boxBytes(), 64u * 2 * 8);
  EXPECT_EQ(decoded->pitch(), 128u);
  char zeros[128] = {};
  EXPECT_FALSE(decodeTensorMap(zeros).has_value());
}

TEST(TmaBox, RulesOfTheDriver) {
  EXPECT_EQ(encodeError(plainMap(), aligned), "");
  EXPECT_NE(encodeError(plainMap(), aligned + 8).find("multiple of 16"),
            std::string::npos);
  auto refused = [](auto change, const char *part) {
    TensorMap map = plainMap();
    change(map);
    std::string error = encodeError(map, aligned);
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  refused([](TensorMap &map) { map.strides = {200}; }, "stride of 200");
  refused([](TensorMap &map) { map.strides = {}; }, "expected 1");
  refused([](TensorMap &map) { map.box = {64, 257}; }, "box of 257");
  refused([](TensorMap &map) { map.box = {128, 8}; }, "at most the swizzle's");
  refused([](TensorMap &map) { map.box = {60, 8}; }, "inner box of 120");
  refused([](TensorMap &map) { map.swizzleBytes = 256; }, "swizzle of 256");
  refused([](TensorMap &map) { map.dims = {0, 10}; }, "dimension of 0");
  refused([](TensorMap &map) { map.elementStrides = {1, 9}; },
          "element stride of 9");
  refused([](TensorMap &map) { map.interleaveBytes = 16; },
          "unsupported: tensor map with interleave");
  refused([](TensorMap &map) { map.dtype = "i3"; }, "type 'i3'");
  refused(
      [](TensorMap &map) {
        map.dtype = "i16";
        map.fillNaN = true;
      },
      "floating-point");
}

static std::vector<BoxRow> rowsOf(const TensorMap &map, TensorCoordinates at) {
  char bytes[128];
  std::vector<BoxRow> rows;
  EXPECT_FALSE(bool(encodeTensorMap(map, bytes, aligned)));
  forEachRow(*decodeTensorMap(bytes), at,
             [&](const BoxRow &row) { rows.push_back(row); });
  return rows;
}

TEST(TmaBox, RowsInside) {
  auto rows = rowsOf(plainMap(), {8, 1});
  ASSERT_EQ(rows.size(), 8u);
  for (const BoxRow &row : rows) {
    EXPECT_EQ(row.global, 0x10000 + (1 + row.index) * 208 + 16);
    EXPECT_EQ(row.first, 0u);
    EXPECT_EQ(row.end, 64u);
  }
}

TEST(TmaBox, ClipsAtEveryEdge) {
  auto rows = rowsOf(plainMap(), {64, 5});
  EXPECT_EQ(rows[0].end, 36u);
  EXPECT_EQ(rows[4].end, 36u); // the last row of the tensor
  EXPECT_EQ(rows[5].end, rows[5].first);
  rows = rowsOf(plainMap(), {-16, -1});
  EXPECT_EQ(rows[0].end, 0u);
  EXPECT_EQ(rows[1].first, 16u);
  EXPECT_EQ(rows[1].end, 64u);
  EXPECT_EQ(rows[1].global, 0x10000u);
  rows = rowsOf(plainMap(), {1000, 0});
  EXPECT_EQ(rows[0].first, rows[0].end);
}

TEST(TmaBox, HigherDimensionsAndElementStrides) {
  TensorMap map;
  map.dtype = "f32";
  map.dims = {16, 6, 5};
  map.strides = {64, 384};
  map.box = {4, 4, 2};
  map.elementStrides = {1, 2, 1};
  auto rows = rowsOf(map, {4, 1, 3});
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].global, 0x10000u + 3 * 384 + 1 * 64 + 16);
  EXPECT_EQ(rows[1].global, 0x10000u + 3 * 384 + 3 * 64 + 16);
  EXPECT_EQ(rows[2].global, 0x10000u + 4 * 384 + 1 * 64 + 16);
  EXPECT_EQ(rows[3].end, 4u);
}

TEST(TmaBox, SwizzlesAreXors) {
  for (uint64_t address = 0; address < 4096; address += 16) {
    EXPECT_EQ(swizzle(address, 0), address);
    EXPECT_EQ(swizzle(address, 5), address ^ (address >> 7 & 1) << 4);
    EXPECT_EQ(swizzle(address, 6), address ^ (address >> 7 & 3) << 4);
    EXPECT_EQ(swizzle(address, 7), address ^ (address >> 7 & 7) << 4);
    EXPECT_EQ(swizzle(swizzle(address, 7), 7), address);
  }
}
