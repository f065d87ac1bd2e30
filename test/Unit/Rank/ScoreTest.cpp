//===- ScoreTest.cpp - Medians, importance, baselines ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Rank/Score.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace lathe;

namespace {

ScoredShape shape(const char *entry, const char *phase, double roofline,
                  std::optional<double> us,
                  std::map<std::string, double> baselines = {}) {
  ScoredShape made;
  made.entry = entry;
  made.phase = phase;
  made.dims = "T=1";
  made.caseName = "bucket";
  made.rooflineUs = roofline;
  made.floorUs = std::max(roofline * 1.1, 2.0);
  made.us = us;
  for (const auto &[name, time] : baselines)
    made.baselines[name].us = time;
  return made;
}

TEST(Score, IsTheMedianPerOperatorAndTheMeanByImportance) {
  ScoreQuestion question;
  question.importance = {{"norm", 0.3}, {"act", 0.1}, {"gone", 0.6}};
  question.shapes = {
      shape("norm", "decode", 1, 4), shape("norm", "decode", 2, 4),
      shape("norm", "prefill", 9, 10), shape("act", "decode", 8, 10),
      shape("gone", "decode", 8, std::nullopt)};
  ScoreAnswer answer = scoreOf(question);
  ASSERT_EQ(answer.operators.size(), 3u);
  const OperatorScore &norm = answer.operators[0];
  EXPECT_DOUBLE_EQ(norm.all.score, 0.5);
  EXPECT_DOUBLE_EQ(norm.phases.at("decode").score, (0.25 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(norm.phases.at("prefill").score, 0.9);
  EXPECT_DOUBLE_EQ(norm.all.attainable, 2.2 / 4);
  EXPECT_EQ(answer.operators[2].all.measured, 0u);
  // What nobody measured takes no part, whatever its weight.
  EXPECT_DOUBLE_EQ(answer.aggregate, (0.3 * 0.5 + 0.1 * 0.8) / 0.4);
}

TEST(Score, WithoutImportanceAllCountTheSame) {
  ScoreQuestion question;
  question.shapes = {shape("a", "decode", 1, 2), shape("b", "decode", 1, 4)};
  EXPECT_DOUBLE_EQ(scoreOf(question).aggregate, 0.375);
  question.shapes.clear();
  EXPECT_EQ(scoreOf(question).aggregate, 0);
}

TEST(Score, TheBestBaselineCounts) {
  ScoreQuestion question;
  question.shapes = {shape("a", "decode", 1, 4, {{"eager", 20}, {"triton", 8}}),
                     shape("a", "decode", 1, 4, {{"triton", 2}}),
                     shape("a", "decode", 1, 4, {{"triton", 3.98}}),
                     shape("a", "decode", 1, 4),
                     shape("a", "decode", 1, std::nullopt, {{"triton", 2}})};
  GroupScore group = scoreOf(question).operators[0].all;
  EXPECT_EQ(group.compared, 3u);
  EXPECT_EQ(group.slower, 1u) << "half a percent is no loss";
  EXPECT_NEAR(group.ratio, std::cbrt(2 * 0.5 * 0.995), 1e-12);
  EXPECT_DOUBLE_EQ(group.baselineScore, 1 / 3.98);
}

TEST(Score, PairsSayMoreThanTwoTimes) {
  ScoreQuestion question;
  question.shapes = {shape("a", "decode", 1, 4, {{"eager", 8}, {"triton", 5}})};
  question.shapes[0].baselines["triton"].pairedRatio = 1.5;
  EXPECT_DOUBLE_EQ(scoreOf(question).operators[0].all.ratio, 1.5);
  question.shapes[0].baselines["triton"].us = 9;
  EXPECT_DOUBLE_EQ(scoreOf(question).operators[0].all.ratio, 2);
}

TEST(Score, UnmeasuredShapesAreSaid) {
  ScoreQuestion question;
  question.shapes = {shape("a", "decode", 1, std::nullopt)};
  question.unserved = {"moe"};
  std::string text;
  llvm::raw_string_ostream os(text);
  ScoreAnswer answer = scoreOf(question);
  answer.print(os, question, false);
  EXPECT_NE(text.find("unmeasured"), std::string::npos);
  EXPECT_NE(text.find("moe       not served"), std::string::npos) << text;
  llvm::json::Value json = answer.toJSON(question);
  const llvm::json::Object &first =
      *json.getAsObject()->getArray("shapes")->front().getAsObject();
  EXPECT_FALSE(first.get("us"));
  EXPECT_FALSE(first.get("score"));
}

} // namespace
