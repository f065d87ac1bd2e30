//===- PlanProblems.cpp - Sizes that kernels are measured at --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanProblems.h"

#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Figures.h"
#include "lathe/Plan/Roofline.h"
#include "lathe/Verify/Compare.h"
#include "lathe/Verify/Inputs.h"
#include "lathe/Verify/TestMemory.h"
#include "lathe/Verify/Trials.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

#include <cmath>
#include <set>

using namespace lathe;
using llvm::Error;
using llvm::Expected;

/// Problems with more bytes get one kind of draw: each costs a pass of the
/// reference.
constexpr uint64_t fewDrawsBytes = uint64_t(64) << 20;

static int64_t valueOf(const Bindings &bindings, llvm::StringRef name) {
  return bindings.find(name)->second.elements.front();
}

measure::EntryPlan lathe::planEntry(const OperatorSpec &spec,
                                    const OpSetEntry &entry) {
  measure::EntryPlan plan;
  plan.name = entry.name;
  plan.op = entry.op;
  plan.importance = entry.importance;
  for (const auto &dtype : spec.dtypes)
    plan.dtypes.emplace_back(dtype.first, resolveDType(entry, dtype.first));
  for (const OptionSpec &option : spec.options) {
    auto chosen = entry.options.find(option.name);
    plan.options.emplace_back(option.name, chosen != entry.options.end()
                                               ? chosen->second
                                               : option.defaultValue);
  }
  for (const OperandSpec &operand : spec.operands) {
    measure::OperandPlan out;
    out.name = operand.name;
    out.dtype = resolveDType(entry, operand.dtype);
    out.isOutput = operand.isOutput;
    for (auto [i, other] : llvm::enumerate(spec.operands))
      if (!operand.mayAlias.empty() && other.name == operand.mayAlias)
        out.mayAlias = int(i);
    const ToleranceSpec &tolerance = toleranceOf(spec, entry, operand.name);
    out.tolerance = elementTolerance(tolerance);
    plan.operands.push_back(std::move(out));
  }
  for (const ScalarSpec &scalar : spec.scalars)
    plan.scalars.push_back(scalar.name);
  return plan;
}

static Error addDraw(const ProblemQuestion &ask, const Draw &draw,
                     measure::Problem &problem) {
  auto inputs = makeDrawSources(*ask.spec, *ask.entry, ask.bindings, draw);
  if (!inputs)
    return inputs.takeError();
  measure::DrawPlan &plan = problem.draws.emplace_back();
  plan.name = draw.name();
  plan.mode = draw.mode;
  plan.sources = std::move(inputs->sources);
  plan.lists = std::move(inputs->lists);
  auto scalars = drawScalars(*ask.spec, *ask.entry, draw);
  for (const ScalarSpec &scalar : ask.spec->scalars)
    plan.scalars.push_back(scalars.find(scalar.name)->second);
  return Error::success();
}

/// A timed problem starts with a realistic draw; a large one has one kind more.
static Error addDraws(const ProblemQuestion &ask, uint64_t bytes,
                      measure::Problem &problem) {
  Draw draw;
  draw.seed = ask.seed;
  draw.spec = ask.draws;
  if (ask.draws) // its inputs are what it says
    return addDraw(ask, draw, problem);
  uint64_t size = 0;
  for (const auto &dim : problem.dims)
    size =
        size * 31 + (dim.second.isList() ? llvm::xxh3_64bits(dim.second.text())
                                         : uint64_t(dim.second.asNumber()));
  if (sumsManyTerms(*ask.spec, ask.bindings))
    return addDraw(ask, draw, problem);
  bool all = bytes <= fewDrawsBytes;
  unsigned chosen = ask.timed ? unsigned(1 + size % 2) : unsigned(size % 3);
  for (DrawMode mode :
       {DrawMode::Realistic, DrawMode::Adversarial, DrawMode::Edge}) {
    draw.mode = mode;
    draw.otherScalars = mode != DrawMode::Realistic;
    bool isFirst = mode == DrawMode::Realistic;
    if (all || unsigned(mode) == chosen || (ask.timed && isFirst))
      if (Error error = addDraw(ask, draw, problem))
        return error;
  }
  return Error::success();
}

