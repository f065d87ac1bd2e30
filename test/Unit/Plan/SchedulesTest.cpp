//===- SchedulesTest.cpp - binding and pruning of schedules ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

#include "../../../lib/Plan/Schedules.h"

using namespace lathe;
using namespace lathe::test;

namespace {

class Schedules : public ::testing::Test {
protected:
  Schedules() : input(workload({{64, 128, 1.0}})), hw(hopper()) {
    spec = *llvm::find_if(input.operators, [](const OperatorSpec &s) {
      return s.name == "scale";
    });
    info.name = "rows";
    info.grid = {expr("T")};
    info.runtime = {"H", "T", "XS"};
    question.spec = &spec;
    question.entry = &input.opset.entries[0];
    question.hardware = &hw;
    question.info = &info;
    question.schedule = {{"WARPS", 4}, {"VEC", 1}};
  }

  /// The guards of a schedule under one constraint, as text; or its reason.
  std::string guardsUnder(llvm::StringRef constraint) {
    info.where = {expr(constraint)};
    ScheduleAnswer answer = bindSchedule(question);
    if (!answer.reason.empty())
      return answer.reason;
    std::string text;
    for (const DimGuard &guard : answer.kernel.guards)
      text += guard.dim + ":" + std::to_string(guard.lo) + ".." +
              (guard.hi == INT64_MAX ? "" : std::to_string(guard.hi)) + "%" +
              std::to_string(guard.multiple) + " ";
    return text;
  }

  PlanInput input;
  Hardware hw;
  OperatorSpec spec;
  TemplateInfo info;
  ScheduleQuestion question;
};

} // namespace

TEST_F(Schedules, SpacesAreSearchedOneAfterTheOther) {
  info.spaces = {{{"VEC", {1, 8}}, {"WARPS", {4}}},
                 {{"VEC", {8, 2}}, {"WARPS", {4, 8}}}};
  EXPECT_EQ(info.spaceSize(), 6u);
  EXPECT_EQ(info.valuesOf("VEC"), (std::vector<int64_t>{1, 8, 2}));
  EXPECT_EQ(info.valuesOf("WARPS"), (std::vector<int64_t>{4, 8}));
  EXPECT_TRUE(info.valuesOf("PARTS").empty());
  std::vector<std::pair<int64_t, int64_t>> seen;
  info.forEachSchedule([&](const auto &schedule) {
    ASSERT_EQ(schedule.size(), 2u);
    seen.emplace_back(schedule.find("VEC")->second,
                      schedule.find("WARPS")->second);
  });
  // Once what both have: eight elements by four warps.
  EXPECT_EQ(seen, (std::vector<std::pair<int64_t, int64_t>>{
                      {1, 4}, {8, 4}, {8, 8}, {2, 4}, {2, 8}}));
}

TEST_F(Schedules, ConstraintsOnRunTimeDimsBecomeGuards) {
  EXPECT_EQ(guardsUnder("H mod 4 == 0"), "H:0..%4 ");
  EXPECT_EQ(guardsUnder("H mod (2 * WARPS) == 0"), "H:0..%8 ");
  EXPECT_EQ(guardsUnder("T <= 100"), "T:0..100%1 ");
  EXPECT_EQ(guardsUnder("T < 100"), "T:0..99%1 ");
  EXPECT_EQ(guardsUnder("100 >= T"), "T:0..100%1 ");
  EXPECT_EQ(guardsUnder("3 < T"), "T:4..%1 ");
  EXPECT_EQ(guardsUnder("T * 3 <= 100"), "T:0..33%1 ");
  EXPECT_EQ(guardsUnder("T * 3 < 99"), "T:0..32%1 ");
  EXPECT_EQ(guardsUnder("3 * T >= 100"), "T:34..%1 ");
  EXPECT_EQ(guardsUnder("T >= 2 and T <= 8 and T mod 2 == 0"), "T:2..8%2 ");
  EXPECT_EQ(guardsUnder("T == 5"), "T:5..5%1 ");
  EXPECT_EQ(guardsUnder("WARPS == 4"), "");
}

TEST_F(Schedules, OtherConstraintsAreRefused) {
  for (llvm::StringRef text :
       {"T * T <= 100", "T <= H", "T != 5", "T mod 4 == 1", "T <= 5 or T > 9",
        "(T + 1) mod 4 == 0", "T * 3 == 100", "T >= 9 and T <= 8"})
    EXPECT_NE(guardsUnder(text).find("is no guard on a run-time dim"),
              std::string::npos)
        << text.str() << ": " << guardsUnder(text);
}

