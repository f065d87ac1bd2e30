//===- PtxParseTest.cpp - Syntax of inline PTX ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxFixture.h"

using namespace lathe::sim;

TEST(PtxParse, EmptyAsmPassesTiedOperands) {
  auto out = runAsm("", "=r,=r,0,1", {{7}, {9}}, {32, 32});
  EXPECT_EQ(out[0], 7u);
  EXPECT_EQ(out[1], 9u);
}

TEST(PtxParse, TiedInputsAreTheirOutputs) {
  EXPECT_EQ(runAsm("add.u32 $0, $0, $2;", "=r,0,r", {{5}, {6}})[0], 11u);
  EXPECT_EQ(runAsm("add.u32 $1, $1, $2;", "=r,0,r", {{5}, {6}})[0], 11u);
}

TEST(PtxParse, ScopesDeclareRegisters) {
  const char *text = "{ .reg .pred p; .reg .b32 t<2>, u; // a comment\n"
                     "setp.gt.s32 p, $1, $2; mov.b32 t0, 1; mov.b32 t1, 2;\n"
                     "{ .reg .b32 u; mov.b32 u, 100; }\n"
                     "mov.b32 u, 10; /* the outer one */\n"
                     "@p add.u32 u, u, t0; @!p add.u32 u, u, t1;\n"
                     "mov.b32 $0, u; }";
  EXPECT_EQ(runAsm(text, "=r,r,r", {{3}, {2}})[0], 11u);
  EXPECT_EQ(runAsm(text, "=r,r,r", {{uint32_t(-3)}, {2}})[0], 12u);
}

TEST(PtxParse, ModifiedOperandsAndDollars) {
  EXPECT_EQ(runAsm("{ .reg .b32 $$t; mov.b32 $$t, ${1}; mov.b32 ${0:v}, $$t; }",
                   "=r,r", {{42}})[0],
            42u);
}

TEST(PtxParse, Immediates) {
  auto value = [](const char *literal) {
    return runAsm(std::string("mov.b32 $0, ") + literal + ";", "=r", {})[0];
  };
  EXPECT_EQ(value("0x1F"), 31u);
  EXPECT_EQ(value("017"), 15u);
  EXPECT_EQ(value("7U"), 7u);
  EXPECT_EQ(value("-1"), 0xFFFFFFFFu);
  EXPECT_EQ(value("0f3F800000"), 0x3F800000u);
  EXPECT_EQ(value("WARP_SZ"), 32u);
  EXPECT_EQ(asFloat(runAsm("add.f32 $0, $1, 1.5;", "=f,f", {single(2)})[0]),
            3.5f);
  EXPECT_EQ(asFloat(runAsm("add.f32 $0, $1, 0d4000000000000000;", "=f,f",
                           {single(1)})[0]),
            3.0f);
}

TEST(PtxParse, VectorsPackAndUnpack) {
  EXPECT_EQ(runAsm("mov.b64 $0, {$1, $2};", "=l,r,r", {{1}, {2}}, {64})[0],
            0x200000001u);
  auto out =
      runAsm("mov.b64 {$0, $1}, $2;", "=r,=r,l", {wide(0x200000001)}, {32, 32});
  EXPECT_EQ(out[0], 1u);
  EXPECT_EQ(out[1], 2u);
  EXPECT_EQ(
      runAsm("{ .reg .b16 a, b; mov.b32 {a, b}, $1; mov.b32 $0, {b, a}; }",
             "=r,r", {{0x00010002}})[0],
      0x00020001u);
}

TEST(PtxParse, SyntaxErrorsAreNamed) {
  auto error = [](const char *text) { return asmError(text, "=r,r", {{0}}); };
  EXPECT_NE(error("add.u32 $0, $1, $2;").find("expected one of 2 operands"),
            std::string::npos);
  EXPECT_NE(
      error("add.u32 $0, $1, x;").find("'x' in inline asm is no register"),
      std::string::npos);
  EXPECT_NE(error("add.u32 $0, $1, 1").find("expected ';'"), std::string::npos);
  EXPECT_NE(error("{ mov.b32 $0, $1;").find("expected '}'"), std::string::npos);
  EXPECT_NE(error("bra L;").find("'L' in inline asm is no label"),
            std::string::npos);
  EXPECT_NE(error("mov.b32 {{{{{{{{$0").find("fewer brackets"),
            std::string::npos);
  EXPECT_NE(error("/* ").find("comment without an end"), std::string::npos);
  EXPECT_NE(error("mov.b32 $0, 0f12;").find("expected a number"),
            std::string::npos);
}

TEST(PtxParse, UnknownInstructionsAreUnsupported) {
  auto error = [](const char *text) { return asmError(text, "=r,r", {{0}}); };
  EXPECT_NE(error("frobnicate.u32 $0, $1;").find("ptx frobnicate.u32"),
            std::string::npos);
  EXPECT_NE(error("add.cc.u32 $0, $1, 1;").find("ptx add.cc.u32"),
            std::string::npos);
  EXPECT_NE(error("ld.param.b32 $0, [$1];").find("ptx ld.param.b32"),
            std::string::npos);
  EXPECT_NE(error("add.u32 $0, $1;").find("ptx add.u32"), std::string::npos);
  // No register to write to, and addresses where values belong.
  EXPECT_NE(error("add.u32 5, $0, $1;").find("ptx add.u32"), std::string::npos);
  EXPECT_NE(error("mov.b32 $0, [$1];").find("ptx mov.b32"), std::string::npos);
  EXPECT_NE(error("add.u32 $0, $1, {$1, $1};").find("ptx add.u32"),
            std::string::npos);
}

TEST(PtxParse, AllUnsupportedAreListed) {
  std::string error =
      asmError("frob.b32 $0, $1; nicate.b32 $0, $1;", "=r,r", {{0}});
  EXPECT_NE(error.find("frob.b32"), std::string::npos);
  EXPECT_NE(error.find("nicate.b32"), std::string::npos);
}