Expected<measure::Problem> lathe::evaluateProblem(const ProblemQuestion &ask) {
  const OperatorSpec &spec = *ask.spec;
  measure::Problem problem;
  problem.why = ask.why;
  problem.timed = ask.timed;
  for (const DimSpec &dim : spec.dims) {
    if (dim.isForReference())
      problem.referenceDims.push_back(valueOf(ask.bindings, dim.name));
    const ExprValue &value = ask.bindings.find(dim.name)->second;
    if (dim.isGiven())
      problem.dims[dim.name] = value.isList
                                   ? SizeValue::ofList(listName(value.elements))
                                   : SizeValue(value.elements.front());
    if (value.isList)
      problem.lists[dim.name] = value.elements;
  }
  for (const OptionSpec &option : spec.options)
    problem.referenceOptions.push_back(valueOf(ask.bindings, option.name));
  problem.referenceRows.assign(ask.rowRank, 0);
  uint64_t bytes = 0;
  for (const OperandSpec &operand : spec.operands) {
    auto layout = layoutOf(operand, resolveDType(*ask.entry, operand.dtype),
                           ask.bindings);
    if (!layout)
      return layout.takeError();
    bytes = llvm::SaturatingAdd(bytes, *layout->bytes());
    // Leading indices of every output are the reference's rows.
    for (size_t i = 0; operand.isOutput && i != ask.rowRank; ++i)
      if (i < layout->shape.size())
        problem.referenceRows[i] =
            std::max(problem.referenceRows[i], layout->shape[i]);
    problem.views.push_back(
        {std::move(layout->shape), std::move(layout->strides)});
  }
  auto cost = evaluateCost(spec, *ask.entry, ask.bindings);
  if (!cost)
    return cost.takeError();
  for (const auto &item : cost->flops)
    problem.flops += double(item.second);
  problem.bytes = double(cost->readBytes) + double(cost->writeBytes);
  problem.rooflineUs = rooflineOf(*ask.target, *cost).timeUs;
  if (Error error = addDraws(ask, bytes, problem))
    return std::move(error);
  return problem;
}

uint64_t lathe::problemBytes(const measure::EntryPlan &entry,
                             const measure::Problem &problem) {
  uint64_t total = 0;
  for (auto [operand, view] : llvm::zip_equal(entry.operands, problem.views)) {
    OperandLayout layout{view.shape, view.strides,
                         measure::elementFormat(operand.dtype)->bytes};
    uint64_t bytes = layout.bytes().value_or(UINT64_MAX);
    for (int copies = operand.isOutput ? 2 : 1; copies; --copies)
      total = llvm::SaturatingAdd(total, bytes);
  }
  return total;
}

/// The operator's figure, or the request dim with the most values; null if
/// there is neither.
static const DimSpec *
varyingDim(const OperatorSpec &spec,
           llvm::ArrayRef<const HistogramPoint *> points) {
  if (const DimSpec *figure = figureAxis(spec))
    return figure;
  const DimSpec *varying = nullptr;
  size_t most = 0;
  for (const DimSpec &dim : spec.dims) {
    std::set<int64_t> values;
    if (dim.kind == DimKind::Request)
      for (const HistogramPoint *point : points)
        values.insert(valueOf(point->dims, dim.name));
    if (values.size() > most) {
      most = values.size();
      varying = &dim;
    }
  }
  return varying;
}

std::vector<Bindings>
lathe::sizesBetween(const OperatorSpec &spec, const OpSetEntry &entry,
                    llvm::ArrayRef<const HistogramPoint *> hot,
                    unsigned count) {
  std::map<std::vector<int64_t>, std::vector<const HistogramPoint *>> groups;
  for (const HistogramPoint *point : hot) {
    std::vector<int64_t> statics;
    for (const DimSpec &dim : spec.dims)
      if (dim.kind == DimKind::Static)
        statics.push_back(valueOf(point->dims, dim.name));
    groups[statics].push_back(point);
  }
  std::vector<Bindings> sizes;
  for (const auto &group : groups) {
    const DimSpec *dim = varyingDim(spec, group.second);
    if (!dim || count == 0)
      continue;
    const HistogramPoint *heaviest = group.second.front();
    std::set<int64_t> known;
    for (const HistogramPoint *point : group.second) {
      known.insert(valueOf(point->dims, dim->name));
      if (point->weight > heaviest->weight)
        heaviest = point;
    }
    auto add = [&](int64_t value) {
      if (value < dim->min || value > dim->max || !known.insert(value).second)
        return;
      Bindings at = heaviest->dims;
      if (dim->kind == DimKind::Figure)
        at = withFigure(spec, at, *dim, value);
      else
        at[dim->name] = ExprValue(value);
      // Strides follow from the size, as they would for a request of that size.
      for (const DimSpec &other : spec.dims)
        if (other.kind == DimKind::Stride)
          at.erase(other.name);
      auto bindings = bindAll(spec, entry, at);
      if (bindings)
        sizes.push_back(std::move(*bindings));
      else
        llvm::consumeError(bindings.takeError());
    };
    int64_t low = std::max<int64_t>(*known.begin(), 1);
    int64_t high = std::max<int64_t>(*known.rbegin(), 1);
    for (unsigned i = 1; i <= count; ++i)
      add(std::llround(double(low) * std::pow(double(high) / double(low),
                                              double(i) / (count + 1))));
    if (high < int64_t(1) << 40)
      add(int64_t(llvm::NextPowerOf2(uint64_t(high))));
  }
  return sizes;
}
