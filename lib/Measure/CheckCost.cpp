//===- CheckCost.cpp - What a check asks of a device ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Measure/CheckCost.h"

#include "OperandSet.h"

#include <algorithm>

using namespace lathe;
using namespace lathe::measure;

/// Launches on the same inputs: of a problem's first draw where it is small,
/// where it is large, and of its other draws.
static constexpr unsigned repeatsSmall = 10, repeatsLarge = 4, repeatsOther = 2;
static constexpr uint64_t smallBytes = uint64_t(16) << 20;
/// What takes GPUs a good part of a second to draw and compare is launched
/// twice.
static constexpr uint64_t hugeBytes = uint64_t(2) << 30;

/// Elements that a large GPU draws in a second, compares with a reference, or
/// looks at for a hash or poison; and what a launch with all that takes at
/// least, which is mostly waiting.
static constexpr double drawnPerSecond = 3e10, comparedPerSecond = 1e10,
                        lookedAtPerSecond = 1e11, launchSeconds = 3e-4;
/// How often a launch's operands, and its outputs, are looked at.
static constexpr double looksAtAll = 2, looksAtOutputs = 5;
/// Kernels are slower than their rooflines.
static constexpr double rooflineFactor = 4;

uint64_t lathe::measure::operandBytes(const EntryPlan &entry,
                                      const Problem &problem) {
  uint64_t bytes = 0;
  for (size_t i = 0; i != problem.views.size(); ++i)
    bytes += viewBytes(problem.views[i], elementBytes(entry.operands[i]));
  return bytes;
}

unsigned lathe::measure::checkLaunches(uint64_t operandBytes,
                                       bool isFirstDraw) {
  if (!isFirstDraw || operandBytes > hugeBytes)
    return repeatsOther;
  return operandBytes <= smallBytes ? repeatsSmall : repeatsLarge;
}

double lathe::measure::checkSeconds(const EntryPlan &entry,
                                    const Problem &problem) {
  double inputs = 0, outputs = 0;
  for (size_t i = 0; i != entry.operands.size(); ++i) {
    auto elements = double(viewElements(problem.views[i]));
    (entry.operands[i].isOutput ? outputs : inputs) += elements;
  }
  double most = checkReferenceSeconds * referenceFlopsPerSecond;
  RowSample sample = sampleRows(entry, problem, most);
  double reference = problem.flops / referenceFlopsPerSecond;
  double compared = outputs;
  if (!sample.isWhole()) {
    double share = std::min(most / problem.flops, 1.0);
    reference *= share;
    compared *= share;
  }
  double launch = launchSeconds + problem.rooflineUs * 1e-6 * rooflineFactor +
                  (looksAtAll * (inputs + outputs) + looksAtOutputs * outputs) /
                      lookedAtPerSecond;
  uint64_t bytes = operandBytes(entry, problem);
  double seconds = 0;
  for (size_t i = 0; i != problem.draws.size(); ++i) {
    unsigned sets = i == 0 && hasInPlace(entry, problem) ? 2 : 1;
    seconds += sets * (inputs / drawnPerSecond + compared / comparedPerSecond) +
               reference + launch * (checkLaunches(bytes, i == 0) + sets - 1);
  }
  return seconds;
}
