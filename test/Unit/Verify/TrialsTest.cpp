//===- TrialsTest.cpp - Which sizes a kernel is tried at ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlannedTrials.h"
#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Load.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

using namespace lathe;

namespace {

/// rms_norm in rows of 4 per block, with H fixed.
struct Question : TrialQuestion {
  OperatorSpec rms;
  OpSetEntry norm;

  explicit Question(int64_t hidden, int64_t rows = 4) {
    rms = llvm::cantFail(
        loadOperator(LATHE_SOURCE_DIR "/templates/operators/rms_norm"));
    rms.cases.clear();
    norm = defaultEntry(rms);
    spec = &rms;
    entry = &norm;
    canSample = true;
    constants["H"] = hidden;
    DispatchCase row;
    row.kernel = "k";
    row.alignment = 16;
    row.blockThreads = 128;
    row.gridX =
        llvm::cantFail(Expr::parse("T ceildiv " + std::to_string(rows)));
    row.gridY = row.gridZ = Expr::constant(1);
    row.runtimeDims = {"T", "XS"};
    row.guards = {{"T", 0, 1 << 20, 1}, {"XS", hidden, INT64_MAX, 8}};
    cases.push_back(row);
  }
};

} // namespace

TEST(Trials, CoverTheEndsTheEdgesAndThePitches) {
  Question question(1024);
  question.instances = {{{"T", 100000}, {"H", 1024}, {"XS", 1024}},
                        {{"T", 17}, {"H", 2048}, {"XS", 2048}}};
  TrialPlan made = plan(question);
  for (const Trial &trial : made.trials) {
    EXPECT_EQ(at(trial, "H"), 1024);
    EXPECT_EQ(at(trial, "XS") % 8, 0);
    EXPECT_EQ(trial.grid[0], uint64_t(at(trial, "T") + 3) / 4);
  }
  const Trial *ragged = find(made, "ragged");
  ASSERT_TRUE(ragged);
  EXPECT_TRUE(ragged->thorough);
  EXPECT_NE(at(*ragged, "T") % 4, 0);
  EXPECT_GT(ragged->grid[0], 1u);
  ASSERT_TRUE(find(made, "minimal"));
  EXPECT_EQ(at(*find(made, "minimal"), "T"), 1);
  const Trial *top = find(made, "upper end of T");
  ASSERT_TRUE(top);
  EXPECT_EQ(at(*top, "T"), 1 << 20);
  EXPECT_FALSE(top->blocks.empty());
  EXPECT_EQ(top->blocks.front(), 0u);
  EXPECT_EQ(top->blocks.back(), (1u << 18) - 1);
  std::vector<int64_t> edges;
  for (const Trial &trial : made.trials)
    if (trial.why == "edge of a block along T")
      edges.push_back(at(trial, "T"));
  EXPECT_EQ(edges, (std::vector<int64_t>{4, 5, 7}));
  const Trial *padded = find(made, "padded rows");
  ASSERT_TRUE(padded);
  EXPECT_EQ(at(*padded, "XS"), 1032); // of 8, not of 16
  const Trial *hot = find(made, "hot shape");
  ASSERT_TRUE(hot);
  EXPECT_EQ(at(*hot, "T"), 100000);
  // The other shape has another H, which this kernel does not serve.
  EXPECT_EQ(llvm::count_if(
                made.trials,
                [](const Trial &trial) { return trial.why == "hot shape"; }),
            1);
}

TEST(Trials, PitchesOfTwoViewsDiffer) {
  Question question(1024);
  DimSpec other = *llvm::find_if(
      question.rms.dims, [](const DimSpec &dim) { return dim.name == "XS"; });
  other.name = "RS";
  question.rms.dims.push_back(other);
  question.cases[0].runtimeDims.push_back("RS");
  question.cases[0].guards.insert(question.cases[0].guards.begin(),
                                  {"RS", 1024, INT64_MAX, 8});
  TrialPlan made = plan(question);
  const Trial *padded = find(made, "padded rows");
  ASSERT_TRUE(padded);
  EXPECT_GT(at(*padded, "XS"), 1024);
  EXPECT_GT(at(*padded, "RS"), 1024);
  EXPECT_NE(at(*padded, "XS"), at(*padded, "RS"));
}

