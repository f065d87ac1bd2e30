//===- Atrex.h - Imports an Atrex-Bench folder ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights: an operator has its normalised importance; within it a shape has the
// share of its time. The time of a shape is its recorded total duration; else
// its call count times its production time; where the count is missing, the
// median of the operator's counts (1 if it has none) stands in, and where the
// production time is missing, the roofline time on the reference hardware.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_INGEST_ATREX_H
#define LATHE_INGEST_ATREX_H

#include "lathe/Ingest/Load.h"

namespace lathe {

/// How one operator of the folder came through.
struct AtrexSummary {
  std::string op;
  double importance = 0; ///< normalised
  unsigned shapes = 0, imported = 0;
  /// By what their time is known; they add up to `imported` plus failures.
  unsigned byDuration = 0, byProduction = 0, byRoofline = 0;
  unsigned assumedCounts = 0; ///< of these, with a count that stands in
};

struct AtrexImport {
  OpSet opset;
  Histogram histogram;
  std::vector<AtrexSummary> operators;
  /// What was left out, one line each; its weight is the histogram's
  /// unshapedWeight.
  std::vector<std::string> problems;
  /// What was read but means nothing here.
  std::vector<std::string> notes;
};

/// Another value of an option than the benchmark asks for.
struct AtrexVariant {
  std::string op, option, value;

  /// "block_scaled_mm.accumulate=native".
  static llvm::Expected<AtrexVariant> parse(llvm::StringRef text);
};

/// `directory` is the benchmark's folder or its data/. Each of `also` adds an
/// entry beside every one of its operator that has another value, with the same
/// shapes; as nobody asked for it, it has no importance and no weight.
llvm::Expected<AtrexImport> importAtrex(llvm::StringRef directory,
                                        const OperatorTable &operators,
                                        const Hardware &reference,
                                        llvm::ArrayRef<AtrexVariant> also = {});

} // namespace lathe

#endif // LATHE_INGEST_ATREX_H
