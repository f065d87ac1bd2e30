//===- ExprSyntax.h - Expressions inside MLIR syntax ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_DIALECTS_TILE_EXPRSYNTAX_H
#define LATHE_DIALECTS_TILE_EXPRSYNTAX_H

#include "Problem/Problem.h"

#include "mlir/IR/OpImplementation.h"

namespace lathe::tile {

/// `[T ceildiv ROWS, 2 * H]`: the arithmetic subset of the expression language,
/// unquoted.
mlir::ParseResult
parseExprList(mlir::AsmParser &parser,
              llvm::SmallVectorImpl<problem::ExprAttr> &exprs);
void printExprList(mlir::AsmPrinter &printer,
                   llvm::ArrayRef<problem::ExprAttr> exprs);

/// An expression in quotes, all of the language.
mlir::ParseResult parseExprText(mlir::OpAsmParser &parser,
                                problem::ExprAttr &attr);

} // namespace lathe::tile

#endif // LATHE_DIALECTS_TILE_EXPRSYNTAX_H
