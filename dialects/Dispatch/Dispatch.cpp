//===- Dispatch.cpp - The dispatch dialect --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dispatch/Dispatch.h"

#include "Dispatch/CheckTable.h"
#include "Dispatch/Convert.h"
#include "Dispatch/Syntax.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe::dispatch;

#include "Dispatch/DispatchDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Dispatch/DispatchAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "Dispatch/DispatchOps.cpp.inc"

void DispatchDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Dispatch/DispatchAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Dispatch/DispatchOps.cpp.inc"
      >();
}

LogicalResult GuardAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                StringRef dim, int64_t lo, int64_t hi,
                                int64_t multiple) {
  if (dim.empty())
    return emitError() << "guard names no dim";
  if (lo > hi)
    return emitError() << "guard on '" << dim << "' has lo " << lo
                       << " above hi " << hi;
  if (multiple < 1)
    return emitError() << "guard on '" << dim << "' has multiple " << multiple
                       << ", expected at least 1";
  return success();
}

LogicalResult CaseOp::verify() {
  if (getKind() != "exact" && getKind() != "bucket" && getKind() != "generic")
    return emitOpError("kind is '")
           << getKind() << "', expected exact, bucket or generic";
  if (getGrid().size() != 3)
    return emitOpError("has ")
           << getGrid().size() << " grid expressions, expected 3";
  return success();
}

LogicalResult TableOp::verifyRegions() {
  SmallVector<Operation *> cases;
  for (Operation &op : getBody().front()) {
    if (!isa<CaseOp>(op))
      return op.emitOpError("in a table, expected dispatch.case");
    cases.push_back(&op);
  }
  auto problems = checkTable(readTable(*this));
  for (const TableProblem &problem : problems) {
    Operation *at =
        problem.caseIndex < 0 ? getOperation() : cases[problem.caseIndex];
    at->emitOpError() << problem.message;
  }
  return success(problems.empty());
}
