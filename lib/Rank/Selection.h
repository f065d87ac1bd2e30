//===- Selection.h - The parts of selectKernels -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_RANK_SELECTION_H
#define LATHE_LIB_RANK_SELECTION_H

#include "EntryTimes.h"

#include "lathe/Plan/ReadProblem.h"
#include "lathe/Rank/KernelCase.h"
#include "lathe/Rank/Rank.h"

#include <memory>
#include <set>

namespace lathe {

/// One entry on one architecture: what there is, and what is chosen of it.
struct EntryChoice {
  const OperatorSpec *spec = nullptr;
  const OpSetEntry *entry = nullptr;
  const Hardware *hardware = nullptr;
  const std::vector<RankedShape> *shapes = nullptr;
  const PlannedKernel *generic = nullptr;
  std::vector<const PlannedKernel *> special; ///< buckets and exact ones
  std::vector<const PlannedKernel *> chosen;  ///< of `special`

  std::shared_ptr<const EntryTimes> times;

  KernelTime timeOf(const PlannedKernel &kernel,
                    const ShapeFacts &facts) const {
    return times->at(kernel, facts);
  }
};

/// Which of two equally fast kernels should stay: the generic one, which is
/// there anyhow, then smaller code, fewer registers.
bool isSimpler(const PlannedKernel &a, const PlannedKernel &b);

/// Bytes that a kernel takes in the bundle; an estimate until it is compiled.
uint64_t bytesOf(const PlannedKernel &kernel);

/// Fills `chosen` of all entries of one architecture, which share its budget.
/// `banned` kernels are left out. Returns the reasons of those not chosen.
std::vector<PrunedKernel>
chooseUnderBudget(llvm::MutableArrayRef<EntryChoice> entries,
                  const SelectOptions &options,
                  const std::set<const PlannedKernel *> &banned);

/// The cases of one entry on one architecture: exact, buckets (narrow first),
/// generic. A chosen kernel may end up without one.
std::vector<DispatchCase> makeCases(const EntryChoice &choice,
                                    const SelectOptions &options);

/// Says of every case where its place comes from, and what was measured at its
/// heaviest hot shape.
void describeCases(const EntryChoice &choice,
                   llvm::MutableArrayRef<DispatchCase> cases);

/// Nothing if too few kernels were measured at every size.
std::optional<ModelFit> modelFitOf(const EntryChoice &choice);

/// The signature that callers see, without cases.
DispatchTable makeTable(const OperatorSpec &spec, const OpSetEntry &entry);

/// How the entry's points are served by `cases`.
CoverageRow coverageOf(const EntryChoice &choice,
                       llvm::ArrayRef<HistogramPoint> points,
                       llvm::ArrayRef<DispatchCase> cases);

} // namespace lathe

#endif // LATHE_LIB_RANK_SELECTION_H
