//===- EnumerateTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"
#include "lathe/Plan/KernelName.h"
#include "lathe/Plan/PlannedKernel.h"

#include "Tile/Tile.h"
#include "mlir/IR/Verifier.h"

using namespace lathe;
using namespace lathe::test;

namespace {

class Enumerate : public ::testing::Test {
protected:
  Enumerate() {
    mlir::DialectRegistry registry;
    registry.insert<tile::TileDialect>();
    context.appendDialectRegistry(registry);
    options.templateDirs = {templateDir()};
  }

  void plan(const PlanInput &input) {
    auto made = importProblem(context, input);
    ASSERT_TRUE(bool(made)) << llvm::toString(made.takeError());
    module = std::move(*made);
    if (auto error = enumerateCandidates(*module, options, &pruned))
      FAIL() << llvm::toString(std::move(error));
    ASSERT_TRUE(mlir::succeeded(mlir::verify(*module)));
    kernels = readCandidates(*module);
  }

  mlir::MLIRContext context;
  EnumerateOptions options;
  std::vector<PrunedKernel> pruned;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<PlannedKernel> kernels;
};

} // namespace

TEST_F(Enumerate, EveryEntryStartsWithAGenericKernel) {
  plan(workload({{4, 128, 0.5}, {4096, 128, 0.5}}));
  ASSERT_FALSE(kernels.empty());
  const PlannedKernel &generic = kernels.front();
  EXPECT_EQ(generic.role, KernelRole::Generic);
  EXPECT_TRUE(generic.guards.empty());
  EXPECT_TRUE(generic.candidate.constants.empty());
  EXPECT_EQ(generic.parameter("VEC", 0), 1);
  EXPECT_TRUE(generic.persistent());
  unsigned exact = 0;
  for (const PlannedKernel &kernel : kernels) {
    EXPECT_EQ(mintKernelName(kernel.candidate), kernel.kernel);
    exact += kernel.role == KernelRole::Exact;
    if (kernel.role != KernelRole::Generic)
      EXPECT_EQ(kernel.candidate.constants.at("H"), 128);
  }
  EXPECT_EQ(exact, 2u);
}

TEST_F(Enumerate, EveryScheduleIsKeptOrHasAReason) {
  plan(workload({{4, 128, 0.5}, {4096, 128, 0.5}}));
  std::set<std::string> names;
  for (const PlannedKernel &kernel : kernels)
    names.insert(kernel.kernel);
  for (const PrunedKernel &kernel : pruned) {
    EXPECT_FALSE(kernel.reason.empty());
    EXPECT_EQ(kernel.reason.find('\n'), std::string::npos);
    names.insert(kernel.kernel);
  }
  // any: 2 x 2 open, 2 x 2 with H fixed; rows: 2^4 fixed; 2 exact ones. What
  // the generic kernel cannot be is not a candidate for that role.
  EXPECT_GE(names.size(), 4u + 16 + 2);
}

TEST_F(Enumerate, NamesTheConstraintThatFails) {
  plan(workload({{4, 4002, 1.0}}));
  bool found = false;
  for (const PrunedKernel &kernel : pruned)
    found |= kernel.reason ==
             "constraint 'H mod VEC == 0' is false at H = 4002, VEC = 8";
  EXPECT_TRUE(found);
  for (const PlannedKernel &kernel : kernels)
    EXPECT_EQ(kernel.parameter("VEC", 1), 1);
}

TEST_F(Enumerate, WideAccessGuardsStridesAndBases) {
  plan(workload({{4096, 1024, 1.0}}));
  bool wide = false;
  for (const PlannedKernel &kernel : kernels) {
    if (kernel.parameter("VEC", 1) != 8)
      continue;
    wide = true;
    EXPECT_EQ(kernel.candidate.alignment, 16);
    EXPECT_EQ(kernel.candidate.multiples.at("XS"), 8);
    auto guard = llvm::find_if(kernel.guards,
                               [](const DimGuard &g) { return g.dim == "XS"; });
    ASSERT_NE(guard, kernel.guards.end());
    EXPECT_EQ(guard->multiple, 8);
  }
  EXPECT_TRUE(wide);
}

TEST_F(Enumerate, KeepsNoMoreThanAsked) {
  options.schedules = 1;
  options.exact = 0;
  plan(workload({{1, 128, 0.2}, {4096, 128, 0.4}, {100000, 128, 0.4}}));
  EXPECT_EQ(kernels.size(), 2u);
}

