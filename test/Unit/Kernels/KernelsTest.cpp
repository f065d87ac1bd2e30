//===- KernelsTest.cpp - Poison and hashes --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceBuffer.h"

#include "Codegen/CheckNarrowStores.h"

#include "gtest/gtest.h"

#include <set>

using namespace lathe::measure;

TEST(Kernels, PoisonIsFoundChangedByteByByte) {
  DeviceUnderTest &on = DeviceUnderTest::get();
  DevicePointer at = on.device->allocate(4096);
  on.device->fill(at, 0, 4096, on.stream);
  // Ranges that start and end anywhere.
  for (uint64_t first : {0, 8, 3})
    for (uint64_t bytes : {0, 1, 7, 8, 9, 1001}) {
      on.kernels->poison(at + first, bytes, 5, on.stream);
      EXPECT_EQ(on.kernels->changedBytes(at + first, bytes, 5, on.stream), 0u);
      std::vector<char> copy(4096);
      on.device->copyOut(copy.data(), at, copy.size());
      EXPECT_EQ(copy[first + bytes], 0); // and not further
      for (uint64_t i = 0; i < bytes; i += 5) {
        char other = char(~copy[first + i]);
        on.device->copyIn(at + first + i, &other, 1);
        EXPECT_EQ(on.kernels->changedBytes(at + first, bytes, 5, on.stream),
                  1u);
        on.device->copyIn(at + first + i, &copy[first + i], 1);
      }
      on.device->fill(at, 0, 4096, on.stream);
    }
  // Neither zeros nor another salt's poison pass.
  EXPECT_GT(on.kernels->changedBytes(at, 4096, 5, on.stream), 4000u);
  on.kernels->poison(at, 4096, 6, on.stream);
  EXPECT_GT(on.kernels->changedBytes(at, 4096, 5, on.stream), 4000u);
  on.device->release(at);
}

TEST(Kernels, EveryByteIsPaddingOrElement) {
  DeviceUnderTest &on = DeviceUnderTest::get();
  for (const char *dtype : {"f8E4M3FN", "bf16", "f32", "f64"})
    for (std::vector<int64_t> gaps :
         {std::vector<int64_t>{0, 0, 0}, {0, 0, 3}, {0, 5, 0}, {1, 2, 3}}) {
      DeviceBuffer buffer(on, dtype, {2, 3, 5}, gaps);
      std::set<uint64_t> elements;
      for (uint64_t i = 0; i < buffer.elements(); ++i)
        for (uint64_t byte = 0; byte < buffer.elementBytes; ++byte)
          elements.insert(buffer.first +
                          buffer.offset(i) * buffer.elementBytes + byte);
      std::vector<char> poison = buffer.bytesOfRange();
      for (uint64_t i = 0; i < buffer.bytes; ++i) {
        buffer.setByte(i, char(~poison[i]));
        EXPECT_EQ(buffer.changedPadding(), elements.count(i) ? 0u : 1u)
            << dtype << " byte " << i;
        buffer.setByte(i, poison[i]);
      }
    }
}

TEST(Kernels, TransposedViewsHavePaddingToo) {
  DeviceUnderTest &on = DeviceUnderTest::get();
  DeviceBuffer buffer(on, "f32", {4, 6});
  buffer.view = {{6, 3}, {1, 6}}; // rows 0 to 2 of the transpose
  std::vector<char> poison = buffer.bytesOfRange();
  uint64_t changed = 0;
  for (uint64_t i = buffer.first; i < buffer.first + 4 * 6 * 4; ++i) {
    buffer.setByte(i, char(~poison[i]));
    changed += i >= buffer.first + 3 * 6 * 4;
    EXPECT_EQ(buffer.changedPadding(), changed);
  }
}

TEST(Kernels, UnwrittenElementsAreCounted) {
  DeviceUnderTest &on = DeviceUnderTest::get();
  DeviceBuffer buffer(on, "f32", {10, 7}, {0, 3});
  EXPECT_EQ(buffer.unwritten(), 70u);
  std::vector<uint64_t> bits = buffer.bits();
  for (size_t i = 0; i < bits.size(); ++i)
    if (i % 7 != 2)
      bits[i] ^= uint64_t(0xFF) << i % 4 * 8; // one byte is enough
  buffer.setBits(bits);
  EXPECT_EQ(buffer.unwritten(), 10u);
}

TEST(Kernels, HashesAreOfElementsAndTheirPlaces) {
  DeviceUnderTest &on = DeviceUnderTest::get();
  DeviceBuffer buffer(on, "bf16", {9, 31}, {0, 2});
  std::vector<uint64_t> bits(9 * 31);
  for (size_t i = 0; i < bits.size(); ++i)
    bits[i] = i;
  buffer.setBits(bits);
  uint64_t hash = buffer.hash();
  std::set<uint64_t> seen{hash};
  for (size_t i = 0; i < bits.size(); i += 13) {
    auto other = bits;
    other[i] ^= 1;
    buffer.setBits(other);
    EXPECT_TRUE(seen.insert(buffer.hash()).second);
    other = bits;
    std::swap(other[i], other[(i + 40) % other.size()]);
    buffer.setBits(other);
    EXPECT_TRUE(seen.insert(buffer.hash()).second);
  }
  buffer.setBits(bits);
  buffer.setByte(buffer.first + 31 * 2, 1); // padding
  buffer.setByte(0, 1);
  EXPECT_EQ(buffer.hash(), hash);
  DeviceBuffer dense(on, "bf16", {9 * 31}); // another layout of the same
  dense.setBits(bits);
  EXPECT_EQ(dense.hash(), hash);
}

TEST(Kernels, PtxHasEveryKernelAndEnds) {
  std::string_view ptx = kernelsPtx();
  ASSERT_FALSE(ptx.empty());
  EXPECT_EQ(ptx.find('\0'), ptx.size() - 1);
  for (const char *symbol :
       {"lathe_reduce_groups", "lathe_draw_elements", "lathe_hash_elements",
        "lathe_fill_poison", "lathe_count_changed", "lathe_count_unwritten",
        "lathe_square_rows", "lathe_finish_rows", "lathe_compare_rows",
        "lathe_find_worst", "lathe_sum_rows"})
    EXPECT_NE(ptx.find(".entry " + std::string(symbol)), ptx.npos) << symbol;
  // Neither contracted nor approximated: the bits are the host's.
  for (const char *forbidden : {"fma.", ".approx", "div.full", ".extern"})
    EXPECT_EQ(ptx.find(forbidden), ptx.npos) << forbidden;
  llvm::Error narrow = lathe::checkNarrowStores(ptx.substr(0, ptx.size() - 1));
  EXPECT_FALSE(bool(narrow)) << llvm::toString(std::move(narrow));
}
