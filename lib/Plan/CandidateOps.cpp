//===- CandidateOps.cpp - problem.candidate to and from values ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/KernelName.h"
#include "lathe/Plan/Plan.h"
#include "lathe/Plan/PlannedKernel.h"

#include "Problem/ProblemOps.h"

using namespace mlir;
using namespace lathe;

using IntegerMap = std::map<std::string, int64_t, std::less<>>;

static IntegerMap readIntegers(DictionaryAttr dict) {
  IntegerMap values;
  for (NamedAttribute named : dict)
    values[named.getName().str()] =
        cast<IntegerAttr>(named.getValue()).getInt();
  return values;
}

static DictionaryAttr writeIntegers(Builder &builder, const IntegerMap &map) {
  SmallVector<NamedAttribute> items;
  for (const auto &[name, value] : map)
    items.emplace_back(builder.getStringAttr(name),
                       builder.getI64IntegerAttr(value));
  return builder.getDictionaryAttr(items);
}

PlannedKernel lathe::readCandidate(problem::CandidateOp op) {
  PlannedKernel kernel;
  kernel.entry = op.getEntry().str();
  kernel.kernel = op.getKernel().str();
  kernel.role = llvm::StringSwitch<KernelRole>(op.getRole())
                    .Case("generic", KernelRole::Generic)
                    .Case("exact", KernelRole::Exact)
                    .Default(KernelRole::Bucket);
  Candidate &candidate = kernel.candidate;
  candidate.op = op.getOp().str();
  candidate.templateName = op.getTemplateName().str();
  candidate.arch = op.getArch().str();
  candidate.constants = readIntegers(op.getConstants());
  candidate.schedule = readIntegers(op.getSchedule());
  candidate.multiples = readIntegers(op.getMultiples());
  candidate.alignment = op.getAlignment();
  for (NamedAttribute dtype : op.getDtypes())
    candidate.dtypes[dtype.getName().str()] =
        cast<StringAttr>(dtype.getValue()).str();
  kernel.threads = op.getThreads();
  for (auto guard : op.getGuards().getAsRange<problem::GuardAttr>())
    kernel.guards.push_back({guard.getDim().str(), guard.getLo(), guard.getHi(),
                             guard.getMultiple()});
  llvm::sort(kernel.guards,
             [](const auto &a, const auto &b) { return a.dim < b.dim; });
  for (auto axis : op.getGrid().getAsRange<problem::ExprAttr>())
    kernel.grid.push_back(axis.getExpr());
  kernel.live = op.getLive().getExpr();
  kernel.passes = op.getPasses().getExpr();
  if (auto us = op.getModel().getAs<FloatAttr>("us"))
    kernel.answer.timeUs = us.getValueAsDouble();
  if (auto registers = op.getModel().getAs<IntegerAttr>("expectedRegisters"))
    kernel.expectedRegisters = registers.getInt();
  kernel.multiplies = op.getModel().contains("multiplies");
  if (auto gemm = op.getModel().getAs<DictionaryAttr>("gemm")) {
    kernel.gemm.emplace();
    for (const GemmHint &hint : gemmHints)
      if (auto expr = gemm.getAs<problem::ExprAttr>(hint.name))
        (*kernel.gemm).*hint.field = expr.getExpr();
  }
  if (auto usage = op.getUsage())
    kernel.usage = readIntegers(*usage);
  if (auto maps = op.getMaps())
    for (auto map : maps->getAsRange<problem::TensorMapAttr>())
      kernel.maps.push_back(map.getMap());
  if (op.getRejected())
    kernel.rejected = op.getRejected()->str();
  return kernel;
}

std::vector<PlannedKernel> lathe::readCandidates(ModuleOp module) {
  std::vector<PlannedKernel> kernels;
  for (auto workload : module.getOps<problem::WorkloadOp>())
    for (auto op : workload.getOps<problem::CandidateOp>())
      kernels.push_back(readCandidate(op));
  return kernels;
}

