//===- SelectTest.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/Fixture.h"
#include "Problem/ProblemOps.h"
#include "lathe/Plan/PlannedKernel.h"
#include "lathe/Rank/Rank.h"

#include "Dispatch/CheckTable.h"
#include "Tile/Tile.h"

#include <random>
#include <set>

using namespace lathe;
using namespace lathe::test;

namespace {

class Select : public ::testing::Test {
protected:
  Select() {
    mlir::DialectRegistry registry;
    registry.insert<tile::TileDialect>();
    context.appendDialectRegistry(registry);
    enumerate.templateDirs = {templateDir()};
  }

  void plan(const PlanInput &input) {
    auto made = importProblem(context, input);
    ASSERT_TRUE(bool(made)) << llvm::toString(made.takeError());
    module = std::move(*made);
    if (auto error = enumerateCandidates(*module, enumerate))
      FAIL() << llvm::toString(std::move(error));
  }

  Selection select() {
    auto made = selectKernels(*module, options);
    if (!made) {
      ADD_FAILURE() << llvm::toString(made.takeError());
      return {};
    }
    for (const DispatchTable &table : made->tables)
      if (auto error = dispatch::verifyTable(table))
        ADD_FAILURE() << llvm::toString(std::move(error));
    return std::move(*made);
  }

