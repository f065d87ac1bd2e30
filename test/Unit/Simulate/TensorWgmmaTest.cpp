//===- TensorWgmmaTest.cpp - Descriptors and products of wgmma ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulate/Tensor/Elements.h"
#include "Simulate/Tensor/WgmmaMultiply.h"
#include "Simulate/Tensor/WgmmaOperands.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

using namespace lathe::sim;

static MatrixDescriptor decode(uint64_t bits) {
  auto descriptor = decodeDescriptor(bits);
  EXPECT_TRUE(bool(descriptor));
  return descriptor ? *descriptor : MatrixDescriptor();
}

TEST(TensorWgmma, DescriptorFields) {
  MatrixDescriptor d = decode(0x123 | uint64_t(2) << 16 | uint64_t(64) << 32 |
                              uint64_t(1) << 62);
  EXPECT_EQ(d.start, 0x1230u);
  EXPECT_EQ(d.leadingOffset, 32u);
  EXPECT_EQ(d.strideOffset, 1024u);
  EXPECT_EQ(d.swizzleLog2, 7u);
  EXPECT_EQ(decode(uint64_t(2) << 62).swizzleLog2, 6u);
  EXPECT_EQ(decode(uint64_t(3) << 62).swizzleLog2, 5u);
  EXPECT_EQ(decode(0).swizzleLog2, 0u);
}

TEST(TensorWgmma, DescriptorsWithOtherBitsAreRefused) {
  for (unsigned bit : {14u, 30u, 46u, 49u, 52u, 61u}) {
    auto descriptor = decodeDescriptor(uint64_t(1) << bit);
    EXPECT_FALSE(bool(descriptor)) << bit;
    llvm::consumeError(descriptor.takeError());
  }
}

// Operand bytes to shared offsets, of every 16-byte piece.
using Pieces = std::map<uint32_t, uint64_t>;

template <typename Walk> static Pieces pieces(Walk walk) {
  Pieces result;
  walk([&](const OperandRun &run) {
    for (uint32_t i = 0; i < run.bytes; i += 16)
      EXPECT_TRUE(result.insert({run.operand + i, run.shared + i}).second);
  });
  return result;
}

TEST(TensorWgmma, KMajor128B) {
  MatrixDescriptor d =
      decode(0x40 | uint64_t(1) << 16 | uint64_t(64) << 32 | uint64_t(1) << 62);
  // The second step of 16 bf16 along K: 32 bytes on.
  d.start += 32;
  Pieces found =
      pieces([&](auto visit) { forEachRunKMajor(d, 0x40000, 256, 32, visit); });
  EXPECT_EQ(found.size(), 512u);
  for (auto [operand, shared] : found) {
    unsigned row = operand / 32, piece = operand % 32 / 16;
    EXPECT_EQ(shared, 1024 + row / 8 * 1024 + row % 8 * 128 +
                          ((2 + piece) ^ (row % 8)) * 16);
  }
}

TEST(TensorWgmma, KMajorNarrowSwizzlesAndNone) {
  MatrixDescriptor d = decode(uint64_t(16) << 32 | uint64_t(3) << 62);
  for (auto [operand, shared] :
       pieces([&](auto visit) { forEachRunKMajor(d, 0, 64, 32, visit); })) {
    unsigned row = operand / 32, piece = operand % 32 / 16;
    // 32-byte rows: address bit 7 is row bit 2.
    EXPECT_EQ(shared, row * 32 + ((piece ^ (row >> 2 & 1)) * 16));
  }
  d = decode(uint64_t(8) << 16 | uint64_t(16) << 32);
  for (auto [operand, shared] :
       pieces([&](auto visit) { forEachRunKMajor(d, 0, 64, 32, visit); })) {
    unsigned row = operand / 32, piece = operand % 32 / 16;
    EXPECT_EQ(shared, row / 8 * 256 + piece * 128 + row % 8 * 16);
  }
}

TEST(TensorWgmma, MNMajor) {
  // 128B: atoms of 64 columns LBO apart, groups of 8 along K SBO apart.
  MatrixDescriptor d =
      decode(uint64_t(512) << 16 | uint64_t(64) << 32 | uint64_t(1) << 62);
  for (auto [operand, shared] :
       pieces([&](auto visit) { forEachRunMNMajor(d, 0, 128, 16, visit); })) {
    unsigned k = operand / 256, row = operand % 256 / 2;
    EXPECT_EQ(shared, row / 64 * 8192 + k / 8 * 1024 + k % 8 * 128 +
                          ((row % 64 / 8) ^ (k % 8)) * 16);
  }
  // Without swizzle the two offsets change places.
  d = decode(uint64_t(8) << 16 | uint64_t(32) << 32);
  for (auto [operand, shared] :
       pieces([&](auto visit) { forEachRunMNMajor(d, 0, 64, 16, visit); })) {
    unsigned k = operand / 128, row = operand % 128 / 2;
    EXPECT_EQ(shared, row / 8 * 512 + k / 8 * 128 + k % 8 * 16);
  }
}

TEST(TensorWgmma, RunsAreLong) {
  MatrixDescriptor d = decode(uint64_t(64) << 32 | uint64_t(1) << 62);
  unsigned count = 0;
  forEachRunKMajor(d, 0, 8, 128, [&](const OperandRun &) { ++count; });
  EXPECT_LE(count, 64u);
  count = 0;
  forEachRunKMajor(decode(uint64_t(8) << 16 | uint64_t(16) << 32), 0, 64, 16,
                   [&](const OperandRun &) { ++count; });
  EXPECT_EQ(count, 8u);
}

template <typename T>
static void checkProduct(unsigned n, unsigned k, bool accumulates) {
  std::mt19937 random(n * 100 + k);
  auto draw = [&] { return double(int(random() % 33) - 16) / 4; };
  std::vector<double> a(64 * k), b(n * k), transposed(n * k);
  for (double &value : a)
    value = draw();
  for (unsigned column = 0; column < n; ++column)
    for (unsigned i = 0; i < k; ++i)
      transposed[i * n + column] = b[column * k + i] = draw();
  std::vector<double> tileA(sizeOfTileA(k)), tileB(sizeOfTileB(n, k)),
      other(tileB.size());
  arrangeA(a.data(), k, tileA.data());
  arrangeB(b.data(), n, k, tileB.data());
  arrangeTransposedB(transposed.data(), n, k, other.data());
  EXPECT_EQ(tileB, other);
  std::vector<T> values(128 * n / 2, T(0.5));
  T *accumulators[128];
  for (unsigned i = 0; i < 128; ++i)
    accumulators[i] = &values[i * n / 2];
  multiplyTile({n, k, tileA.data(), tileB.data(), accumulates}, accumulators);
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned i = 0; i < n / 2; ++i) {
      MatrixElement at = elementOfC(thread % 32, i, true);
      unsigned row = thread / 32 * 16 + at.row;
      double sum = accumulates ? 0.5 : 0;
      for (unsigned j = 0; j < k; ++j)
        sum += a[row * k + j] * b[at.column * k + j];
      ASSERT_EQ(accumulators[thread][i], T(sum)) << thread << " " << i;
    }
}

TEST(TensorWgmma, Products) {
  for (unsigned n : {8u, 16u, 24u, 40u, 128u, 248u, 256u})
    for (unsigned k : {8u, 16u, 32u}) {
      checkProduct<float>(n, k, true);
      checkProduct<double>(n, k, false);
    }
}
