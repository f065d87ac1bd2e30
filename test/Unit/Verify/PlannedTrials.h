//===- PlannedTrials.h - Plans of trials for tests --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TEST_UNIT_VERIFY_PLANNEDTRIALS_H
#define LATHE_TEST_UNIT_VERIFY_PLANNEDTRIALS_H

#include "lathe/Verify/Trials.h"

#include "gtest/gtest.h"

namespace lathe {

inline int64_t at(const Trial &trial, llvm::StringRef dim) {
  return trial.bindings.find(dim)->second.elements.front();
}

inline TrialPlan plan(const TrialQuestion &question) {
  auto made = planTrials(question);
  if (!made) {
    ADD_FAILURE() << llvm::toString(made.takeError());
    return {};
  }
  return std::move(*made);
}

/// Null if there is none.
inline const Trial *find(const TrialPlan &plan, llvm::StringRef why) {
  for (const Trial &trial : plan.trials)
    if (trial.why == why)
      return &trial;
  return nullptr;
}

} // namespace lathe

#endif // LATHE_TEST_UNIT_VERIFY_PLANNEDTRIALS_H
