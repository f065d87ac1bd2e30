//===- PlanChecks.cpp - Where a candidate is checked ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidatePlanner.h"
#include "lathe/Measure/CheckCost.h"
#include "lathe/Verify/Inputs.h"
#include "lathe/Verify/Trials.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>
#include <set>

using namespace lathe;
using llvm::Error;

/// Elements over all operands of sizes that are worth trying: beyond, a trial
/// is one that a simulator would sample.
static constexpr uint64_t checkedElements = uint64_t(1) << 28;
/// Generic kernels also prove that their offsets hold beyond 2^31 elements.
static constexpr uint64_t checkedElementsGeneric = uint64_t(5) << 30;
/// Exact kernels have no smaller size to be checked at.
static constexpr uint64_t checkedElementsExact = uint64_t(1) << 30;

/// Device time for all checks of one kernel; generic ones serve everything, and
/// there are few of them.
static constexpr double checkBudget = 1.5, checkBudgetGeneric = 6;
/// What is left of it at least for sizes that are not timed, and what one of
/// them may take: many sizes find more than a huge one.
static constexpr double trialsShare = 0.5, oneShare = 1.0 / 3;

Error CandidatePlanner::Impl::addChecks(PlannedEntry &entry,
                                        const KernelSource &kernel,
                                        measure::KernelPlan &planned) {
  bool isGeneric = kernel.role == "generic";
  // Static dims that a kernel takes at run time may have any value.
  OpSetEntry open = *entry.entry;
  open.staticDims.clear();
  TrialQuestion question;
  question.spec = entry.spec;
  question.entry = &open;
  question.constants = kernel.constants;
  question.cases = kernel.cases;
  question.instances = entry.hot;
  question.canSample = entry.rowRank > 0;
  question.seed = kernel.hiddenSeed;
  question.budget.fullElements = isGeneric ? checkedElementsGeneric
                                 : kernel.role == "exact" ? checkedElementsExact
                                                          : checkedElements;
  // What is affordable on a device is another question.
  question.budget.fullWork = question.budget.totalWork =
      question.budget.blockWork = std::numeric_limits<double>::infinity();
  auto trials = planTrials(question);
  if (!trials)
    return trials.takeError();
  std::string place = entry.entry->name + "/" + kernel.name + ": ";
  for (const std::string &reason : trials->leftOut)
    leftOut.push_back(place + reason);
  const measure::EntryPlan &entryPlan = plan.entries[entry.index];
  double budget = isGeneric ? checkBudgetGeneric : checkBudget, left = budget;
  std::set<uint32_t> known;
  for (const measure::LaunchPlan &launch : planned.launches) {
    known.insert(launch.problem);
    left -= measure::checkSeconds(entryPlan, plan.problems[launch.problem]);
  }
  left = std::max(left, budget * trialsShare);
  // What must be tried comes first.
  for (const auto &[i, trial] : llvm::enumerate(trials->trials)) {
    if (trial.aliased) // every check is also run in place
      continue;
    ProblemQuestion ask;
    ask.bindings = trial.bindings;
    ask.why = trial.why;
    ask.draws = trial.spec;
    ask.seed = randomBits(kernel.hiddenSeed, i, 1);
    auto problem = evaluate(entry, ask, kernel.name);
    if (!problem)
      continue;
    std::string ownDraws = trial.spec ? trial.spec->name : "";
    auto same = problems.find(problemKey(*problem, ownDraws));
    if (same != problems.end() && known.count(same->second)) {
      if (trial.needed)
        checked.insert({uint32_t(plan.kernels.size()), same->second});
      continue;
    }
    double seconds = measure::checkSeconds(entryPlan, *problem);
    if (seconds > std::min(left, budget * oneShare) &&
        !planned.launches.empty()) {
      leftOut.push_back(
          place + trial.why +
          llvm::formatv(": no room in the {0:F1} s of a kernel's checks",
                        budget)
              .str());
      continue;
    }
    uint32_t index = indexOf(std::move(*problem), ownDraws);
    known.insert(index);
    if (auto launch = launchAt(entry, kernel, index, trial.bindings)) {
      planned.launches.push_back(std::move(*launch));
      left -= seconds;
    }
  }
  return Error::success();
}
