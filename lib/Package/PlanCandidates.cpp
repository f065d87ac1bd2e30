//===- PlanCandidates.cpp - From kernels to a candidate file --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidatePlanner.h"
#include "lathe/Ingest/Bind.h"
#include "lathe/Package/Package.h"
#include "lathe/Plan/PlannedKernel.h"
#include "lathe/Plan/ReadProblem.h"
#include "lathe/Verify/Inputs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace lathe;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

CandidatePlanner::CandidatePlanner(PlanInput input, Hardware target,
                                   PlanCandidatesOptions options)
    : impl(std::make_unique<Impl>()) {
  impl->input = std::move(input);
  impl->target = std::move(target);
  impl->options = options;
  measure::TargetPlan &plan = impl->plan.target;
  plan.name = impl->target.name;
  plan.arch = impl->target.arch;
  for (const auto &[dtype, peak] : impl->target.peakFlops)
    plan.peakFlops[dtype] = peak;
  plan.bandwidth = impl->target.bandwidth;
  plan.launchFloorUs = impl->target.launchFloorUs;
}

CandidatePlanner::~CandidatePlanner() = default;

void CandidatePlanner::setReferences(
    std::function<Expected<ReferenceImage>(const OperatorSpec &,
                                           const OpSetEntry &)>
        make) {
  impl->makeReference = std::move(make);
}

void CandidatePlanner::setTools(std::string lathe, std::string fingerprint) {
  impl->plan.lathe = std::move(lathe);
  impl->plan.tools = std::move(fingerprint);
}

const std::vector<std::string> &CandidatePlanner::leftOut() const {
  return impl->leftOut;
}

const measure::Candidates &CandidatePlanner::plan() const { return impl->plan; }

//===----------------------------------------------------------------------===//
// What is shared
//===----------------------------------------------------------------------===//

std::string lathe::problemKey(const measure::Problem &problem,
                              StringRef ownDraws) {
  std::string key = std::to_string(problem.entry) + "/" + ownDraws.str();
  for (const auto &[name, value] : problem.dims)
    key += "/" + name + "=" + value.text();
  return key;
}

std::string lathe::referenceKey(StringRef op, const OperatorSpec &spec,
                                const OpSetEntry &entry) {
  std::string key = op.str();
  for (const auto &dtype : spec.dtypes)
    key += "/" + dtype.first + "=" + resolveDType(entry, dtype.first);
  return key;
}

uint32_t CandidatePlanner::Impl::imageOf(StringRef image, StringRef text) {
  std::string bytes = image.empty() ? text.str() + '\0' : image.str();
  std::string hash = sha256Hex(bytes);
  auto [it, isNew] = images.try_emplace(hash, uint32_t(plan.images.size()));
  if (isNew) {
    storage.push_back(std::move(bytes));
    plan.images.push_back({hash, image.empty(), storage.back()});
  }
  return it->second;
}

Expected<uint32_t>
CandidatePlanner::Impl::referenceOf(const OperatorSpec &spec,
                                    const OpSetEntry &entry) {
  std::string key = referenceKey(spec.name, spec, entry);
  auto known = references.find(key);
  if (known != references.end())
    return known->second;
  ReferenceImage made;
  if (!spec.hasReference)
    made.missing = "operator '" + spec.name + "' has no reference.mlir";
  else if (!makeReference)
    made.missing = "nobody compiles references";
  else if (auto image = makeReference(spec, entry))
    made = std::move(*image);
  else
    return image.takeError();
  measure::ReferencePlan reference;
  reference.op = spec.name;
  for (const ScalarSpec &scalar : spec.scalars)
    reference.scalarDTypes.push_back(scalar.dtype);
  reference.missing = std::move(made.missing);
  if (reference.missing.empty()) {
    reference.symbol = made.symbol;
    reference.image = imageOf(made.image, made.text);
    reference.rowRank = made.rowRank;
    reference.usesHeap = made.usesHeap;
  } else {
    leftOut.push_back("reference of " + spec.name + ": " + reference.missing);
  }
  auto index = uint32_t(plan.references.size());
  plan.references.push_back(std::move(reference));
  references[key] = index;
  return index;
}

