//===- AmdScalarTest.cpp - AMD scalars, buffers, assembly -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulate/Amd/Assembly.h"
#include "Simulate/Amd/BufferResource.h"
#include "Simulate/Amd/Conversions.h"
#include "Simulate/Amd/Floats.h"
#include "Simulate/Amd/Integers.h"
#include "Simulate/Amd/LdsDma.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace lathe;
using namespace lathe::sim::amd;

namespace {

TEST(AmdIntegers, ExtractBits) {
  EXPECT_EQ(extractBits(0xABCD1234, 8, 8), 0x12u);
  EXPECT_EQ(extractBits(0xABCD1234, 28, 8), 0xAu);
  EXPECT_EQ(extractBits(0xABCD1234, 0, 0), 0u);
  EXPECT_EQ(extractBits(0xABCD1234, 0, 32), 0u); // 32 counts as 0
  EXPECT_EQ(extractSignedBits(0x0000F000, 12, 4), 0xFFFFFFFFu);
  EXPECT_EQ(extractSignedBits(0x00007000, 12, 4), 7u);
  EXPECT_EQ(extractSignedBits(0x80000000, 31, 4), 0xFFFFFFFFu);
  EXPECT_EQ(extractSignedBits(0xFFFFFFFF, 4, 0), 0u);
}

TEST(AmdIntegers, MoveBytes) {
  EXPECT_EQ(permuteBytes(0x77665544, 0x33221100, 0x07040300), 0x77443300u);
  // Signs of bytes 1 and 7, zero, ones.
  EXPECT_EQ(permuteBytes(0x80000000, 0x00008000, 0x0D0C0B08), 0xFF00FFFFu);
  EXPECT_EQ(permuteBytes(0, 0, 0x080A0908), 0u);
  EXPECT_EQ(alignBytes(0x77665544, 0x33221100, 1), 0x44332211u);
  EXPECT_EQ(alignBytes(0x77665544, 0x33221100, 0), 0x33221100u);
}

TEST(AmdIntegers, SumDifferences) {
  EXPECT_EQ(sumOfDifferences(0x01020304, 0x04030201, 10, 8, false), 18u);
  EXPECT_EQ(sumOfDifferences(0xFF00FF00, 0x00FF0001, 0, 8, true), 256u);
  EXPECT_EQ(sumOfDifferences(0x00050001, 0x00010005, 1, 16, false), 9u);
  EXPECT_EQ(interpolateBytes(0x01010101, 0x02020202, 0x01000001), 0x02010102u);
}

TEST(AmdIntegers, DotProducts) {
  EXPECT_EQ(dotProduct(0x01FF0203, 0x02020202, 1, 8, true, false), 11u);
  EXPECT_EQ(dotProduct(0x01FF0203, 0x02020202, 1, 8, false, false), 523u);
  EXPECT_EQ(dotProduct(0x7FFF7FFF, 0x7FFF7FFF, 0x7FFFFFFF, 16, true, true),
            0x7FFFFFFFu);
  EXPECT_EQ(dotProduct(0xFFFFFFFF, 0xFFFFFFFF, 0, 16, false, true),
            0xFFFFFFFFu);
  EXPECT_EQ(dotProduct(0xFFFFFFFF, 0x11111111, 0, 4, true, false),
            uint32_t(-8));
}

TEST(AmdFloats, Fraction) {
  EXPECT_EQ(fraction(-0.25, FloatFormat::F32), 0.75);
  EXPECT_EQ(fraction(-0x1p-40, FloatFormat::F32), 1 - 0x1p-24);
  EXPECT_TRUE(std::isnan(fraction(INFINITY, FloatFormat::F32)));
}

TEST(AmdFloats, Median) {
  EXPECT_EQ(median(3, 1, 2), 2);
  EXPECT_EQ(median(-INFINITY, 5, INFINITY), 5);
  EXPECT_EQ(median(NAN, 5, 3), 3);
}

TEST(AmdFloats, AnglesAreTurns) {
  EXPECT_EQ(sineOfTurns(0.25), 1);
  EXPECT_EQ(sineOfTurns(7.5), 0);
  EXPECT_EQ(sineOfTurns(300), 0);
  EXPECT_EQ(cosineOfTurns(-0.5), -1);
  EXPECT_EQ(cosineOfTurns(2.25), 0);
  EXPECT_EQ(cosineOfTurns(-257), 1);
  EXPECT_TRUE(std::isnan(sineOfTurns(INFINITY)));
}

TEST(AmdFloats, DivisionIsFixed) {
  EXPECT_EQ(fixDivision(0.5, 4, 2), 0.5);
  EXPECT_EQ(fixDivision(0.5, -4, 2), -0.5);
  EXPECT_EQ(fixDivision(NAN, 0, 1), INFINITY);
  EXPECT_EQ(fixDivision(NAN, -0.0, 1), -INFINITY);
  EXPECT_EQ(fixDivision(NAN, -INFINITY, 3), 0);
  EXPECT_TRUE(std::isnan(fixDivision(1, 0, 0)));
  EXPECT_TRUE(std::isnan(fixDivision(1, INFINITY, INFINITY)));
}

TEST(AmdConversions, StochasticRounding) {
  // 17 lies between 16 and 18 of e4m3.
  constexpr FloatFormat format = FloatFormat::F8E4M3FNUZ;
  uint8_t down = encodeStochastic(format, 17, 0);
  uint8_t up = encodeStochastic(format, 17, 0xFFFFFFFF);
  EXPECT_EQ(decodeFloat(format, down), 16);
  EXPECT_EQ(decodeFloat(format, up), 18);
  // Half of the seeds go either way.
  EXPECT_EQ(encodeStochastic(format, 17, 0x7FFFFFFF), down);
  EXPECT_EQ(encodeStochastic(format, 17, 0x80000000), up);
  EXPECT_EQ(encodeStochastic(format, 16, 0xFFFFFFFF), down);
  EXPECT_EQ(encodeStochastic(format, 255, 0), 0x7F); // 240
  EXPECT_EQ(encodeStochastic(format, 256, 0), 0x80); // NaN
  EXPECT_EQ(encodeStochastic(format, NAN, 0), 0x80);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

TEST(AmdBuffers, DecodeWords) {
  uint32_t words[] = {0x89ABCDEF, 0x00044567, 100, 0x00027000};
  BufferResource resource = BufferResource::decode(words);
  EXPECT_EQ(resource.base, 0x456789ABCDEFu);
  EXPECT_EQ(resource.stride, 4u);
  EXPECT_EQ(resource.records, 100u);
  EXPECT_EQ(resource.defect(), "");
  words[1] |= 0x80000000;
  EXPECT_EQ(BufferResource::decode(words).defect(), "swizzled buffer resource");
}

TEST(AmdBuffers, NamesWhatIsNotModelled) {
  EXPECT_NE(BufferResource::make(0, 0, 4, 0).defect(), "");
  EXPECT_NE(BufferResource::make(0, 0, 4, 0x00827000).defect(), "");
  EXPECT_NE(BufferResource::make(0, 0, 4, 0xC0027000).defect(), "");
}

TEST(AmdBuffers, RawRangeIsBytes) {
  auto resource = BufferResource::make(0x1000, 0, 10, 0x27000);
  BufferAccess access;
  access.offset = 4;
  EXPECT_EQ(access.range(resource, 0, 4), Range::Inside);
  EXPECT_EQ(access.range(resource, 4, 2), Range::Inside);
  EXPECT_EQ(access.range(resource, 4, 4), Range::Straddles);
  EXPECT_EQ(access.range(resource, 8, 4), Range::Outside);
  access.scalarOffset = 4; // shrinks the range
  EXPECT_EQ(access.range(resource, 0, 2), Range::Inside);
  EXPECT_EQ(access.range(resource, 2, 2), Range::Outside);
  EXPECT_EQ(access.address(resource), 0x1008u);
  access.scalarOffset = 11;
  EXPECT_EQ(access.range(resource, 0, 1), Range::Outside);
  access = {};
  access.offset = 0xFFFFFFFF; // -1 is far outside, not before the start
  EXPECT_EQ(access.range(resource, 0, 4), Range::Outside);
}

TEST(AmdBuffers, StructRangeIsElements) {
  auto resource = BufferResource::make(0x1000, 12, 5, 0x27000);
  BufferAccess access;
  access.indexed = true;
  access.index = 4;
  access.offset = 8;
  EXPECT_EQ(access.range(resource, 0, 4), Range::Inside);
  EXPECT_EQ(access.address(resource), 0x1000u + 4 * 12 + 8);
  EXPECT_EQ(access.range(resource, 4, 4), Range::Straddles);
  access.index = 5;
  EXPECT_EQ(access.range(resource, 0, 4), Range::Outside);
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

TEST(AmdWaits, VectorCount) {
  EXPECT_EQ(vectorCount(0x0F70), 0u);  // vmcnt(0)
  EXPECT_EQ(vectorCount(0xC07F), 63u); // lgkmcnt(0)
  EXPECT_EQ(vectorCount(0x4F71), 17u);
}

TEST(AmdAssembly, ReadsStatements) {
  auto steps = parseAssembly("s_waitcnt vmcnt(2) & lgkmcnt(0)\n  s_barrier ; "
                             "s_nop 1 // pause\n");
  ASSERT_TRUE(bool(steps));
  ASSERT_EQ(steps->size(), 3u);
  EXPECT_EQ((*steps)[0].kind, AssemblyStep::Wait);
  EXPECT_EQ((*steps)[0].count, 2u);
  EXPECT_EQ((*steps)[1].kind, AssemblyStep::Barrier);
  EXPECT_EQ((*steps)[2].kind, AssemblyStep::Hint);
  auto other = parseStatement("s_waitcnt lgkmcnt(0)");
  ASSERT_TRUE(bool(other));
  EXPECT_EQ(other->count, 63u);
}

TEST(AmdAssembly, NamesWhatItDoesNotKnow) {
  auto known = parseAssembly("s_barrier\nv_add_f32 $0, $1, $2");
  ASSERT_FALSE(bool(known));
  EXPECT_EQ(toString(known.takeError()),
            "amdgcn assembly 'v_add_f32 $0, $1, $2'");
  EXPECT_TRUE(llvm::errorToBool(parseStatement("s_waitcnt vmcnt").takeError()));
  EXPECT_TRUE(llvm::errorToBool(parseStatement("s_waitcnt").takeError()));
  EXPECT_TRUE(llvm::errorToBool(parseStatement("s_barrier 1").takeError()));
}

} // namespace
