//===- ReportData.cpp - Reads what the page shows -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportData.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>
#include <tuple>

using namespace lathe;
using namespace lathe::report;
using llvm::StringRef;
namespace json = llvm::json;

double Instance::totalFlops() const {
  double total = 0;
  for (const auto &[dtype, count] : flops)
    total += count;
  return total;
}

namespace lathe::report {

static bool fromJSON(const json::Value &from, Dim &dim, json::Path path) {
  if (from.getAsObject()) {
    json::ObjectMapper object(from, path);
    return object && object.map("count", dim.count) &&
           object.map("min", dim.min) && object.map("max", dim.max) &&
           object.map("sum", dim.sum);
  }
  dim.isList = from.getAsArray() != nullptr;
  if (dim.isList)
    return json::fromJSON(from, dim.values, path);
  return json::fromJSON(from, dim.values.emplace_back(), path);
}

static bool fromJSON(const json::Value &from, Target &target, json::Path path) {
  json::ObjectMapper object(from, path);
  return object && object.map("name", target.name) &&
         object.map("arch", target.arch) &&
         object.mapOptional("source", target.source) &&
         object.mapOptional("peaks", target.peaks) &&
         object.mapOptional("bandwidth", target.bandwidth) &&
         object.mapOptional("achieved_bandwidth", target.achievedBandwidth) &&
         object.mapOptional("launch_floor_us", target.launchFloorUs);
}

static bool fromJSON(const json::Value &from, Bound &bound, json::Path path) {
  json::ObjectMapper object(from, path);
  if (!object || !object.map("target", bound.targetName) ||
      !object.map("regime", bound.regime) ||
      !object.map("case", bound.caseName) ||
      !object.map("roofline_us", bound.rooflineUs) ||
      !object.map("attainable_us", bound.attainableUs) ||
      !object.map("model_us", bound.modelUs) ||
      !object.map("measured_us", bound.measuredUs) ||
      !object.map("measured_low_us", bound.measuredLowUs) ||
      !object.map("measured_high_us", bound.measuredHighUs) ||
      !object.mapOptional("kernel", bound.kernel))
    return false;
  auto kind = llvm::find(kindNames, StringRef(bound.caseName));
  if (kind == std::end(kindNames)) {
    path.field("case").report("expected exact, bucket, generic or unserved");
    return false;
  }
  bound.kind = size_t(kind - std::begin(kindNames));
  return true;
}

static bool fromJSON(const json::Value &from, Instance &instance,
                     json::Path path) {
  json::ObjectMapper object(from, path);
  return object && object.map("entry", instance.entry) &&
         object.map("phase", instance.phase) &&
         object.map("dims", instance.dims) &&
         object.map("weight", instance.weight) &&
         object.map("flops", instance.flops) &&
         object.map("read", instance.read) &&
         object.map("write", instance.write) &&
         object.map("targets", instance.bounds);
}

static bool fromJSON(const json::Value &from, CoverageRow &row,
                     json::Path path) {
  json::ObjectMapper object(from, path);
  return object && object.mapOptional("entry", row.entry) &&
         object.mapOptional("operator", row.op) &&
         object.map("arch", row.arch) &&
         object.map("instances", row.instances) &&
         object.map("share", row.share) && object.map("exact", row.parts[0]) &&
         object.map("bucket", row.parts[1]) &&
         object.map("generic", row.parts[2]) &&
         object.map("unserved", row.parts[unservedKind]) &&
         object.mapOptional("kernels", row.kernels) &&
         object.mapOptional("bytes", row.bytes) &&
         object.mapOptional("reason", row.reason);
}

static bool fromJSON(const json::Value &from, Source &source, json::Path path) {
  json::ObjectMapper object(from, path);
  return object && object.map("name", source.name) &&
         object.mapOptional("description", source.description) &&
         object.mapOptional("source", source.source) &&
         object.mapOptional("sha256", source.sha256);
}

static bool fromJSON(const json::Value &from, Device &device, json::Path path) {
  json::ObjectMapper object(from, path);
  return object && object.map("device", device.name) &&
         object.map("driver", device.driver);
}

static bool fromJSON(const json::Value &from, Fit &fit, json::Path path) {
  json::ObjectMapper object(from, path);
  return object && object.map("entry", fit.entry) &&
         object.map("arch", fit.arch) && object.map("sizes", fit.sizes) &&
         object.map("kernels", fit.kernels) &&
         object.map("correlation", fit.correlation) &&
         object.map("regret1", fit.regret1) &&
         object.map("regret4", fit.regret4) &&
         object.map("worst_regret1", fit.worstRegret1) &&
         object.map("worst_regret4", fit.worstRegret4);
}

} // namespace lathe::report

