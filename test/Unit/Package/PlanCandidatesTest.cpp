//===- PlanCandidatesTest.cpp - From kernels to a candidate file ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Package/PlanCandidates.h"

#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Load.h"
#include "lathe/Measure/CheckCost.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace lathe;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

class PlanCandidatesTest : public testing::Test {
protected:
  PlanCandidatesTest() {
    OperatorTable table =
        llvm::cantFail(loadOperators({LATHE_SOURCE_DIR "/templates"}));
    const OperatorSpec &spec = table.find("rms_norm")->second;
    input.operators.push_back(spec);
    OpSetEntry entry = defaultEntry(spec);
    entry.name = "norm";
    entry.importance = 0.5;
    input.opset.entries.push_back(entry);
    addPoint(64, 128, "decode", 0.25);
    addPoint(64, 128, "prefill/decode", 0.125);
    addPoint(4, 128, "decode", 0.5);
    addPoint(9, 256, "decode", 0.0625);
    target = llvm::cantFail(
        loadHardware(LATHE_SOURCE_DIR "/templates/hardware/h200.yaml"));
  }

  void addPoint(int64_t rows, int64_t width, const char *phase, double weight) {
    HistogramPoint point;
    point.entry = "norm";
    point.phase = phase;
    point.dims = llvm::cantFail(
        bindDims(input.operators[0], input.opset.entries[0],
                 {{"T", ExprValue(rows)}, {"H", ExprValue(width)}}));
    point.weight = weight;
    point.count = 10;
    input.histogram.points.push_back(point);
  }

  std::unique_ptr<CandidatePlanner> planner(unsigned between = 2,
                                            unsigned best = 12) {
    PlanCandidatesOptions options;
    options.between = between;
    options.best = best;
    auto made = std::make_unique<CandidatePlanner>(input, target, options);
    made->setTools("0.1.0", "tools");
    made->setReferences([&](const OperatorSpec &, const OpSetEntry &) {
      ++references;
      ReferenceImage image;
      image.symbol = "reference";
      image.image = "reference code";
      image.rowRank = 1;
      return llvm::Expected<ReferenceImage>(std::move(image));
    });
    return made;
  }

  /// One block per 8 rows of H values, for T up to `most`.
  KernelSource source(int64_t width, int64_t most = INT64_MAX) {
    KernelSource kernel;
    kernel.name = "rows_" + std::to_string(width);
    kernel.symbol = "rows";
    kernel.entry = "norm";
    kernel.constants["H"] = width;
    kernel.image = "code of " + kernel.name;
    kernel.hiddenSeed = 5;
    DispatchCase row;
    row.kernel = kernel.name;
    row.guards = {{"H", width, width, 1}, {"T", 0, most, 1}};
    row.alignment = 16;
    row.gridX = llvm::cantFail(Expr::parse("T ceildiv 8"));
    row.gridY = row.gridZ = Expr::constant(1);
    row.blockThreads = 96;
    row.sharedBytes = 64;
    row.runtimeDims = {"T", "XS"};
    kernel.cases = {row};
    kernel.modelUs = [](const Bindings &bindings) {
      return double(bindings.find("T")->second.elements.front());
    };
    return kernel;
  }

  /// One that takes `us` + T * `usPerRow` by the model, of its own image.
  KernelSource modelled(const std::string &name, const char *role, double us,
                        double usPerRow) {
    KernelSource kernel = source(128);
    kernel.name = name;
    kernel.role = role;
    kernel.image = "code of " + name;
    kernel.modelUs = [=](const Bindings &bindings) {
      return us +
             usPerRow * double(bindings.find("T")->second.elements.front());
    };
    return kernel;
  }

  /// Checks of a kernel that are no timed sizes.
  static double trialSeconds(const CandidatePlanner &planner,
                             const measure::KernelPlan &kernel) {
    const measure::Candidates &plan = planner.plan();
    double seconds = 0;
    for (const measure::LaunchPlan &launch : kernel.launches)
      if (!plan.problems[launch.problem].timed)
        seconds += measure::checkSeconds(plan.entries[kernel.entry],
                                         plan.problems[launch.problem]);
    return seconds;
  }

  /// "T" of the launches' problems that are timed, or checks.
  static std::vector<int64_t> sizes(const CandidatePlanner &planner,
                                    const measure::KernelPlan &kernel,
                                    bool timed) {
    std::vector<int64_t> sizes;
    for (const measure::LaunchPlan &launch : kernel.launches) {
      const measure::Problem &problem = planner.plan().problems[launch.problem];
      if (problem.timed == timed)
        sizes.push_back(problem.dims.at("T").asNumber());
    }
    return sizes;
  }

  PlanInput input;
  Hardware target;
  unsigned references = 0;
};

} // namespace