TEST_F(Schedules, LimitsHaveReasons) {
  question.schedule["WARPS"] = 64;
  EXPECT_EQ(bindSchedule(question).reason, "needs 2048 threads of 1024");
  question.schedule["WARPS"] = 0;
  EXPECT_EQ(bindSchedule(question).reason, "has no threads");
  question.schedule["WARPS"] = 4;
  info.live = expr("400");
  EXPECT_NE(bindSchedule(question).reason.find("registers per thread of 255"),
            std::string::npos);
  info.registers = expr("32");
  EXPECT_EQ(bindSchedule(question).reason, "");
  EXPECT_EQ(bindSchedule(question).kernel.expectedRegisters, 32);
  question.schedule["WARPS"] = 32;
  info.registers = expr("65");
  EXPECT_EQ(bindSchedule(question).reason,
            "needs about 65 registers per thread of 64");
}

TEST_F(Schedules, ProducersAreThreadsToo) {
  question.schedule["PRODUCERS"] = 4;
  EXPECT_EQ(bindSchedule(question).kernel.threads, 256);
  question.schedule["PRODUCERS"] = 32;
  EXPECT_EQ(bindSchedule(question).reason, "needs 1152 threads of 1024");
  question.schedule["PRODUCERS"] = INT64_MAX;
  EXPECT_EQ(bindSchedule(question).reason, "has no threads");
  question.schedule = {{"VEC", 1}};
  EXPECT_EQ(bindSchedule(question).kernel.threads, 128);
}

TEST_F(Schedules, ConstraintsAskForFeatures) {
  EXPECT_EQ(guardsUnder("TMA == 1"),
            "constraint 'TMA == 1' is false at TMA = 0");
  hw.features = {"tma"};
  EXPECT_EQ(guardsUnder("TMA == 1"), "");
  EXPECT_EQ(guardsUnder("WGMMA == 1"),
            "constraint 'WGMMA == 1' is false at WGMMA = 0");
}

TEST_F(Schedules, UnknownSymbolsHaveReasons) {
  info.grid = {expr("T * QUX")};
  EXPECT_EQ(bindSchedule(question).reason,
            "template uses unknown symbol 'QUX'");
}

TEST_F(Schedules, TilesOfProductsAreConstants) {
  GemmHints hints;
  hints.m = expr("T");
  hints.n = hints.k = expr("H");
  hints.tileM = hints.tileN = expr("16 * WARPS");
  hints.tileK = expr("64");
  info.gemm = hints;
  ScheduleAnswer answer = bindSchedule(question);
  EXPECT_EQ(answer.reason, "");
  EXPECT_EQ(answer.kernel.gemm->tileN.asConstant(), 64);
  EXPECT_EQ(answer.kernel.gemm->m.str(), "T");
  info.gemm->tileK = expr("T");
  EXPECT_EQ(bindSchedule(question).reason,
            "model hint 'tile_k' is 'T', expected a constant of at least 1");
  info.gemm->tileK = expr("WARPS - 4");
  EXPECT_EQ(bindSchedule(question).reason,
            "model hint 'tile_k' is '0', expected a constant of at least 1");
  info.gemm->tileK = expr("64");
  info.gemm->laneOps = expr("QUX");
  EXPECT_EQ(bindSchedule(question).reason,
            "template uses unknown symbol 'QUX'");
}

TEST_F(Schedules, PartsLoadWhatTheyMultiply) {
  GemmHints hints;
  hints.m = expr("T");
  hints.n = hints.k = expr("H");
  hints.tileM = hints.tileN = hints.tileK = expr("64");
  info.gemm = hints;
  auto facts =
      factsOf(spec, input.opset.entries[0], input.histogram.points[0].dims);
  ASSERT_TRUE(bool(facts));
  auto asked = [&] {
    return *askAbout(bindSchedule(question).kernel, spec, hw, *facts)->gemm;
  };
  EXPECT_EQ(asked().copies, OperandCopies::Registers);
  EXPECT_EQ(asked().parts, 0);
  question.schedule["PRODUCERS"] = 4;
  EXPECT_EQ(asked().copies, OperandCopies::Tma);
  question.schedule["PRODUCERS"] = 0;
  question.schedule["PARTS"] = 4;
  EXPECT_EQ(asked().copies, OperandCopies::None);
  EXPECT_EQ(asked().parts, 4);
}