/// The coverage object, whose parts are optional together.
static bool readCoverage(const json::Object &manifest, Data &data,
                         json::Path path) {
  const json::Value *from = manifest.get("coverage");
  if (!from)
    return true;
  json::ObjectMapper object(*from, path.field("coverage"));
  return object && object.map("entries", data.coverage) &&
         object.map("totals", data.totals) &&
         object.mapOptional("unshaped", data.unshaped);
}

static bool readManifest(const json::Object &manifest, Data &data,
                         json::Path path) {
  auto optional = [&](StringRef name, auto &out) {
    const json::Value *from = manifest.get(name);
    return !from || fromJSON(*from, out, path.field(name));
  };
  return optional("lathe", data.lathe) && optional("llvm", data.llvm) &&
         optional("tools", data.tools) && optional("opset", data.opset) &&
         optional("histogram", data.histogram) &&
         optional("targets", data.targets) &&
         optional("instances", data.instances) &&
         optional("measured", data.device) &&
         optional("model_fit", data.fits) && readCoverage(manifest, data, path);
}

/// The page has a column per architecture and a plot per target: a manifest
/// must not make it grow with the square of its own size.
static llvm::Error checkCounts(const Data &data) {
  constexpr size_t most = 64;
  std::set<StringRef> archs;
  for (const auto *rows : {&data.coverage, &data.totals})
    for (const CoverageRow &row : *rows)
      archs.insert(row.arch);
  if (archs.size() > most)
    return llvm::createStringError(
        "manifest.coverage: found " + llvm::Twine(archs.size()) +
        " architectures, expected at most " + llvm::Twine(most));
  if (data.targets.size() > most)
    return llvm::createStringError(
        "manifest.targets: found " + llvm::Twine(data.targets.size()) +
        " targets, expected at most " + llvm::Twine(most));
  return llvm::Error::success();
}

static llvm::Error resolve(Data &data) {
  using CaseKey = std::tuple<StringRef, StringRef, StringRef, size_t>;
  std::map<StringRef, const DispatchTable *> tables;
  std::map<CaseKey, const DispatchCase *> cases;
  for (const DispatchTable &table : data.bundle->tables) {
    tables.try_emplace(table.entry, &table);
    for (const DispatchCase &row : table.cases)
      cases.try_emplace({table.entry, row.arch, row.kernel, size_t(row.kind)},
                        &row);
  }
  std::map<StringRef, size_t> targets;
  for (auto [i, target] : llvm::enumerate(data.targets))
    targets.try_emplace(target.name, i);
  if (!data.instances)
    return llvm::Error::success();
  for (auto [i, instance] : llvm::enumerate(*data.instances)) {
    std::string place = "manifest.instances[" + std::to_string(i) + "]: ";
    auto table = tables.find(instance.entry);
    instance.table = table == tables.end() ? nullptr : table->second;
    for (Bound &bound : instance.bounds) {
      auto target = targets.find(bound.targetName);
      if (target == targets.end())
        return llvm::createStringError(place + "unknown target '" +
                                       bound.targetName + "'");
      bound.target = target->second;
      if (bound.kind == unservedKind)
        continue;
      auto row = cases.find({instance.entry, data.targets[bound.target].arch,
                             bound.kernel, bound.kind});
      if (row == cases.end())
        return llvm::createStringError(
            place + "'" + instance.entry + "' has no " + bound.caseName +
            " case with kernel '" + bound.kernel + "' for target '" +
            bound.targetName + "'");
      bound.row = row->second;
    }
  }
  return llvm::Error::success();
}

llvm::Expected<Data> report::readData(const Bundle &bundle) {
  Data data;
  data.bundle = &bundle;
  json::Path::Root root("manifest");
  if (!readManifest(bundle.manifest, data, root))
    return root.getError();
  if (auto error = checkCounts(data))
    return std::move(error);
  if (auto error = resolve(data))
    return std::move(error);
  return data;
}
