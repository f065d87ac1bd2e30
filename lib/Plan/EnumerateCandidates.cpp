//===- EnumerateCandidates.cpp - All kernels worth building ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedules.h"
#include "lathe/Ingest/Figures.h"
#include "lathe/Ingest/Load.h"
#include "lathe/Plan/Plan.h"
#include "lathe/Plan/ReadProblem.h"

#include "Problem/ProblemOps.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>

using namespace mlir;
using namespace lathe;

namespace {

using Fixed = std::map<std::string, int64_t, std::less<>>;

/// The shapes of one static binding of an entry.
struct Group {
  Fixed statics;
  std::vector<HotShape> shapes; ///< by dims, heaviest first
};

/// Enumerates for one entry on one target.
class EntryPlanner {
public:
  EntryPlanner(const OperatorSpec &spec, const OpSetEntry &entry,
               const Hardware &hardware, ArrayRef<TemplateInfo> templates,
               const EnumerateOptions &options,
               std::vector<PrunedKernel> *pruned)
      : spec(spec), entry(entry), hardware(hardware), templates(templates),
        options(options), pruned(pruned) {}

  /// The kernel for whatever nothing else serves, and of products others in its
  /// place should it not be built, best first. Error text if there is none.
  std::vector<PlannedKernel> generic(ArrayRef<const HotShape *> shapes,
                                     std::string &reason);
  /// The kernels of one static binding, best first; then the exact ones.
  std::vector<PlannedKernel> special(const Group &group);
  /// Matrix products whose static dims stay open too, which costs them nothing:
  /// one set of kernels for all shapes, best first. A template that wants some
  /// of them fixed has a set for each value of those.
  std::vector<PlannedKernel> shared(ArrayRef<Group> groups);

private:
  bool admitsGeneric(const TemplateInfo &info) const;
  bool isShared(const TemplateInfo &info) const;
  /// `lastReason` says why one was illegal, if any was.
  std::vector<PlannedKernel>
  bindAllSchedules(const TemplateInfo &info, KernelRole role,
                   const Fixed &fixed, std::string *lastReason = nullptr);
  std::vector<PlannedKernel> keepBest(std::vector<PlannedKernel> kernels,
                                      ArrayRef<HotShape> shapes, unsigned keep);
  std::vector<PlannedKernel> exactAt(const Group &group, const HotShape &shape,
                                     ArrayRef<PlannedKernel> buckets);
  void drop(const Twine &kernel, StringRef reason) {
    if (pruned)
      pruned->push_back({entry.name, kernel.str(), reason.str()});
  }
  void answerAt(PlannedKernel &kernel, ArrayRef<const HotShape *> shapes);

  const OperatorSpec &spec;
  const OpSetEntry &entry;
  const Hardware &hardware;
  ArrayRef<TemplateInfo> templates;
  const EnumerateOptions &options;
  std::vector<PrunedKernel> *pruned;
};

} // namespace

std::vector<PlannedKernel>
EntryPlanner::bindAllSchedules(const TemplateInfo &info, KernelRole role,
                               const Fixed &fixed, std::string *lastReason) {
  std::vector<PlannedKernel> kernels;
  ScheduleQuestion question;
  question.spec = &spec;
  question.entry = &entry;
  question.hardware = &hardware;
  question.info = &info;
  question.role = role;
  question.fixed = fixed;
  info.forEachSchedule([&](const Fixed &schedule) {
    question.schedule = schedule;
    ScheduleAnswer answer = bindSchedule(question);
    if (answer.reason.empty()) {
      kernels.push_back(std::move(answer.kernel));
      return;
    }
    drop(answer.kernel.kernel, answer.reason);
    if (lastReason)
      *lastReason = answer.reason;
  });
  return kernels;
}

/// Records the model's answer at the heaviest shape that the kernel serves.
void EntryPlanner::answerAt(PlannedKernel &kernel,
                            ArrayRef<const HotShape *> shapes) {
  double heaviest = -1;
  for (const HotShape *shape : shapes) {
    if (shape->weight <= heaviest)
      continue;
    if (auto question = askAbout(kernel, spec, hardware, shape->facts)) {
      kernel.answer = predict(*question);
      heaviest = shape->weight;
    }
  }
}

bool EntryPlanner::admitsGeneric(const TemplateInfo &info) const {
  return llvm::all_of(spec.dims, [&](const DimSpec &dim) {
    return !dim.isForKernels() || info.takesAtRunTime(dim.name);
  });
}

