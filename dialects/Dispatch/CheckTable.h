//===- CheckTable.h - What every dispatch table must satisfy ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One place for the rules: the dialect's verifier reports them at the
// operation, the packager as an error.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_DIALECTS_DISPATCH_CHECKTABLE_H
#define LATHE_DIALECTS_DISPATCH_CHECKTABLE_H

#include "Dispatch/DispatchTable.h"

namespace lathe::dispatch {

struct TableProblem {
  int caseIndex = -1; ///< -1: the table itself
  std::string message;
};

/// All violations, in the order of the table; empty if there is none.
std::vector<TableProblem> checkTable(const DispatchTable &table);

/// The same as one error, each line starting with the entry's name.
llvm::Error verifyTable(const DispatchTable &table);

/// Whether the runtime can evaluate the expression: no lists.
bool isDispatchExpr(const Expr &expr);

} // namespace lathe::dispatch

#endif // LATHE_DIALECTS_DISPATCH_CHECKTABLE_H
