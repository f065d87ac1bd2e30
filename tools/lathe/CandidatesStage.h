//===- CandidatesStage.h - From built kernels to a file ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_CANDIDATESSTAGE_H
#define LATHE_TOOLS_LATHE_CANDIDATESSTAGE_H

#include "KernelBuilder.h"

#include "lathe/Package/PlanCandidates.h"

#include "mlir/IR/BuiltinOps.h"

#include <set>

namespace lathe::tool {

struct CandidatesOptions {
  std::string file;
  PlanCandidatesOptions plan;
};

/// A planner with the references of `entries` (names of op set entries). Says
/// on standard error which are missing.
llvm::Expected<std::unique_ptr<CandidatePlanner>>
makePlanner(const PlanInput &input, const Hardware &target,
            const PlanCandidatesOptions &options, KernelBuilder &builder,
            const std::set<std::string> &entries);

/// What is not planned, on standard error, one line for each reason.
void printLeftOut(const CandidatePlanner &planner);

/// Writes every kernel of the problem that could be built. `kernels` are by
/// name. Errors: more than one target, a target that nobody can measure on.
llvm::Error
writeCandidateFile(mlir::ModuleOp problem, const PlanInput &input,
                   const std::map<std::string, BuiltKernel> &kernels,
                   KernelBuilder &builder, const CandidatesOptions &options);

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_CANDIDATESSTAGE_H
