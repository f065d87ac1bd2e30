//===- NvidiaBitsTest.cpp - Lanes, bytes and bit fields -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulate/Nvidia/Arithmetic.h"
#include "Simulate/Nvidia/Atomics.h"
#include "Simulate/Nvidia/Warp.h"

#include "llvm/ADT/bit.h"

#include <gtest/gtest.h>
#include <set>

using namespace lathe;
using namespace lathe::sim;

namespace {

TEST(NvidiaBits, ShufflesStayInTheirSegment) {
  // CUDA's clamp for a width w: 32 - w in the upper field, 31 below; 0 for up.
  for (unsigned width : {2u, 8u, 16u, 32u})
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned delta = 0; delta < 32; ++delta) {
        uint32_t segment = (32 - width) << 8;
        unsigned first = lane / width * width, in = lane % width;
        ShuffleSource down =
            shuffleSource(ShuffleMode::Down, lane, delta, segment | 31);
        EXPECT_EQ(down.lane, in + delta < width ? lane + delta : lane);
        EXPECT_EQ(down.valid, in + delta < width);
        ShuffleSource up = shuffleSource(ShuffleMode::Up, lane, delta, segment);
        EXPECT_EQ(up.lane, in >= delta ? lane - delta : lane);
        EXPECT_EQ(up.valid, in >= delta);
        ShuffleSource index =
            shuffleSource(ShuffleMode::Index, lane, delta, segment | 31);
        EXPECT_EQ(index.lane, first + delta % width);
        ShuffleSource other =
            shuffleSource(ShuffleMode::Butterfly, lane, delta, segment | 31);
        bool inside = (lane ^ delta) < first + width;
        EXPECT_EQ(other.lane, inside ? lane ^ delta : lane);
      }
}

TEST(NvidiaBits, ElectsAnyLaneAndAlwaysTheSame) {
  std::set<unsigned> leaders;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    unsigned leader = electedLane(seed, 0x00ff0010);
    EXPECT_TRUE(0x00ff0010u >> leader & 1);
    EXPECT_EQ(leader, electedLane(seed, 0x00ff0010));
    leaders.insert(leader);
  }
  EXPECT_EQ(leaders.size(), 9u);
}

TEST(NvidiaBits, ReducesByKind) {
  using llvm::bit_cast;
  EXPECT_EQ(reduxStep({ReduxOp::MinSigned}, -1, 3), uint32_t(-1));
  EXPECT_EQ(reduxStep({ReduxOp::MinUnsigned}, -1, 3), 3u);
  EXPECT_EQ(reduxStep({ReduxOp::Xor}, 6, 3), 5u);
  uint32_t nan = 0x7fc00000, two = bit_cast<uint32_t>(2.0f);
  EXPECT_EQ(reduxStep({ReduxOp::MaxFloat}, nan, two), two);
  EXPECT_EQ(reduxStep({ReduxOp::MaxFloat, false, true}, nan, two), 0x7fffffffu);
}

TEST(NvidiaBits, PermutesBytes) {
  uint32_t a = 0x33221100, b = 0x77665584;
  EXPECT_EQ(permuteBytes(PermuteMode::Index, a, b, 0x7410), 0x77841100u);
  EXPECT_EQ(permuteBytes(PermuteMode::Index, a, b, 0x000c), 0x000000ffu);
  EXPECT_EQ(permuteBytes(PermuteMode::Forward4, a, b, 1), 0x84332211u);
  EXPECT_EQ(permuteBytes(PermuteMode::Backward4, a, b, 1), 0x66770011u);
  EXPECT_EQ(permuteBytes(PermuteMode::Replicate8, a, b, 2), 0x22222222u);
  EXPECT_EQ(permuteBytes(PermuteMode::EdgeLeft, a, b, 2), 0x33222222u);
  EXPECT_EQ(permuteBytes(PermuteMode::EdgeRight, a, b, 2), 0x22221100u);
  EXPECT_EQ(permuteBytes(PermuteMode::Replicate16, a, b, 1), 0x33223322u);
}

