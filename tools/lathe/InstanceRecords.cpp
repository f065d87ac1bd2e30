//===- InstanceRecords.cpp - The manifest's view of a plan ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstanceRecords.h"
#include "BundleText.h"

#include "lathe/Plan/PlannedKernel.h"
#include "lathe/Plan/ReadProblem.h"
#include "lathe/Plan/Roofline.h"
#include "lathe/Support/ListName.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace lathe;
using namespace lathe::tool;
using llvm::StringRef;
namespace json = llvm::json;

json::Array tool::targetRecords(llvm::ArrayRef<Hardware> targets) {
  json::Array records;
  for (const Hardware &target : targets) {
    json::Object peaks;
    for (const auto &[dtype, peak] : target.peakFlops)
      peaks[dtype] = peak;
    json::Object record{{"name", target.name},
                        {"arch", target.arch},
                        {"source", target.source},
                        {"peaks", std::move(peaks)},
                        {"bandwidth", target.bandwidth},
                        {"launch_floor_us", target.launchFloorUs}};
    // Where nobody measured it, the loader fills the published one in.
    if (target.achievedBandwidth != target.bandwidth)
      record["achieved_bandwidth"] = target.achievedBandwidth;
    records.push_back(std::move(record));
  }
  return records;
}

llvm::Expected<Hardware> tool::hardwareOfRecord(const json::Value &record) {
  json::Path::Root root("target");
  json::ObjectMapper object(record, root);
  Hardware hardware;
  std::map<std::string, double> peaks;
  if (!object || !object.map("name", hardware.name) ||
      !object.map("arch", hardware.arch) || !object.map("peaks", peaks) ||
      !object.map("bandwidth", hardware.bandwidth) ||
      !object.mapOptional("achieved_bandwidth", hardware.achievedBandwidth) ||
      !object.map("launch_floor_us", hardware.launchFloorUs))
    return root.getError();
  if (!(hardware.bandwidth > 0))
    return llvm::createStringError("target: expected a bandwidth above 0");
  hardware.peakFlops.insert(peaks.begin(), peaks.end());
  if (hardware.achievedBandwidth <= 0)
    hardware.achievedBandwidth = hardware.bandwidth;
  return hardware;
}

namespace {

/// Planned kernels by entry and name.
using KernelIndex =
    std::map<std::pair<std::string, std::string>, PlannedKernel>;

bool isDefaultStride(const DimSpec &dim, const ExprValue &value,
                     const Bindings &bindings) {
  if (dim.kind != DimKind::Stride || value.isList || !dim.defaultValue)
    return false;
  auto usual = dim.defaultValue->evaluate(bindings);
  if (!usual) {
    llvm::consumeError(usual.takeError());
    return false;
  }
  return *usual == value.elements.front();
}

/// A batch may have thousands of sequences: the histogram has them in full.
json::Value listRecord(const std::vector<int64_t> &values) {
  constexpr size_t most = 16;
  if (values.size() <= most)
    return json::Array(values);
  double sum = 0;
  for (int64_t value : values)
    sum += static_cast<double>(value);
  return json::Object{{"count", static_cast<int64_t>(values.size())},
                      {"min", *llvm::min_element(values)},
                      {"max", *llvm::max_element(values)},
                      {"sum", sum},
                      {"name", listName(values)}};
}

json::Object dimsRecord(const OperatorSpec &spec, const Bindings &dims) {
  json::Object record;
  for (const DimSpec &dim : spec.dims) {
    if (!dim.isGiven())
      continue;
    const ExprValue &value = dims.find(dim.name)->second;
    if (value.isList)
      record[dim.name] = listRecord(value.elements);
    else if (!isDefaultStride(dim, value, dims))
      record[dim.name] = value.elements.front();
  }
  return record;
}

/// One instance on one target.
json::Object boundRecord(const Hardware &hardware, const CostValue &cost,
                         const OperatorSpec &spec, const ShapeFacts &facts,
                         const DispatchTable *table, const KernelIndex &kernels,
                         const MeasuredTimes *times) {
  RooflineAnswer roofline = rooflineOf(hardware, cost);
  json::Object record{{"target", hardware.name},
                      {"roofline_us", roofline.timeUs},
                      {"attainable_us", roofline.attainableUs},
                      {"regime", regimeName(roofline.regime)},
                      {"case", "unserved"}};
  if (!table)
    return record;
  // Allocators align far beyond what any kernel asks for.
  auto row = llvm::find_if(table->cases, [&](const DispatchCase &item) {
    return item.arch == hardware.arch && admits(item.guards, facts.bindings);
  });
  if (row == table->cases.end())
    return record;
  record["case"] = caseKindName(row->kind);
  record["kernel"] = row->kernel;
  if (auto kernel = kernels.find({table->entry, row->kernel});
      kernel != kernels.end()) {
    // Nothing rather than infinity, which JSON cannot say.
    double us = modelTime(kernel->second, spec, hardware, facts);
    if (std::isfinite(us))
      record["model_us"] = us;
  }
  const MeasuredKernel *measured =
      times ? times->find(table->entry, row->kernel) : nullptr;
  if (auto size = sizeKey(facts.bindings, spec); size && measured)
    if (auto time = measured->times.find(*size);
        time != measured->times.end()) {
      KernelTime plain = time->second.withoutDrift();
      record["measured_us"] = plain.us;
      record["measured_low_us"] = plain.lowUs;
      record["measured_high_us"] = plain.highUs;
    }
  return record;
}

} // namespace

llvm::Expected<json::Array>
tool::instanceRecords(mlir::ModuleOp problem, const PlanInput &input,
                      llvm::ArrayRef<DispatchTable> tables,
                      const MeasuredTimes *times) {
  KernelIndex kernels;
  for (PlannedKernel &kernel : readCandidates(problem)) {
    auto key = std::make_pair(kernel.entry, kernel.kernel);
    kernels.try_emplace(std::move(key), std::move(kernel));
  }
  json::Array records;
  for (const HistogramPoint &point : input.histogram.points) {
    const OpSetEntry &entry = *findEntry(input.opset, point.entry);
    const OperatorSpec &spec = operatorOf(input, entry);
    auto facts = factsOf(spec, entry, point.dims);
    if (!facts)
      return facts.takeError();
    auto cost = evaluateCost(spec, entry, facts->bindings);
    if (!cost)
      return cost.takeError();
    auto table = llvm::find_if(tables, [&](const DispatchTable &item) {
      return item.entry == point.entry;
    });
    json::Object flops;
    for (const auto &[dtype, count] : cost->flops)
      flops[dtype] = flops.getInteger(dtype).value_or(0) + count;
    json::Array bounds;
    for (const Hardware &hardware : input.targets)
      bounds.push_back(boundRecord(hardware, *cost, spec, *facts,
                                   table == tables.end() ? nullptr : table,
                                   kernels, times));
    records.push_back(json::Object{{"entry", point.entry},
                                   {"phase", point.phase},
                                   {"dims", dimsRecord(spec, facts->bindings)},
                                   {"weight", point.weight},
                                   {"flops", std::move(flops)},
                                   {"read", cost->readBytes},
                                   {"write", cost->writeBytes},
                                   {"targets", std::move(bounds)}});
  }
  return records;
}