TEST_F(PlanCandidatesTest, TimesWhatItsGuardsAdmitHeaviestFirst) {
  auto made = planner();
  auto narrow = llvm::cantFail(made->planKernel(source(128)));
  // Two sizes between 4 and 64, and the next power of two.
  EXPECT_THAT(sizes(*made, narrow, true), ElementsAre(4, 64, 10, 25, 128));
  auto wide = llvm::cantFail(made->planKernel(source(256)));
  EXPECT_THAT(sizes(*made, wide, true), ElementsAre(9, 16));
  auto few = llvm::cantFail(made->planKernel(source(128, 16)));
  EXPECT_THAT(sizes(*made, few, true), ElementsAre(4, 10));
  EXPECT_EQ(references, 1u);
}

TEST_F(PlanCandidatesTest, EvaluatesLaunches) {
  auto made = planner();
  auto kernel = llvm::cantFail(made->planKernel(source(128)));
  EXPECT_EQ(kernel.block[0], 96u);
  EXPECT_EQ(kernel.sharedBytes, 64u);
  const measure::LaunchPlan &launch = kernel.launches[1];
  EXPECT_EQ(launch.grid[0], 8u);
  EXPECT_EQ(launch.alignment, 16u);
  EXPECT_EQ(launch.modelUs, 64);
  using measure::Argument;
  ASSERT_EQ(launch.arguments.size(), 6u); // x, weight, out, T, XS, eps
  EXPECT_EQ(launch.arguments[2].kind, Argument::Operand);
  EXPECT_EQ(launch.arguments[3].kind, Argument::I64);
  EXPECT_EQ(launch.arguments[3].value, 64u);
  EXPECT_EQ(launch.arguments[4].value, 128u);
  EXPECT_EQ(launch.arguments[5].kind, Argument::Scalar);
  EXPECT_EQ(launch.arguments[5].dtype, "f32");
}

TEST_F(PlanCandidatesTest, MergesPhasesOfOneSize) {
  auto made = planner();
  auto kernel = llvm::cantFail(made->planKernel(source(128)));
  const measure::Problem &problem =
      made->plan().problems[kernel.launches[1].problem];
  EXPECT_EQ(problem.weight, 0.375);
  EXPECT_EQ(problem.count, 20);
  EXPECT_EQ(problem.phase, "decode/prefill");
  EXPECT_THAT(problem.referenceRows, ElementsAre(64));
  EXPECT_THAT(problem.referenceDims, ElementsAre(64, 128, 128));
  EXPECT_EQ(problem.bytes, 2 * (64 * 128 * 2 + 128));
}

TEST_F(PlanCandidatesTest, ChecksWithCasesAndHiddenSizes) {
  auto made = planner();
  auto kernel = llvm::cantFail(made->planKernel(source(128)));
  std::vector<std::string> draws;
  for (const measure::LaunchPlan &launch : kernel.launches)
    for (const measure::DrawPlan &draw :
         made->plan().problems[launch.problem].draws)
      draws.push_back(draw.name);
  EXPECT_THAT(draws, Contains("tiny_rows"));
  EXPECT_THAT(draws, Contains("edge"));
  KernelSource other = source(128);
  other.hiddenSeed = 6;
  auto hidden = llvm::cantFail(made->planKernel(other));
  EXPECT_NE(sizes(*made, kernel, false), sizes(*made, hidden, false));
  EXPECT_EQ(sizes(*made, kernel, true), sizes(*made, hidden, true));
}

TEST_F(PlanCandidatesTest, LeavesOutWhatDoesNotFit) {
  target.memoryBytes = 1 << 20;
  addPoint(1 << 20, 128, "prefill", 0.9);
  auto made = planner(0);
  auto kernel = llvm::cantFail(made->planKernel(source(128)));
  EXPECT_THAT(sizes(*made, kernel, true), ElementsAre(4, 64));
  EXPECT_THAT(made->leftOut(), Contains(HasSubstr("norm/timed: hot: ")));
}

TEST_F(PlanCandidatesTest, KeepsWhatIsRefused) {
  auto made = planner();
  KernelSource kernel = source(128);
  kernel.refused = "calls 'printf'";
  kernel.image.clear();
  auto plan = llvm::cantFail(made->planKernel(kernel));
  EXPECT_THAT(plan.launches, IsEmpty());
  EXPECT_EQ(plan.refused, "calls 'printf'");
  measure::readPlan(measure::writePlan(made->plan()));
}

