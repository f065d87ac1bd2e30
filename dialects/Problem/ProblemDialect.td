//===- ProblemDialect.td - What must be computed, how often -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PROBLEM_DIALECT_TD
#define LATHE_PROBLEM_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Problem_Dialect : Dialect {
  let name = "problem";
  let summary = "what must be computed, and how often";
  let description = [{
    Operators with symbolic dimensions and cost formulas, the targets' ceilings,
    and the histogram of shapes that servers really run. Passes turn it into
    weighted instances, buckets and kernel requests.
  }];
  let cppNamespace = "::lathe::problem";
  let useDefaultAttributePrinterParser = 1;
}

#endif // LATHE_PROBLEM_DIALECT_TD
