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

/// A model's difference of 2 % makes the slower one worth a quarter of the
/// other: ratios are raised to 2^6, by multiplication alone so that plans are
/// the same on every machine.
constexpr unsigned squarings = 6;
/// Where a schedule cannot run it counts as that many times the best.
constexpr double worstRatio = 10;

struct Entrant {
  PlannedKernel *kernel = nullptr;
  std::vector<double> times;       ///< one per hot shape
  std::vector<double> worth;       ///< per hot shape, 1 for the fastest
  const Entrant *better = nullptr; ///< a kept one that dominates it
  bool isKept = false;
};

double worthOf(double ratio) {
  double worth = 1 / ratio;
  for (unsigned i = 0; i < squarings; ++i)
    worth *= worth;
  return worth;
}

/// Time over the best that is to be expected of the fastest of several kernels
/// of that worth together: with more that are nearly as good it is less likely
/// that all of them disappoint.
double expectedRatio(double worth) {
  for (unsigned i = 0; i < squarings; ++i)
    worth = std::sqrt(worth);
  return 1 / worth;
}

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

/// What is kept, and what it is worth at every hot shape.
struct Kept {
  explicit Kept(llvm::ArrayRef<HotShape> shapes) : worth(shapes.size()) {
    // A light shape counts too, or nothing would be kept for it.
    for (const HotShape &shape : shapes)
      weights.push_back(std::sqrt(std::sqrt(shape.weight)));
  }

  /// Weighted over the shapes, with one more.
  double ratioWith(const Entrant &entrant) const {
    double sum = 0, total = 0;
    for (size_t i = 0; i < weights.size(); ++i) {
      sum += weights[i] * expectedRatio(worth[i] + entrant.worth[i]);
      total += weights[i];
    }
    return total > 0 ? sum / total : 1;
  }

  void add(Entrant &entrant) {
    entrant.isKept = true;
    order.push_back(&entrant);
    for (size_t i = 0; i < worth.size(); ++i)
      worth[i] += entrant.worth[i];
  }

  std::vector<double> weights, worth;
  std::vector<Entrant *> order;
};

} // namespace

static void rate(std::vector<Entrant> &field, size_t shapes) {
  for (size_t i = 0; i < shapes; ++i) {
    double best = INFINITY;
    for (const Entrant &entrant : field)
      best = std::min(best, entrant.times[i]);
    for (Entrant &entrant : field) {
      double ratio = std::isfinite(best) ? entrant.times[i] / best : 1;
      entrant.worth.push_back(worthOf(std::min(ratio, worstRatio)));
    }
  }
}

/// The one that lowers the expected times most; ties go to the lesser name.
static Entrant *chooseNext(std::vector<Entrant> &field, const Kept &kept,
                           bool mayBeDominated) {
  Entrant *next = nullptr;
  double least = INFINITY;
  for (Entrant &entrant : field) {
    if (entrant.isKept || (entrant.better && !mayBeDominated))
      continue;
    double ratio = kept.ratioWith(entrant);
    if (ratio < least ||
        (ratio == least && entrant.kernel->kernel < next->kernel->kernel)) {
      next = &entrant;
      least = ratio;
    }
  }
  return next;
}

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
  rate(field, q.shapes.size());

  Kept kept(q.shapes);
  unsigned spares = q.spares;
  while (kept.order.size() < q.keep) {
    Entrant *next = chooseNext(field, kept, spares > 0);
    if (!next)
      break;
    spares -= next->better ? 1 : 0;
    kept.add(*next);
    for (Entrant &entrant : field)
      if (!entrant.isKept && !entrant.better && dominates(*next, entrant))
        entrant.better = next;
  }

  Kept none(q.shapes);
  auto percent = [&](const Entrant &entrant) {
    return (none.ratioWith(entrant) - 1) * 100;
  };
  for (const Entrant &entrant : field) {
    if (entrant.isKept)
      continue;
    std::string reason;
    if (entrant.better)
      reason = llvm::formatv("no faster than {0} at any of {1} hot shape(s)",
                             entrant.better->kernel->kernel, q.shapes.size());
    else
      reason = llvm::formatv("beyond the best {0}: {1:F1} % from the ideal "
                             "over the hot shapes",
                             q.keep, percent(entrant));
    if (!entrant.better && !kept.order.empty())
      reason += llvm::formatv(", {0} has {1:F1} %",
                              kept.order.front()->kernel->kernel,
                              percent(*kept.order.front()));
    answer.dropped.emplace_back(entrant.kernel->kernel, std::move(reason));
  }
  for (const Entrant *entrant : kept.order)
    answer.kept.push_back(std::move(*entrant->kernel));
  return answer;
}