std::vector<PlannedKernel>
EntryPlanner::generic(ArrayRef<const HotShape *> shapes, std::string &reason) {
  std::vector<PlannedKernel> field;
  reason = "no template takes every dim at run time";
  for (const TemplateInfo &info : templates) {
    if (!admitsGeneric(info))
      continue;
    bool canPersist = llvm::any_of(info.valuesOf("PERSISTENT"),
                                   [](int64_t value) { return value != 0; });
    reason = "no schedule with VEC = 1, no constraint on dims and "
             "work along one grid axis";
    for (PlannedKernel &kernel :
         bindAllSchedules(info, KernelRole::Generic, {}, &reason)) {
      if (kernel.parameter("VEC", 1) != 1)
        continue;
      bool line = llvm::all_of(
          ArrayRef(kernel.grid).drop_front(),
          [](const Expr &axis) { return axis.asConstant().has_value(); });
      if (kernel.persistent() == canPersist && kernel.guards.empty() && line)
        field.push_back(std::move(kernel));
    }
  }
  std::vector<std::pair<double, PlannedKernel *>> order;
  for (PlannedKernel &kernel : field) {
    double time = 0;
    for (const HotShape *shape : shapes)
      time += shape->weight *
              std::min(modelTime(kernel, spec, hardware, shape->facts), 1e9);
    order.emplace_back(time, &kernel);
  }
  llvm::sort(order, [](const auto &a, const auto &b) {
    return std::tie(a.first, a.second->kernel) <
           std::tie(b.first, b.second->kernel);
  });
  std::vector<PlannedKernel> chosen;
  for (auto &[time, kernel] : order) {
    size_t most = kernel->multiplies ? 1 + options.spares : 1;
    if (chosen.size() < most) {
      chosen.push_back(std::move(*kernel));
      answerAt(chosen.back(), shapes);
      continue;
    }
    drop(kernel->kernel,
         "no faster than " + chosen.front().kernel + " as the generic kernel");
  }
  return chosen;
}

std::vector<PlannedKernel>
EntryPlanner::keepBest(std::vector<PlannedKernel> kernels,
                       ArrayRef<HotShape> shapes, unsigned keep) {
  PruneQuestion question;
  question.kernels = std::move(kernels);
  question.spec = &spec;
  question.hardware = &hardware;
  question.shapes = shapes;
  question.keep = keep;
  question.spares = options.spares;
  PruneAnswer answer = prune(std::move(question));
  for (const auto &[kernel, reason] : answer.dropped)
    drop(kernel, reason);
  return std::move(answer.kept);
}

/// The best kernel at `shape`, with the request dims fixed as well.
std::vector<PlannedKernel>
EntryPlanner::exactAt(const Group &group, const HotShape &shape,
                      ArrayRef<PlannedKernel> buckets) {
  Fixed fixed = group.statics;
  bool request = false;
  for (const DimSpec &dim : spec.dims)
    if (dim.kind == DimKind::Request) {
      request = true;
      fixed[dim.name] =
          shape.facts.bindings.find(dim.name)->second.elements.front();
    }
  if (!request)
    return {};
  std::vector<PlannedKernel> variants;
  const PlannedKernel *best = nullptr;
  double bestTime = INFINITY;
  for (const PlannedKernel &kernel : buckets) {
    double time = modelTime(kernel, spec, hardware, shape.facts);
    if (time < bestTime) {
      best = &kernel;
      bestTime = time;
    }
  }
  for (const TemplateInfo &info : templates) {
    bool runsOpen = llvm::all_of(spec.dims, [&](const DimSpec &dim) {
      return dim.kind != DimKind::Request || info.takesAtRunTime(dim.name);
    });
    if (runsOpen && best && best->candidate.templateName == info.name) {
      ScheduleQuestion question{&spec,
                                &entry,
                                &hardware,
                                &info,
                                KernelRole::Exact,
                                fixed,
                                best->candidate.schedule};
      ScheduleAnswer answer = bindSchedule(question);
      if (answer.reason.empty())
        variants.push_back(std::move(answer.kernel));
      else
        drop(answer.kernel.kernel, answer.reason);
    } else if (!runsOpen) {
      // This template exists for fixed shapes only.
      llvm::append_range(variants,
                         bindAllSchedules(info, KernelRole::Exact, fixed));
    }
  }
  llvm::erase_if(variants, [](const PlannedKernel &kernel) {
    return llvm::any_of(kernel.grid, [](const Expr &axis) {
      return axis.asConstant().value_or(1) < 1;
    });
  });
  if (variants.empty())
    return {};
  return keepBest(std::move(variants), shape, /*keep=*/1);
}

