//===- ProblemTest.cpp - structs to IR and back ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"
#include "lathe/Plan/ReadProblem.h"

#include "mlir/Parser/Parser.h"

using namespace lathe;
using namespace lathe::test;

static std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

TEST(Problem, SurvivesTheWayThroughText) {
  mlir::MLIRContext context;
  PlanInput input = workload({{4, 128, 0.25}, {512, 2880, 0.5}});
  input.targets[0].features = {"tma", "wgmma"};
  auto module = importProblem(context, input);
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  auto parsed =
      mlir::parseSourceString<mlir::ModuleOp>(print(**module), &context);
  ASSERT_TRUE(parsed);
  auto again = readProblem(*parsed);
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  ASSERT_EQ(again->operators.size(), 1u);
  EXPECT_EQ(again->operators[0].dims.size(), 3u);
  EXPECT_EQ(again->operators[0].dims[2].kind, DimKind::Stride);
  EXPECT_EQ(again->operators[0].operands[0].strides[0].str(), "XS");
  EXPECT_EQ(again->histogram.points.size(), 2u);
  EXPECT_EQ(again->histogram.points[1].dims, input.histogram.points[1].dims);
  EXPECT_EQ(again->targets[0].clockHz, input.targets[0].clockHz);
  EXPECT_EQ(again->targets[0].memoryLatencyNs,
            input.targets[0].memoryLatencyNs);
  EXPECT_EQ(again->targets[0].features, input.targets[0].features);
  auto rebuilt = importProblem(context, *again);
  ASSERT_TRUE(bool(rebuilt)) << llvm::toString(rebuilt.takeError());
  EXPECT_EQ(print(**rebuilt), print(**module));
}

TEST(Problem, SaysWhatDoesNotFitTogether) {
  mlir::MLIRContext context;
  PlanInput input = workload({{4, 128, 0.25}});
  input.histogram.points[0].entry = "nobody";
  auto module = importProblem(context, input);
  ASSERT_FALSE(bool(module));
  EXPECT_NE(llvm::toString(module.takeError()).find("unknown entry 'nobody'"),
            std::string::npos);
}

TEST(Problem, TheFirstTargetOfAnArchIsPlannedFor) {
  PlanInput input = workload({{4, 128, 0.25}});
  input.targets.push_back(hopper());
  input.targets.back().name = "h100";
  input.targets.push_back(hopper());
  input.targets.back().name = "paper";
  input.targets.back().arch = "none";
  input.targets.back().compilable = false;
  auto targets = planningTargets(input);
  ASSERT_TRUE(bool(targets));
  ASSERT_EQ(targets->size(), 1u);
  EXPECT_EQ((*targets)[0]->name, "h200");
  auto none = planningTargets(input, {"gfx942"});
  EXPECT_FALSE(bool(none));
  llvm::consumeError(none.takeError());
}

TEST(Problem, RooflineFillsEveryInstance) {
  mlir::MLIRContext context;
  auto module = importProblem(context, workload({{4, 128, 0.25}}));
  ASSERT_TRUE(bool(module));
  ASSERT_FALSE(bool(evaluateRoofline(**module)));
  std::string text = print(**module);
  EXPECT_NE(text.find("flops {bf16 = 512 : i64} read 1024 write 1024"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("regime = \"launch\""), std::string::npos);
}
