//===- Fixture.h - A small workload for planner tests -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TEST_UNIT_PLAN_FIXTURE_H
#define LATHE_TEST_UNIT_PLAN_FIXTURE_H

#include "lathe/Ingest/Load.h"
#include "lathe/Plan/Plan.h"

#include <gtest/gtest.h>

namespace lathe::test {

inline Expr expr(llvm::StringRef text) {
  return llvm::cantFail(Expr::parse(text));
}

inline Hardware hopper() {
  Hardware hw;
  hw.name = "h200";
  hw.vendor = "nvidia";
  hw.arch = "sm_90a";
  hw.peakFlops = {{"bf16", 989e12}, {"f32", 67e12}};
  hw.bandwidth = 4.8e12;
  hw.achievedBandwidth = 4.28e12;
  hw.multiprocessors = 132;
  hw.warpSize = 32;
  hw.l2Bytes = 60 << 20;
  hw.sharedPerSm = 228 << 10;
  hw.sharedPerBlock = 227 << 10;
  hw.registersPerSm = 65536;
  hw.maxRegistersPerThread = 255;
  hw.threadsPerSm = 2048;
  hw.blocksPerSm = 32;
  hw.maxThreadsPerBlock = 1024;
  hw.launchFloorUs = 2;
  hw.clockHz = 1.98e9;
  hw.compilable = true;
  return hw;
}

inline std::string templateDir() {
  return std::string(LATHE_SOURCE_DIR) + "/test/Plan/Inputs/operators";
}

/// The operator in templateDir() with one entry, and points (T, H, weight).
inline PlanInput
workload(std::vector<std::tuple<int64_t, int64_t, double>> points) {
  PlanInput input;
  auto operators = loadOperators({templateDir()});
  if (!operators) {
    ADD_FAILURE() << llvm::toString(operators.takeError());
    return input;
  }
  for (auto &item : *operators)
    input.operators.push_back(item.second);
  input.opset.name = "test";
  OpSetEntry entry;
  entry.name = "scaled";
  entry.op = "scale";
  entry.dtypes = {{"DT", "bf16"}};
  entry.scalars = {{"factor", 2.0}};
  input.histogram.name = "day";
  input.histogram.opset = "test";
  for (auto [t, h, weight] : points) {
    HistogramPoint point;
    point.entry = "scaled";
    point.phase = "decode";
    point.dims = {{"T", t}, {"H", h}, {"XS", h}};
    point.weight = weight;
    input.histogram.points.push_back(point);
    auto &values = entry.staticDims["H"];
    if (!llvm::is_contained(values, h))
      values.push_back(h);
  }
  if (points.empty())
    entry.staticDims["H"] = {128};
  input.opset.entries = {entry};
  input.targets = {hopper()};
  return input;
}

/// The operator `product` with points (M, N, K) of equal weight, on hardware
/// with TMA and wgmma.
inline PlanInput
products(std::vector<std::tuple<int64_t, int64_t, int64_t>> points) {
  PlanInput input = workload({});
  input.targets[0].features = {"tma", "wgmma"};
  OpSetEntry entry;
  entry.name = "projection";
  entry.op = "product";
  entry.dtypes = {{"DT", "bf16"}};
  for (auto [m, n, k] : points) {
    HistogramPoint point;
    point.entry = entry.name;
    point.phase = "decode";
    point.dims = {{"M", m}, {"N", n}, {"K", k}};
    point.weight = 1.0 / static_cast<double>(points.size());
    input.histogram.points.push_back(point);
    for (auto [name, value] : {std::make_pair("N", n), {"K", k}}) {
      auto &values = entry.staticDims[name];
      if (!llvm::is_contained(values, value))
        values.push_back(value);
    }
  }
  input.opset.entries = {entry};
  return input;
}

} // namespace lathe::test

#endif // LATHE_TEST_UNIT_PLAN_FIXTURE_H
