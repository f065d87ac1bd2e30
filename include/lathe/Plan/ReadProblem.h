//===- ReadProblem.h - Problem IR back to plain structs ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PLAN_READPROBLEM_H
#define LATHE_PLAN_READPROBLEM_H

#include "lathe/Plan/Plan.h"

namespace lathe {

/// The inverse of importProblem, as far as planning needs it (texts for
/// people and input distributions are not in the module). Errors unless the
/// module has exactly one workload.
llvm::Expected<PlanInput> readProblem(mlir::ModuleOp module);

/// The operator of `entry`; the module's verifier proved that there is one.
const OperatorSpec &operatorOf(const PlanInput &input, const OpSetEntry &entry);

/// What kernels are planned for: the first compilable target of every arch.
/// With `archs`, only those, and an arch that no target has is an error.
llvm::Expected<std::vector<const Hardware *>>
planningTargets(const PlanInput &input, llvm::ArrayRef<std::string> archs = {});

} // namespace lathe

#endif // LATHE_PLAN_READPROBLEM_H
