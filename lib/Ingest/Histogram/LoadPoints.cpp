//===- LoadPoints.cpp - Histograms without their op sets ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ReadHistogram.h"

#include "lathe/Ingest/HistogramTools.h"
#include "lathe/Ingest/Write.h"

using namespace lathe;
using namespace lathe::yaml;
using llvm::StringRef;

static void loadPoint(Reader &reader, const Node &node, Histogram &histogram) {
  if (!reader.map(node, "points",
                  {"operator", "phase", "dims", "count", "time_us", "weight"}))
    return;
  HistogramPoint point;
  if (const Node *name = reader.require(node, "operator", "points"))
    point.entry = reader.name(*name, "operator").value_or("");
  if (const Node *phase = reader.require(node, "phase", "points"))
    point.phase =
        reader.oneOf(*phase, "phase", {"prefill", "decode", "prefill/decode"})
            .value_or("");
  if (const Node *weight = reader.require(node, "weight", "points"))
    point.weight = reader.number(*weight, "weight", 0, 1).value_or(0);
  if (const Node *count = reader.find(node, "count"))
    point.count = reader.number(*count, "count", 0, 1e300).value_or(0);
  if (const Node *time = reader.find(node, "time_us"))
    point.timeUs = reader.number(*time, "time_us", 0, 1e300).value_or(0);
  const Node *dims = reader.require(node, "dims", "points");
  if (dims && reader.map(*dims, "dims"))
    for (auto &[key, value] : dims->entries) {
      auto name = reader.symbol(*key, "dims");
      if (!name)
        continue;
      if (value->kind == Node::Sequence) {
        if (auto list = reader.integers(*value, "dims." + *name))
          point.dims[*name] = std::move(*list);
      } else if (auto number = reader.integer(*value, "dims." + *name)) {
        point.dims[*name] = *number;
      }
    }
  histogram.points.push_back(std::move(point));
}

llvm::Expected<Histogram> lathe::loadPoints(StringRef file) {
  return readHistogram(file, /*opset=*/nullptr, loadPoint);
}

std::string lathe::dimsText(const Bindings &dims, bool full) {
  std::string text;
  for (auto &[name, value] : dims) {
    std::string shown = value.isList ? listText(value.elements)
                                     : std::to_string(value.elements[0]);
    if (!full && shown.size() > 40)
      shown = shown.substr(0, 37) + "...";
    text += (text.empty() ? "" : ", ") + name + " = " + shown;
  }
  return text;
}

/// Text in double quotes for YAML.
static std::string quoted(StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + '"';
}

void lathe::writePoints(llvm::raw_ostream &os, const Histogram &histogram) {
  os << "histogram: " << histogram.name << '\n'
     << "opset: " << histogram.opset << '\n';
  if (!histogram.description.empty())
    os << "description: " << quoted(histogram.description) << '\n';
  if (!histogram.source.empty())
    os << "source: " << quoted(histogram.source) << '\n';
  os << "unshaped_weight: " << numberText(histogram.unshapedWeight, 9)
     << "\npoints:\n";
  for (const HistogramPoint &point : histogram.points) {
    os << "  - {operator: " << point.entry << ", phase: " << point.phase
       << ", dims: {";
    StringRef separator;
    for (auto &[name, value] : point.dims) {
      os << separator << name << ": "
         << (value.isList ? listText(value.elements)
                          : std::to_string(value.elements[0]));
      separator = ", ";
    }
    os << '}';
    if (point.count)
      os << ", count: " << numberText(point.count);
    if (point.timeUs)
      os << ", time_us: " << numberText(point.timeUs);
    os << ", weight: " << numberText(point.weight, 9) << "}\n";
  }
}