void lathe::writeCandidate(ModuleOp module, const PlannedKernel &kernel) {
  problem::WorkloadOp workload = *module.getOps<problem::WorkloadOp>().begin();
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(&*workload.getBody().begin());
  const Candidate &candidate = kernel.candidate;
  SmallVector<NamedAttribute> dtypes, model;
  for (const auto &[variable, dtype] : candidate.dtypes)
    dtypes.emplace_back(builder.getStringAttr(variable),
                        builder.getStringAttr(dtype));
  SmallVector<Attribute> guards, grid;
  for (const DimGuard &guard : kernel.guards)
    guards.push_back(problem::GuardAttr::get(
        module.getContext(), guard.dim, guard.lo, guard.hi, guard.multiple));
  for (const Expr &axis : kernel.grid)
    grid.push_back(problem::ExprAttr::get(module.getContext(), axis));
  const KernelAnswer &answer = kernel.answer;
  auto text = [&](StringRef value) { return builder.getStringAttr(value); };
  auto real = [&](double value) { return builder.getF64FloatAttr(value); };
  if (kernel.multiplies)
    model.emplace_back(text("multiplies"), builder.getUnitAttr());
  if (kernel.gemm) {
    SmallVector<NamedAttribute> hints;
    for (const GemmHint &hint : gemmHints)
      hints.emplace_back(text(hint.name),
                         problem::ExprAttr::get(module.getContext(),
                                                (*kernel.gemm).*hint.field));
    model.emplace_back(text("gemm"), builder.getDictionaryAttr(hints));
  }
  if (kernel.expectedRegisters)
    model.emplace_back(text("expectedRegisters"),
                       builder.getI64IntegerAttr(kernel.expectedRegisters));
  if (answer.timeUs > 0) {
    model.emplace_back(text("us"), real(answer.timeUs));
    model.emplace_back(text("regime"), text(answer.regime));
    model.emplace_back(text("limiter"), text(answer.limiter));
    model.emplace_back(text("occupancy"), real(answer.occupancy));
    model.emplace_back(text("waves"), real(answer.waves));
    model.emplace_back(text("bandwidth"), real(answer.bandwidthFraction));
  }
  problem::CandidateOp::create(
      builder, builder.getUnknownLoc(), text(kernel.kernel), text(kernel.entry),
      text(roleName(kernel.role)), text(candidate.op),
      text(candidate.templateName), text(candidate.arch),
      writeIntegers(builder, candidate.constants),
      writeIntegers(builder, candidate.schedule),
      builder.getDictionaryAttr(dtypes),
      writeIntegers(builder, candidate.multiples),
      builder.getI64IntegerAttr(candidate.alignment),
      builder.getI64IntegerAttr(kernel.threads), builder.getArrayAttr(guards),
      builder.getArrayAttr(grid),
      problem::ExprAttr::get(module.getContext(), kernel.live),
      problem::ExprAttr::get(module.getContext(), kernel.passes),
      builder.getDictionaryAttr(model), DictionaryAttr(), ArrayAttr(),
      StringAttr());
}

std::vector<PlannedCandidate> lathe::listCandidates(ModuleOp module) {
  std::vector<PlannedCandidate> list;
  for (PlannedKernel &kernel : readCandidates(module)) {
    if (!kernel.rejected.empty())
      continue;
    PlannedCandidate planned;
    planned.entry = kernel.entry;
    planned.kernel = kernel.kernel;
    planned.symbol = kernelSymbol(kernel.kernel);
    planned.candidate = std::move(kernel.candidate);
    planned.isGeneric = kernel.role == KernelRole::Generic;
    planned.blockThreads = kernel.threads;
    planned.modelUs = kernel.answer.timeUs;
    list.push_back(std::move(planned));
  }
  return list;
}

std::vector<UnservedEntry> lathe::listUnserved(ModuleOp module) {
  std::vector<UnservedEntry> list;
  for (auto workload : module.getOps<problem::WorkloadOp>())
    for (auto op : workload.getOps<problem::UnservedOp>())
      list.push_back(
          {op.getEntry().str(), op.getArch().str(), op.getReason().str()});
  return list;
}
