//===- ProblemEvaluateRoofline.cpp - evaluateRoofline as a pass -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/Passes.h"
#include "lathe/Plan/Plan.h"

namespace lathe {
#define GEN_PASS_DEF_PROBLEMEVALUATEROOFLINE
#include "lathe/Plan/Passes.h.inc"
} // namespace lathe

namespace {
struct ProblemEvaluateRoofline
    : lathe::impl::ProblemEvaluateRooflineBase<ProblemEvaluateRoofline> {
  void runOnOperation() override {
    if (auto error = lathe::evaluateRoofline(getOperation())) {
      getOperation().emitError() << llvm::toString(std::move(error));
      signalPassFailure();
    }
  }
};
} // namespace
