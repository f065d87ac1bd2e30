//===- SimulateCandidate.h - A kernel and its operator ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_SIMULATECANDIDATE_H
#define LATHE_TOOLS_LATHE_SIMULATECANDIDATE_H

#include "SimulateLaunch.h"

#include "lathe/Ingest/Model.h"
#include "lathe/Support/TensorMap.h"
#include "lathe/Verify/Inputs.h"
#include "lathe/Verify/Reference.h"

namespace lathe::tool {

/// Which launch of a candidate to make.
struct CandidateQuestion {
  std::string symbol;            ///< a kernel name, as compile mints it
  std::vector<TensorMap> maps;   ///< that follow its other arguments
  int64_t sharedBytes = 0;       ///< dynamic
  std::vector<std::string> dims; ///< "T=4"
  std::vector<std::string> templates;
  std::string draw = "realistic"; ///< a mode, or one of the operator's cases
  uint64_t seed = 0;
  std::vector<uint32_t> grid; ///< empty: the template's
};

/// Operands drawn for one launch, and what the reference makes of them.
struct CandidateLaunch {
  OperatorSpec spec;
  LaunchSetup setup;

  /// Builds the launch of a kernel that takes `threads` a block. Errors: a
  /// symbol that is no kernel name, an unknown operator, dims that are missing
  /// or do not fit the kernel's constants.
  static llvm::Expected<CandidateLaunch> make(const CandidateQuestion &question,
                                              uint64_t threads);
  /// Prints how far each output is from the reference; true if all are within
  /// the operator's tolerance. Without a reference, says so, and true.
  llvm::Expected<bool> compare(llvm::raw_ostream &os) const;

private:
  /// Operands after the reference has run on the draw, with or without signs.
  llvm::Expected<std::vector<std::string>> compute(const Reference &reference,
                                                   bool magnitudes) const;

  OpSetEntry entry;
  Bindings bindings;
  Draw draw; ///< its case is one of `spec`
  std::vector<OperandLayout> layouts;
};

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_SIMULATECANDIDATE_H
