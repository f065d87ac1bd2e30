//===- ModelFit.h - The model beside what was measured ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_RANK_MODELFIT_H
#define LATHE_RANK_MODELFIT_H

#include "lathe/Support/SizeValue.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace lathe {

/// One kernel at a size, as the model and the device see it.
struct FitSample {
  double modelUs = 0, measuredUs = 0;
};

/// How far the model's order of the kernels at one size can be trusted.
struct FitAnswer {
  double correlation = 0; ///< Spearman's, of the two orders
  /// How much slower the best of the model's first (four, eight) is than the
  /// best.
  double regret1 = 0, regret4 = 0, regret8 = 0;
  size_t best = 0;     ///< which sample was measured the fastest
  size_t bestRank = 0; ///< its place in the model's order, from 1
};

/// Ties of the model count as the slowest of them, so that it is not flattered.
FitAnswer fitOf(llvm::ArrayRef<FitSample> samples);

/// One size of an entry.
struct SizeFit {
  /// By dim, in the operator's order, strides left out.
  std::vector<std::pair<std::string, SizeValue>> dims;
  size_t kernels = 0; ///< measured there
  std::string best;   ///< the fastest one
  double bestUs = 0, bestModelUs = 0;
  FitAnswer answer;
};

/// Over an entry's sizes with enough measured kernels.
struct ModelFit {
  std::string entry, op, arch;
  unsigned sizes = 0, kernels = 0;
  double correlation = 0;                       ///< median
  double regret1 = 0, regret4 = 0, regret8 = 0; ///< means
  double worstRegret1 = 0, worstRegret4 = 0, worstRegret8 = 0;
  std::vector<SizeFit> bySize;
};

/// Fewer measured kernels at a size say nothing about an order.
inline constexpr size_t leastFitKernels = 3;

/// The model's first eight kernels are good if the best of them is at most this
/// much slower than the best measured one.
inline constexpr double goodRegret = 0.03;

void printModelFits(llvm::raw_ostream &os, llvm::ArrayRef<ModelFit> fits);
/// One line per size: the best measured kernel, its place in the model's order,
/// and what the model's first one, four and eight lose.
void printRegret(llvm::raw_ostream &os, llvm::ArrayRef<ModelFit> fits);
llvm::json::Value modelFitsToJson(llvm::ArrayRef<ModelFit> fits);

} // namespace lathe

#endif // LATHE_RANK_MODELFIT_H
