//===- ProblemAttrs.td - Attributes of the problem dialect --*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PROBLEM_ATTRS_TD
#define LATHE_PROBLEM_ATTRS_TD

include "ProblemDialect.td"

class Problem_Attr<string name, string attrMnemonic>
    : AttrDef<Problem_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Problem_ExprAttr : Problem_Attr<"Expr", "expr"> {
  let summary = "exact arithmetic over named sizes";
  let description = [{
    One expression of the language that `lathe/Support/Expr.h` documents, kept
    as its canonical text, so that equal text is the same attribute.

    ```mlir
    #problem.expr<"T ceildiv ROWS">
    ```
  }];
  let parameters = (ins StringRefParameter<"canonical text">:$text);
  let assemblyFormat = "`<` $text `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static ExprAttr get(::mlir::MLIRContext *context, const ::lathe::Expr &expr);
    /// The parsed expression.
    ::lathe::Expr getExpr() const;
  }];
}

#endif // LATHE_PROBLEM_ATTRS_TD
