//===- ChooseKernels.cpp - Most saved time under a budget -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Selection.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace lathe;

namespace {

/// Of a kernel that was not compiled yet.
constexpr uint64_t estimatedBytes = 8192;

/// One kernel on offer, with its times at the shapes of its entry.
struct Offer {
  EntryChoice *choice = nullptr;
  size_t entry = 0;
  const PlannedKernel *kernel = nullptr;
  std::vector<KernelTime> times;
  double gain = 0;
  bool taken = false, refused = false;
};

/// What the entry's shapes take now, and took with the generic kernel alone.
struct State {
  std::vector<KernelTime> now;
  std::vector<double> before;
};

/// Models have no noise: where nothing was measured, any difference counts.
bool beats(const KernelTime &a, const KernelTime &b, double tolerance) {
  bool isGuess = a.source == KernelTime::Model && b.source == KernelTime::Model;
  return a.us < b.us && (isGuess || !isTie(a, b, tolerance));
}

/// Share of the histogram's time that the kernel would save. The observed time
/// of a shape is taken to scale as ours; a measured tie saves nothing.
double gainOf(const Offer &offer, const State &state, double tolerance) {
  double gain = 0;
  for (size_t i = 0; i < offer.times.size(); ++i) {
    double weight = (*offer.choice->shapes)[i].weight;
    if (beats(offer.times[i], state.now[i], tolerance) && state.before[i] > 0)
      gain += weight * (state.now[i].us - offer.times[i].us) / state.before[i];
  }
  return gain;
}

/// Whether `other` is as good wherever `offer` saves something.
bool standsInFor(const Offer &other, const Offer &offer, const State &state,
                 double tolerance) {
  for (size_t i = 0; i < offer.times.size(); ++i)
    if (beats(offer.times[i], state.now[i], tolerance) &&
        beats(offer.times[i], other.times[i], tolerance))
      return false;
  return true;
}

} // namespace

bool lathe::isSimpler(const PlannedKernel &a, const PlannedKernel &b) {
  auto key = [](const PlannedKernel &kernel) {
    return std::make_tuple(
        kernel.role != KernelRole::Generic, kernel.figure("code_bytes"),
        kernel.figure("registers"), llvm::StringRef(kernel.kernel));
  };
  return key(a) < key(b);
}

uint64_t lathe::bytesOf(const PlannedKernel &kernel) {
  auto bytes = static_cast<uint64_t>(kernel.figure("code_bytes"));
  return bytes ? bytes : estimatedBytes;
}

std::vector<PrunedKernel>
lathe::chooseUnderBudget(llvm::MutableArrayRef<EntryChoice> entries,
                         const SelectOptions &options,
                         const std::set<const PlannedKernel *> &banned) {
  // Slower than any kernel, for shapes that the generic one does not fit.
  constexpr double never = 1e9;
  std::vector<State> states(entries.size());
  std::vector<Offer> offers;
  size_t kernels = 0;
  uint64_t bytes = 0;
  for (size_t e = 0; e < entries.size(); ++e) {
    EntryChoice &choice = entries[e];
    choice.chosen.clear();
    ++kernels;
    bytes += bytesOf(*choice.generic);
    for (const RankedShape &shape : *choice.shapes) {
      KernelTime time = choice.timeOf(*choice.generic, shape.facts);
      states[e].now.push_back(time.us < never ? time : KernelTime(never));
      states[e].before.push_back(states[e].now.back().us);
    }
    for (const PlannedKernel *kernel : choice.special) {
      if (banned.count(kernel))
        continue;
      Offer &offer = offers.emplace_back();
      offer.choice = &choice;
      offer.entry = e;
      offer.kernel = kernel;
      for (const RankedShape &shape : *choice.shapes)
        offer.times.push_back(choice.timeOf(*kernel, shape.facts));
      offer.gain = gainOf(offer, states[e], options.tolerance);
    }
  }

  auto fits = [&](const Offer &offer) {
    return (!options.maxKernels || kernels + 1 <= options.maxKernels) &&
           (!options.maxBytes ||
            bytes + bytesOf(*offer.kernel) <= options.maxBytes);
  };
  // A bucket also serves the neighbours of a hot shape, so exact kernels come
  // after all of them; then by gain, then by name.
  auto before = [](const Offer &a, const Offer &b) {
    bool exactA = a.kernel->role == KernelRole::Exact;
    bool exactB = b.kernel->role == KernelRole::Exact;
    if (exactA != exactB)
      return exactB;
    if (a.gain != b.gain)
      return a.gain > b.gain;
    return std::tie(a.kernel->kernel, a.entry) <
           std::tie(b.kernel->kernel, b.entry);
  };
  while (true) {
    Offer *best = nullptr;
    for (Offer &offer : offers)
      if (!offer.taken && !offer.refused && offer.gain > 0 &&
          (!best || before(offer, *best)))
        best = &offer;
    if (!best)
      break;
    // Of those that are as good, the simplest.
    State &state = states[best->entry];
    Offer *simplest = best;
    for (Offer &offer : offers)
      if (!offer.taken && !offer.refused && offer.entry == best->entry &&
          offer.gain > 0 && offer.kernel->role == best->kernel->role &&
          isSimpler(*offer.kernel, *simplest->kernel) &&
          standsInFor(offer, *best, state, options.tolerance))
        simplest = &offer;
    best = simplest;
    if (!fits(*best)) {
      best->refused = true;
      continue;
    }
    best->taken = true;
    best->choice->chosen.push_back(best->kernel);
    ++kernels;
    bytes += bytesOf(*best->kernel);
    for (size_t i = 0; i < state.now.size(); ++i)
      if (best->times[i].us < state.now[i].us)
        state.now[i] = best->times[i];
    for (Offer &offer : offers)
      if (offer.entry == best->entry && !offer.taken)
        offer.gain = gainOf(offer, state, options.tolerance);
  }

  std::vector<PrunedKernel> reasons;
  for (const Offer &offer : offers) {
    if (offer.taken)
      continue;
    std::string reason =
        offer.refused
            ? llvm::formatv("would save {0:F3} % of the time, beyond the "
                            "budget: {1} kernels, {2} bytes are taken",
                            offer.gain * 100, kernels, bytes)
                  .str()
            : "saves nothing beside the chosen kernels";
    reasons.push_back(
        {offer.choice->entry->name, offer.kernel->kernel, reason});
  }
  return reasons;
}
