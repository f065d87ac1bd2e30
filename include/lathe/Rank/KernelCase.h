//===- KernelCase.h - The case that launches one kernel ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_RANK_KERNELCASE_H
#define LATHE_RANK_KERNELCASE_H

#include "Dispatch/DispatchTable.h"
#include "lathe/Plan/Plan.h"
#include "lathe/Plan/PlannedKernel.h"

#include "llvm/ADT/ArrayRef.h"

namespace lathe {

/// One hot shape of an entry; equal dims are merged.
struct RankedShape {
  ShapeFacts facts;
  double weight = 0;
};

/// The hot shapes of every entry, by entry name.
using ShapeTable = std::map<std::string, std::vector<RankedShape>>;
llvm::Expected<ShapeTable> rankedShapes(const PlanInput &input);

/// The kernel wherever its own guards admit it: what is measured, and what a
/// table narrows. A persistent kernel's grid is capped by what is resident at
/// the heaviest of `shapes`.
DispatchCase caseOf(const PlannedKernel &kernel, CaseKind kind,
                    const OperatorSpec &spec, const Hardware &hardware,
                    llvm::ArrayRef<RankedShape> shapes);

/// Adds the guards that keep the grid within what can be launched. False if no
/// guard says so: an axis counts more than one open dim.
bool guardGrid(DispatchCase &row, const OperatorSpec &spec,
               const Hardware &hardware);

} // namespace lathe

#endif // LATHE_RANK_KERNELCASE_H