Expected<PlannedEntry *>
CandidatePlanner::Impl::entryOf(const KernelSource &kernel) {
  auto known = entries.find(kernel.entry);
  if (known != entries.end())
    return &known->second;
  PlannedEntry made;
  made.entry = findEntry(input.opset, kernel.entry);
  if (!made.entry)
    return llvm::createStringError("the op set has no entry '" + kernel.entry +
                                   "'");
  made.spec = &operatorOf(input, *made.entry);
  auto reference = referenceOf(*made.spec, *made.entry);
  if (!reference)
    return reference.takeError();
  made.rowRank = plan.references[*reference].rowRank;
  measure::EntryPlan planned = planEntry(*made.spec, *made.entry);
  planned.reference = *reference;
  for (const measure::OperandPlan &operand : planned.operands)
    if (!measure::elementFormat(operand.dtype))
      return llvm::createStringError("no codec for elements of type '" +
                                     operand.dtype + "' of entry '" +
                                     kernel.entry + "'");
  made.index = uint32_t(plan.entries.size());
  plan.entries.push_back(std::move(planned));
  PlannedEntry &entry = entries[kernel.entry] = std::move(made);
  if (Error error = addTimed(entry, kernel.hiddenSeed))
    return std::move(error);
  return &entry;
}

/// Nothing, with a line in `leftOut`, if the problem cannot be had.
std::optional<measure::Problem>
CandidatePlanner::Impl::evaluate(const PlannedEntry &entry,
                                 ProblemQuestion question, StringRef who) {
  question.spec = entry.spec;
  question.entry = entry.entry;
  question.target = &target;
  question.rowRank = entry.rowRank;
  auto refuse = [&](const llvm::Twine &reason) {
    leftOut.push_back(
        (entry.entry->name + "/" + who + ": " + question.why + ": " + reason)
            .str());
    return std::nullopt;
  };
  auto problem = evaluateProblem(question);
  if (!problem)
    return refuse(llvm::toString(problem.takeError()));
  problem->entry = entry.index;
  uint64_t bytes = problemBytes(plan.entries[entry.index], *problem);
  if (bytes > memoryLimit())
    return refuse(llvm::Twine(bytes) + " bytes, the target has " +
                  llvm::Twine(target.memoryBytes));
  return std::move(*problem);
}

/// The index of an equal problem, or of this one, which then is of the plan.
uint32_t CandidatePlanner::Impl::indexOf(measure::Problem problem,
                                         StringRef ownDraws) {
  auto [known, isNew] = problems.try_emplace(problemKey(problem, ownDraws),
                                             uint32_t(plan.problems.size()));
  if (isNew)
    plan.problems.push_back(std::move(problem));
  return known->second;
}

