//===- MapGateTest.cpp - Kernels with tensor maps at the gate -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Codegen/Compile.h"
#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Load.h"
#include "lathe/Verify/Gate.h"

#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

using namespace lathe;

namespace {

/// The kernel of test/Verify/Inputs as a candidate for any number of tokens.
GateQuestion question() {
  auto text = llvm::MemoryBuffer::getFile(
      LATHE_SOURCE_DIR "/test/Verify/Inputs/one-expert-tma.mlir");
  if (!text)
    llvm::report_fatal_error("one-expert-tma.mlir cannot be read");
  OptimizedModule module =
      llvm::cantFail(lowerToBitcode((*text)->getBuffer(), "one-expert-tma.mlir",
                                    llvm::cantFail(lookupTarget("sm_90a"))));
  GateQuestion question;
  question.kernel = "moe_sum_reduce.tma.sm_90a.c_H_64.c_TOPK_1.t_DT_bf16.a_16";
  question.bitcode = module.bitcode;
  question.spec = llvm::cantFail(
      loadOperator(LATHE_SOURCE_DIR "/templates/operators/moe_sum_reduce"));
  question.entry = defaultEntry(question.spec);
  question.entry.dtypes["DT"] = "bf16";
  DispatchCase row;
  row.kernel = question.kernel;
  row.symbol = module.symbol;
  row.arch = "sm_90a";
  row.guards = {{"H", 64, 64, 1}, {"T", 0, 4096, 1}, {"TOPK", 1, 1, 1}};
  row.alignment = 16;
  row.gridX = llvm::cantFail(Expr::parse("T ceildiv 8"));
  row.gridY = row.gridZ = Expr::constant(1);
  row.blockThreads = 64;
  row.sharedBytes = module.sharedBytes;
  row.runtimeDims = {"T"};
  row.maps = module.maps;
  question.cases.push_back(row);
  question.instances.push_back({{"T", 19}, {"TOPK", 1}, {"H", 64}});
  return question;
}

} // namespace

TEST(MapGate, ProvesWhatCopiesByTma) {
  GateQuestion asked = question();
  ASSERT_EQ(asked.cases[0].maps.size(), 1u);
  auto answer = runGate(asked);
  ASSERT_TRUE(bool(answer)) << llvm::toString(answer.takeError());
  EXPECT_EQ(answer->verdict, Verdict::Passed) << answer->reason;

  // The other side gets the map as well.
  auto there = gateAnswer(answerGateMessage(gateMessage(asked)));
  ASSERT_TRUE(bool(there)) << llvm::toString(there.takeError());
  EXPECT_EQ(there->evidence, answer->evidence);
  asked.cases[0].maps[0].swizzle = 128;
  EXPECT_NE(gateKey(asked), gateKey(question()));
}

TEST(MapGate, RefusesWhatMapsAnotherOperand) {
  GateQuestion asked = question();
  asked.cases[0].maps[0].operand = 1;
  auto answer = runGate(asked);
  ASSERT_TRUE(bool(answer)) << llvm::toString(answer.takeError());
  EXPECT_NE(answer->verdict, Verdict::Passed);

  // Fewer rows than there are read as zeros.
  asked = question();
  asked.cases[0].maps[0].extents[1] =
      llvm::cantFail(Expr::parse("max(T - 1, 1)"));
  answer = runGate(asked);
  ASSERT_TRUE(bool(answer)) << llvm::toString(answer.takeError());
  EXPECT_EQ(answer->verdict, Verdict::Wrong) << answer->reason;
}