TEST_F(Enumerate, AnEntryWithoutShapesGetsItsGenericKernel) {
  plan(workload({}));
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].role, KernelRole::Generic);
}

TEST_F(Enumerate, SaysWhatIsNotServed) {
  PlanInput input = workload({{4, 128, 1.0}});
  input.operators.back().templates = {"rows"};
  plan(input);
  EXPECT_TRUE(kernels.empty());
  auto unserved = listUnserved(*module);
  ASSERT_EQ(unserved.size(), 1u);
  EXPECT_EQ(unserved[0].reason, "no template takes every dim at run time");
  input.operators.back().templates.clear();
  plan(input);
  EXPECT_EQ(listUnserved(*module)[0].reason, "operator has no template");
}

TEST_F(Enumerate, RefusesAMissingTemplate) {
  PlanInput input = workload({{4, 128, 1.0}});
  input.operators.back().templates = {"absent"};
  auto made = importProblem(context, input);
  ASSERT_TRUE(bool(made));
  auto error = enumerateCandidates(**made, options);
  EXPECT_NE(llvm::toString(std::move(error)).find("absent.mlir"),
            std::string::npos);
}

TEST_F(Enumerate, DuplicateDimsWithOtherStridesShareAKernel) {
  PlanInput input = workload({{64, 128, 0.5}, {64, 128, 0.5}});
  input.histogram.points[1].dims["XS"] = ExprValue(384);
  plan(input);
  std::set<std::string> names;
  for (const PlannedKernel &kernel : kernels)
    EXPECT_TRUE(names.insert(kernel.kernel).second) << kernel.kernel;
}

TEST_F(Enumerate, ProductsShareTheirKernels) {
  std::vector<std::tuple<int64_t, int64_t, int64_t>> points;
  for (int64_t m : {1, 16, 64, 1000, 8192, 1000000})
    for (auto [n, k] : {std::pair<int64_t, int64_t>{4096, 4096},
                        {14336, 4096},
                        {1024, 8192},
                        {4096, 4090}})
      points.emplace_back(m, n, k);
  options.schedules = 6;
  plan(products(points));
  ASSERT_GT(kernels.size(), 3u);
  EXPECT_LE(kernels.size(), 7u);
  EXPECT_EQ(kernels[0].role, KernelRole::Generic);
  std::set<int64_t> rows;
  bool anyK = false;
  for (const PlannedKernel &kernel : llvm::drop_begin(kernels)) {
    EXPECT_EQ(kernel.role, KernelRole::Bucket);
    EXPECT_TRUE(kernel.candidate.constants.empty());
    ASSERT_TRUE(kernel.gemm.has_value());
    EXPECT_EQ(kernel.gemm->m.str(), "M");
    rows.insert(kernel.gemm->tileM.asConstant().value_or(0));
    anyK |= kernel.guards.empty();
  }
  // Few rows and many want other tiles, and 4090 has no wide access.
  EXPECT_GT(rows.size(), 1u);
  EXPECT_TRUE(anyK);
  EXPECT_TRUE(llvm::any_of(kernels, [](const PlannedKernel &kernel) {
    return kernel.parameter("PRODUCERS", 0) == 4;
  }));
}

TEST_F(Enumerate, ProductsAskTheirOwnModel) {
  PlanInput input = products({{4096, 4096, 4096}});
  options.schedules = 1;
  plan(input);
  ASSERT_EQ(kernels.size(), 2u);
  auto facts = factsOf(*llvm::find_if(input.operators,
                                      [](const OperatorSpec &spec) {
                                        return spec.name == "product";
                                      }),
                       input.opset.entries[0], input.histogram.points[0].dims);
  ASSERT_TRUE(bool(facts));
  auto asked =
      askAbout(kernels[1], input.operators[1], input.targets[0], *facts);
  ASSERT_TRUE(asked && asked->gemm);
  const GemmQuestion &q = *asked->gemm;
  EXPECT_EQ(q.m, 4096);
  EXPECT_EQ(q.dtype, "bf16");
  EXPECT_EQ(q.outBytes, 2);
  EXPECT_EQ(q.epilogueBytes, 0);
  EXPECT_EQ(q.copies, OperandCopies::Tma);
  EXPECT_TRUE(q.warpgroups && q.storesByTma);
  EXPECT_EQ(predict(*asked).timeUs, predict(q).timeUs);
  EXPECT_GT(predict(q).peakShare, 0.7);
}
