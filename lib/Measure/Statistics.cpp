//===- Statistics.cpp - What samples say ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Measure/Statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>

using namespace lathe::measure;

const char *lathe::measure::comparisonName(Comparison comparison) {
  switch (comparison) {
  case Comparison::Faster:
    return "faster";
  case Comparison::Slower:
    return "slower";
  case Comparison::Tie:
    return "tie";
  }
  return "";
}

/// Of sorted values; 0 of none.
static double quantile(const std::vector<double> &sorted, double at) {
  if (sorted.empty())
    return 0;
  double place = at * double(sorted.size() - 1);
  size_t below = size_t(place);
  size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] +
         (place - double(below)) * (sorted[above] - sorted[below]);
}

/// How many values to leave out at either end, so that the median of what was
/// sampled lies between the rest with at least 95 %: the largest k with
/// P(Binomial(n, 1/2) < k) <= 2.5 %.
static size_t outsideMedian(size_t n) {
  double probability = std::ldexp(1.0, -int(std::min<size_t>(n, 1000)));
  if (n > 1000) // the normal approximation, by far good enough here
    return size_t(double(n) / 2 - 0.98 * std::sqrt(double(n)));
  double sum = 0;
  size_t k = 0;
  while (sum + probability <= 0.025) {
    sum += probability;
    probability *= double(n - k) / double(k + 1);
    ++k;
  }
  return k;
}

Summary lathe::measure::summarize(std::vector<double> samples) {
  Summary result;
  result.samples = samples.size();
  if (samples.empty())
    return result;
  std::sort(samples.begin(), samples.end());
  result.least = samples.front();
  result.median = quantile(samples, 0.5);
  // The interval excludes k values at either end; with none to exclude it is
  // all there is, which claims less than 95 %.
  size_t k = outsideMedian(samples.size());
  size_t first = k ? k - 1 : 0;
  result.low = samples[first];
  result.high = samples[samples.size() - 1 - first];
  if (result.median > 0)
    result.spread =
        (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2 / result.median;
  return result;
}

PairedAnswer lathe::measure::comparePairs(const std::vector<double> &a,
                                          const std::vector<double> &b,
                                          double floor) {
  if (a.size() != b.size())
    throw std::invalid_argument(
        "paired series differ in length: " + std::to_string(a.size()) +
        " and " + std::to_string(b.size()));
  // Logarithms make the answer for (b, a) the inverse of that for (a, b).
  std::vector<double> logs;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] > 0 && b[i] > 0)
      logs.push_back(std::log(a[i] / b[i]));
  PairedAnswer answer;
  if (logs.empty())
    return answer;
  Summary summary = summarize(logs);
  answer.ratio = std::exp(summary.median);
  answer.low = std::exp(summary.low);
  answer.high = std::exp(summary.high);
  // Too few pairs bear nothing out, however they look.
  if (outsideMedian(logs.size()) == 0)
    return answer;
  double least = -std::log1p(-floor);
  if (summary.high < 0 && summary.median < -least)
    answer.comparison = Comparison::Faster;
  else if (summary.low > 0 && summary.median > least)
    answer.comparison = Comparison::Slower;
  return answer;
}

static std::vector<double> averageRanks(const std::vector<double> &values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(),
            [&](size_t i, size_t j) { return values[i] < values[j]; });
  std::vector<double> ranks(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]])
      ++end;
    for (size_t i = first; i < end; ++i)
      ranks[order[i]] = double(first + end - 1) / 2;
    first = end;
  }
  return ranks;
}

double lathe::measure::rankCorrelation(const std::vector<double> &a,
                                       const std::vector<double> &b) {
  if (a.size() != b.size())
    throw std::invalid_argument(
        "ranked series differ in length: " + std::to_string(a.size()) +
        " and " + std::to_string(b.size()));
  if (a.size() < 2)
    return 0;
  std::vector<double> ranksA = averageRanks(a), ranksB = averageRanks(b);
  double mean = double(a.size() - 1) / 2;
  double both = 0, squaresA = 0, squaresB = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    both += (ranksA[i] - mean) * (ranksB[i] - mean);
    squaresA += (ranksA[i] - mean) * (ranksA[i] - mean);
    squaresB += (ranksB[i] - mean) * (ranksB[i] - mean);
  }
  if (squaresA == 0 || squaresB == 0)
    return 0;
  return both / std::sqrt(squaresA * squaresB);
}
