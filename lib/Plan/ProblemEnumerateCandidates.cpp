//===- ProblemEnumerateCandidates.cpp - enumerateCandidates as a pass -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/Passes.h"
#include "lathe/Plan/Plan.h"

namespace lathe {
#define GEN_PASS_DEF_PROBLEMENUMERATECANDIDATES
#include "lathe/Plan/Passes.h.inc"
} // namespace lathe

namespace {
struct ProblemEnumerateCandidates
    : lathe::impl::ProblemEnumerateCandidatesBase<ProblemEnumerateCandidates> {
  using ProblemEnumerateCandidatesBase::ProblemEnumerateCandidatesBase;

  void runOnOperation() override {
    lathe::EnumerateOptions options;
    options.templateDirs.assign(templates.begin(), templates.end());
    options.archs.assign(archs.begin(), archs.end());
    options.schedules = schedules;
    options.exact = exact;
    std::vector<lathe::PrunedKernel> pruned;
    if (auto error = lathe::enumerateCandidates(getOperation(), options,
                                                explain ? &pruned : nullptr)) {
      getOperation().emitError() << llvm::toString(std::move(error));
      return signalPassFailure();
    }
    for (const lathe::PrunedKernel &kernel : pruned)
      getOperation().emitRemark()
          << kernel.entry << ": " << kernel.kernel << ": " << kernel.reason;
  }
};
} // namespace
