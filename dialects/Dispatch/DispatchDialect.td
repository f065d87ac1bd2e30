//===- DispatchDialect.td - Which kernel serves a request ---*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_DISPATCH_DIALECT_TD
#define LATHE_DISPATCH_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Dispatch_Dialect : Dialect {
  let name = "dispatch";
  let summary = "which kernel serves which request";
  let description = [{
    One table per op set entry: cases from most to least special, per
    architecture ending in one that takes every legal request. The first case
    of the device's architecture whose guards hold is launched. Guards are
    closed intervals, divisors and alignments only, so overlap and coverage are
    decidable; the verifier decides them. Tables are packaged in the binary form
    of `lathe/Runtime/lathe_table.h`.
  }];
  let cppNamespace = "::lathe::dispatch";
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::lathe::problem::ProblemDialect"];
}

#endif // LATHE_DISPATCH_DIALECT_TD