TEST(NvidiaBits, MovesFields) {
  EXPECT_EQ(bitFieldExtract(0xabcd1234, 8, 8, 32, false), 0x12u);
  EXPECT_EQ(bitFieldExtract(0xabcdf234, 8, 8, 32, true) & 0xffffffff,
            0xfffffff2u);
  EXPECT_EQ(bitFieldExtract(0x80000000, 28, 16, 32, true) & 0xffffffff,
            0xfffffff8u);
  EXPECT_EQ(bitFieldExtract(~0u, 0, 0, 32, true), 0u);
  EXPECT_EQ(bitFieldInsert(0xff, 0, 28, 8, 32), 0xf0000000u);
  EXPECT_EQ(bitFieldInsert(0, ~uint64_t(0), 60, 4, 64), ~uint64_t(0) >> 4);
  EXPECT_EQ(findNthSet(0xf0, 0, 2), 5u);
  EXPECT_EQ(findNthSet(0xf0, 6, -2), 5u);
  EXPECT_EQ(findNthSet(0xf0, 0, 5), ~0u);
  EXPECT_EQ(findNthSet(0xf0, 5, 0), 5u);
  EXPECT_EQ(findLeading(0x00100000, 32, false, false), 20u);
  EXPECT_EQ(findLeading(0xfffffff0, 32, true, false), 3u);
  EXPECT_EQ(findLeading(0x00100000, 32, false, true), 11u);
  EXPECT_EQ(findLeading(0, 32, false, false), ~0u);
  EXPECT_EQ(extendBits(0xf8, 4, true, false), 0xfffffff8u);
  EXPECT_EQ(extendBits(0xf8, 36, false, true), 8u);
  EXPECT_EQ(bitMask(4, 8, false), 0xff0u);
  EXPECT_EQ(bitMask(30, 8, false), 0xc0000000u);
}

TEST(NvidiaBits, MultipliesPackedIntegers) {
  EXPECT_EQ(dotBytes(0xff01ff01, 0x02020202, 10, true, false), 10u);
  EXPECT_EQ(dotBytes(0xff01ff01, 0x02020202, 10, false, false), 1034u);
  EXPECT_EQ(dotHalves(0xffff0003, 0x05040302, 1, true, false, false), 4u);
  EXPECT_EQ(dotHalves(0xffff0003, 0x05040302, 1, true, false, true), 8u);
}

TEST(NvidiaBits, CombinesAtomically) {
  auto result = [](AtomicOp op, AtomicType type, uint64_t old,
                   uint64_t operand) {
    return atomicResult(op, type, old, operand, 7, true);
  };
  EXPECT_EQ(result(AtomicOp::Increment, AtomicType::U32, 3, 3), 0u);
  EXPECT_EQ(result(AtomicOp::Increment, AtomicType::U32, 2, 3), 3u);
  EXPECT_EQ(result(AtomicOp::Decrement, AtomicType::U32, 0, 3), 3u);
  EXPECT_EQ(result(AtomicOp::Decrement, AtomicType::U32, 5, 3), 3u);
  EXPECT_EQ(result(AtomicOp::Min, AtomicType::S32, 1, 0xffffffff), 0xffffffff);
  EXPECT_EQ(result(AtomicOp::Min, AtomicType::U32, 1, 0xffffffff), 1u);
  EXPECT_EQ(result(AtomicOp::Max, AtomicType::S64, 5, uint64_t(-5)), 5u);
  EXPECT_EQ(result(AtomicOp::CompareExchange, AtomicType::B32, 7, 9), 9u);
  EXPECT_EQ(result(AtomicOp::CompareExchange, AtomicType::B32, 8, 9), 8u);
  // 1 + 2 and 2 + 2 in halves; 2^-130 is flushed at global addresses.
  EXPECT_EQ(result(AtomicOp::Add, AtomicType::F16x2, 0x40003c00, 0x40004000),
            0x44004200u);
  EXPECT_EQ(result(AtomicOp::Add, AtomicType::F32, 0x00080000, 0), 0u);
  EXPECT_EQ(
      atomicResult(AtomicOp::Add, AtomicType::F32, 0x00080000, 0, 0, false),
      0x00080000u);
  EXPECT_FALSE(isAtomic(AtomicOp::Increment, AtomicType::U64));
  EXPECT_FALSE(isAtomic(AtomicOp::And, AtomicType::F32));
  EXPECT_TRUE(isAtomic(AtomicOp::CompareExchange, AtomicType::B16));
}

} // namespace
