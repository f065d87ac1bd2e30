//===- Statistics.h - What samples say --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pure functions; the same samples give the same answer.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_MEASURE_STATISTICS_H
#define LATHE_MEASURE_STATISTICS_H

#include <string>
#include <vector>

namespace lathe::measure {

struct Summary {
  size_t samples = 0;
  double median = 0;
  double low = 0, high = 0; ///< 95 % confidence of the median, order statistics
  double spread = 0; ///< half the distance of the quartiles over the median
  double least = 0;
};

/// No samples: all zero.
Summary summarize(std::vector<double> samples);

enum class Comparison { Faster, Slower, Tie };
const char *comparisonName(Comparison comparison); ///< "faster", ...

/// Is the first of two interleaved series faster? Pairs are (a[i], b[i]) that
/// were taken beside each other. A difference below `floor` (relative), or one
/// that the pairs do not bear out, is a tie.
struct PairedAnswer {
  Comparison comparison = Comparison::Tie;
  double ratio = 1;         ///< median of a[i] / b[i]
  double low = 1, high = 1; ///< its 95 % confidence
};
PairedAnswer comparePairs(const std::vector<double> &a,
                          const std::vector<double> &b, double floor = 0.01);

/// Ranks' correlation by Spearman, average ranks for ties; 0 for fewer than
/// two.
double rankCorrelation(const std::vector<double> &a,
                       const std::vector<double> &b);

} // namespace lathe::measure

#endif // LATHE_MEASURE_STATISTICS_H
