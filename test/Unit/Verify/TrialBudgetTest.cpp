//===- TrialBudgetTest.cpp - How much of a matrix product is tried --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlannedTrials.h"
#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Load.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <set>

using namespace lathe;

namespace {

/// linear in tiles of 128 x 256, with all dims open; two of a model's
/// projections are what it is launched for.
struct Product : TrialQuestion {
  OperatorSpec linear;
  OpSetEntry projection;

  Product() {
    linear = llvm::cantFail(
        loadOperator(LATHE_SOURCE_DIR "/templates/operators/linear"));
    projection = defaultEntry(linear);
    spec = &linear;
    entry = &projection;
    canSample = true;
    for (const OptionSpec &option : linear.options)
      constants[option.name] = 0;
    own = std::vector<DimGuard>{{"K", 0, 1 << 20, 8}, {"XS", 0, INT64_MAX, 8}};
    for (auto [n, k] : {std::pair(4096, 4096), std::pair(28672, 8192)}) {
      DispatchCase row;
      row.kernel = "k";
      row.alignment = 16;
      row.blockThreads = 384;
      row.gridX =
          llvm::cantFail(Expr::parse("(M ceildiv 128) * (N ceildiv 256)"));
      row.gridY = row.gridZ = Expr::constant(1);
      row.runtimeDims = {"M", "N", "K", "XS", "WS", "RS", "OS"};
      row.guards = {{"K", k, k, 8},
                    {"M", 33, 8192, 1},
                    {"N", n, n, 1},
                    {"XS", 0, INT64_MAX, 8}};
      cases.push_back(row);
      instances.push_back({{"M", 512}, {"N", n}, {"K", k}});
      for (auto [pitch, size] : {std::pair("XS", k), std::pair("WS", k),
                                 std::pair("RS", n), std::pair("OS", n)})
        instances.back()[pitch] = ExprValue(size);
    }
  }
};

} // namespace

TEST(TrialBudget, OpenDimsAreProvenWhereTheyAreSmall) {
  Product question;
  TrialPlan made = plan(question);
  const Trial *ragged = find(made, "ragged");
  ASSERT_TRUE(ragged);
  EXPECT_TRUE(ragged->thorough);
  EXPECT_EQ(ragged->schedules, 10u);
  EXPECT_TRUE(ragged->blocks.empty());
  // A loop has several turns, more than a step of any tile.
  EXPECT_GT(at(*ragged, "K"), 128);
  EXPECT_EQ(at(*ragged, "K") % 8, 0);
  EXPECT_NE(at(*ragged, "M") % 16, 0);
  EXPECT_NE(at(*ragged, "N") % 16, 0);
  std::set<int64_t> depths;
  for (const Trial &trial : made.trials) {
    if (trial.thorough) {
      EXPECT_LE(trial.work, question.budget.fullWork);
    }
    if (trial.why == "steps of K")
      depths.insert(at(trial, "K"));
  }
  EXPECT_GE(depths.size(), 6u);
}

TEST(TrialBudget, LongSumsHaveSeveralResults) {
  Product question;
  TrialPlan made = plan(question);
  for (const Trial &trial : made.trials)
    if (at(trial, "K") > 512) {
      EXPECT_GE(at(trial, "M") * at(trial, "N"), 25) << trial.why;
    }
  const Trial *far = find(made, "as much work as may be along K");
  ASSERT_TRUE(far);
  EXPECT_GT(at(*far, "K"), 2048);
  EXPECT_LE(far->work, question.budget.pairWork);
}

TEST(TrialBudget, EveryCaseIsTriedAtItsEnds) {
  Product question;
  TrialPlan made = plan(question);
  std::set<std::pair<size_t, int64_t>> seen;
  for (const Trial &trial : made.trials)
    if (at(trial, "N") >= 4096) {
      const DispatchCase &row = question.cases[trial.row];
      if (at(trial, "N") == row.guards[2].lo &&
          at(trial, "K") == row.guards[0].lo)
        seen.insert({trial.row, at(trial, "M")});
      EXPECT_FALSE(trial.blocks.empty()) << trial.why;
      EXPECT_LE(trial.blocks.size(), 6u);
    }
  for (size_t row : {0, 1})
    for (int64_t m : {33, 8192})
      EXPECT_TRUE(seen.count({row, m})) << row << " " << m;
}

TEST(TrialBudget, TheWholeIsBounded) {
  Product question;
  TrialPlan made = plan(question);
  // What must be tried of the kernel may take more, and does not here.
  EXPECT_LE(made.work, 1.5 * question.budget.totalWork);
  double half = made.work;
  question.budget.totalWork /= 4;
  made = plan(question);
  EXPECT_LT(made.work, half);
  EXPECT_TRUE(find(made, "ragged"));
  EXPECT_TRUE(llvm::any_of(made.leftOut, [](llvm::StringRef text) {
    return text.ends_with(": no room in the budget");
  }));
}

TEST(TrialBudget, FollowsFromTheQuestionAlone) {
  auto text = [] {
    std::string out;
    llvm::raw_string_ostream os(out);
    Product question;
    for (const Trial &trial : plan(question).trials)
      trial.print(os);
    return out;
  };
  EXPECT_EQ(text(), text());
}

