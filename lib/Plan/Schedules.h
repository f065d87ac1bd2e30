//===- Schedules.h - One schedule of a template, or why not -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_PLAN_SCHEDULES_H
#define LATHE_LIB_PLAN_SCHEDULES_H

#include "Template.h"
#include "lathe/Plan/PlannedKernel.h"

namespace lathe {

struct ScheduleQuestion {
  const OperatorSpec *spec = nullptr;
  const OpSetEntry *entry = nullptr;
  const Hardware *hardware = nullptr;
  const TemplateInfo *info = nullptr;
  KernelRole role = KernelRole::Bucket;
  /// Dims to fix; strides that the template needs fixed are added.
  std::map<std::string, int64_t, std::less<>> fixed;
  std::map<std::string, int64_t, std::less<>> schedule;
};

struct ScheduleAnswer {
  PlannedKernel kernel; ///< named even if it is rejected
  std::string reason;   ///< empty: legal
};

/// Binds the entry's options, as constants, and dtypes.
void setChoices(Candidate &candidate, const OperatorSpec &spec,
                const OpSetEntry &entry);

/// Binds a schedule. What a constraint leaves open of run-time dims becomes a
/// guard if it is an interval or a divisor; anything else is rejected.
ScheduleAnswer bindSchedule(const ScheduleQuestion &question);

/// A hot shape and the share of time it stands for.
struct HotShape {
  ShapeFacts facts;
  double weight = 0;
};

struct PruneQuestion {
  std::vector<PlannedKernel> kernels;
  const OperatorSpec *spec = nullptr;
  const Hardware *hardware = nullptr;
  llvm::ArrayRef<HotShape> shapes;
  unsigned keep = 8;
  /// Dominated schedules to keep all the same, the best ones: a build may fail,
  /// and its registers may turn out otherwise than expected.
  unsigned spares = 2;
};

struct PruneAnswer {
  std::vector<PlannedKernel> kept;                          ///< best first
  std::vector<std::pair<std::string, std::string>> dropped; ///< kernel, reason
};

/// Keeps at most `keep`, one after the other the schedule that together with
/// those before it promises most over the shapes, each of which counts by the
/// fourth root of its weight. Drops what runs at no hot shape and, but for a
/// few spares, what another is never slower than. Ties go to the lesser name.
PruneAnswer prune(PruneQuestion question);

} // namespace lathe

#endif // LATHE_LIB_PLAN_SCHEDULES_H
