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

static std::optional<int64_t> valueOf(const Expr &expr,
                                      const Bindings &bindings) {
  if (auto constant = expr.asConstant())
    return constant;
  auto value = expr.evaluate(bindings);
  if (value)
    return *value;
  llvm::consumeError(value.takeError());
  return std::nullopt;
}

/// What the schedule says of how a product is computed: producers copy by TMA,
/// and whole warpgroups multiply what they bring; more than two stages without
/// them are a ring that all warps fill, at least 4 bytes at a time. Parts load
/// what they multiply.
static void describeGemm(const PlannedKernel &kernel, const Hardware &hardware,
                         GemmQuestion &q) {
  q.hardware = &hardware;
  // No block has more warps, whatever a candidates file says.
  constexpr int64_t most = 1024;
  q.warps = std::clamp<int64_t>(kernel.parameter("WARPS", 4), 1, most);
  q.producers = std::clamp<int64_t>(kernel.parameter("PRODUCERS", 0), 0, most);
  q.stages = kernel.parameter("STAGES", 1);
  q.vectorElements = kernel.parameter("VEC", 1);
  q.raster = kernel.parameter("RASTER", 0);
  q.persistent = kernel.persistent();
  q.pingpong = kernel.parameter("PINGPONG", 0) != 0;
  q.staging = std::clamp<int64_t>(kernel.parameter("STAGING", 0), 0, most);
  q.parts = std::clamp<int64_t>(kernel.parameter("PARTS", 0), 0, most);
  q.copies = q.parts > 0       ? OperandCopies::None
             : q.producers > 0 ? OperandCopies::Tma
             : q.stages > 2 && q.vectorElements * dtypeBits(q.dtype) >= 32
                 ? OperandCopies::Async
                 : OperandCopies::Registers;
  // As tile-stage-stores does it: elements of at most 16 bits.
  q.storesByTma =
      kernel.parameter("STORE", q.producers > 0) != 0 && q.outBytes <= 2;
  q.warpgroups = q.copies == OperandCopies::Tma &&
                 llvm::is_contained(hardware.features, "wgmma") &&
                 q.warps % 4 == 0 && q.tileM % 64 == 0;
  q.expectedRegisters = kernel.expectedRegisters;
}

static std::optional<GemmQuestion> askAboutGemm(const PlannedKernel &kernel,
                                                const Hardware &hardware,
                                                const ShapeFacts &shape) {
  const GemmHints &hints = *kernel.gemm;
  GemmQuestion q;
  int64_t mmaCost = 1, laneOps = 0;
  for (auto [expr, into] : {std::make_pair(&hints.m, &q.m),
                            {&hints.n, &q.n},
                            {&hints.k, &q.k},
                            {&hints.tileM, &q.tileM},
                            {&hints.tileN, &q.tileN},
                            {&hints.tileK, &q.tileK},
                            {&hints.split, &q.split},
                            {&hints.clusterM, &q.clusterM},
                            {&hints.clusterN, &q.clusterN},
                            {&hints.mmaCost, &mmaCost},
                            {&hints.laneOps, &laneOps}}) {
    auto value = valueOf(*expr, shape.bindings);
    if (!value || *value < 0)
      return std::nullopt;
    *into = *value;
  }
  q.mmaCost = double(mmaCost);
  q.laneOps = double(laneOps);
  q.split = std::max<int64_t>(q.split, 1);
  // Most of the FLOPs are the product's.
  auto heaviest =
      llvm::max_element(shape.flopsByType, [](const auto &a, const auto &b) {
        return a.second < b.second;
      });
  if (heaviest != shape.flopsByType.end())
    q.dtype = heaviest->first;
  double elements = double(q.m) * double(q.n);
  if (elements > 0) {
    double operands =
        (double(q.m) + double(q.n)) * double(q.k) * dtypeBits(q.dtype) / 8;
    q.outBytes = shape.bytesWritten / elements;
    q.epilogueBytes = std::max(0.0, shape.bytesRead - operands) / elements;
  }
  describeGemm(kernel, hardware, q);
  return q;
}

std::optional<KernelQuestion> lathe::askAbout(const PlannedKernel &kernel,
                                              const OperatorSpec &spec,
                                              const Hardware &hardware,
                                              const ShapeFacts &shape) {
  if (!admits(kernel.guards, shape.bindings))
    return std::nullopt;
  auto evaluate = [&](const Expr &expr) {
    return valueOf(expr, shape.bindings);
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
    question.runtimeDims +=
        dim.isForKernels() && !kernel.candidate.constants.count(dim.name);
  if (!kernel.usage.empty())
    question.compiled =
        CompiledFigures{kernel.figure("registers"),
                        kernel.figure("spill_bytes"), kernel.sharedBytes()};
  if (kernel.gemm) {
    question.gemm = askAboutGemm(kernel, hardware, shape);
    if (!question.gemm)
      return std::nullopt;
    question.gemm->compiled = question.compiled;
  }
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
