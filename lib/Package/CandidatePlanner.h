//===- CandidatePlanner.h - What a planner remembers ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_PACKAGE_CANDIDATEPLANNER_H
#define LATHE_LIB_PACKAGE_CANDIDATEPLANNER_H

#include "PlanProblems.h"
#include "lathe/Package/PlanCandidates.h"

#include <deque>
#include <set>

namespace lathe {

/// An op set entry that kernels were planned for.
struct PlannedEntry {
  const OperatorSpec *spec = nullptr;
  const OpSetEntry *entry = nullptr;
  uint32_t index = 0;
  unsigned rowRank = 0;
  std::vector<Bindings> hot;     ///< heaviest first
  std::vector<uint32_t> timed;   ///< of the plan's problems
  std::vector<Bindings> timedAt; ///< their bindings
};

struct CandidatePlanner::Impl {
  PlanInput input;
  Hardware target;
  PlanCandidatesOptions options;
  std::function<llvm::Expected<ReferenceImage>(const OperatorSpec &,
                                               const OpSetEntry &)>
      makeReference;
  measure::Candidates plan;
  std::deque<std::string> storage; ///< of images
  std::map<std::string, PlannedEntry> entries;
  std::map<std::string, uint32_t> problems, images, references; ///< by key
  /// Kernels, and timed problems that stand in for checks at the ends of ranges.
  std::set<std::pair<uint32_t, uint32_t>> checked;
  std::vector<std::string> leftOut;

  llvm::Expected<PlannedEntry *> entryOf(const KernelSource &kernel);
  llvm::Expected<uint32_t> referenceOf(const OperatorSpec &spec,
                                       const OpSetEntry &entry);
  llvm::Error addTimed(PlannedEntry &entry, uint64_t seed);
  std::optional<measure::Problem> evaluate(const PlannedEntry &entry,
                                           ProblemQuestion question,
                                           llvm::StringRef who);
  uint32_t indexOf(measure::Problem problem, llvm::StringRef ownDraws);
  uint32_t imageOf(llvm::StringRef image, llvm::StringRef text);
  std::optional<measure::LaunchPlan> launchAt(const PlannedEntry &entry,
                                              const KernelSource &kernel,
                                              uint32_t problem,
                                              const Bindings &bindings);
  llvm::Error addChecks(PlannedEntry &entry, const KernelSource &kernel,
                        measure::KernelPlan &plan);
  uint64_t memoryLimit() const {
    return target.memoryBytes
               ? uint64_t(options.memoryShare * double(target.memoryBytes))
               : UINT64_MAX;
  }
};

/// What two equal problems have in common; `ownDraws` names the case that draws
/// its own inputs, or is empty.
std::string problemKey(const measure::Problem &problem,
                       llvm::StringRef ownDraws);
/// The same of references.
std::string referenceKey(llvm::StringRef op, const OperatorSpec &spec,
                         const OpSetEntry &entry);

} // namespace lathe

#endif // LATHE_LIB_PACKAGE_CANDIDATEPLANNER_H
