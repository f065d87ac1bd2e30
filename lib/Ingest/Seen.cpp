//===- Seen.cpp - Shapes that were seen somewhere -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Seen.h"

#include "JsonFile.h"
#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Yaml.h"

#include "llvm/ADT/STLExtras.h"

using namespace lathe;

/// Files of others can name any number of different things.
static constexpr size_t maxLines = 10000;

std::string ShapeCollector::shown(const std::string &what) {
  std::string text;
  for (char c : what.substr(0, 400))
    text += c >= 0x20 && c < 0x7f ? c : '?';
  return text;
}

/// Lists are cut off after `most` elements.
static std::string dimsText(const Bindings &dims, size_t most) {
  std::string text;
  for (auto &[name, value] : dims) {
    text += (text.empty() ? "" : ", ") + name + " = ";
    for (size_t i = 0; i < value.elements.size() && i < most; ++i)
      text += (i ? " " : "") + std::to_string(value.elements[i]);
  }
  return text;
}

void ShapeCollector::setEntries(const OpSet &opset) {
  fixedEntries = true;
  seen.opset = opset;
}

void ShapeCollector::add(const SeenShape &shape) {
  auto spec = operators.find(shape.choice.op);
  if (spec == operators.end())
    return addUncovered(shape.choice.op + ": the operator is not loaded");
  OpSetEntry *entry = nullptr;
  for (OpSetEntry &other : seen.opset.entries)
    if (fixedEntries ? other.name == shape.choice.name
                     : other.op == shape.choice.op &&
                           other.options == shape.choice.options &&
                           other.dtypes == shape.choice.dtypes &&
                           other.scalars == shape.choice.scalars)
      entry = &other;
  // Checked without the static dims seen so far.
  OpSetEntry alone = entry && fixedEntries ? *entry : shape.choice;
  auto bound = bindAll(spec->second, alone, shape.dims);
  if (!bound)
    return addUncovered(shape.choice.op + " (" + dimsText(shape.dims, 8) +
                        "): " + llvm::toString(bound.takeError()));
  auto dims = bindDims(spec->second, alone, shape.dims);
  if (!dims)
    return addUncovered(llvm::toString(dims.takeError()));
  if (!entry) {
    entry = &seen.opset.entries.emplace_back(shape.choice);
    std::string base = entry->name.empty() ? entry->op : entry->name;
    auto taken = [&](const std::string &name) {
      return llvm::any_of(
          llvm::ArrayRef(seen.opset.entries).drop_back(),
          [&](const OpSetEntry &other) { return other.name == name; });
    };
    entry->name = base;
    for (unsigned i = 2; taken(entry->name); ++i)
      entry->name = base + "_" + std::to_string(i);
  }
  if (!fixedEntries)
    for (const DimSpec &dim : spec->second.dims)
      if (dim.kind == DimKind::Static) {
        int64_t value = dims->find(dim.name)->second.elements[0];
        std::vector<int64_t> &values = entry->staticDims[dim.name];
        if (!llvm::is_contained(values, value))
          values.insert(llvm::upper_bound(values, value), value);
      }
  auto [it, fresh] = points.try_emplace(entry->name + "|" + shape.phase + "|" +
                                            dimsText(*dims, SIZE_MAX),
                                        seen.histogram.points.size());
  if (fresh) {
    HistogramPoint &point = seen.histogram.points.emplace_back();
    point.entry = entry->name;
    point.phase = shape.phase;
    point.dims = std::move(*dims);
  }
  HistogramPoint &point = seen.histogram.points[it->second];
  point.count += shape.count;
  point.timeUs += shape.timeUs;
}

llvm::Expected<SeenShapes> ShapeCollector::finish() {
  std::vector<HistogramPoint> &points = seen.histogram.points;
  auto truncate = [](std::map<std::string, uint64_t> &lines, const char *what) {
    if (lines.size() <= maxLines)
      return;
    uint64_t dropped = 0;
    for (auto it = std::next(lines.begin(), maxLines); it != lines.end();
         it = lines.erase(it))
      dropped += it->second;
    lines[std::string("more ") + what] = dropped;
  };
  truncate(seen.uncovered, "that is not listed");
  truncate(seen.notes, "notes that are not listed");
  if (points.empty()) {
    std::string message = "error: no shape of an operator was found";
    for (auto *lines : {&seen.uncovered, &seen.notes})
      for (auto &[line, count] : *lines)
        message += "\n  " + line + " (" + std::to_string(count) + " times)";
    return llvm::make_error<yaml::InputError>(std::move(message));
  }
  bool timed = llvm::all_of(points, [](auto &p) { return p.timeUs > 0; });
  double total = 0;
  for (HistogramPoint &point : points) {
    const OpSetEntry &entry = *findEntry(seen.opset, point.entry);
    point.weight = point.timeUs;
    if (!timed) {
      const OperatorSpec &spec = operators.find(entry.op)->second;
      auto bindings = bindAll(spec, entry, point.dims);
      if (!bindings)
        return bindings.takeError();
      auto cost = evaluateCost(spec, entry, *bindings);
      if (!cost)
        return cost.takeError();
      double bytes = double(cost->readBytes) + double(cost->writeBytes);
      double us = bytes / reference.bandwidth * 1e6;
      if (auto time = rooflineUs(*cost, reference))
        us = *time;
      else
        ++seen.notes["assumed: weights by bytes alone: " +
                     llvm::toString(time.takeError())];
      // A call lasts as long as an empty kernel at least.
      point.weight =
          std::max(us, reference.launchFloorUs) * std::max(point.count, 1.0);
    }
    total += point.weight;
  }
  for (HistogramPoint &point : points) {
    point.weight = total > 0 ? point.weight / total : 1.0 / points.size();
    for (OpSetEntry &entry : seen.opset.entries)
      if (entry.name == point.entry)
        entry.importance += point.weight;
  }
  for (OpSetEntry &entry : seen.opset.entries)
    entry.importance = std::min(entry.importance, 1.0);
  if (!timed)
    ++seen.notes["assumed: no times are recorded; weight is calls (1 where not "
                 "recorded) times the roofline time on " +
                 reference.name + ", and at least an empty kernel's"];
  return std::move(seen);
}
