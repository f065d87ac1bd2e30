//===- Prune.cpp - Keeps the schedules that could win ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedules.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace lathe;

namespace {

struct Entrant {
  PlannedKernel *kernel = nullptr;
  std::vector<double> times; ///< one per hot shape
  double score = 0;          ///< weighted time relative to the best; 1 is ideal
};

/// No faster anywhere, and slower somewhere or later by name.
bool dominates(const Entrant &a, const Entrant &b) {
  bool equal = true;
  for (size_t i = 0; i < a.times.size(); ++i) {
    if (a.times[i] > b.times[i])
      return false;
    equal &= a.times[i] == b.times[i];
  }
  return !equal || a.kernel->kernel < b.kernel->kernel;
}

} // namespace

PruneAnswer lathe::prune(PruneQuestion q) {
  PruneAnswer answer;
  std::vector<Entrant> field;
  for (PlannedKernel &kernel : q.kernels) {
    Entrant entrant;
    entrant.kernel = &kernel;
    bool runs = false;
    for (const HotShape &shape : q.shapes) {
      entrant.times.push_back(
          modelTime(kernel, *q.spec, *q.hardware, shape.facts));
      runs |= std::isfinite(entrant.times.back());
    }
    if (runs)
      field.push_back(std::move(entrant));
    else
      answer.dropped.emplace_back(kernel.kernel,
                                  "runs at none of the hot shapes");
  }

  // Where a schedule cannot run it counts as ten times the best.
  double total = 0;
  for (size_t i = 0; i < q.shapes.size(); ++i) {
    double best = INFINITY;
    for (const Entrant &entrant : field)
      best = std::min(best, entrant.times[i]);
    if (!std::isfinite(best))
      continue;
    double weight = q.shapes[i].weight;
    total += weight;
    for (Entrant &entrant : field)
      entrant.score += weight * std::min(entrant.times[i] / best, 10.0);
  }
  for (Entrant &entrant : field)
    entrant.score = total > 0 ? entrant.score / total : 1;
  llvm::sort(field, [](const Entrant &a, const Entrant &b) {
    return a.score != b.score ? a.score < b.score
                              : a.kernel->kernel < b.kernel->kernel;
  });

  // Whoever dominates scores no worse, so he stands before his victim.
  std::vector<const Entrant *> kept;
  unsigned spares = q.spares;
  for (const Entrant &entrant : field) {
    const Entrant *better = nullptr;
    for (const Entrant *other : kept)
      if (dominates(*other, entrant)) {
        better = other;
        break;
      }
    if (better && spares == 0) {
      answer.dropped.emplace_back(
          entrant.kernel->kernel,
          llvm::formatv("no faster than {0} at any of {1} hot shape(s)",
                        better->kernel->kernel, q.shapes.size()));
    } else if (kept.size() >= q.keep) {
      answer.dropped.emplace_back(
          entrant.kernel->kernel,
          llvm::formatv("beyond the best {0}: {1:F1} % from the ideal over the "
                        "hot shapes, {2} has {3:F1} %",
                        q.keep, (entrant.score - 1) * 100,
                        kept.front()->kernel->kernel,
                        (kept.front()->score - 1) * 100));
    } else {
      spares -= better ? 1 : 0;
      kept.push_back(&entrant);
    }
  }
  for (const Entrant *entrant : kept)
    answer.kept.push_back(std::move(*entrant->kernel));
  return answer;
}
