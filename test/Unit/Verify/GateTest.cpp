//===- GateTest.cpp - Questions and verdicts ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/Gate.h"
#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Load.h"

#include "gtest/gtest.h"

using namespace lathe;

static GateQuestion question() {
  GateQuestion question;
  question.kernel = "rms_norm.rows.sm_90a.c_H_128.t_DT_bf16.a_16";
  question.bitcode = "no module";
  question.spec = llvm::cantFail(
      loadOperator(LATHE_SOURCE_DIR "/templates/operators/rms_norm"));
  question.entry = defaultEntry(question.spec);
  DispatchCase row;
  row.kernel = question.kernel;
  row.symbol = "k";
  row.gridX = Expr::symbol("T");
  row.gridY = row.gridZ = Expr::constant(1);
  row.blockThreads = 32;
  row.runtimeDims = {"T", "XS"};
  row.guards = {{"T", 1, 64, 1}};
  question.cases.push_back(row);
  question.instances.push_back({{"T", 7}, {"H", 128}, {"XS", 128}});
  question.own =
      std::vector<DimGuard>{{"T", 1, 128, 1}, {"XS", 0, INT64_MAX, 8}};
  question.hiddenSeed = UINT64_MAX; // does not fit JSON's integers
  return question;
}

TEST(Gate, VerdictsHaveNames) {
  for (Verdict verdict :
       {Verdict::Passed, Verdict::Wrong, Verdict::Fault, Verdict::Racy,
        Verdict::Timeout, Verdict::Unsupported})
    EXPECT_EQ(parseVerdict(verdictName(verdict)), verdict);
  EXPECT_FALSE(parseVerdict("passed").has_value());
}

TEST(Gate, WhatIsNoModuleIsUnsupported) {
  auto answer = runGate(question());
  ASSERT_TRUE(bool(answer)) << llvm::toString(answer.takeError());
  EXPECT_EQ(answer->verdict, Verdict::Unsupported);
  EXPECT_FALSE(answer->reason.empty());
  EXPECT_EQ(answer->evidence.getString("hidden_seed"), "18446744073709551615");
}

TEST(Gate, WithoutReferenceNothingPasses) {
  GateQuestion asked = question();
  asked.spec.hasReference = false;
  auto answer = runGate(asked);
  ASSERT_TRUE(bool(answer)) << llvm::toString(answer.takeError());
  EXPECT_EQ(answer->verdict, Verdict::Unsupported);
  EXPECT_EQ(answer->reason, "operator 'rms_norm' has no reference.mlir");
}

TEST(Gate, QuestionsTravel) {
  // The other side asks the same question.
  Message message = gateMessage(question());
  auto copy = decodeMessage(encodeMessage(message));
  ASSERT_TRUE(bool(copy));
  auto answer = gateAnswer(answerGateMessage(*copy));
  ASSERT_TRUE(bool(answer)) << llvm::toString(answer.takeError());
  auto here = runGate(question());
  ASSERT_TRUE(bool(here));
  EXPECT_EQ(answer->verdict, here->verdict);
  EXPECT_EQ(answer->reason, here->reason);
  EXPECT_EQ(answer->evidence, here->evidence);

  message.header["directory"] = "/nonexistent";
  auto missing = gateAnswer(answerGateMessage(message));
  ASSERT_FALSE(bool(missing));
  llvm::consumeError(missing.takeError());
  message.blobs.clear();
  auto empty = gateAnswer(answerGateMessage(message));
  ASSERT_FALSE(bool(empty));
  EXPECT_EQ(llvm::toString(empty.takeError()), "expected one module, found 0");
}

TEST(Gate, GuardsAreReadWithCare) {
  std::vector<DimGuard> guards = {{"T", 1, 64, 1}, {"XS", 0, INT64_MAX, 8}};
  auto copy = guardsFromJSON(guardsToJSON(guards));
  ASSERT_TRUE(bool(copy)) << llvm::toString(copy.takeError());
  ASSERT_EQ(copy->size(), 2u);
  EXPECT_EQ((*copy)[1].dim, "XS");
  EXPECT_EQ((*copy)[1].hi, INT64_MAX);
  EXPECT_EQ((*copy)[1].multiple, 8);
  guards.back().multiple = 0;
  auto none = guardsFromJSON(guardsToJSON(guards));
  ASSERT_FALSE(bool(none));
  EXPECT_EQ(llvm::toString(none.takeError()),
            "expected a guard with dim, lo, hi and multiple, found "
            "{\"dim\":\"XS\",\"hi\":9223372036854775807,\"lo\":0,"
            "\"multiple\":0}");
  auto strange = guardsFromJSON(llvm::json::Array{1});
  ASSERT_FALSE(bool(strange));
  llvm::consumeError(strange.takeError());
}

TEST(Gate, KeysChangeWithTheQuestion) {
  std::string key = gateKey(question());
  EXPECT_EQ(gateKey(question()), key);
  GateQuestion other = question();
  other.hiddenSeed = 1;
  EXPECT_NE(gateKey(other), key);
  other = question();
  other.bitcode += "x";
  EXPECT_NE(gateKey(other), key);
  other = question();
  other.cases.front().guards.front().hi = 65;
  EXPECT_NE(gateKey(other), key);
  other = question();
  other.budget.blocks = 3;
  EXPECT_NE(gateKey(other), key);
  other = question();
  other.budget.totalWork /= 2;
  EXPECT_NE(gateKey(other), key);
  other = question();
  other.own.reset();
  EXPECT_NE(gateKey(other), key);
}

TEST(Gate, HiddenSeedsFollowFromTheKernel) {
  OperatorSpec spec = question().spec;
  EXPECT_EQ(hiddenSeedOf("a", spec), hiddenSeedOf("a", spec));
  EXPECT_NE(hiddenSeedOf("a", spec), hiddenSeedOf("b", spec));
}
