//===- ExprNode.h - Representation of expressions ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SUPPORT_EXPRNODE_H
#define LATHE_LIB_SUPPORT_EXPRNODE_H

#include "lathe/Support/Expr.h"

namespace lathe {

struct Expr::Node {
  Kind kind = Kind::Constant;
  unsigned depth = 1;
  int64_t value = 0;
  std::string name;
  llvm::SmallVector<Expr, 2> operands;
};

/// Folds the root of `expr`. In a reduction nothing may be folded away that
/// could be a list, since the reduction counts its positions.
Expr foldOnce(const Expr &expr, bool insideReduction);

} // namespace lathe

#endif // LATHE_LIB_SUPPORT_EXPRNODE_H
