//===- Trials.h - Which sizes a kernel is tried at --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pure function from what a kernel promises (its dispatch cases) to the sizes
// at which the promise is tried.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_TRIALS_H
#define LATHE_VERIFY_TRIALS_H

#include "Dispatch/DispatchTable.h"
#include "lathe/Ingest/Model.h"

#include "llvm/Support/Error.h"

#include <array>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace lathe {

/// Elements count over all operands of a trial.
struct TrialBudget {
  uint64_t smallElements = uint64_t(1) << 16;   ///< of the trial run most often
  uint64_t fullElements = uint64_t(1) << 18;    ///< beyond, blocks are sampled
  uint64_t sampledElements = uint64_t(1) << 17; ///< that sampled blocks touch
  uint64_t maxBytes = uint64_t(1) << 35; ///< of one operand, mostly untouched
  unsigned instances = 3;                ///< hot shapes
  unsigned blocks = 6;                   ///< most of a sample
};

struct TrialQuestion {
  const OperatorSpec *spec = nullptr;
  const OpSetEntry *entry = nullptr;
  /// Dims and options fixed at compile time.
  std::map<std::string, int64_t, std::less<>> constants;
  std::vector<DispatchCase> cases; ///< all that launch the kernel
  std::vector<Bindings> instances; ///< dims of hot shapes, heaviest first
  bool canSample = false; ///< the reference computes single rows of outputs
  uint64_t seed = 0;      ///< of sampled blocks, and of sizes
  TrialBudget budget;

  void print(llvm::raw_ostream &os) const;
};

struct Trial {
  std::string why;   ///< "ragged", "upper end of T", a case's name, ...
  size_t row = 0;    ///< of the question's cases
  Bindings bindings; ///< from bindAll
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::vector<uint64_t> blocks; ///< to run, ascending; empty: all
  const CaseSpec *spec = nullptr;
  bool thorough = false; ///< every draw, permuted schedules
  bool aliased = false;  ///< outputs lie where they may: on inputs

  uint64_t totalBlocks() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
  void print(llvm::raw_ostream &os) const;
};

struct TrialPlan {
  std::vector<Trial> trials;
  std::vector<std::string> leftOut; ///< what was not tried, and why
};

/// At least one trial, and one per case that admits anything that the budget
/// may map; else an error. What is left out is said.
llvm::Expected<TrialPlan> planTrials(const TrialQuestion &question);

} // namespace lathe

#endif // LATHE_VERIFY_TRIALS_H
