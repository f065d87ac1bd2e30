//===- DescribeCases.cpp - What was measured of every case ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Selection.h"

using namespace lathe;

namespace {

/// The fastest other kernel that was measured at `key`, beside `own`.
void findRunnerUp(const EntryChoice &choice, const PlannedKernel &own,
                  const KernelTime &ownTime, const SizeKey &key,
                  const ShapeFacts &facts, MeasuredCase &answer) {
  std::vector<const PlannedKernel *> others = choice.special;
  others.push_back(choice.generic);
  KernelTime best;
  const PlannedKernel *runnerUp = nullptr;
  for (const PlannedKernel *kernel : others) {
    KernelTime time = choice.timeOf(*kernel, facts);
    if (kernel == &own || time.source != KernelTime::Measured ||
        (runnerUp && time.us >= best.us))
      continue;
    best = time;
    runnerUp = kernel;
  }
  if (!runnerUp)
    return;
  answer.runnerUp = runnerUp->kernel;
  answer.ratio = best.us / ownTime.us;
  answer.ratioLow = best.lowUs / ownTime.highUs;
  answer.ratioHigh = best.highUs / ownTime.lowUs;
  // Interleaved, they are compared better than by two times of two moments.
  const auto &against = choice.times->measured(own)->against;
  if (auto pairs = against.find(key); pairs != against.end())
    if (auto pair = pairs->second.find(runnerUp->kernel);
        pair != pairs->second.end()) {
      answer.ratio = pair->second.ratio;
      answer.ratioLow = pair->second.low;
      answer.ratioHigh = pair->second.high;
    }
}

const PlannedKernel *kernelOf(const EntryChoice &choice, llvm::StringRef name) {
  for (const PlannedKernel *kernel : choice.chosen)
    if (kernel->kernel == name)
      return kernel;
  return choice.generic;
}

std::string textOf(const SizeKey &key) {
  std::string text;
  for (const auto &[name, value] : key)
    text += (text.empty() ? "" : ",") + name + "=" + value.text();
  return text;
}

} // namespace

void lathe::describeCases(const EntryChoice &choice,
                          llvm::MutableArrayRef<DispatchCase> cases) {
  std::map<DispatchCase *, double> heaviest;
  for (const RankedShape &shape : *choice.shapes) {
    auto row = llvm::find_if(cases, [&](const DispatchCase &item) {
      return admits(item.guards, shape.facts.bindings);
    });
    if (row == cases.end())
      continue;
    const PlannedKernel &kernel = *kernelOf(choice, row->kernel);
    KernelTime time = choice.timeOf(kernel, shape.facts);
    auto key = sizeKey(shape.facts.bindings, *choice.spec);
    if (time.source != KernelTime::Measured || !key)
      continue;
    auto [weight, isFirst] = heaviest.try_emplace(row, shape.weight);
    if (!isFirst && weight->second >= shape.weight)
      continue;
    weight->second = shape.weight;
    MeasuredCase measured;
    measured.dims = textOf(*key);
    findRunnerUp(choice, kernel, time, *key, shape.facts, measured);
    KernelTime plain = time.withoutDrift();
    measured.us = plain.us;
    measured.lowUs = plain.lowUs;
    measured.highUs = plain.highUs;
    row->measured = std::move(measured);
    // The generic kernel is there whatever it takes.
    if (row->kind != CaseKind::Generic)
      row->origin = "measured";
  }
}
