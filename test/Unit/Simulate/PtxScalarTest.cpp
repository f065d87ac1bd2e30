//===- PtxScalarTest.cpp - Values of scalar PTX ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxFixture.h"

#include <cmath>

using namespace lathe::sim;

static uint64_t binary(const std::string &opcode, Word a, Word b,
                       unsigned width = 32) {
  return runAsm(opcode + " $0, $1, $2;", "=r,r,r", {a, b}, {width})[0];
}
static uint64_t unary(const std::string &opcode, Word a, unsigned width = 32) {
  return runAsm(opcode + " $0, $1;", "=r,r", {a}, {width})[0];
}

TEST(PtxScalar, Integers) {
  EXPECT_EQ(binary("add.u32", {0xFFFFFFFF}, {2}), 1u);
  EXPECT_EQ(binary("add.sat.s32", {0x7FFFFFFF}, {2}), 0x7FFFFFFFu);
  EXPECT_EQ(binary("sub.s64", wide(1), wide(2), 64), ~uint64_t(0));
  EXPECT_EQ(binary("mul.lo.s32", {uint32_t(-3)}, {5}), uint32_t(-15));
  EXPECT_EQ(binary("mul.hi.u32", {0xFFFFFFFF}, {0xFFFFFFFF}), 0xFFFFFFFEu);
  EXPECT_EQ(binary("mul.hi.s32", {uint32_t(-1)}, {2}), 0xFFFFFFFFu);
  EXPECT_EQ(binary("mul.hi.u64", wide(~0ull), wide(~0ull), 64), ~0ull - 1);
  EXPECT_EQ(binary("mul.wide.s32", {uint32_t(-3)}, {5}, 64), uint64_t(-15));
  EXPECT_EQ(binary("mul.wide.u16", half(0xFFFF), half(0xFFFF)), 0xFFFE0001u);
  EXPECT_EQ(binary("div.s32", {uint32_t(-7)}, {2}), uint32_t(-3));
  EXPECT_EQ(binary("rem.s32", {uint32_t(-7)}, {2}), uint32_t(-1));
  EXPECT_EQ(binary("min.s32", {uint32_t(-1)}, {2}), uint32_t(-1));
  EXPECT_EQ(binary("min.u32", {uint32_t(-1)}, {2}), 2u);
  EXPECT_EQ(binary("max.s16x2", {0xFFFF0001}, {0x0001FFFF}), 0x00010001u);
  EXPECT_EQ(unary("abs.s32", {uint32_t(-5)}), 5u);
  EXPECT_EQ(unary("neg.s32", {5}), uint32_t(-5));
  EXPECT_EQ(
      runAsm("mad.lo.u32 $0, $1, $2, $3;", "=r,r,r,r", {{3}, {4}, {5}})[0],
      17u);
  EXPECT_EQ(runAsm("mad.wide.u32 $0, $1, $2, $3;", "=l,r,r,l",
                   {{0xFFFFFFFF}, {2}, wide(3)}, {64})[0],
            0x200000001u);
}

TEST(PtxScalar, Logic) {
  EXPECT_EQ(binary("and.b32", {12}, {10}), 8u);
  EXPECT_EQ(binary("xor.b64", wide(12), wide(10), 64), 6u);
  EXPECT_EQ(unary("not.b32", {0}), 0xFFFFFFFFu);
  EXPECT_EQ(binary("shl.b32", {1}, {31}), 0x80000000u);
  EXPECT_EQ(binary("shl.b32", {1}, {32}), 0u);
  EXPECT_EQ(binary("shr.u32", {0x80000000}, {31}), 1u);
  EXPECT_EQ(binary("shr.s32", {0x80000000}, {40}), 0xFFFFFFFFu);
  EXPECT_EQ(unary("popc.b32", {0xF0F0}), 8u);
  EXPECT_EQ(unary("clz.b32", {1}), 31u);
  EXPECT_EQ(unary("brev.b32", {1}), 0x80000000u);
  auto ternary = [](const char *opcode, uint32_t a, uint32_t b, uint32_t c) {
    return runAsm(std::string(opcode) + " $0, $1, $2, $3;", "=r,r,r,r",
                  {{a}, {b}, {c}})[0];
  };
  EXPECT_EQ(ternary("prmt.b32", 0x33221100, 0x77665544, 0x5410), 0x55441100u);
  EXPECT_EQ(ternary("bfe.u32", 0xABCD, 4, 8), 0xBCu);
  EXPECT_EQ(ternary("bfe.s32", 0xABCD, 4, 8), 0xFFFFFFBCu);
  EXPECT_EQ(ternary("shf.l.wrap.b32", 0x80000000, 1, 1), 3u);
  EXPECT_EQ(ternary("shf.r.clamp.b32", 5, 7, 40), 7u);
  EXPECT_EQ(runAsm("lop3.b32 $0, $1, $2, $3, 0x96;", "=r,r,r,r",
                   {{0xF0}, {0xCC}, {0xAA}})[0],
            uint32_t(0xF0 ^ 0xCC ^ 0xAA));
  EXPECT_EQ(runAsm("bfi.b32 $0, $1, $2, 8, 4;", "=r,r,r", {{0xF}, {0}})[0],
            0xF00u);
}

