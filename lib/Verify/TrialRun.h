//===- TrialRun.h - One size with one draw ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_VERIFY_TRIALRUN_H
#define LATHE_LIB_VERIFY_TRIALRUN_H

#include "lathe/Simulate/Simulator.h"
#include "lathe/Verify/Compare.h"
#include "lathe/Verify/Inputs.h"
#include "lathe/Verify/Reference.h"
#include "lathe/Verify/TestMemory.h"
#include "lathe/Verify/Trials.h"

namespace lathe {

/// What one launch gave.
struct TrialOutcome {
  sim::RunReport report;
  std::string problem; ///< wrong result or forbidden write; empty: none
  std::vector<Comparison> outputs; ///< by output, in order; empty if aborted
  uint64_t hash = 0;               ///< of all that was written
};

/// Inputs of one draw, launched any number of times. The reference runs once,
/// for the outputs that the first launch writes.
class TrialRun {
public:
  static llvm::Expected<TrialRun> create(const TrialQuestion &question,
                                         const Trial &trial, const Draw &draw);
  TrialRun(TrialRun &&) noexcept;
  ~TrialRun();

  /// `options.blocks` is set here. Errors: a launch that does not fit the
  /// kernel, a reference that fails.
  llvm::Expected<TrialOutcome> launch(sim::Kernel &kernel,
                                      const Reference &reference,
                                      sim::RunOptions options);
  /// Whether any output really lies on an input.
  bool aliases() const;

private:
  struct Impl;
  explicit TrialRun(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace lathe

#endif // LATHE_LIB_VERIFY_TRIALRUN_H
