//===- ProblemSelectKernels.cpp - selectKernels as a pass -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Rank/Passes.h"
#include "lathe/Rank/Rank.h"

#include "Dispatch/Convert.h"
#include "Dispatch/Dispatch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace lathe {
#define GEN_PASS_DEF_PROBLEMSELECTKERNELS
#include "lathe/Rank/Passes.h.inc"
} // namespace lathe

namespace {
struct ProblemSelectKernels
    : lathe::impl::ProblemSelectKernelsBase<ProblemSelectKernels> {
  using ProblemSelectKernelsBase::ProblemSelectKernelsBase;

  void runOnOperation() override {
    lathe::SelectOptions options;
    options.maxKernels = maxKernels;
    options.maxBytes = maxBytes;
    options.tolerance = tolerance;
    auto selection = lathe::selectKernels(getOperation(), options);
    if (!selection) {
      getOperation().emitError() << llvm::toString(selection.takeError());
      return signalPassFailure();
    }
    mlir::OpBuilder builder(&getContext());
    builder.setInsertionPointToEnd(getOperation().getBody());
    for (const lathe::DispatchTable &table : selection->tables)
      lathe::dispatch::buildTable(builder, builder.getUnknownLoc(), table);
  }
};
} // namespace
