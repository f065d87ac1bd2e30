//===- AttachUsage.cpp - What compilation says of candidates --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Rank/Rank.h"

#include "lathe/Plan/PlannedKernel.h"

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

/// What is declared of the operator's dims, or compiled in.
static DimGuard declaredRange(problem::CandidateOp op, llvm::StringRef name) {
  DimGuard range{name.str(), 0, INT64_MAX, 1};
  if (auto constant = op.getConstants().getAs<IntegerAttr>(name)) {
    range.lo = range.hi = constant.getInt();
    return range;
  }
  auto workload = op->getParentOfType<problem::WorkloadOp>();
  for (auto oper : workload.getOps<problem::OperatorOp>())
    if (oper.getName() == op.getOp())
      for (auto dim : oper.getDims().getAsRange<problem::DimAttr>())
        if (dim.getName() == name) {
          range.lo = dim.getMin();
          range.hi = dim.getMax();
        }
  return range;
}

/// Of the target that kernels of the architecture are planned for; 0: unknown.
static int64_t sharedPerBlock(problem::CandidateOp op) {
  auto workload = op->getParentOfType<problem::WorkloadOp>();
  for (auto target : workload.getOps<problem::TargetOp>())
    if (target.getCompilable() && target.getArch() == op.getArch())
      if (auto bytes = target.getFacts().getAs<IntegerAttr>("sharedPerBlock"))
        return bytes.getInt();
  return 0;
}

static std::string attachTo(problem::CandidateOp op,
                            llvm::ArrayRef<TensorMap> maps,
                            int64_t sharedBytes) {
  Builder builder(op.getContext());
  NamedAttrList figures(op.getUsageAttr());
  if (sharedBytes)
    figures.set("dynamic_shared_bytes", builder.getI64IntegerAttr(sharedBytes));
  op.setUsageAttr(figures.getDictionary(op.getContext()));
  SmallVector<Attribute> attrs;
  for (const TensorMap &map : maps)
    attrs.push_back(problem::TensorMapAttr::get(op.getContext(), map));
  if (!attrs.empty())
    op.setMapsAttr(builder.getArrayAttr(attrs));

  PlannedKernel kernel = readCandidate(op);
  int64_t most = sharedPerBlock(op);
  if (most && kernel.sharedBytes() > most)
    return "needs " + std::to_string(kernel.sharedBytes()) +
           " bytes of shared memory, a block has at most " +
           std::to_string(most);
  if (llvm::Error error = guardTensorMaps(
          maps, kernel.role, kernel.candidate.alignment,
          [&](StringRef name) { return declaredRange(op, name); },
          kernel.guards))
    return llvm::toString(std::move(error));
  SmallVector<Attribute> guards;
  for (const DimGuard &guard : kernel.guards)
    guards.push_back(problem::GuardAttr::get(
        op.getContext(), guard.dim, guard.lo, guard.hi, guard.multiple));
  op.setGuardsAttr(builder.getArrayAttr(guards));
  return "";
}

llvm::Expected<std::string> lathe::attachLaunch(ModuleOp module,
                                                llvm::StringRef kernel,
                                                llvm::ArrayRef<TensorMap> maps,
                                                int64_t sharedBytes) {
  std::string refused;
  llvm::Error error =
      forEachNamed(module, kernel, [&](problem::CandidateOp op) {
        std::string why = attachTo(op, maps, sharedBytes);
        if (!why.empty())
          op.setRejected(why);
        if (refused.empty())
          refused = std::move(why);
      });
  if (error)
    return std::move(error);
  return refused;
}

llvm::Error lathe::rejectCandidate(ModuleOp module, llvm::StringRef kernel,
                                   llvm::StringRef reason) {
  return forEachNamed(module, kernel,
                      [&](problem::CandidateOp op) { op.setRejected(reason); });
}

void lathe::keepOneGeneric(ModuleOp module) {
  std::map<std::pair<llvm::StringRef, llvm::StringRef>, llvm::StringRef> kept;
  module.walk([&](problem::CandidateOp op) {
    PlannedKernel kernel = readCandidate(op);
    if (kernel.role != KernelRole::Generic || !kernel.rejected.empty())
      return;
    auto [first, isNew] =
        kept.try_emplace({op.getEntry(), op.getArch()}, op.getKernel());
    if (!isNew)
      op.setRejected("would stand in for " + first->second.str());
  });
}
