//===- HistogramTools.h - Merging and comparing histograms ---- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_INGEST_HISTOGRAMTOOLS_H
#define LATHE_INGEST_HISTOGRAMTOOLS_H

#include "lathe/Ingest/Model.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace lathe {

/// Reads a histogram without its op set: points have the dims that the file
/// gives them, and nobody checks that the operators have these.
llvm::Expected<Histogram> loadPoints(llvm::StringRef file);

/// Writes what loadPoints reads back.
void writePoints(llvm::raw_ostream &os, const Histogram &histogram);

/// `T = 4, H = 128`, in the order of the names; long lists are cut off unless
/// `full`.
std::string dimsText(const Bindings &dims, bool full = false);

/// Equal points become one; counts, times and shares of weights add up. The
/// weights of histogram i count `shares[i]`, which sum to 1.
llvm::Expected<Histogram> mergeHistograms(llvm::ArrayRef<Histogram> histograms,
                                          llvm::ArrayRef<double> shares);

/// By recorded time if every point of every histogram has one, else equal.
std::vector<double> defaultShares(llvm::ArrayRef<Histogram> histograms);

/// One shape in two histograms.
struct PointChange {
  HistogramPoint point; ///< the new one, or the old one if it is gone
  double oldWeight = 0, newWeight = 0;
  bool wasThere = false, isThere = false;
};

/// Largest change of weight first; equal weights are left out.
std::vector<PointChange> compareHistograms(const Histogram &before,
                                           const Histogram &after);

/// Points by weight, heaviest first; ties in the order of the file.
std::vector<const HistogramPoint *> byWeight(const Histogram &histogram);

} // namespace lathe

#endif // LATHE_INGEST_HISTOGRAMTOOLS_H
