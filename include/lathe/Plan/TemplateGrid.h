//===- TemplateGrid.h - Work items of one candidate -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PLAN_TEMPLATEGRID_H
#define LATHE_PLAN_TEMPLATEGRID_H

#include "lathe/Ingest/Model.h"
#include "lathe/Plan/Candidate.h"

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace lathe {

/// The grid of the candidate's template with its schedule and constants bound:
/// one expression over run-time dims per axis. `context` has the dialects that
/// templates use. Errors: no such template, or one that cannot be read.
llvm::Expected<std::vector<Expr>> gridOfTemplate(mlir::MLIRContext &context,
                                                 const OperatorSpec &spec,
                                                 const Candidate &candidate);

} // namespace lathe

#endif // LATHE_PLAN_TEMPLATEGRID_H
