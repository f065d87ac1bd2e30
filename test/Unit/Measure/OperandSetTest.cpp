//===- OperandSetTest.cpp - Operands of a problem -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandSet.h"
#include "lathe/Measure/CheckCost.h"

#include "gtest/gtest.h"

using namespace lathe::measure;

namespace {

/// out may be x.
struct InPlace {
  EntryPlan entry;
  Problem problem;

  InPlace() {
    entry.operands.resize(2);
    entry.operands[0].dtype = entry.operands[1].dtype = "bf16";
    entry.operands[1].isOutput = true;
    entry.operands[1].mayAlias = 0;
    problem.views = {{{4, 8}, {8, 1}}, {{4, 8}, {8, 1}}};
    problem.draws.resize(2);
  }
};

} // namespace

TEST(OperandSet, LiesInPlaceWhereFormsAreEqual) {
  InPlace at;
  EXPECT_EQ(inputInPlace(at.entry, at.problem, 0), -1);
  EXPECT_EQ(inputInPlace(at.entry, at.problem, 1), 0);
  double seconds = checkSeconds(at.entry, at.problem);
  at.problem.views[1].strides[0] = 9;
  EXPECT_EQ(inputInPlace(at.entry, at.problem, 1), -1);
  EXPECT_FALSE(hasInPlace(at.entry, at.problem));
  EXPECT_LT(checkSeconds(at.entry, at.problem), seconds);
  at = InPlace();
  at.entry.operands[0].dtype = "f32";
  EXPECT_FALSE(hasInPlace(at.entry, at.problem));
  at = InPlace();
  at.entry.operands[1].mayAlias = -1;
  EXPECT_FALSE(hasInPlace(at.entry, at.problem));
}

TEST(OperandSet, ChecksOfLargeProblemsAreSampled) {
  InPlace at;
  at.problem.views = {{{8192, 64}, {64, 1}}, {{8192, 64}, {64, 1}}};
  at.problem.referenceRows = {8192};
  at.problem.flops = 2e12; // 5 s of a reference
  double sampled = checkSeconds(at.entry, at.problem);
  EXPECT_GT(sampled, 2 * 0.05);
  EXPECT_LT(sampled, 0.2);
  at.problem.referenceRows = {};
  EXPECT_GT(checkSeconds(at.entry, at.problem), 10);
}

TEST(OperandSet, LaunchesOnOneDraw) {
  constexpr uint64_t mib = 1 << 20;
  EXPECT_EQ(checkLaunches(16 * mib, true), 10u);
  EXPECT_EQ(checkLaunches(17 * mib, true), 4u);
  EXPECT_EQ(checkLaunches(2049 * mib, true), 2u);
  EXPECT_EQ(checkLaunches(1, false), 2u);
}
