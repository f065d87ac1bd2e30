//===- Problem.cpp - The problem dialect ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem/Problem.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe::problem;

#include "Problem/ProblemDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Problem/ProblemAttrs.cpp.inc"

void ProblemDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Problem/ProblemAttrs.cpp.inc"
      >();
}

ExprAttr ExprAttr::get(MLIRContext *context, const lathe::Expr &expr) {
  return Base::get(context, expr.str());
}

lathe::Expr ExprAttr::getExpr() const {
  return llvm::cantFail(lathe::Expr::parse(getText()));
}

LogicalResult ExprAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringRef text) {
  auto expr = lathe::Expr::parse(text);
  if (!expr)
    return emitError() << "expected an expression: "
                       << llvm::toString(expr.takeError());
  return success();
}