TEST(Trials, ReachBeyond31Bits) {
  TrialPlan made = plan(Question(1024));
  const Trial *apart = find(made, "rows far apart");
  ASSERT_TRUE(apart);
  EXPECT_GT((at(*apart, "T") - 1) * at(*apart, "XS") + 1024, int64_t(1) << 31);
  EXPECT_FALSE(find(made, "more than 2^31 elements")); // T * H is less
  made = plan(Question(8192));
  const Trial *many = find(made, "more than 2^31 elements");
  ASSERT_TRUE(many);
  EXPECT_GT(at(*many, "T") * 8192, int64_t(1) << 31);
  EXPECT_FALSE(many->blocks.empty());
  const Trial *more = find(made, "more than 2^32 elements");
  ASSERT_TRUE(more);
  EXPECT_GT(at(*more, "T") * 8192, int64_t(1) << 32);
  // As far as nobody has an address for: still the least that is enough.
  Question wide(1 << 17, 1);
  wide.cases.front().guards.front().hi = int64_t(1) << 40;
  made = plan(wide);
  many = find(made, "more than 2^31 elements");
  ASSERT_TRUE(many);
  EXPECT_EQ(at(*many, "T"), (1 << 14) + 1);
}

TEST(Trials, ReachWhatLiesBetweenTheEnds) {
  Question question(256);
  TrialPlan made = plan(question);
  std::vector<int64_t> between, chosen;
  for (const Trial &trial : made.trials)
    if (trial.why == "between ends of T")
      between.push_back(at(trial, "T"));
    else if (trial.why == "chosen T")
      chosen.push_back(at(trial, "T"));
  EXPECT_EQ(between, (std::vector<int64_t>{4099, 65551}));
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_LT(chosen[0], 512); // every block runs
  EXPECT_GE(chosen[1], 512);
  // Nobody can know them.
  question.seed = 1;
  made = plan(question);
  for (const Trial &trial : made.trials)
    if (trial.why == "chosen T") {
      EXPECT_FALSE(llvm::is_contained(chosen, at(trial, "T")));
    }
}

TEST(Trials, SamplesOfCappedGridsHaveTheEnd) {
  Question question(1024);
  question.cases.front().gridX =
      llvm::cantFail(Expr::parse("min(T ceildiv 4, 1000)"));
  question.instances = {{{"T", 100001}, {"H", 1024}, {"XS", 1024}}};
  TrialPlan made = plan(question);
  const Trial *hot = find(made, "hot shape");
  ASSERT_TRUE(hot);
  EXPECT_TRUE(llvm::is_contained(hot->blocks, 0u)); // of 25001 turns
  question.instances[0]["T"] = ExprValue(100021);   // 25006
  made = plan(question);
  hot = find(made, "hot shape");
  ASSERT_TRUE(hot);
  EXPECT_TRUE(llvm::is_contained(hot->blocks, 5u));
}

TEST(Trials, WithoutSamplesLargeSizesAreLeftOut) {
  Question question(8192);
  question.canSample = false;
  TrialPlan made = plan(question);
  for (const Trial &trial : made.trials)
    EXPECT_TRUE(trial.blocks.empty());
  EXPECT_FALSE(made.leftOut.empty());
}

TEST(Trials, ExactKernelsHaveOneSize) {
  Question question(1024);
  question.constants["T"] = 33;
  question.constants["XS"] = 1024;
  question.cases.front().guards = {{"H", 1024, 1024, 1}, {"T", 33, 33, 1}};
  TrialPlan made = plan(question);
  ASSERT_EQ(made.trials.size(), 1u);
  EXPECT_EQ(at(made.trials.front(), "T"), 33);
  EXPECT_TRUE(made.trials.front().thorough);
}

