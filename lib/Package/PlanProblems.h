//===- PlanProblems.h - Sizes that kernels are measured at ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_PACKAGE_PLANPROBLEMS_H
#define LATHE_LIB_PACKAGE_PLANPROBLEMS_H

#include "lathe/Measure/Candidates.h"
#include "lathe/Plan/Plan.h"

#include "llvm/Support/Error.h"

namespace lathe {

/// An entry at one size, before it is evaluated.
struct ProblemQuestion {
  const OperatorSpec *spec = nullptr;
  const OpSetEntry *entry = nullptr;
  const Hardware *target = nullptr;
  Bindings bindings; ///< from bindAll
  std::string why;
  const CaseSpec *draws = nullptr; ///< a case's own inputs
  bool timed = false;
  unsigned rowRank = 0; ///< of the reference
  uint64_t seed = 0;    ///< of scalars that nobody asked for
};

/// Layouts, draws, costs. Errors: inputs that cannot be drawn, views that no
/// address space holds.
llvm::Expected<measure::Problem> evaluateProblem(const ProblemQuestion &ask);

/// Bytes of all operands, outputs twice: the reference writes its own.
uint64_t problemBytes(const measure::EntryPlan &entry,
                      const measure::Problem &problem);

/// Sizes to time between and just above the hot ones: per static binding,
/// `count` log-spaced values of the request dim that varies most (with lists:
/// of the figure that figureAxis() names), and the next power of two, with all
/// other dims as at the heaviest point.
std::vector<Bindings> sizesBetween(const OperatorSpec &spec,
                                   const OpSetEntry &entry,
                                   llvm::ArrayRef<const HistogramPoint *> hot,
                                   unsigned count);

/// The entry as whoever measures sees it.
measure::EntryPlan planEntry(const OperatorSpec &spec, const OpSetEntry &entry);

} // namespace lathe

#endif // LATHE_LIB_PACKAGE_PLANPROBLEMS_H