Error CandidatePlanner::Impl::addTimed(PlannedEntry &entry, uint64_t seed) {
  std::vector<const HistogramPoint *> hot;
  for (const HistogramPoint &point : input.histogram.points)
    if (point.entry == entry.entry->name)
      hot.push_back(&point);
  // Ties keep the histogram's order, in which the points lie in memory.
  llvm::sort(hot, [](const auto *a, const auto *b) {
    return std::make_pair(-a->weight, a) < std::make_pair(-b->weight, b);
  });
  auto add = [&](const Bindings &bindings, StringRef why,
                 const HistogramPoint *point) {
    ProblemQuestion question;
    question.bindings = bindings;
    question.why = why.str();
    question.timed = true;
    question.seed = randomBits(seed, plan.problems.size(), 0);
    size_t before = plan.problems.size();
    auto evaluated = evaluate(entry, std::move(question), "timed");
    if (!evaluated)
      return;
    uint32_t index = indexOf(std::move(*evaluated), "");
    measure::Problem &problem = plan.problems[index];
    if (point) {
      problem.weight += point->weight;
      problem.count += point->count;
      // One size of two phases is measured once.
      for (StringRef phase : llvm::split(point->phase, '/'))
        if (!llvm::is_contained(llvm::split(problem.phase, '/'), phase))
          problem.phase += (problem.phase.empty() ? "" : "/") + phase.str();
    }
    if (plan.problems.size() == before)
      return;
    entry.timed.push_back(index);
    entry.timedAt.push_back(bindings);
  };
  for (const HistogramPoint *point : hot) {
    auto bindings = bindAll(*entry.spec, *entry.entry, point->dims);
    if (!bindings)
      return bindings.takeError();
    entry.hot.push_back(point->dims);
    add(*bindings, "hot", point);
  }
  for (const Bindings &bindings :
       sizesBetween(*entry.spec, *entry.entry, hot, options.between))
    add(bindings, "between", nullptr);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// One kernel
//===----------------------------------------------------------------------===//

/// Nothing if no case admits the size or the grid cannot be launched.
std::optional<measure::LaunchPlan>
CandidatePlanner::Impl::launchAt(const PlannedEntry &entry,
                                 const KernelSource &kernel, uint32_t problem,
                                 const Bindings &bindings) {
  for (const auto &[name, value] : kernel.constants) {
    auto at = bindings.find(name);
    if (at == bindings.end() || !(at->second == ExprValue(value)))
      return std::nullopt;
  }
  auto row = llvm::find_if(kernel.cases, [&](const DispatchCase &one) {
    return admits(one.guards, bindings);
  });
  if (row == kernel.cases.end())
    return std::nullopt;
  measure::LaunchPlan launch;
  launch.problem = problem;
  launch.alignment = uint32_t(row->alignment);
  const Expr *axes[] = {&row->gridX, &row->gridY, &row->gridZ};
  for (size_t axis = 0; axis != 3; ++axis) {
    auto extent = axes[axis]->evaluate(bindings);
    if (!extent) {
      llvm::consumeError(extent.takeError());
      return std::nullopt;
    }
    if (*extent < 0 || *extent > maxGrid(target, row->blockThreads, axis))
      return std::nullopt;
    launch.grid[axis] = uint32_t(*extent);
  }
  for (size_t i = 0; i != entry.spec->operands.size(); ++i)
    launch.arguments.push_back({measure::Argument::Operand, i});
  for (const std::string &dim : row->runtimeDims)
    launch.arguments.push_back(
        {measure::Argument::I64,
         uint64_t(bindings.find(dim)->second.elements.front())});
  for (auto [i, scalar] : llvm::enumerate(entry.spec->scalars))
    launch.arguments.push_back({measure::Argument::Scalar, i, scalar.dtype});
  for (const TensorMap &map : row->maps) {
    auto shape = evaluateTensorMap(map, bindings);
    if (!shape) {
      llvm::consumeError(shape.takeError());
      return std::nullopt;
    }
    if (checkTensorMapSizes(*shape, tensorAddressMultiple))
      return std::nullopt;
    launch.maps.push_back({map.operand,
                           map.dtype,
                           {shape->extents, shape->extents + shape->rank},
                           {shape->strides, shape->strides + shape->rank - 1},
                           map.box,
                           map.swizzle});
  }
  double modelUs = kernel.modelUs ? kernel.modelUs(bindings) : 0;
  launch.modelUs = std::isfinite(modelUs) ? modelUs : 0;
  return launch;
}

Expected<measure::KernelPlan>
CandidatePlanner::planKernel(const KernelSource &kernel) {
  auto found = impl->entryOf(kernel);
  if (!found)
    return found.takeError();
  PlannedEntry &entry = **found;
  measure::KernelPlan plan;
  plan.name = kernel.name;
  plan.symbol = kernel.symbol;
  plan.entry = entry.index;
  plan.templateName = kernel.templateName;
  plan.schedule = kernel.schedule;
  plan.role = kernel.role;
  plan.origin = kernel.origin;
  plan.form = kernel.form;
  plan.proof = kernel.proof;
  plan.refused = kernel.refused;
  plan.registers = uint32_t(kernel.usage.registers);
  plan.spillBytes = uint32_t(kernel.usage.spillBytes);
  plan.staticSharedBytes = uint32_t(kernel.usage.sharedBytes);
  plan.codeBytes =
      kernel.image.empty() ? kernel.text.size() : kernel.image.size();
  // Records know a kernel by its image; one that was never built has none.
  plan.image = plan.codeBytes
                   ? impl->imageOf(kernel.image, kernel.text)
                   : impl->imageOf("", "// no image: " + kernel.name + "\n");
  if (!kernel.cases.empty()) {
    const DispatchCase &first = kernel.cases.front();
    plan.block[0] = uint32_t(first.blockThreads);
    plan.sharedBytes = uint32_t(first.sharedBytes);
    for (const DispatchCase &row : kernel.cases)
      if (row.blockThreads != first.blockThreads ||
          row.sharedBytes != first.sharedBytes)
        return llvm::createStringError(
            "the cases of kernel '" + kernel.name +
            "' launch blocks of different threads or shared memory");
  }
  if (kernel.refused.empty()) {
    if (!plan.codeBytes || kernel.cases.empty())
      return llvm::createStringError("kernel '" + kernel.name +
                                     "' has no image or no case");
    for (auto [problem, bindings] : llvm::zip_equal(entry.timed, entry.timedAt))
      if (auto launch = impl->launchAt(entry, kernel, problem, bindings))
        plan.launches.push_back(std::move(*launch));
    if (Error error = impl->addChecks(entry, kernel, plan))
      return std::move(error);
  }
  impl->plan.kernels.push_back(plan);
  return plan;
}
