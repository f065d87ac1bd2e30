//===- ImportTrace.cpp - Profiler traces to a histogram -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaptureFolder.h"
#include "TraceFormat.h"
#include "TraceJoin.h"
#include "lathe/Ingest/Trace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace lathe;
using llvm::StringRef;
using llvm::Twine;

namespace {
/// Turns what was joined into the histogram and the report.
class Builder {
public:
  Builder(const TraceImportOptions &options, const PatternSet &patterns,
          const Placement &placement, const TraceJoin &join,
          TraceImport &import)
      : options(options), patterns(patterns), placement(placement), join(join),
        import(import) {}

  void run();
  void keepUsed();

private:
  void addCalls();
  void addKernels();
  void addWeights();

  void unshaped(const std::string &what, const Tally &tally) {
    Tally &sum = withoutShape[what];
    sum.calls += tally.calls;
    sum.timeNs += tally.timeNs;
  }

  const TraceImportOptions &options;
  const PatternSet &patterns;
  const Placement &placement;
  const TraceJoin &join;
  TraceImport &import;
  std::map<std::string, Tally> withoutShape;
};
} // namespace

/// Lists and integers, so that equal points are found.
static std::vector<int64_t> flatten(const Bindings &dims) {
  std::vector<int64_t> flat;
  for (auto &[name, value] : dims) {
    flat.push_back(value.elements.size());
    flat.insert(flat.end(), value.elements.begin(), value.elements.end());
  }
  return flat;
}

void Builder::addCalls() {
  using Key = std::tuple<std::string, std::string, std::vector<int64_t>>;
  std::map<Key, HistogramPoint> points;
  std::map<std::string, Tally> assumed;
  Tally unknownPhase;
  for (auto &[key, recorded] : join.byCall) {
    const Tally &tally = recorded;
    const PlacedCall &call = placement.call(key.first);
    std::string name = placement.name(key.first).str();
    if (call.rank == PlacedCall::Unknown) {
      if (tally.timeNs)
        unshaped("unknown operator " + name, tally);
      continue;
    }
    if (call.rank == PlacedCall::Recognized) {
      unshaped(name + " (" + call.op + "): " + call.problem, tally);
      continue;
    }
    auto assume = [&](const std::string &what) {
      assumed[what].calls += tally.calls;
    };
    if (call.assumedStrides)
      assume(name + ": no strides were recorded, taken to be dense");
    for (const std::string &what : call.assumed)
      assume(name + ": " + what + " is not in the call and was assumed");
    std::string phase = key.second;
    if (phase.empty()) {
      phase = options.phase.empty() ? "prefill/decode" : options.phase;
      unknownPhase.calls += tally.calls;
    }
    HistogramPoint &point = points[{call.entry, phase, flatten(call.dims)}];
    point.entry = call.entry;
    point.phase = phase;
    point.dims = call.dims;
    point.count += tally.calls;
    point.timeUs += tally.timeNs / 1e3;
  }
  for (auto &[key, point] : points)
    import.histogram.points.push_back(point);
  for (auto &[what, tally] : assumed)
    import.lines.push_back(
        llvm::formatv("{0} ({1} calls)", what, int64_t(tally.calls)));
  if (unknownPhase.calls)
    import.lines.push_back(llvm::formatv(
        "{0} calls are in no step that a pattern knows, taken for {1}",
        int64_t(unknownPhase.calls),
        options.phase.empty() ? "prefill/decode" : options.phase));
}

void Builder::addKernels() {
  for (auto &[name, tally] : join.byKernel) {
    const Pattern *known = nullptr;
    for (const Pattern &pattern : patterns.kernels)
      if (!known && pattern.matches(name))
        known = &pattern;
    unshaped(known ? "kernel " + name + " (" + known->op +
                         ") outside any operator"
                   : "kernel " + name + " outside any operator",
             tally);
  }
}

