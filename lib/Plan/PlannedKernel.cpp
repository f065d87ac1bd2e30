//===- PlannedKernel.cpp - Candidates at shapes ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/PlannedKernel.h"

#include "lathe/Plan/Roofline.h"

#include <limits>
#include <numeric>

using namespace lathe;
using llvm::StringRef;

StringRef lathe::roleName(KernelRole role) {
  switch (role) {
  case KernelRole::Generic:
    return "generic";
  case KernelRole::Bucket:
    return "bucket";
  case KernelRole::Exact:
    return "exact";
  }
  llvm_unreachable("covered switch");
}

int64_t PlannedKernel::parameter(StringRef name, int64_t otherwise) const {
  auto found = candidate.schedule.find(name);
  return found == candidate.schedule.end() ? otherwise : found->second;
}

int64_t PlannedKernel::figure(StringRef name) const {
  auto found = usage.find(name);
  return found == usage.end() ? 0 : found->second;
}

llvm::Expected<ShapeFacts> lathe::factsOf(const OperatorSpec &spec,
                                          const OpSetEntry &entry,
                                          const Bindings &dims) {
  auto bindings = bindAll(spec, entry, dims);
  if (!bindings)
    return bindings.takeError();
  auto cost = evaluateCost(spec, entry, *bindings);
  if (!cost)
    return cost.takeError();
  ShapeFacts facts;
  facts.bytesRead = static_cast<double>(cost->readBytes);
  facts.bytesWritten = static_cast<double>(cost->writeBytes);
  for (const auto &[dtype, count] : cost->flops) {
    facts.flops += static_cast<double>(count);
    facts.flopsByType.emplace_back(dtype, static_cast<double>(count));
  }
  for (const OperandSpec &operand : spec.operands) {
    unsigned bits = dtypeBits(resolveDType(entry, operand.dtype));
    facts.elementBytes = std::max<int64_t>(facts.elementBytes, bits / 8);
    if (operand.isOutput)
      continue;
    double elements = 1;
    for (const Expr &extent : operand.shape) {
      auto value = extent.evaluate(*bindings);
      if (!value)
        return value.takeError();
      elements *= static_cast<double>(*value);
    }
    facts.elements = std::max(facts.elements, elements);
  }
  facts.bindings = std::move(*bindings);
  return facts;
}

static std::optional<int64_t> dimValue(const Bindings &bindings,
                                       StringRef name) {
  auto found = bindings.find(name);
  if (found == bindings.end() || found->second.isList)
    return std::nullopt;
  return found->second.elements.front();
}

bool lathe::admits(llvm::ArrayRef<DimGuard> guards, const Bindings &bindings) {
  return llvm::all_of(guards, [&](const DimGuard &guard) {
    auto value = dimValue(bindings, guard.dim);
    return value && *value >= guard.lo && *value <= guard.hi &&
           *value % guard.multiple == 0;
  });
}

bool lathe::addGuard(std::vector<DimGuard> &guards, const DimGuard &guard) {
  auto at = llvm::lower_bound(guards, guard, [](const auto &a, const auto &b) {
    return a.dim < b.dim;
  });
  if (at == guards.end() || at->dim != guard.dim)
    at = guards.insert(at, guard);
  at->lo = std::max(at->lo, guard.lo);
  at->hi = std::min(at->hi, guard.hi);
  int64_t gcd = std::gcd(at->multiple, guard.multiple);
  if (__builtin_mul_overflow(at->multiple / gcd, guard.multiple, &at->multiple))
    return false;
  // A multiple of it must lie in the interval.
  return at->lo <= at->hi && at->hi / at->multiple * at->multiple >= at->lo;
}

int64_t lathe::maxGrid(const Hardware &hardware, int64_t threads, size_t axis) {
  if (axis > 0)
    return 65535;
  return hardware.vendor == "amd" ? UINT32_MAX / std::max<int64_t>(threads, 1)
                                  : INT32_MAX;
}

std::optional<KernelQuestion> lathe::askAbout(const PlannedKernel &kernel,
                                              const OperatorSpec &spec,
                                              const Hardware &hardware,
                                              const ShapeFacts &shape) {
  if (!admits(kernel.guards, shape.bindings))
    return std::nullopt;
  auto evaluate = [&](const Expr &expr) -> std::optional<int64_t> {
    if (auto constant = expr.asConstant())
      return constant;
    auto value = expr.evaluate(shape.bindings);
    if (!value) {
      llvm::consumeError(value.takeError());
      return std::nullopt;
    }
    return *value;
  };
  KernelQuestion question;
  question.workItems = 1;
  for (size_t axis = 0; axis < kernel.grid.size(); ++axis) {
    auto extent = evaluate(kernel.grid[axis]);
    bool capped = axis == 0 && kernel.persistent();
    question.partialBlocks |= kernel.grid[axis].kind() == Expr::Kind::CeilDiv;
    if (!extent || *extent < 0 ||
        (!capped && *extent > maxGrid(hardware, kernel.threads, axis)) ||
        __builtin_mul_overflow(question.workItems, *extent,
                               &question.workItems))
      return std::nullopt;
  }
  auto live = evaluate(kernel.live), passes = evaluate(kernel.passes);
  if (!live || !passes)
    return std::nullopt;
  question.hardware = &hardware;
  question.bytesRead = shape.bytesRead;
  question.bytesWritten = shape.bytesWritten;
  question.flops = shape.flops;
  if (kernel.multiplies) {
    // In those of f32 lanes, which is what the model counts in.
    question.flops = 0;
    for (const auto &[dtype, count] : shape.flopsByType) {
      double peak = peakFor(hardware, dtype);
      question.flops +=
          peak > 0 ? count * peakFor(hardware, "f32") / peak : count;
    }
  }
  question.threads = kernel.threads;
  question.liveElements = std::max<int64_t>(*live, 1);
  question.vectorElements = std::max<int64_t>(kernel.parameter("VEC", 1), 1);
  question.elementBytes = shape.elementBytes;
  question.usefulElements = shape.elements;
  question.expectedRegisters = kernel.expectedRegisters;
  question.passes = std::max<int64_t>(*passes, 1);
  question.persistent = kernel.persistent();
  for (const DimSpec &dim : spec.dims)
    question.runtimeDims += !kernel.candidate.constants.count(dim.name);
  if (!kernel.usage.empty())
    question.compiled = CompiledFigures{
        kernel.figure("registers"), kernel.figure("spill_bytes"),
        kernel.sharedBytes()};
  return question;
}

double lathe::modelTime(const PlannedKernel &kernel, const OperatorSpec &spec,
                        const Hardware &hardware, const ShapeFacts &shape) {
  auto question = askAbout(kernel, spec, hardware, shape);
  if (!question)
    return std::numeric_limits<double>::infinity();
  KernelAnswer answer = predict(*question);
  return answer.fits ? answer.timeUs : std::numeric_limits<double>::infinity();
}