bool EntryPlanner::isShared(const TemplateInfo &info) const {
  if (!info.gemm)
    return false;
  llvm::SetVector<StringRef> sizes;
  for (const Expr *size : {&info.gemm->m, &info.gemm->n, &info.gemm->k})
    size->collectSymbols(sizes);
  return llvm::all_of(spec.dims, [&](const DimSpec &dim) {
    return info.takesAtRunTime(dim.name) ||
           (dim.kind != DimKind::Request && !sizes.contains(dim.name));
  });
}

std::vector<PlannedKernel> EntryPlanner::shared(ArrayRef<Group> groups) {
  // By the static dims that stay fixed; others differ within a set of kernels.
  std::map<Fixed, std::vector<HotShape>> shapes;
  std::map<Fixed, std::vector<const TemplateInfo *>> able;
  for (const TemplateInfo &info : templates) {
    if (!isShared(info))
      continue;
    std::map<Fixed, std::vector<HotShape>> mine;
    for (const Group &group : groups) {
      Fixed fixed;
      for (const auto &[dim, value] : group.statics)
        if (!info.takesAtRunTime(dim))
          fixed[dim] = value;
      llvm::append_range(mine[fixed], group.shapes);
    }
    for (auto &[fixed, served] : mine) {
      able[fixed].push_back(&info);
      shapes[fixed] = std::move(served);
    }
  }
  std::vector<PlannedKernel> all;
  for (const auto &[fixed, infos] : able) {
    std::vector<PlannedKernel> open;
    for (const TemplateInfo *info : infos)
      llvm::append_range(open,
                         bindAllSchedules(*info, KernelRole::Bucket, fixed));
    auto pointers = llvm::map_to_vector(
        shapes[fixed], [](const HotShape &shape) { return &shape; });
    for (PlannedKernel &kernel :
         keepBest(std::move(open), shapes[fixed], options.schedules)) {
      answerAt(kernel, pointers);
      all.push_back(std::move(kernel));
    }
  }
  return all;
}

std::vector<PlannedKernel> EntryPlanner::special(const Group &group) {
  std::vector<PlannedKernel> open;
  for (const TemplateInfo &info : templates)
    if (!isShared(info) && llvm::all_of(spec.dims, [&](const DimSpec &dim) {
          return dim.kind != DimKind::Request || info.takesAtRunTime(dim.name);
        }))
      llvm::append_range(
          open, bindAllSchedules(info, KernelRole::Bucket, group.statics));
  std::vector<PlannedKernel> kernels =
      keepBest(std::move(open), group.shapes, options.schedules);
  std::vector<PlannedKernel> exact;
  bool canFix = !hasLists(spec);
  if (!canFix && options.exact > 0)
    drop("exact " + spec.name, "kernels take lists at run time");
  // Shapes that differ in strides only share one exact kernel.
  llvm::StringSet<> names;
  for (const HotShape &shape : ArrayRef(group.shapes).take_front(options.exact))
    if (canFix && shape.weight > leastWeight)
      for (PlannedKernel &kernel : exactAt(group, shape, kernels))
        if (names.insert(kernel.kernel).second)
          exact.push_back(std::move(kernel));
  llvm::append_range(kernels, exact);
  auto pointers = llvm::map_to_vector(
      group.shapes, [](const HotShape &shape) { return &shape; });
  for (PlannedKernel &kernel : kernels)
    answerAt(kernel, pointers);
  return kernels;
}

/// Points of `entry` by static binding; equal dims are merged.
static llvm::Expected<std::vector<Group>> groupPoints(const PlanInput &input,
                                                      const OperatorSpec &spec,
                                                      const OpSetEntry &entry) {
  using Key = std::vector<std::vector<int64_t>>;
  std::map<Fixed, std::map<Key, std::pair<Bindings, double>>> byStatics;
  for (const HistogramPoint &point : input.histogram.points) {
    if (point.entry != entry.name)
      continue;
    Fixed statics;
    Key key;
    for (const DimSpec &dim : spec.dims) {
      const ExprValue &value = point.dims.find(dim.name)->second;
      key.push_back(value.elements);
      if (dim.kind == DimKind::Static && !value.isList)
        statics[dim.name] = value.elements.front();
    }
    auto &merged = byStatics[statics][key];
    merged.first = point.dims;
    merged.second += point.weight;
  }
  std::vector<Group> groups;
  for (const auto &[statics, shapes] : byStatics) {
    Group &group = groups.emplace_back();
    group.statics = statics;
    std::vector<std::tuple<double, Key, const Bindings *>> order;
    for (const auto &[key, merged] : shapes)
      order.emplace_back(-merged.second, key, &merged.first);
    llvm::sort(order);
    for (const auto &[minusWeight, key, dims] : order) {
      auto facts = factsOf(spec, entry, *dims);
      if (!facts)
        return facts.takeError();
      group.shapes.push_back(
          {std::move(*facts), std::max(-minusWeight, leastWeight)});
    }
  }
  return groups;
}