TEST(TrialBudget, FixedDimsAreSampled) {
  Product question;
  question.cases.resize(1);
  question.own.reset();
  for (const char *dim : {"N", "K"})
    question.constants[dim] = 4096;
  question.cases.front().gridX =
      llvm::cantFail(Expr::parse("(M ceildiv 128) * 16"));
  TrialPlan made = plan(question);
  const Trial *ragged = find(made, "ragged");
  ASSERT_TRUE(ragged);
  EXPECT_TRUE(ragged->thorough);
  EXPECT_LT(ragged->schedules, 10u);
  EXPECT_GE(ragged->schedules, 3u);
  // Rows of a tile that is cut off count, so this is 128 x 256 x 4096 a block.
  EXPECT_GT(ragged->work / double(ragged->blocks.size()), 0x1p28);
  EXPECT_LE(made.work, 1.5 * question.budget.totalWork);
}

TEST(TrialBudget, TooMuchForABlockIsSaid) {
  Product question;
  question.cases.resize(1);
  question.own.reset();
  question.budget.blockWork = 0x1p20;
  auto made = planTrials(question);
  ASSERT_FALSE(bool(made));
  EXPECT_EQ(llvm::toString(made.takeError()),
            "no size can be tried that case 0 of kernel 'k' admits");
}

TEST(TrialBudget, PersistentBlocksLoopAndNotForLong) {
  Product question;
  for (DispatchCase &row : question.cases)
    row.gridX = llvm::cantFail(
        Expr::parse("min((M ceildiv 128) * (N ceildiv 256), 132)"));
  question.gridStep = 1;
  TrialPlan made = plan(question);
  const Trial *ragged = find(made, "ragged");
  ASSERT_TRUE(ragged);
  auto tiles = [](const Trial &trial) {
    return (at(trial, "M") + 127) / 128 * ((at(trial, "N") + 255) / 256);
  };
  EXPECT_GT(tiles(*ragged), ragged->grid[0]);
  for (const Trial &trial : made.trials) {
    if (trial.blocks.empty())
      continue;
    EXPECT_LE(trial.work, 6 * 3 * 0x1p30) << trial.why;
    // The block with the last tile is among them, or nobody asks for it.
    uint64_t last = uint64_t(tiles(trial) - 1) % trial.grid[0];
    EXPECT_EQ(trial.hasLast, llvm::is_contained(trial.blocks, last));
  }
  // Blocks of a cluster stay together.
  for (DispatchCase &row : question.cases)
    row.gridX = llvm::cantFail(
        Expr::parse("min((M ceildiv 512) * (N ceildiv 256) * 4, 132)"));
  question.gridStep = 4;
  for (const Trial &trial : plan(question).trials)
    EXPECT_EQ(trial.grid[0] % 4, 0u) << trial.why;
  // As the grid of a kernel that may rely on it, it stays as it is.
  question.gridStep = 0;
  for (const Trial &trial : plan(question).trials)
    EXPECT_LE(trial.grid[0], 132u);
}

TEST(TrialBudget, FixedGridsHaveNoKnownShares) {
  Product question;
  for (DispatchCase &row : question.cases)
    row.gridX = Expr::constant(132);
  for (const Trial &trial : plan(question).trials) {
    EXPECT_FALSE(trial.hasFirst || trial.hasLast || trial.hasShares);
  }
}

TEST(TrialBudget, CasesOfWhatIsTooMuchAreLeftOut) {
  Product question;
  DispatchCase &row = question.cases.back();
  row.guards = {{"K", 1 << 20, 1 << 20, 8},
                {"M", 1 << 20, 1 << 20, 1},
                {"N", 1 << 20, 1 << 20, 1},
                {"XS", 0, INT64_MAX, 8}};
  // Blocks that loop have work by the thousand tiles.
  row.gridX = llvm::cantFail(
      Expr::parse("min(132, (M ceildiv 128) * (N ceildiv 256))"));
  TrialPlan made = plan(question);
  EXPECT_TRUE(find(made, "ragged"));
  EXPECT_TRUE(llvm::none_of(made.trials,
                            [](const Trial &trial) { return trial.row == 1; }));
  EXPECT_FALSE(made.leftOut.empty());
}

TEST(TrialBudget, ManyCasesCostNoMoreThanTwo) {
  Product question;
  double two = plan(question).work;
  for (int64_t n = 8192; n < 8192 + 40 * 256; n += 256) {
    question.cases.push_back(question.cases.back());
    question.cases.back().guards[2] = {"N", n, n, 1};
  }
  EXPECT_LE(plan(question).work, std::max(two, question.budget.totalWork));
}

TEST(TrialBudget, CasesOfNothingToAddUpAreTried) {
  Product question;
  question.cases.back().guards[0] = {"K", 0, 0, 8};
  TrialPlan made = plan(question);
  EXPECT_TRUE(llvm::any_of(made.trials, [](const Trial &trial) {
    return trial.row == 1 && at(trial, "K") == 0;
  }));
}

TEST(TrialBudget, LongSumsAreDrawnRealistic) {
  Product question;
  question.budget.pairWork *= 8;
  TrialPlan made = plan(question);
  const Trial *far = find(made, "as much work as may be along K");
  ASSERT_TRUE(far);
  EXPECT_GT(at(*far, "K"), 8192);
  EXPECT_TRUE(far->isLong);
  for (const Trial &trial : made.trials)
    if (at(trial, "K") <= 8192) {
      EXPECT_FALSE(trial.isLong) << trial.why;
    }
}
