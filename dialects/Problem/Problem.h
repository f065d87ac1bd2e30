//===- Problem.h - The problem dialect --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_DIALECTS_PROBLEM_H
#define LATHE_DIALECTS_PROBLEM_H

#include "lathe/Support/Expr.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"

namespace lathe {
struct TensorMap;
} // namespace lathe

#include "Problem/ProblemDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Problem/ProblemAttrs.h.inc"

#endif // LATHE_DIALECTS_PROBLEM_H