/// Shares of the device's time, or of the calls where no time was recorded.
void Builder::addWeights() {
  double total = join.totalNs / 1e3, shaped = 0, calls = 0;
  for (const HistogramPoint &point : import.histogram.points)
    calls += point.count;
  bool byTime = total > 0;
  if (!byTime)
    import.lines.push_back("no time on the device was recorded: weights are "
                           "shares of the calls");
  for (HistogramPoint &point : import.histogram.points) {
    point.weight = byTime ? point.timeUs / total : point.count / calls;
    shaped += point.weight;
  }
  import.histogram.unshapedWeight =
      byTime && shaped < 1 - 1e-9 ? 1 - shaped : 0;
  import.timeUs = total;
  llvm::sort(import.histogram.points,
             [](const HistogramPoint &a, const HistogramPoint &b) {
               if (a.weight != b.weight)
                 return a.weight > b.weight;
               return std::make_tuple(a.entry, a.phase, flatten(a.dims)) <
                      std::make_tuple(b.entry, b.phase, flatten(b.dims));
             });
  std::map<std::string, TraceRow> rows;
  for (const HistogramPoint &point : import.histogram.points) {
    TraceRow &row = rows[point.entry];
    row.name = point.entry;
    row.calls += point.count;
    row.timeUs += point.timeUs;
    ++row.points;
  }
  for (auto &[name, row] : rows)
    import.shaped.push_back(row);
  for (auto &[name, tally] : withoutShape)
    import.unshaped.push_back({name, tally.calls, tally.timeNs / 1e3, 0});
  for (auto *list : {&import.shaped, &import.unshaped})
    llvm::sort(*list, [](const TraceRow &a, const TraceRow &b) {
      return std::tie(b.timeUs, a.name) < std::tie(a.timeUs, b.name);
    });
}

/// Leaves out of a made op set what no point uses.
void Builder::keepUsed() {
  std::map<std::string, std::map<std::string, std::set<int64_t>>> used;
  for (const HistogramPoint &point : import.histogram.points) {
    auto &dims = used[point.entry];
    for (auto &[name, value] : point.dims)
      if (!value.isList)
        dims[name].insert(value.elements[0]);
  }
  OpSet kept = import.opset;
  kept.entries.clear();
  for (OpSetEntry &entry : import.opset.entries) {
    auto it = used.find(entry.name);
    if (it == used.end())
      continue;
    for (auto &[dim, values] : entry.staticDims) {
      auto &seen = it->second[dim];
      values.assign(seen.begin(), seen.end());
    }
    for (const TraceRow &row : import.shaped)
      if (row.name == entry.name && import.timeUs > 0)
        entry.importance = row.timeUs / import.timeUs;
    kept.entries.push_back(std::move(entry));
  }
  import.opset = std::move(kept);
}

void Builder::run() {
  addCalls();
  addKernels();
  addWeights();
}

llvm::Expected<TraceImport>
lathe::importTrace(const TraceImportOptions &options,
                   const OperatorTable &operators, const OpSet *opset) {
  PatternSet patterns;
  for (const std::string &path : options.patterns)
    if (llvm::Error error = patterns.load(path))
      return std::move(error);
  Placement placement(patterns, operators, opset, options.assumedDType);
  TraceJoin join(patterns, placement);
  TraceImport import;
  std::set<int64_t> ranks;
  unsigned number = 0, taken = 0;
  auto files = listTraces(options.files, import.lines);
  if (!files)
    return files.takeError();
  for (const TraceFile &file : *files) {
    ++number;
    TraceEvents events;
    if (llvm::Error error = readTrace(file.path, events))
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          file.path + ": error: " + llvm::toString(std::move(error)));
    events.capture = file.capture;
    if (events.rank < 0)
      events.rank = file.rank;
    if (options.rank >= 0 && events.rank != options.rank)
      continue;
    ++taken;
    if (events.rank >= 0)
      ranks.insert(events.rank);
    for (const std::string &line : events.lines)
      import.lines.push_back(
          llvm::formatv("file {0}: {1}", number, line).str());
    join.add(events);
  }
  if (!taken)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "error: no file is a trace of rank " +
                                       Twine(options.rank));
  join.finish();
  if (taken < number)
    import.lines.push_back(llvm::formatv("{0} of {1} files are of rank {2}",
                                         taken, number, options.rank));
  if (ranks.size() > 1)
    import.lines.push_back(
        llvm::formatv("calls and times of {0} ranks are summed", ranks.size()));
  llvm::append_range(import.lines, join.lines);
  import.opset = placement.opset;
  Builder builder(options, patterns, placement, join, import);
  builder.run();
  if (import.histogram.points.empty()) {
    std::string text = "error: no call has an operator and a shape";
    for (const std::string &line : import.lines)
      text += "\n  " + line;
    for (const TraceRow &row : import.unshaped)
      text += llvm::formatv("\n  {0}: {1} calls, {2:f1} us", row.name,
                            int64_t(row.calls), row.timeUs);
    return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
  }
  if (!opset)
    builder.keepUsed();
  import.histogram.opset = import.opset.name;
  return import;
}