TEST_F(Schedules, ClosedDimsMustBeFixed) {
  info.runtime = {"T"};
  EXPECT_EQ(bindSchedule(question).reason, "template needs H fixed");
  question.fixed = {{"H", 96}};
  ScheduleAnswer answer = bindSchedule(question);
  EXPECT_EQ(answer.reason, "");
  EXPECT_EQ(answer.kernel.candidate.constants.at("XS"), 96);
  EXPECT_EQ(answer.kernel.guards.size(), 2u);
}

// 989 TFLOP/s of bf16 stand beside 67 of f32 lanes.
TEST_F(Schedules, MatrixInstructionsCountAtTheirPeak) {
  auto facts =
      factsOf(spec, input.opset.entries[0], input.histogram.points[0].dims);
  ASSERT_TRUE(bool(facts));
  facts->flopsByType = {{"bf16", 989e6}, {"f32", 1e6}};
  PlannedKernel kernel = bindSchedule(question).kernel;
  EXPECT_FALSE(kernel.multiplies);
  kernel.multiplies = true;
  auto asked = askAbout(kernel, spec, hw, *facts);
  ASSERT_TRUE(asked.has_value());
  EXPECT_DOUBLE_EQ(asked->flops, 68e6);
  kernel.multiplies = false;
  EXPECT_EQ(askAbout(kernel, spec, hw, *facts)->flops, facts->flops);
}

TEST_F(Schedules, AlignmentFollowsTheAccess) {
  for (auto [vec, alignment] : {std::pair<int64_t, int64_t>{1, 2},
                                {2, 4},
                                {3, 2},
                                {6, 4},
                                {8, 16},
                                {16, 16}}) {
    question.schedule["VEC"] = vec;
    EXPECT_EQ(bindSchedule(question).kernel.candidate.alignment, alignment)
        << vec;
  }
}

TEST_F(Schedules, PruningSaysWhy) {
  PruneQuestion prunes;
  prunes.spec = &spec;
  prunes.hardware = &hw;
  auto facts =
      factsOf(spec, input.opset.entries[0], input.histogram.points[0].dims);
  ASSERT_TRUE(bool(facts));
  HotShape shape{*facts, 1.0};
  prunes.shapes = shape;
  for (int64_t warps : {1, 2, 4, 8, 16, 32}) {
    question.schedule["WARPS"] = warps;
    prunes.kernels.push_back(bindSchedule(question).kernel);
  }
  prunes.kernels.push_back(prunes.kernels.back());
  prunes.kernels.back().kernel = "never";
  prunes.kernels.back().guards = {{"T", 65, INT64_MAX, 1}};
  prunes.spares = 1;
  PruneAnswer answer = prune(prunes);
  EXPECT_EQ(answer.kept.size(), 2u);
  EXPECT_EQ(answer.kept.size() + answer.dropped.size(), 7u);
  bool never = false, beaten = false;
  for (const auto &[kernel, reason] : answer.dropped) {
    never |= kernel == "never" && reason == "runs at none of the hot shapes";
    beaten |= reason == "no faster than " + answer.kept[0].kernel +
                            " at any of 1 hot shape(s)";
  }
  EXPECT_TRUE(never);
  EXPECT_TRUE(beaten);
}

TEST_F(Schedules, PruningServesLightShapesToo) {
  PlanInput many = workload({{64, 128, 1.0}, {4096, 128, 1e-6}});
  PruneQuestion prunes;
  prunes.spec = &spec;
  prunes.hardware = &hw;
  std::vector<HotShape> shapes;
  for (const HistogramPoint &point : many.histogram.points) {
    auto facts = factsOf(spec, many.opset.entries[0], point.dims);
    ASSERT_TRUE(bool(facts));
    shapes.push_back({*facts, point.weight});
  }
  prunes.shapes = shapes;
  for (int64_t warps : {1, 2, 4, 8}) {
    question.schedule["WARPS"] = warps;
    prunes.kernels.push_back(bindSchedule(question).kernel);
    // All but one are for few rows only.
    prunes.kernels.back().guards = {
        {"T", warps == 8 ? 65 : 0, warps == 8 ? INT64_MAX : 64, 1}};
  }
  std::string light = prunes.kernels.back().kernel;
  prunes.keep = 2;
  PruneAnswer answer = prune(prunes);
  ASSERT_EQ(answer.kept.size(), 2u);
  EXPECT_EQ(answer.kept[1].kernel, light);
}
