//===- ModelFit.h - The model beside what was measured ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_RANK_MODELFIT_H
#define LATHE_RANK_MODELFIT_H

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
  /// How much slower the best of the model's first (four) is than the best.
  double regret1 = 0, regret4 = 0;
};

/// Ties of the model count as the slowest of them, so that it is not flattered.
FitAnswer fitOf(llvm::ArrayRef<FitSample> samples);

/// Over an entry's sizes with enough measured kernels.
struct ModelFit {
  std::string entry, op, arch;
  unsigned sizes = 0, kernels = 0;
  double correlation = 0;          ///< median
  double regret1 = 0, regret4 = 0; ///< means
  double worstRegret1 = 0, worstRegret4 = 0;
};

/// Fewer measured kernels at a size say nothing about an order.
inline constexpr size_t leastFitKernels = 3;

void printModelFits(llvm::raw_ostream &os, llvm::ArrayRef<ModelFit> fits);
llvm::json::Value modelFitsToJson(llvm::ArrayRef<ModelFit> fits);

} // namespace lathe

#endif // LATHE_RANK_MODELFIT_H
