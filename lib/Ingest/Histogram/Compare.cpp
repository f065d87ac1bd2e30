//===- Compare.cpp - Merging and comparing histograms ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/HistogramTools.h"

#include "lathe/Ingest/Yaml.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace lathe;

static std::string keyOf(const HistogramPoint &point) {
  return point.entry + "|" + point.phase + "|" + dimsText(point.dims, true);
}

std::vector<double> lathe::defaultShares(llvm::ArrayRef<Histogram> histograms) {
  std::vector<double> times;
  double total = 0;
  for (const Histogram &histogram : histograms) {
    double time = 0;
    for (const HistogramPoint &point : histogram.points) {
      if (!point.timeUs)
        return std::vector<double>(histograms.size(), 1.0 / histograms.size());
      time += point.timeUs;
    }
    // Time without a shape is part of the whole.
    if (histogram.unshapedWeight < 1)
      time /= 1 - histogram.unshapedWeight;
    times.push_back(time);
    total += time;
  }
  if (!(total > 0) || !std::isfinite(total))
    return std::vector<double>(histograms.size(), 1.0 / histograms.size());
  for (double &time : times)
    time /= total;
  return times;
}

llvm::Expected<Histogram>
lathe::mergeHistograms(llvm::ArrayRef<Histogram> histograms,
                       llvm::ArrayRef<double> shares) {
  Histogram result = histograms.front();
  result.points.clear();
  result.unshapedWeight = 0;
  std::map<std::string, size_t> places;
  for (auto [histogram, share] : llvm::zip_equal(histograms, shares)) {
    if (histogram.opset != result.opset)
      return llvm::make_error<yaml::InputError>(
          "error: histograms of different op sets, '" + result.opset +
          "' and '" + histogram.opset + "', cannot be merged");
    result.unshapedWeight += share * histogram.unshapedWeight;
    for (const HistogramPoint &point : histogram.points) {
      auto [it, fresh] = places.try_emplace(keyOf(point), result.points.size());
      if (fresh) {
        result.points.push_back(point);
        result.points.back().weight *= share;
        continue;
      }
      HistogramPoint &sum = result.points[it->second];
      sum.count += point.count;
      sum.timeUs += point.timeUs;
      sum.weight += share * point.weight;
    }
  }
  return result;
}

std::vector<PointChange> lathe::compareHistograms(const Histogram &before,
                                                  const Histogram &after) {
  std::map<std::string, PointChange> changes;
  for (const HistogramPoint &point : before.points) {
    PointChange &change = changes[keyOf(point)];
    change.point = point;
    change.oldWeight += point.weight;
    change.wasThere = true;
  }
  for (const HistogramPoint &point : after.points) {
    PointChange &change = changes[keyOf(point)];
    change.point = point;
    change.newWeight += point.weight;
    change.isThere = true;
  }
  std::vector<PointChange> result;
  for (auto &[key, change] : changes)
    if (change.oldWeight != change.newWeight ||
        change.wasThere != change.isThere)
      result.push_back(std::move(change));
  llvm::sort(result, [](const PointChange &a, const PointChange &b) {
    double moved = std::abs(a.newWeight - a.oldWeight);
    double other = std::abs(b.newWeight - b.oldWeight);
    return moved != other ? moved > other : keyOf(a.point) < keyOf(b.point);
  });
  return result;
}

std::vector<const HistogramPoint *>
lathe::byWeight(const Histogram &histogram) {
  std::vector<const HistogramPoint *> points;
  for (const HistogramPoint &point : histogram.points)
    points.push_back(&point);
  llvm::sort(points, [](auto *a, auto *b) {
    return a->weight != b->weight ? a->weight > b->weight : a < b;
  });
  return points;
}
