//===- KernelNameTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/KernelName.h"

#include <gtest/gtest.h>

#include <random>

using namespace lathe;

static Candidate example() {
  Candidate candidate;
  candidate.op = "gated_rms_norm";
  candidate.templateName = "rows";
  candidate.arch = "sm_90a";
  candidate.constants = {{"H", 128}, {"norm_before_gate", 0}};
  candidate.schedule = {{"VEC", 8}, {"WARPS", 4}};
  candidate.dtypes = {{"DT", "bf16"}};
  candidate.multiples = {{"XS", 8}, {"ZS", 8}};
  candidate.alignment = 16;
  return candidate;
}

TEST(KernelName, SpellsEveryPart) {
  EXPECT_EQ(mintKernelName(example()),
            "gated_rms_norm.rows.sm_90a.c_H_128.c_norm_before_gate_0.t_DT_bf16"
            ".s_VEC_8.s_WARPS_4.m_XS_8.m_ZS_8.a_16");
}

TEST(KernelName, ParsesWhatItMints) {
  auto parsed = parseKernelName(mintKernelName(example()));
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  EXPECT_EQ(mintKernelName(*parsed), mintKernelName(example()));
  EXPECT_EQ(parsed->constants, example().constants);
  EXPECT_EQ(parsed->multiples, example().multiples);
  EXPECT_EQ(parsed->dtypes, example().dtypes);
  EXPECT_EQ(parsed->alignment, 16);
}

TEST(KernelName, SymbolsTurnBack) {
  std::string name = mintKernelName(example());
  std::string symbol = kernelSymbol(name);
  EXPECT_EQ(symbol.find('.'), std::string::npos);
  EXPECT_EQ(kernelNameOfSymbol(symbol), name);
}

TEST(KernelName, RefusesHostileNames) {
  for (llvm::StringRef name : {"",
                               ".",
                               "...",
                               "op",
                               "op.t.a",
                               "op.t.arch.",
                               "op.t.arch.a_0",
                               "op.t.arch.a_16.a_16",
                               "op.t.arch.c_H_1",
                               "../x.t.arch.a_1",
                               "op.t/..arch.a_1",
                               "op.t.arch.c_H_-1.a_1",
                               "op.t.arch.c_H_01.a_1",
                               "op.t.arch.c_H_99999999999999999999.a_1",
                               "op.t.arch.c__1.a_1",
                               "op.t.arch.c_H_.a_1",
                               "op.t.arch.x_H_1.a_1",
                               "o__p.t.arch.a_1",
                               "_op.t.arch.a_1",
                               "op_.t.arch.a_1",
                               "op.t.arch.s_A_1.c_H_1.a_1",
                               "op.t.arch.s_B_1.s_A_1.a_1",
                               "op.t.arch.s_A_1.s_A_1.a_1",
                               "op.t.arch.a_1 ",
                               "op.t.arch.a_1\n",
                               "op.t.arch.t_DT_b-f.a_1",
                               "op.t.arch.a_+1",
                               "op.t.arch.c_H_0x10.a_1",
                               "op\0.t.arch.a_1"}) {
    auto parsed = parseKernelName(name);
    EXPECT_FALSE(bool(parsed)) << name.str();
    llvm::consumeError(parsed.takeError());
  }
  auto parsed = parseKernelName(std::string(100000, 'a') + ".t.a.a_1");
  EXPECT_FALSE(bool(parsed));
  llvm::consumeError(parsed.takeError());
}

TEST(KernelName, RandomNamesRoundTripOrAreRefused) {
  std::mt19937 random(7);
  const std::string letters = "acmstAB_.0189";
  for (int i = 0; i < 20000; ++i) {
    std::string name = "op.t.sm_80";
    for (int k = random() % 24; k > 0; --k)
      name += letters[random() % letters.size()];
    auto parsed = parseKernelName(name);
    if (parsed)
      EXPECT_EQ(mintKernelName(*parsed), name);
    else
      llvm::consumeError(parsed.takeError());
  }
}
