//===- LoadHistogram.cpp - Reads a histogram of shapes --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadHistogram.h"
#include "RefuseFigures.h"

#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Load.h"
#include "lathe/Ingest/Yaml.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace lathe;
using namespace lathe::yaml;
using llvm::Expected;
using llvm::StringRef;

static bool loadDims(Reader &reader, const Node &node, const OperatorSpec &spec,
                     const OpSetEntry &entry, Bindings &dims) {
  bool ok = mapWithoutFigures(reader, node, "dims", givenDims(spec), spec);
  if (!ok)
    return false;
  for (const DimSpec &dim : spec.dims) {
    const Node *value = reader.find(node, dim.name);
    if (!value)
      continue;
    std::string what = "dims." + dim.name;
    if (dim.kind == DimKind::List) {
      if (auto list = reader.integers(*value, what))
        dims[dim.name] = std::move(*list);
      else
        ok = false;
    } else if (auto number = reader.integer(*value, what, dim.min, dim.max)) {
      dims[dim.name] = *number;
    } else {
      ok = false;
    }
  }
  if (!ok)
    return false;
  auto bound = bindDims(spec, entry, dims);
  if (!bound) {
    reader.diagnostics.error(node, llvm::toString(bound.takeError()));
    return false;
  }
  dims = std::move(*bound);
  return true;
}

static void loadPoint(Reader &reader, const Node &node, const OpSet &opset,
                      const OperatorTable &operators, Histogram &histogram) {
  if (!reader.map(node, "points",
                  {"operator", "phase", "dims", "count", "time_us", "weight"}))
    return;
  HistogramPoint point;
  const Node *name = reader.require(node, "operator", "points");
  const Node *dims = reader.require(node, "dims", "points");
  const Node *weight = reader.require(node, "weight", "points");
  const Node *phase = reader.require(node, "phase", "points");
  if (phase)
    point.phase =
        reader.oneOf(*phase, "phase", {"prefill", "decode", "prefill/decode"})
            .value_or("");
  if (weight)
    point.weight = reader.number(*weight, "weight", 0, 1).value_or(0);
  if (const Node *count = reader.find(node, "count"))
    point.count = reader.number(*count, "count", 0, 1e300).value_or(0);
  if (const Node *time = reader.find(node, "time_us"))
    point.timeUs = reader.number(*time, "time_us", 0, 1e300).value_or(0);
  if (!name || !dims)
    return;
  std::vector<StringRef> known;
  for (const OpSetEntry &entry : opset.entries)
    known.push_back(entry.name);
  auto entryName = reader.oneOf(*name, "operator", known);
  if (!entryName)
    return;
  const OpSetEntry &entry = *findEntry(opset, *entryName);
  auto op = operators.find(entry.op);
  if (op == operators.end()) {
    reader.diagnostics.error(*name,
                             "operator '" + entry.op + "' is not loaded");
    return;
  }
  point.entry = *entryName;
  if (loadDims(reader, *dims, op->second, entry, point.dims))
    histogram.points.push_back(std::move(point));
}

Expected<Histogram> lathe::readHistogram(
    StringRef file, const OpSet *opset,
    llvm::function_ref<void(Reader &, const Node &, Histogram &)> loadPoint) {
  Diagnostics diagnostics(file);
  Reader reader(diagnostics);
  Histogram histogram;
  NodePtr root = parseFile(file, diagnostics);
  if (root && reader.map(*root, "histogram",
                         {"histogram", "opset", "description", "source",
                          "unshaped_weight", "points"})) {
    if (const Node *name = reader.require(*root, "histogram", "histogram"))
      histogram.name = reader.name(*name, "histogram").value_or("");
    if (const Node *name = reader.require(*root, "opset", "histogram"))
      histogram.opset = (opset ? reader.oneOf(*name, "opset", {opset->name})
                               : reader.name(*name, "opset"))
                            .value_or("");
    if (const Node *node = reader.find(*root, "description"))
      histogram.description = reader.string(*node, "description").value_or("");
    if (const Node *node = reader.find(*root, "source"))
      histogram.source = reader.string(*node, "source").value_or("");
    if (const Node *node = reader.find(*root, "unshaped_weight"))
      histogram.unshapedWeight =
          reader.number(*node, "unshaped_weight", 0, 1).value_or(0);
    const Node *points = reader.require(*root, "points", "histogram");
    double total = histogram.unshapedWeight;
    if (points && reader.sequence(*points, "points")) {
      for (const NodePtr &item : points->items)
        loadPoint(reader, *item, histogram);
      for (const HistogramPoint &point : histogram.points)
        total += point.weight;
      // Writers round weights to a few digits.
      if (total > 1 + 1e-4)
        diagnostics.error(*points,
                          llvm::formatv("weights are shares of the GPU time, "
                                        "expected a sum of at most 1, found "
                                        "{0:f6}",
                                        total));
      if (opset && points->items.empty())
        diagnostics.error(*points, "points: expected a point");
    }
  }
  if (diagnostics.hasErrors())
    return diagnostics.take();
  return histogram;
}

Expected<Histogram> lathe::loadHistogram(StringRef file, const OpSet &opset,
                                         const OperatorTable &operators) {
  return readHistogram(
      file, &opset,
      [&](Reader &reader, const Node &item, Histogram &histogram) {
        loadPoint(reader, item, opset, operators, histogram);
      });
}
