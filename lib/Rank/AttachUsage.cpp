//===- AttachUsage.cpp - What compilation says of candidates --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Rank/Rank.h"

#include "Problem/ProblemOps.h"

using namespace mlir;
using namespace lathe;

/// Calls `change` with every candidate named `kernel`; errors if none is.
static llvm::Error
forEachNamed(ModuleOp module, llvm::StringRef kernel,
             llvm::function_ref<void(problem::CandidateOp)> change) {
  bool found = false;
  for (auto workload : module.getOps<problem::WorkloadOp>())
    for (auto op : workload.getOps<problem::CandidateOp>())
      if (op.getKernel() == kernel) {
        change(op);
        found = true;
      }
  if (found)
    return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "no candidate is named '" + kernel + "'");
}

llvm::Error lathe::attachUsage(ModuleOp module, llvm::StringRef kernel,
                               const ResourceUsage &usage, int64_t codeBytes) {
  Builder builder(module.getContext());
  NamedAttrList figures;
  for (const ResourceField &field : resourceFields)
    figures.set(field.name, builder.getI64IntegerAttr(usage.*field.field));
  figures.set("code_bytes", builder.getI64IntegerAttr(codeBytes));
  return forEachNamed(module, kernel, [&](problem::CandidateOp op) {
    op.setUsageAttr(figures.getDictionary(module.getContext()));
  });
}

llvm::Error lathe::rejectCandidate(ModuleOp module, llvm::StringRef kernel,
                                   llvm::StringRef reason) {
  return forEachNamed(module, kernel,
                      [&](problem::CandidateOp op) { op.setRejected(reason); });
}
