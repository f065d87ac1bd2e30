//===- TimedLaunches.cpp - Which kernels are timed at which sizes ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidatePlanner.h"

#include "llvm/ADT/STLExtras.h"

#include <set>
#include <tuple>

using namespace lathe;
using namespace lathe::measure;

/// Whether the model decides if a kernel is timed somewhere: not of those that
/// serve this size alone or every size, nor of those it says nothing about.
static bool isForModel(const KernelPlan &kernel, const LaunchPlan &launch) {
  return kernel.role == "bucket" && launch.modelUs > 0;
}

/// By problem, the kernels that the model thinks fastest.
static std::vector<std::set<uint32_t>> bestKernels(const Candidates &plan,
                                                   unsigned count) {
  std::vector<std::vector<std::pair<double, uint32_t>>> times(
      plan.problems.size());
  for (auto [number, kernel] : llvm::enumerate(plan.kernels))
    for (const LaunchPlan &launch : kernel.launches)
      if (isForModel(kernel, launch))
        times[launch.problem].emplace_back(launch.modelUs, number);
  std::vector<std::set<uint32_t>> best(plan.problems.size());
  for (auto [problem, all] : llvm::enumerate(times)) {
    llvm::sort(all);
    for (size_t i = 0; i != std::min<size_t>(all.size(), count); ++i)
      best[problem].insert(all[i].second);
  }
  return best;
}

/// Keeps what kernels refer to, and every size that is hot.
static void dropUnused(Candidates &plan) {
  std::vector<bool> problems, images(plan.images.size());
  for (const Problem &problem : plan.problems)
    problems.push_back(problem.timed);
  for (const KernelPlan &kernel : plan.kernels) {
    images[kernel.image] = true;
    for (const LaunchPlan &launch : kernel.launches)
      problems[launch.problem] = true;
  }
  for (const ReferencePlan &reference : plan.references)
    if (reference.missing.empty())
      images[reference.image] = true;
  auto compact = [](auto &items, const std::vector<bool> &kept) {
    std::vector<uint32_t> numbers(items.size());
    size_t end = 0;
    for (size_t i = 0; i != items.size(); ++i) {
      numbers[i] = uint32_t(end);
      if (!kept[i])
        continue;
      if (i != end)
        items[end] = std::move(items[i]);
      ++end;
    }
    items.erase(items.begin() + long(end), items.end());
    return numbers;
  };
  std::vector<uint32_t> problem = compact(plan.problems, problems);
  std::vector<uint32_t> image = compact(plan.images, images);
  for (KernelPlan &kernel : plan.kernels) {
    kernel.image = image[kernel.image];
    for (LaunchPlan &launch : kernel.launches)
      launch.problem = problem[launch.problem];
  }
  for (ReferencePlan &reference : plan.references)
    if (reference.missing.empty())
      reference.image = image[reference.image];
}

std::vector<DroppedKernel> CandidatePlanner::chooseTimed() {
  Candidates &plan = impl->plan;
  unsigned count = impl->options.best;
  std::vector<std::set<uint32_t>> best = bestKernels(plan, count);
  std::vector<DroppedKernel> dropped;
  std::vector<KernelPlan> kept;
  for (auto [number, kernel] : llvm::enumerate(plan.kernels)) {
    auto isTimed = [&](const LaunchPlan &launch) {
      return plan.problems[launch.problem].timed;
    };
    bool wasTimed = llvm::any_of(kernel.launches, isTimed);
    auto isChosen = [&, own = uint32_t(number),
                     &of = kernel](const LaunchPlan &launch) {
      return isTimed(launch) &&
             (!isForModel(of, launch) || best[launch.problem].count(own));
    };
    bool anyChosen = llvm::any_of(kernel.launches, isChosen);
    llvm::erase_if(
        kernel.launches, [&, own = uint32_t(number)](const LaunchPlan &launch) {
          return isTimed(launch) && !isChosen(launch) &&
                 !(anyChosen && impl->checked.count({own, launch.problem}));
        });
    if (!wasTimed || llvm::any_of(kernel.launches, isTimed)) {
      kept.push_back(std::move(kernel));
      continue;
    }
    std::string reason = "not among the " + std::to_string(count) +
                         " that the model thinks fastest at any size";
    const std::string &entry = plan.entries[kernel.entry].name;
    impl->leftOut.push_back(entry + "/" + kernel.name + ": " + reason);
    dropped.push_back({entry, kernel.name, std::move(reason)});
  }
  plan.kernels = std::move(kept);
  dropUnused(plan);
  return dropped;
}