TEST(PtxScalar, Floats) {
  auto f = [](const char *opcode, float a, float b) {
    return asFloat(binary(opcode, single(a), single(b)));
  };
  EXPECT_EQ(f("add.f32", 1.5f, 2.25f), 3.75f);
  EXPECT_EQ(f("add.rz.f32", 1.0f, 0x1.8p-24f), 1.0f);
  EXPECT_EQ(f("add.rp.f32", 1.0f, 0x1p-30f), std::nextafter(1.0f, 2.0f));
  EXPECT_EQ(f("mul.sat.f32", 3.0f, 3.0f), 1.0f);
  EXPECT_EQ(f("mul.ftz.f32", 0x1p-100f, 0x1p-30f), 0.0f);
  EXPECT_EQ(f("mul.f32", 0x1p-100f, 0x1p-30f), 0x1p-130f);
  EXPECT_EQ(f("max.f32", NAN, 2.0f), 2.0f);
  EXPECT_TRUE(std::isnan(f("max.NaN.f32", NAN, 2.0f)));
  EXPECT_EQ(f("div.rn.f32", 1.0f, 3.0f), 1.0f / 3.0f);
  EXPECT_EQ(asFloat(unary("ex2.approx.ftz.f32", single(3))), 8.0f);
  EXPECT_EQ(asFloat(unary("rcp.approx.f32", single(4))), 0.25f);
  EXPECT_EQ(asFloat(unary("neg.f32", single(4))), -4.0f);
  EXPECT_NEAR(asFloat(unary("tanh.approx.f32", single(0.5f))), std::tanh(0.5f),
              1e-3);
  EXPECT_EQ(asFloat(runAsm("fma.rn.f32 $0, $1, $2, $3;", "=f,f,f,f",
                           {single(3), single(4), single(0.5f)})[0]),
            12.5f);
  // 1 + 1 and 2 * 3 in bf16 and f16 halves.
  EXPECT_EQ(binary("add.rn.bf16x2", {0x3F803F80}, {0x3F803F80}), 0x40004000u);
  EXPECT_EQ(runAsm("fma.rn.f16x2 $0, $1, $2, $3;", "=r,r,r,r",
                   {{0x40004000}, {0x42004200}, {0}})[0],
            0x46004600u);
  EXPECT_EQ(asmError("add.rz.bf16x2 $0, $1, $2;", "=r,r,r", {{0}, {0}}),
            "unsupported: ptx add.rz.bf16x2");
}

TEST(PtxScalar, Comparisons) {
  auto test = [](const char *opcode, Word a, Word b) {
    return runAsm(std::string("{ .reg .pred p; ") + opcode +
                      " p, $1, $2; selp.b32 $0, 1, 0, p; }",
                  "=r,r,r", {a, b})[0];
  };
  EXPECT_EQ(test("setp.lt.s32", {uint32_t(-1)}, {0}), 1u);
  EXPECT_EQ(test("setp.lt.u32", {uint32_t(-1)}, {0}), 0u);
  EXPECT_EQ(test("setp.hs.u32", {5}, {5}), 1u);
  EXPECT_EQ(test("setp.ne.f32", single(NAN), single(1)), 0u);
  EXPECT_EQ(test("setp.neu.f32", single(NAN), single(1)), 1u);
  EXPECT_EQ(test("setp.num.f32", single(NAN), single(1)), 0u);
  EXPECT_EQ(test("setp.nan.f32", single(NAN), single(1)), 1u);
  EXPECT_EQ(runAsm("{ .reg .pred p, q, r; setp.eq.u32 r, 1, 1;"
                   " setp.lt.and.u32 p|q, $1, $2, !r;"
                   " selp.b32 $0, 1, 0, p; @q add.u32 $0, $0, 2; }",
                   "=r,r,r", {{1}, {2}})[0],
            0u);
}

TEST(PtxScalar, Conversions) {
  EXPECT_EQ(unary("cvt.rn.f32.s32", {uint32_t(-3)}), single(-3).bits);
  EXPECT_EQ(unary("cvt.rzi.s32.f32", single(-2.7f)), uint32_t(-2));
  EXPECT_EQ(unary("cvt.rni.f32.f32", single(2.5f)), single(2).bits);
  EXPECT_EQ(unary("cvt.u64.u32", {0xFFFFFFFF}, 64), 0xFFFFFFFFu);
  EXPECT_EQ(unary("cvt.s64.s32", {0xFFFFFFFF}, 64), ~uint64_t(0));
  EXPECT_EQ(unary("cvt.sat.u8.s32", {300}), 255u);
  EXPECT_EQ(unary("cvt.rn.bf16.f32", single(1), 16), 0x3F80u);
  EXPECT_EQ(unary("cvt.f32.bf16", half(0x3F80)), single(1).bits);
  EXPECT_EQ(unary("cvt.rna.tf32.f32", single(1 + 0x1p-11f)),
            single(1 + 0x1p-10f).bits);
  // The first source goes into the upper half.
  EXPECT_EQ(binary("cvt.rn.bf16x2.f32", single(1), single(2)), 0x3F804000u);
  EXPECT_EQ(binary("cvt.rn.relu.f16x2.f32", single(-1), single(1)),
            0x00003C00u);
  EXPECT_EQ(binary("cvt.rn.satfinite.e4m3x2.f32", single(1000), single(1), 16),
            0x7E38u);
  EXPECT_EQ(unary("cvt.rn.f16x2.e4m3x2", half(0x4038)), 0x40003C00u);
  EXPECT_NE(asmError("cvt.f16.f32 $0, $1;", "=h,f", {single(1)}, {16}), "");
}
