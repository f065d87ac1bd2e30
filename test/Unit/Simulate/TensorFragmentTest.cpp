//===- TensorFragmentTest.cpp - Elements of matrix instructions -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulate/Tensor/Elements.h"

#include "lathe/Support/FloatFormat.h"

#include "llvm/ADT/bit.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

using namespace lathe;
using namespace lathe::sim;

// The formulas of PTX ISA 9 for A of m16n8k16 with 16-bit elements a0 to a7.
TEST(TensorFragment, AOfM16N8K16) {
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 8; ++i) {
      unsigned g = lane >> 2, q = lane % 4;
      bool isLower = i == 2 || i == 3 || i == 6 || i == 7;
      MatrixElement at = elementOfA(lane, i / 2, i % 2, 2, true);
      EXPECT_EQ(at.row, isLower ? g + 8 : g);
      EXPECT_EQ(at.column, q * 2 + (i & 1) + (i >= 4 ? 8 : 0));
    }
}

// m16n8k32 with 8-bit elements a0 to a15.
TEST(TensorFragment, AOfM16N8K32) {
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 16; ++i) {
      unsigned g = lane >> 2, q = lane % 4;
      bool isUpper = i < 4 || (i >= 8 && i < 12);
      MatrixElement at = elementOfA(lane, i / 4, i % 4, 4, true);
      EXPECT_EQ(at.row, isUpper ? g : g + 8);
      EXPECT_EQ(at.column, q * 4 + (i & 3) + (i >= 8 ? 16 : 0));
    }
}

TEST(TensorFragment, BOfM16N8K16AndK8) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < 4; ++i) {
      MatrixElement at = elementOfB(lane, i / 2, i % 2, 2);
      EXPECT_EQ(at.row, lane % 4 * 2 + (i & 1) + (i >= 2 ? 8 : 0));
      EXPECT_EQ(at.column, lane >> 2);
    }
    for (unsigned i = 0; i < 2; ++i) { // tf32
      MatrixElement at = elementOfB(lane, i, 0, 1);
      EXPECT_EQ(at.row, lane % 4 + 4 * i);
    }
  }
}

TEST(TensorFragment, AccumulatorsCoverTheMatrixOnce) {
  std::set<std::pair<unsigned, unsigned>> seen;
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 128; ++i) {
      MatrixElement at = elementOfC(lane, i, true);
      EXPECT_LT(at.row, 16u);
      EXPECT_LT(at.column, 256u);
      EXPECT_TRUE(seen.insert({at.row, at.column}).second);
    }
  EXPECT_EQ(seen.size(), 16u * 256);
  MatrixElement third = elementOfC(5, 6, true);
  EXPECT_EQ(third.row, 9u);
  EXPECT_EQ(third.column, 10u);
}

TEST(TensorFragment, HalvesWidenExactly) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    auto half = uint16_t(bits);
    double values[2];
    widen(MatrixType::F16, &half, &values[0], 1);
    widen(MatrixType::BF16, &half, &values[1], 1);
    double expected[] = {decodeFloat(FloatFormat::F16, bits),
                         decodeFloat(FloatFormat::BF16, bits)};
    for (unsigned i = 0; i < 2; ++i)
      if (std::isnan(expected[i]))
        EXPECT_TRUE(std::isnan(values[i])) << bits;
      else
        EXPECT_EQ(llvm::bit_cast<uint64_t>(values[i]),
                  llvm::bit_cast<uint64_t>(expected[i]))
            << bits;
  }
}

TEST(TensorFragment, NarrowIntegersAndTF32) {
  uint8_t bytes[] = {0xF8, 0x21};
  double values[4];
  widen(MatrixType::S4, bytes, values, 4);
  EXPECT_EQ(values[0], -8);
  EXPECT_EQ(values[1], -1);
  EXPECT_EQ(values[2], 1);
  EXPECT_EQ(values[3], 2);
  widen(MatrixType::U4, bytes, values, 2);
  EXPECT_EQ(values[0], 8);
  EXPECT_EQ(values[1], 15);
  auto word = llvm::bit_cast<uint32_t>(1.0f + 0x1p-20f);
  widen(MatrixType::TF32, &word, values, 1);
  EXPECT_EQ(values[0], 1.0);
}

TEST(TensorFragment, IntegerSumsWrapOrSaturate) {
  int32_t value;
  writeAccumulator(Accumulator::S32, &value, 0x1p31, false);
  EXPECT_EQ(value, INT32_MIN);
  writeAccumulator(Accumulator::S32, &value, 0x1p31, true);
  EXPECT_EQ(value, INT32_MAX);
}

TEST(TensorFragment, NarrowAdditionCutsBehindThirteenBits) {
  // 1 is the largest: 2^-13 survives, 2^-14 does not, nor do many of them.
  std::array<double, 4> ones = {1, 1, 1, 1};
  std::array<double, 4> small = {1, 0x1p-13, 0x1p-14, 0x1p-14};
  EXPECT_EQ(addNarrow(0, ones.data(), small.data(), 1, 4), 1 + 0x1p-13);
  // 1.5 * 1.5 counts as 2^0, though it is above 2.
  std::array<double, 2> threeHalves = {1.5, 0x1p-13};
  EXPECT_EQ(addNarrow(0, threeHalves.data(), threeHalves.data(), 1, 1), 2.25);
  EXPECT_EQ(addNarrow(0x1p-13, threeHalves.data(), threeHalves.data(), 1, 1),
            2.25 + 0x1p-13);
  EXPECT_EQ(addNarrow(2, ones.data(), small.data(), 1, 4), 3);
  EXPECT_EQ(addNarrow(-0x1.ffffp-1, ones.data(), small.data(), 1, 1), 0x1p-13);
}
