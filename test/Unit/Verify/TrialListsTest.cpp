//===- TrialListsTest.cpp - Sequences that a kernel is tried with ---------===//
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

/// Attention of 2 heads, a block for each row.
struct Question : TrialQuestion {
  OperatorSpec attention;
  OpSetEntry usual;

  explicit Question(std::vector<DimGuard> guards,
                    const std::string &grid = "sum_LQ * NH") {
    attention = llvm::cantFail(loadOperator(
        LATHE_SOURCE_DIR "/templates/operators/attention_forward"));
    usual = defaultEntry(attention);
    spec = &attention;
    entry = &usual;
    canSample = true;
    constants = {{"NH", 2}, {"D", 64}};
    DispatchCase row;
    row.kernel = "k";
    row.arch = "sm_90a";
    row.alignment = 16;
    row.blockThreads = 32;
    row.gridX = llvm::cantFail(Expr::parse(grid));
    row.gridY = row.gridZ = Expr::constant(1);
    row.guards = std::move(guards);
    cases.push_back(row);
  }
};

const std::vector<int64_t> &list(const Trial &trial, llvm::StringRef name) {
  return trial.bindings.find(name)->second.elements;
}

} // namespace

TEST(TrialLists, SharesAreOfEqualSequencesAlone) {
  Question question({});
  bool even = false, uneven = false;
  for (const Trial &trial : plan(question).trials) {
    const std::vector<int64_t> &lengths = list(trial, "LQ");
    bool isEven =
        !lengths.empty() && lengths.front() > 0 && llvm::all_equal(lengths) &&
        llvm::all_equal(list(trial, "LK")) && list(trial, "LK").front() > 0;
    if (trial.blocks.empty())
      continue;
    (isEven ? even : uneven) = true;
    EXPECT_EQ(trial.hasShares, isEven) << trial.why;
    if (!isEven)
      EXPECT_GE(trial.blocks.size(),
                std::min<uint64_t>(trial.totalBlocks(), 32))
          << trial.why;
  }
  EXPECT_TRUE(even && uneven);
}

TEST(TrialLists, AreRaggedLongManyAndHuge) {
  Question question({});
  TrialPlan made = plan(question);
  for (const Trial &trial : made.trials) {
    EXPECT_EQ(list(trial, "LQ").size(), list(trial, "LK").size()) << trial.why;
    EXPECT_EQ(trial.grid[0], uint64_t(at(trial, "sum_LQ")) * 2) << trial.why;
  }
  const Trial *ragged = find(made, "ragged");
  ASSERT_TRUE(ragged);
  EXPECT_TRUE(ragged->thorough);
  EXPECT_TRUE(llvm::is_contained(list(*ragged, "LQ"), 0));
  EXPECT_NE(list(*ragged, "LQ"), list(*ragged, "LK"));
  const Trial *longest = find(made, "as much work as may be along max_LQ");
  ASSERT_TRUE(longest);
  EXPECT_EQ(list(*longest, "LQ").size(), 1u);
  EXPECT_GT(at(*longest, "max_LQ"), 4096);
  const Trial *most = find(made, "as much work as may be along len_LQ");
  ASSERT_TRUE(most);
  EXPECT_GT(at(*most, "len_LQ"), 1 << 16);
  for (const char *bits : {"31", "32"}) {
    const Trial *huge =
        find(made, std::string("more than 2^") + bits + " elements");
    ASSERT_TRUE(huge);
    EXPECT_GT(at(*huge, "sum_LQ"), int64_t(1) << (atoi(bits) - 7));
    EXPECT_FALSE(huge->blocks.empty());
  }
  for (const char *why : {"minimal", "unequal lengths", "drawn lengths",
                          "drawn lengths, each", "empty_sequences"})
    EXPECT_TRUE(find(made, why)) << why;
}

TEST(TrialLists, StayWithinGuardsOnFigures) {
  Question question({{"len_LQ", 3, 64, 1},
                     {"max_LQ", 128, 512, 128},
                     {"sum_LQ", 300, 1000, 1},
                     {"max_LK", 0, 77, 1}});
  TrialPlan made = plan(question);
  std::set<int64_t> longest, counts, totals;
  for (const Trial &trial : made.trials) {
    for (const DimGuard &guard : question.cases.front().guards) {
      int64_t value = at(trial, guard.dim);
      EXPECT_GE(value, guard.lo) << trial.why;
      EXPECT_LE(value, guard.hi) << trial.why;
      EXPECT_EQ(value % guard.multiple, 0) << trial.why;
    }
    longest.insert(at(trial, "max_LQ"));
    counts.insert(at(trial, "len_LQ"));
    totals.insert(at(trial, "sum_LQ"));
  }
  EXPECT_EQ(*longest.begin(), 128);
  EXPECT_EQ(*longest.rbegin(), 512);
  EXPECT_EQ(*counts.begin(), 3);
  EXPECT_EQ(*counts.rbegin(), 64);
  EXPECT_EQ(*totals.begin(), 300);
  EXPECT_EQ(*totals.rbegin(), 1000);
}

TEST(TrialLists, SayWhereNoListIsAdmitted) {
  Question question({{"len_LQ", 5, 5, 1}, {"len_LK", 6, 6, 1}});
  auto made = planTrials(question);
  ASSERT_FALSE(made);
  EXPECT_EQ(llvm::toString(made.takeError()),
            "no size can be tried that case 0 of kernel 'k' admits");
}

TEST(TrialLists, HotShapesKeepTheirs) {
  Question question({});
  question.instances = {{{"LQ", std::vector<int64_t>{70, 5}},
                         {"LK", std::vector<int64_t>{70, 5}},
                         {"NH", 2},
                         {"D", 64},
                         {"len_LQ", 2},
                         {"sum_LQ", 75},
                         {"max_LQ", 70}}};
  TrialPlan made = plan(question);
  const Trial *hot = find(made, "hot shape");
  ASSERT_TRUE(hot);
  EXPECT_EQ(list(*hot, "LQ"), (std::vector<int64_t>{70, 5}));
  EXPECT_EQ(at(*hot, "len_LK"), 2);
}

// A block takes 128 rows whether a sequence has them or not.
TEST(TrialLists, TilesThatEndWithASequenceCountAsWholeOnes) {
  Question rows({}), tiles({}, "len_LQ * (max_LQ ceildiv 128) * NH");
  TrialPlan ofRows = plan(rows), ofTiles = plan(tiles);
  const Trial *row = find(ofRows, "single_token"),
              *tile = find(ofTiles, "single_token");
  ASSERT_TRUE(row && tile);
  EXPECT_GT(tile->work, 2 * row->work);
}