TEST_F(PlanCandidatesTest, GoesOnFromAFile) {
  auto first = planner();
  llvm::cantFail(first->planKernel(source(128)));
  std::string before = measure::writePlan(first->plan());
  measure::Candidates read = measure::readPlan(before);
  for (size_t i = 0; i != read.images.size(); ++i)
    read.images[i].bytes = first->plan().images[i].bytes;
  auto second = planner();
  llvm::cantFail(second->resume(read));
  EXPECT_EQ(measure::writePlan(second->plan()), before);
  auto wide = llvm::cantFail(second->planKernel(source(256)));
  EXPECT_THAT(sizes(*second, wide, true), ElementsAre(9, 16));
  // As if both had been planned at once.
  llvm::cantFail(first->planKernel(source(256)));
  EXPECT_EQ(measure::writePlan(second->plan()),
            measure::writePlan(first->plan()));
  EXPECT_EQ(references, 1u);

  target.arch = "sm_80";
  llvm::Error error = planner()->resume(read);
  EXPECT_THAT(llvm::toString(std::move(error)),
              HasSubstr("is for h200 (sm_90a), expected h200 (sm_80)"));
}

TEST_F(PlanCandidatesTest, TimesTheBestOfEachSize) {
  auto made = planner(0, 2);
  llvm::cantFail(made->planKernel(modelled("small", "bucket", 1, 1)));
  llvm::cantFail(made->planKernel(modelled("large", "bucket", 20, 0.01)));
  llvm::cantFail(made->planKernel(modelled("middle", "bucket", 10, 0.5)));
  llvm::cantFail(made->planKernel(modelled("never", "bucket", 50, 2)));
  llvm::cantFail(made->planKernel(modelled("any", "generic", 90, 2)));
  llvm::cantFail(made->planKernel(modelled("own", "exact", 90, 2)));
  llvm::cantFail(
      made->planKernel(modelled("unknown", "bucket", __builtin_inf(), 0)));
  KernelSource refused = modelled("refused", "bucket", 1, 1);
  refused.refused = "calls 'printf'";
  refused.image.clear();
  llvm::cantFail(made->planKernel(refused));
  size_t images = made->plan().images.size();
  auto dropped = made->chooseTimed();
  ASSERT_EQ(dropped.size(), 1u);
  EXPECT_EQ(dropped[0].entry, "norm");
  EXPECT_EQ(dropped[0].kernel, "never");
  EXPECT_THAT(made->leftOut(),
              Contains("norm/never: not among the 2 that the model thinks "
                       "fastest at any size"));
  std::map<std::string, std::vector<int64_t>> timed;
  for (const measure::KernelPlan &kernel : made->plan().kernels) {
    timed[kernel.name] = sizes(*made, kernel, true);
    if (kernel.refused.empty())
      EXPECT_THAT(sizes(*made, kernel, false), Not(IsEmpty()));
    EXPECT_EQ(made->plan().images[kernel.image].bytes,
              kernel.refused.empty()
                  ? "code of " + kernel.name
                  : std::string("// no image: refused\n") + '\0');
  }
  std::map<std::string, std::vector<int64_t>> expected = {
      {"small", {4}},   {"large", {64}},  {"middle", {4, 64}},
      {"any", {4, 64}}, {"own", {4, 64}}, {"unknown", {4, 64}},
      {"refused", {}},  {"large", {64}}};
  EXPECT_EQ(timed, expected);
  EXPECT_EQ(made->plan().images.size(), images - 1);
  measure::readPlan(measure::writePlan(made->plan()));
}

TEST_F(PlanCandidatesTest, KeepsAllWhereThereAreFew) {
  auto made = planner();
  llvm::cantFail(made->planKernel(source(128)));
  std::string before = measure::writePlan(made->plan());
  EXPECT_THAT(made->chooseTimed(), IsEmpty());
  EXPECT_EQ(measure::writePlan(made->plan()), before);
}

TEST_F(PlanCandidatesTest, ChecksAreWorthTheirTime) {
  auto made = planner();
  auto few = llvm::cantFail(made->planKernel(source(128)));
  EXPECT_GT(trialSeconds(*made, few), 0);
  EXPECT_LE(trialSeconds(*made, few), 1.5);
  // Where simulators run a sample of blocks.
  EXPECT_THAT(sizes(*made, few, false), Contains(testing::Gt(1 << 21)));
  EXPECT_THAT(sizes(*made, few, false), testing::Each(testing::Lt(1 << 24)));
  EXPECT_THAT(made->leftOut(), Not(Contains(HasSubstr("to check all"))));
  EXPECT_THAT(made->leftOut(),
              Contains(HasSubstr("no room in the 1.5 s of a kernel's checks")));
  KernelSource generic = source(128);
  generic.role = "generic";
  generic.name = "generic";
  auto many = llvm::cantFail(made->planKernel(generic));
  EXPECT_GT(trialSeconds(*made, many), trialSeconds(*made, few));
  EXPECT_LE(trialSeconds(*made, many), 6);
  EXPECT_THAT(sizes(*made, many, false), Contains((1 << 25) + 1));
}