  mlir::MLIRContext context;
  EnumerateOptions enumerate;
  SelectOptions options;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

std::set<std::string> kernelsOf(const Selection &selection) {
  std::set<std::string> names;
  for (const DispatchTable &table : selection.tables)
    for (const DispatchCase &row : table.cases)
      names.insert(row.arch + row.kernel);
  return names;
}

const std::vector<std::tuple<int64_t, int64_t, double>> points = {
    {1, 128, 0.1},    {64, 128, 0.1},     {4096, 128, 0.3},
    {100, 2880, 0.1}, {16384, 2880, 0.2}, {7, 4002, 0.1}};

} // namespace

TEST_F(Select, EveryCaseHasItsPlace) {
  plan(workload(points));
  Selection selection = select();
  ASSERT_EQ(selection.tables.size(), 1u);
  const DispatchTable &table = selection.tables[0];
  EXPECT_EQ(table.entry, "scaled");
  ASSERT_GT(table.cases.size(), 2u);
  for (size_t i = 1; i < table.cases.size(); ++i)
    EXPECT_LE(table.cases[i - 1].kind, table.cases[i].kind);
  const DispatchCase &last = table.cases.back();
  EXPECT_EQ(last.kind, CaseKind::Generic);
  EXPECT_EQ(last.alignment, 2);
  EXPECT_EQ(last.runtimeDims, (std::vector<std::string>{"T", "H", "XS"}));
  EXPECT_EQ(last.gridX.str().substr(0, 7), "min(T, ");
  EXPECT_EQ(last.verdict, "unproven");
}

TEST_F(Select, CoverageAddsUp) {
  plan(workload(points));
  Selection selection = select();
  ASSERT_EQ(selection.coverage.rows.size(), 1u);
  const CoverageRow &row = selection.coverage.rows[0];
  EXPECT_EQ(row.instances, points.size());
  EXPECT_NEAR(row.share, 0.9, 1e-12);
  EXPECT_NEAR(row.exact + row.bucket + row.generic + row.unserved, row.share,
              1e-12);
  EXPECT_EQ(row.unserved, 0);
  EXPECT_EQ(row.kernels, kernelsOf(selection).size());
}

TEST_F(Select, AKernelThatTakesStaticDimsServesEachOfTheirValues) {
  plan(workload(points));
  PlannedKernel outside;
  for (const PlannedKernel &kernel : readCandidates(*module))
    if (kernel.role == KernelRole::Generic)
      outside = kernel;
    else
      options.refused[{kernel.entry, kernel.kernel}] = "not today";
  // The generic one is read once more, in steps of one element.
  outside.role = KernelRole::Bucket;
  outside.candidate.templateName = "mine";
  outside.candidate.schedule = {};
  outside.kernel = mintKernelName(outside.candidate);
  outside.threads = 256;
  outside.guards = {{"T", 1, 100000, 1}};
  outside.grid = {Expr::symbol("T")};
  outside.live = Expr::constant(16);
  outside.passes = Expr::constant(1);
  writeCandidate(*module, outside);
  Selection selection = select();
  std::set<int64_t> served;
  for (const DispatchCase &row : selection.tables[0].cases) {
    if (row.kernel != outside.kernel)
      continue;
    auto guard = llvm::find_if(
        row.guards, [](const DimGuard &each) { return each.dim == "H"; });
    ASSERT_NE(guard, row.guards.end());
    EXPECT_EQ(guard->lo, guard->hi);
    served.insert(guard->lo);
    EXPECT_EQ(row.runtimeDims, (std::vector<std::string>{"T", "H", "XS"}));
  }
  EXPECT_EQ(served, (std::set<int64_t>{128, 2880, 4002}));
}

TEST_F(Select, ShapesWithoutTimeStillGetABucket) {
  plan(workload({{64, 128, 0.0}, {4096, 2880, 0.5}}));
  Selection selection = select();
  Bindings dims{{"T", int64_t(64)}, {"H", int64_t(128)}, {"XS", int64_t(128)}};
  auto row =
      llvm::find_if(selection.tables[0].cases, [&](const DispatchCase &item) {
        return admits(item.guards, dims);
      });
  EXPECT_EQ(row->kind, CaseKind::Bucket);
  EXPECT_NEAR(selection.coverage.rows[0].share, 0.5, 1e-12);
}

TEST_F(Select, TheBudgetHolds) {
  plan(workload(points));
  size_t last = 0;
  for (unsigned most : {1u, 2u, 3u, 5u, 8u}) {
    options.maxKernels = most;
    Selection selection = select();
    size_t count = kernelsOf(selection).size();
    EXPECT_LE(count, most);
    EXPECT_GE(count, last);
    last = count;
  }
  EXPECT_GT(last, 1u);
  options.maxKernels = 1;
  Selection tight = select();
  EXPECT_EQ(tight.tables[0].cases.size(), 1u);
  bool said = false;
  for (const PrunedKernel &kernel : tight.rejected)
    said |= kernel.reason.find("beyond the budget") != std::string::npos;
  EXPECT_TRUE(said);
}

TEST_F(Select, BytesAreABudgetToo) {
  plan(workload(points));
  for (const PlannedCandidate &candidate : listCandidates(*module))
    ASSERT_FALSE(
        bool(attachUsage(*module, candidate.kernel, {}, /*codeBytes=*/1000)));
  options.maxBytes = 3500;
  EXPECT_EQ(kernelsOf(select()).size(), 3u);
}

TEST_F(Select, UsageReachesTheCases) {
  plan(workload(points));
  ResourceUsage usage;
  usage.registers = 40;
  usage.barriers = 1;
  for (const PlannedCandidate &candidate : listCandidates(*module))
    ASSERT_FALSE(bool(attachUsage(*module, candidate.kernel, usage, 1000)));
  Selection selection = select();
  for (const DispatchCase &row : selection.tables[0].cases) {
    EXPECT_EQ(row.usage.registers, 40);
    EXPECT_EQ(row.usage.barriers, 1);
  }
  EXPECT_EQ(selection.coverage.rows[0].bytes,
            1000 * kernelsOf(selection).size());
  EXPECT_TRUE(bool(attachUsage(*module, "nobody", usage, 1)))
      << "unknown kernels are errors";
}

TEST_F(Select, WhatCouldNotBeBuiltIsLeftOut) {
  plan(workload(points));
  std::string victim;
  for (const PlannedCandidate &candidate : listCandidates(*module))
    if (!candidate.isGeneric) {
      victim = candidate.kernel;
      ASSERT_FALSE(bool(rejectCandidate(*module, victim, "it spills")));
      break;
    }
  Selection selection = select();
  for (const DispatchCase &row : selection.tables[0].cases)
    EXPECT_NE(row.kernel, victim);
  bool said = false;
  for (const PrunedKernel &kernel : selection.rejected)
    said |= kernel.kernel == victim && kernel.reason == "it spills";
  EXPECT_TRUE(said);
}

TEST_F(Select, OneGenericKernelStays) {
  plan(workload(points));
  std::string name;
  for (const PlannedCandidate &candidate : listCandidates(*module))
    if (candidate.isGeneric)
      name = candidate.kernel;
  lathe::problem::CandidateOp generic;
  module->walk([&](lathe::problem::CandidateOp op) {
    generic = op.getKernel() == name ? op : generic;
  });
  ASSERT_TRUE(generic);
  auto spare = llvm::cast<lathe::problem::CandidateOp>(generic->clone());
  generic->getBlock()->getOperations().insertAfter(generic->getIterator(),
                                                   spare);
  spare.setKernel("spare");
  keepOneGeneric(*module);
  EXPECT_FALSE(generic.getRejected());
  EXPECT_EQ(spare.getRejected(), "would stand in for " + name);
  spare.removeRejectedAttr();
  generic.setRejected("it spills");
  keepOneGeneric(*module);
  EXPECT_FALSE(spare.getRejected());
}

TEST_F(Select, NoGenericKernelIsAnError) {
  plan(workload(points));
  for (const PlannedCandidate &candidate : listCandidates(*module))
    if (candidate.isGeneric)
      ASSERT_FALSE(bool(rejectCandidate(*module, candidate.kernel, "broken")));
  auto selection = selectKernels(*module, options);
  ASSERT_FALSE(bool(selection));
  EXPECT_EQ(llvm::toString(selection.takeError()),
            "entry 'scaled' has no generic kernel for sm_90a: none could be "
            "built");
}

TEST_F(Select, WhatTheGateRefusedIsReplaced) {
  plan(workload(points));
  Selection all = select();
  const DispatchTable &table = all.tables[0];
  std::string first = table.cases.front().kernel;
  options.refused[{"scaled", first}] = "WRONG: everywhere";
  Selection without = select();
  for (const DispatchCase &row : without.tables[0].cases)
    EXPECT_NE(row.kernel, first);
  EXPECT_TRUE(llvm::any_of(without.rejected, [&](const PrunedKernel &kernel) {
    return kernel.kernel == first && kernel.reason == "WRONG: everywhere";
  }));
  // Nothing serves whatever is left, so nothing of the entry ships.
  std::string generic = table.cases.back().kernel;
  options.refused[{"scaled", generic}] = "RACY: sometimes";
  Selection nothing = select();
  EXPECT_TRUE(nothing.tables.empty());
  ASSERT_EQ(nothing.coverage.rows.size(), 1u);
  EXPECT_EQ(nothing.coverage.rows[0].reason,
            "generic kernel " + generic + ": RACY: sometimes");
  EXPECT_NEAR(nothing.coverage.rows[0].unserved, 0.9, 1e-12);
}

TEST_F(Select, EntriesWithoutAKernelKeepTheirReason) {
  PlanInput input = workload(points);
  input.operators.back().templates.clear();
  plan(input);
  Selection selection = select();
  EXPECT_TRUE(selection.tables.empty());
  ASSERT_EQ(selection.coverage.rows.size(), 1u);
  EXPECT_EQ(selection.coverage.rows[0].reason, "operator has no template");
  EXPECT_NEAR(selection.coverage.rows[0].unserved, 0.9, 1e-12);
}

TEST_F(Select, RandomShapesMeetOneFittingKernel) {
  plan(workload(points));
  Selection selection = select();
  std::map<std::string, PlannedKernel> kernels;
  for (PlannedKernel &kernel : readCandidates(*module))
    kernels[kernel.kernel] = kernel;
  std::mt19937_64 random(3);
  for (int i = 0; i < 10000; ++i) {
    int64_t t = int64_t(random() >> (23 + random() % 40));
    int64_t widths[] = {128, 2880, 4002, int64_t(1 + random() % 65536)};
    int64_t h = widths[random() % 4];
    int64_t xs = h + int64_t(random() % 3) * int64_t(random() % 64);
    Bindings dims{{"T", t}, {"H", h}, {"XS", xs}};
    auto row =
        llvm::find_if(selection.tables[0].cases, [&](const DispatchCase &item) {
          return admits(item.guards, dims);
        });
    ASSERT_NE(row, selection.tables[0].cases.end());
    const PlannedKernel &kernel = kernels.at(row->kernel);
    EXPECT_TRUE(admits(kernel.guards, dims));
    auto grid = row->gridX.evaluate(dims);
    ASSERT_TRUE(bool(grid));
    EXPECT_LE(*grid, INT32_MAX);
    EXPECT_EQ(*grid == 0, t == 0);
  }
}

TEST_F(Select, GridsStayWithinWhatCanBeLaunched) {
  PlanInput input = workload({});
  OpSetEntry &entry = input.opset.entries[0];
  entry.op = "pair";
  entry.dtypes = {{"DT", "f32"}};
  entry.scalars.clear();
  for (auto [b, t] : {std::pair<int64_t, int64_t>{4, 512}, {8, 64}, {8, 66}}) {
    HistogramPoint point;
    point.entry = "scaled";
    point.phase = "prefill";
    point.dims = {{"B", b}, {"T", t}, {"H", int64_t(128)}};
    point.weight = 0.3;
    input.histogram.points.push_back(point);
  }
  plan(input);
  Selection selection = select();
  ASSERT_EQ(selection.tables.size(), 1u);
  bool plane = false;
  for (const DispatchCase &row : selection.tables[0].cases) {
    if (row.kind != CaseKind::Bucket)
      continue;
    plane = true;
    std::map<std::string, DimGuard> guards;
    for (const DimGuard &guard : row.guards)
      guards[guard.dim] = guard;
    EXPECT_EQ(guards.at("B").hi, 65535);
    EXPECT_EQ(guards.at("T").multiple, 2);
    EXPECT_LE(guards.at("T").hi, 1000);
  }
  EXPECT_TRUE(plane);
}

TEST_F(Select, TheSameEveryTime) {
  std::string texts[2];
  for (std::string &text : texts) {
    plan(workload(points));
    Selection selection = select();
    for (const DispatchCase &row : selection.tables[0].cases)
      text += row.kernel + row.gridX.str() + "\n";
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST_F(Select, CoverageIsATableAndJson) {
  plan(workload(points));
  Selection selection = select();
  std::string text;
  llvm::raw_string_ostream os(text);
  selection.coverage.print(os);
  EXPECT_NE(text.find("scaled"), std::string::npos);
  EXPECT_NE(text.find("90.00%"), std::string::npos) << text;
  const llvm::json::Value json = selection.coverage.toJSON();
  EXPECT_EQ(json.getAsObject()->getArray("entries")->size(), 1u);
  EXPECT_EQ(json.getAsObject()->getArray("totals")->size(), 1u);
}