/// Shapes to judge the generic kernel by where none was recorded.
static std::vector<HotShape> probeShapes(const OperatorSpec &spec,
                                         const OpSetEntry &entry) {
  std::vector<HotShape> probes;
  for (int64_t size : {1, 256, 16384}) {
    Bindings dims;
    for (const DimSpec &dim : spec.dims) {
      auto statics = entry.staticDims.find(dim.name);
      if (statics != entry.staticDims.end())
        dims[dim.name] = ExprValue(statics->second.front());
      else if (dim.kind == DimKind::Request && !dim.defaultValue)
        dims[dim.name] = ExprValue(std::clamp(size, dim.min, dim.max));
      else if (dim.kind == DimKind::List)
        dims[dim.name] =
            ExprValue(std::vector{std::clamp(size, dim.min, dim.max)});
    }
    auto facts = factsOf(spec, entry, dims);
    if (facts)
      probes.push_back({std::move(*facts), 1});
    else
      llvm::consumeError(facts.takeError());
  }
  return probes;
}

llvm::Error lathe::enumerateCandidates(ModuleOp module,
                                       const EnumerateOptions &options,
                                       std::vector<PrunedKernel> *pruned) {
  auto input = readProblem(module);
  if (!input)
    return input.takeError();
  auto targets = planningTargets(*input, options.archs);
  if (!targets)
    return targets.takeError();
  auto folders = loadOperators(options.templateDirs);
  if (!folders)
    return folders.takeError();
  problem::WorkloadOp workload = *module.getOps<problem::WorkloadOp>().begin();
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(&*workload.getBody().begin());
  auto unserved = [&](const OpSetEntry &entry, const Hardware &hardware,
                      StringRef reason) {
    problem::UnservedOp::create(builder, builder.getUnknownLoc(), entry.name,
                                hardware.arch, reason);
  };

  TemplateLibrary library(*module.getContext());
  for (const OpSetEntry &entry : input->opset.entries) {
    const OperatorSpec &spec = operatorOf(*input, entry);
    std::vector<TemplateInfo> templates;
    for (const std::string &name : spec.templates) {
      auto folder = folders->find(spec.name);
      if (folder == folders->end())
        return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                       "no template folder has operator '" +
                                           spec.name + "'");
      auto info = library.read(folder->second.directory, name);
      if (!info)
        return info.takeError();
      templates.push_back(std::move(*info));
    }
    auto groups = groupPoints(*input, spec, entry);
    if (!groups)
      return groups.takeError();
    std::vector<HotShape> probes;
    SmallVector<const HotShape *> shapes;
    for (const Group &group : *groups)
      for (const HotShape &shape : group.shapes)
        shapes.push_back(&shape);
    if (shapes.empty()) {
      probes = probeShapes(spec, entry);
      for (const HotShape &shape : probes)
        shapes.push_back(&shape);
    }
    for (const Hardware *hardware : *targets) {
      if (templates.empty()) {
        unserved(entry, *hardware, "operator has no template");
        continue;
      }
      EntryPlanner planner(spec, entry, *hardware, templates, options, pruned);
      std::string reason;
      std::vector<PlannedKernel> generic = planner.generic(shapes, reason);
      if (generic.empty()) {
        unserved(entry, *hardware, reason);
        continue;
      }
      for (const PlannedKernel &kernel : generic)
        writeCandidate(module, kernel);
      std::vector<PlannedKernel> kernels = planner.shared(*groups);
      for (const Group &group : *groups)
        llvm::append_range(kernels, planner.special(group));
      for (const PlannedKernel &kernel : kernels)
        if (llvm::none_of(generic, [&](const PlannedKernel &other) {
              return other.kernel == kernel.kernel;
            }))
          writeCandidate(module, kernel);
    }
  }
  return llvm::Error::success();
}