TEST(Trials, GenericKernelsSeeOtherStaticDims) {
  Question question(1024);
  question.constants.clear();
  question.cases.front().guards.clear();
  question.cases.front().runtimeDims = {"T", "H", "XS"};
  TrialPlan made = plan(question);
  std::vector<int64_t> hidden;
  for (const Trial &trial : made.trials)
    if (trial.why == "other H")
      hidden.push_back(at(trial, "H"));
  // 130 is what the ragged trial has.
  EXPECT_EQ(hidden,
            (std::vector<int64_t>{1, 2, 3, 127, 1031, 4100, 8192, 65600}));
}

TEST(Trials, CasesComeWithTheirDims) {
  Question question(128);
  CaseSpec special;
  special.name = "special";
  special.dims["T"] = ExprValue(11);
  question.rms.cases.push_back(special);
  CaseSpec foreign;
  foreign.name = "foreign";
  foreign.dims["H"] = ExprValue(64);
  question.rms.cases.push_back(foreign);
  TrialPlan made = plan(question);
  const Trial *trial = find(made, "special");
  ASSERT_TRUE(trial);
  EXPECT_EQ(at(*trial, "T"), 11);
  EXPECT_EQ(trial->spec, &question.rms.cases.front());
  EXPECT_FALSE(find(made, "foreign"));
  EXPECT_TRUE(llvm::is_contained(made.leftOut,
                                 "foreign: its dims are not this kernel's"));
}

TEST(Trials, CasesOfAnySizeAreTriedAtTheRaggedOne) {
  Question question(128);
  CaseSpec tiny;
  tiny.name = "tiny";
  question.rms.cases.push_back(tiny);
  TrialPlan made = plan(question);
  const Trial *ragged = find(made, "ragged"), *trial = find(made, "tiny");
  ASSERT_TRUE(ragged && trial);
  EXPECT_EQ(trial->bindings, ragged->bindings);
  EXPECT_TRUE(trial->spec);
}

TEST(Trials, CasesBeyondAnyMemoryAreLeftOut) {
  Question question(1024, /*rows=*/16);
  DispatchCase far = question.cases.front();
  far.guards.front() = {"T", int64_t(1) << 33, int64_t(1) << 34, 1};
  question.cases.push_back(far);
  TrialPlan made = plan(question);
  for (const Trial &trial : made.trials)
    EXPECT_EQ(trial.row, 0u);
  EXPECT_FALSE(made.leftOut.empty());
  question.cases.erase(question.cases.begin());
  auto alone = planTrials(question);
  ASSERT_FALSE(bool(alone));
  EXPECT_EQ(llvm::toString(alone.takeError()),
            "every size that the cases of kernel 'k' admit is too large");
}

TEST(Trials, ACaseThatAdmitsNothingIsAnError) {
  Question question(1024);
  question.cases.front().guards = {{"T", 5, 4, 1}};
  auto made = planTrials(question);
  ASSERT_FALSE(bool(made));
  EXPECT_EQ(llvm::toString(made.takeError()),
            "no size can be tried that case 0 of kernel 'k' admits");
}

TEST(Trials, WithoutPinsCasesSayWhatIsAdmitted) {
  Question question(1024);
  TrialPlan before = plan(question);
  question.own = std::vector<DimGuard>{};
  TrialPlan after = plan(question);
  EXPECT_EQ(before.trials.size(), after.trials.size());
}

TEST(Trials, SizesOfAPinnedCaseMayBeTheKernelsOwn) {
  Question question(256);
  question.constants.clear();
  question.own = std::vector<DimGuard>{};
  DispatchCase &row = question.cases.front();
  row.runtimeDims = {"T", "H", "XS"};
  row.guards = {{"H", 256, 256, 1}};
  question.instances = {{{"T", 17}, {"H", 256}, {"XS", 256}}};
  // All that the case must be tried at, the kernel is tried at by itself.
  TrialPlan made = plan(question);
  const Trial *minimal = find(made, "minimal");
  ASSERT_TRUE(minimal);
  EXPECT_EQ(at(*minimal, "T"), 1);
  EXPECT_EQ(at(*minimal, "H"), 256);
}
