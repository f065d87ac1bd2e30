//===- FuseContractionsTest.cpp - Which products join which sums ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/FuseContractions.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace llvm;

namespace {

/// The body of a function of a, b, c, d after fusion, for one target.
std::string fuse(StringRef type, StringRef body,
                 StringRef triple = "nvptx64-nvidia-cuda") {
  std::string scalar = type.str();
  std::string text = "target triple = \"" + triple.str() + "\"\n" + "define " +
                     scalar + " @f(" + scalar + " %a, " + scalar + " %b, " +
                     scalar + " %c, " + scalar + " %d, <2 x " + scalar +
                     "> %v) {\n" + body.str() + "\n}\n";
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module =
      parseAssemblyString(text, diagnostic, context);
  if (!module) {
    ADD_FAILURE() << diagnostic.getMessage().str() << "\n" << text;
    return "";
  }
  lathe::fuseContractions(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  std::string out;
  raw_string_ostream(out) << *module->getFunction("f");
  return out;
}

bool has(StringRef text, StringRef part) { return text.contains(part); }

TEST(FuseContractions, FusesAProductOfEitherSide) {
  std::string out = fuse("float", "%m = fmul contract float %a, %b\n"
                                  "%s = fadd contract float %c, %m\n"
                                  "ret float %s");
  EXPECT_TRUE(has(out, "@llvm.fma.f32(float %a, float %b, float %c)"));
  EXPECT_FALSE(has(out, "fmul"));
}

TEST(FuseContractions, NegatesForDifferences) {
  EXPECT_TRUE(has(fuse("float", "%m = fmul contract float %a, %b\n"
                                "%s = fsub contract float %m, %c\n"
                                "ret float %s"),
                  "fneg float %c"));
  EXPECT_TRUE(has(fuse("float", "%m = fmul contract float %a, %b\n"
                                "%s = fsub contract float %c, %m\n"
                                "ret float %s"),
                  "fneg float %a"));
  EXPECT_TRUE(has(fuse("float", "%m = fmul contract float %a, %b\n"
                                "%n = fneg float %m\n"
                                "%s = fsub contract float %c, %n\n"
                                "ret float %s"),
                  "@llvm.fma.f32(float %a, float %b, float %c)"));
}

TEST(FuseContractions, NeedsBothFlags) {
  EXPECT_FALSE(has(fuse("float", "%m = fmul float %a, %b\n"
                                 "%s = fadd contract float %m, %c\n"
                                 "ret float %s"),
                   "fma"));
  EXPECT_FALSE(has(fuse("float", "%m = fmul contract float %a, %b\n"
                                 "%s = fadd float %m, %c\n"
                                 "ret float %s"),
                   "fma"));
}

TEST(FuseContractions, TakesTheProductWithFewerUsers) {
  std::string out = fuse("float", "%m = fmul contract float %a, %b\n"
                                  "%n = fmul contract float %c, %d\n"
                                  "%s = fadd contract float %m, %n\n"
                                  "%t = fadd float %s, %m\n"
                                  "ret float %t");
  EXPECT_TRUE(has(out, "@llvm.fma.f32(float %c, float %d, float %m)"));
}

TEST(FuseContractions, SeesThroughElementsOfVectors) {
  std::string out = fuse("float", "%m = fmul contract <2 x float> %v, %v\n"
                                  "%x = extractelement <2 x float> %m, i64 1\n"
                                  "%s = fadd contract float %x, %c\n"
                                  "ret float %s");
  EXPECT_TRUE(has(out, "@llvm.fma.f32"));
  EXPECT_FALSE(has(out, "fmul"));
}

TEST(FuseContractions, FusesOnlyWhatTheTargetHas) {
  StringRef body = "%m = fmul contract bfloat %a, %b\n"
                   "%s = fadd contract bfloat %m, %c\n"
                   "ret bfloat %s";
  EXPECT_TRUE(has(fuse("bfloat", body), "@llvm.fma.bf16"));
  EXPECT_FALSE(has(fuse("bfloat", body, "amdgcn-amd-amdhsa"), "fma"));
}

TEST(FuseContractions, LeavesNoFlagThatChangesResults) {
  std::string out = fuse("float", "%m = fmul fast float %a, %b\n"
                                  "%s = fdiv fast float %m, %c, !fpmath !0\n"
                                  "ret float %s\n}\n"
                                  "!0 = !{float 2.5}\n"
                                  "define void @g() {\nret void");
  EXPECT_TRUE(has(out, "fmul nnan ninf float"));
  EXPECT_TRUE(has(out, "fdiv nnan ninf float"));
  EXPECT_FALSE(has(out, "fpmath"));
}

} // namespace
