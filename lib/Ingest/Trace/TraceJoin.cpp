//===- TraceJoin.cpp - Device time to the calls that caused it ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceJoin.h"
#include "Enclosing.h"
#include "KernelLinks.h"
#include "Repair.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace lathe;
using llvm::StringRef;
using llvm::Twine;

/// One file on its way into the join.
class TraceJoin::FileJoin {
public:
  FileJoin(TraceJoin &join, const TraceEvents &events)
      : join(join), events(events), links(events) {}

  void run() {
    placeOps();
    findSteps();
    findLaunches();
    countCalls();
    addKernels();
    storeCaptures();
  }

private:
  void placeOps();
  void findSteps();
  void findLaunches();
  void countCalls();
  void addKernels();
  void addKernel(const TraceKernel &kernel, uint32_t launch);
  void storeCaptures();
  std::vector<Step> match(llvm::ArrayRef<StepPattern> patterns,
                          std::vector<TraceOp> &ranges);
  std::vector<uint32_t> captureOf(llvm::ArrayRef<TracePoint> points) const {
    return isAllCapture ? std::vector<uint32_t>(points.size(), 0)
                        : enclosing(points, captureRanges);
  }
  std::string phaseOf(uint32_t step) const {
    return step == noIndex ? "" : steps[step].phase;
  }

  TraceJoin &join;
  const TraceEvents &events;
  std::vector<uint32_t> calls;  ///< per op: its number in the placement
  std::vector<uint32_t> owners; ///< per op: the op that its kernels count for
  std::vector<TraceOp> stepRanges, captureRanges;
  std::vector<Step> steps, captureSteps;
  bool isAllCapture = false; ///< captureSteps[0] is the whole file
  std::vector<uint32_t> stepOfOp, captureOfOp;
  std::vector<uint32_t> opOfLaunch, stepOfLaunch, captureOfLaunch;
  std::vector<std::pair<uint64_t, uint32_t>> launchByCorrelation;
  KernelLinks links;
  /// By the step's annotation, or by launch where there is none.
  std::map<std::pair<bool, uint32_t>, Replay> graphs;
};

void TraceJoin::FileJoin::placeOps() {
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> known;
  for (const TraceOp &op : events.ops) {
    auto [it, isNew] = known.try_emplace({op.name, op.arguments}, 0);
    if (isNew)
      it->second = join.placement.add(cleanName(events.names[op.name]),
                                      events.arguments[op.arguments]);
    calls.push_back(it->second);
  }
  std::vector<uint32_t> order = nestingOrder(events.ops);
  std::vector<uint32_t> outer = parents(events.ops, order);
  owners.resize(events.ops.size());
  for (uint32_t op : order) {
    auto rank = [&](uint32_t op) {
      return join.placement.call(calls[op]).rank;
    };
    owners[op] = op;
    if (outer[op] == noIndex)
      continue;
    uint32_t above = owners[outer[op]];
    if (rank(above) >= rank(op) && rank(above) != PlacedCall::Unknown)
      owners[op] = above;
  }
}

/// The annotations that a pattern knows, and what it says about each.
std::vector<TraceJoin::Step>
TraceJoin::FileJoin::match(llvm::ArrayRef<StepPattern> patterns,
                           std::vector<TraceOp> &ranges) {
  std::vector<Step> found;
  for (const TraceOp &annotation : events.annotations)
    for (const StepPattern &pattern : patterns) {
      llvm::SmallVector<StringRef, 4> groups;
      if (!pattern.regex->match(events.names[annotation.name], &groups))
        continue;
      Step step{pattern.phase, -1};
      if (pattern.batchGroup && pattern.batchGroup < groups.size())
        if (groups[pattern.batchGroup].getAsInteger(10, step.batch))
          step.batch = -1;
      if (pattern.modeGroup && pattern.modeGroup < groups.size())
        step.mode = groups[pattern.modeGroup].upper();
      found.push_back(step);
      ranges.push_back(annotation);
      break;
    }
  return found;
}

void TraceJoin::FileJoin::findSteps() {
  steps = match(join.patterns.steps, stepRanges);
  captureSteps = match(join.patterns.captures, captureRanges);
  bool isCapture = events.capture.batch >= 0;
  if (isCapture && !events.capture.fromName)
    for (Step &step : captureSteps) {
      if (step.batch >= 0 && step.batch != events.capture.batch)
        join.lines.push_back("a capture annotated with batch size " +
                             std::to_string(step.batch) + " is taken for " +
                             std::to_string(events.capture.batch) +
                             ", which execution_details.json says");
      step.batch = events.capture.batch;
      step.mode = events.capture.mode;
    }
  isAllCapture = isCapture && captureSteps.empty();
  if (isAllCapture)
    captureSteps.push_back({"", events.capture.batch, events.capture.mode});
  std::vector<TracePoint> points;
  for (const TraceOp &op : events.ops)
    points.push_back({op.thread, op.start});
  stepOfOp = enclosing(points, stepRanges);
  captureOfOp = captureOf(points);
}

void TraceJoin::FileJoin::findLaunches() {
  std::vector<TracePoint> points;
  for (const TraceLaunch &launch : events.launches)
    points.push_back({launch.thread, launch.start});
  opOfLaunch = enclosing(points, events.ops);
  stepOfLaunch = enclosing(points, stepRanges);
  captureOfLaunch = captureOf(points);
  for (size_t i = 0; i != events.launches.size(); ++i)
    launchByCorrelation.emplace_back(events.launches[i].correlation, i);
  llvm::sort(launchByCorrelation);
}

void TraceJoin::FileJoin::countCalls() {
  for (size_t i = 0; i != events.ops.size(); ++i)
    if (owners[i] == i && captureOfOp[i] == noIndex &&
        join.placement.call(calls[i]).rank != PlacedCall::Unknown)
      join.byCall[{calls[i], phaseOf(stepOfOp[i])}].calls += 1;
}

void TraceJoin::FileJoin::addKernel(const TraceKernel &kernel,
                                    uint32_t launch) {
  uint32_t op = launch == noIndex ? noIndex : opOfLaunch[launch];
  bool isKnownOp =
      op != noIndex &&
      join.placement.call(calls[owners[op]]).rank != PlacedCall::Unknown;
  if (launch != noIndex && events.launches[launch].isGraph && !isKnownOp) {
    uint32_t step = stepOfLaunch[launch];
    bool hasStep = step != noIndex;
    Replay &replay = graphs[{hasStep, hasStep ? step : launch}];
    if (hasStep)
      replay.step = steps[step];
    replay.kernels.push_back(&kernel);
    return;
  }
  uint32_t step = launch == noIndex ? noIndex : stepOfLaunch[launch];
  if (op == noIndex) {
    op = links.opOf(kernel);
    if (op != noIndex && step == noIndex)
      step = stepOfOp[op];
  }
  if (op == noIndex) {
    Tally &tally = join.byKernel[cleanName(events.names[kernel.name])];
    tally.calls += 1;
    tally.timeNs += double(kernel.duration);
    return;
  }
  uint32_t owner = owners[op], call = calls[owner];
  // An operator's phase is that of its start, whatever its kernels do.
  bool isKnown = join.placement.call(call).rank != PlacedCall::Unknown;
  Tally &tally = join.byCall[{call, phaseOf(isKnown ? stepOfOp[owner] : step)}];
  tally.timeNs += double(kernel.duration);
  if (!isKnown)
    tally.calls += 1;
}

void TraceJoin::FileJoin::addKernels() {
  double capturingNs = 0;
  for (const TraceKernel &kernel : events.kernels) {
    uint32_t launch = findId(launchByCorrelation, kernel.correlation);
    if (launch != noIndex && captureOfLaunch[launch] != noIndex) {
      capturingNs += double(kernel.duration);
      continue;
    }
    join.totalNs += double(kernel.duration);
    addKernel(kernel, launch);
  }
  llvm::append_range(join.lines, links.report());
  if (capturingNs)
    join.lines.push_back(std::to_string(int64_t(capturingNs / 1e3)) +
                         " us of work beside the capture of graphs are left "
                         "out");
  for (auto &[key, replay] : graphs) {
    llvm::sort(replay.kernels, [](auto *a, auto *b) {
      return std::tie(a->start, a) < std::tie(b->start, b);
    });
    StoredReplay stored{replay.step, {}};
    for (const TraceKernel *kernel : replay.kernels)
      stored.kernels.emplace_back(
          join.kernelNames.add(cleanName(events.names[kernel->name])),
          kernel->duration);
    join.replays.push_back(std::move(stored));
  }
}

/// What each capture launched, in order. A later one of a batch size replaces
/// an earlier one, unless it launched nothing.
void TraceJoin::FileJoin::storeCaptures() {
  std::vector<Capture> found(captureSteps.size());
  // What ran while capturing is in no graph: a piecewise capture's attention.
  std::vector<uint64_t> ran;
  for (const TraceKernel &kernel : events.kernels)
    ran.push_back(kernel.correlation);
  llvm::sort(ran);
  std::vector<bool> isEager(events.ops.size());
  std::vector<uint32_t> order(events.launches.size());
  for (size_t i = 0; i != order.size(); ++i)
    order[i] = uint32_t(i);
  llvm::sort(order, [&](uint32_t a, uint32_t b) {
    return std::tie(events.launches[a].start, a) <
           std::tie(events.launches[b].start, b);
  });
  for (uint32_t i : order) {
    const TraceLaunch &launch = events.launches[i];
    if (captureOfLaunch[i] == noIndex || launch.isGraph)
      continue;
    uint32_t op = opOfLaunch[i];
    if (!std::binary_search(ran.begin(), ran.end(), launch.correlation))
      found[captureOfLaunch[i]].launches.push_back(
          op == noIndex ? noIndex : calls[owners[op]]);
    else if (op != noIndex)
      isEager[owners[op]] = true;
  }
  for (size_t i = 0; i != events.ops.size(); ++i)
    if (owners[i] == i && captureOfOp[i] != noIndex && !isEager[i] &&
        join.placement.call(calls[i]).rank != PlacedCall::Unknown)
      found[captureOfOp[i]].calls[calls[i]] += 1;
  for (size_t i = 0; i != found.size(); ++i)
    if (captureSteps[i].batch >= 0 &&
        !(found[i].launches.empty() && found[i].calls.empty()))
      join.captures[captureSteps[i].mode][captureSteps[i].batch] =
          std::move(found[i]);
}

void TraceJoin::add(const TraceEvents &events) {
  FileJoin(*this, events).run();
}

/// The graph that a step ran: in each mode that of the next larger captured
/// batch size. Of the modes one whose graph launches as many kernels as ran,
/// and for decode a whole graph rather than pieces.
TraceJoin::Choice TraceJoin::choose(const StoredReplay &replay) const {
  Choice best;
  std::tuple<bool, bool, int64_t> bestCost;
  if (replay.step.batch < 0)
    return best;
  for (auto &[mode, byBatch] : captures) {
    auto it = byBatch.lower_bound(replay.step.batch);
    if (it == byBatch.end())
      continue;
    std::tuple<bool, bool, int64_t> cost(
        it->second.launches.size() != replay.kernels.size(),
        (mode == "PIECEWISE") == (replay.step.phase == "decode"), it->first);
    if (!best.capture || cost < bestCost) {
      best = {&it->second, it->first, mode};
      bestCost = cost;
    }
  }
  return best;
}

/// Attributes one replay, or says in `failed` why it cannot.
void TraceJoin::replay(const StoredReplay &replay,
                       std::map<std::string, Tally> &failed) {
  double time = 0;
  for (auto &[name, duration] : replay.kernels)
    time += double(duration);
  Choice choice = choose(replay);
  const Capture *capture = choice.capture;
  std::string problem;
  if (captures.empty())
    problem = "graph replays: no capture trace was given";
  else if (replay.step.batch < 0)
    problem = "graph replays: no annotation says the batch size";
  else if (!capture)
    problem = "graph replays: no capture of batch size " +
              std::to_string(replay.step.batch) + " or more";
  else if (capture->launches.size() != replay.kernels.size())
    problem = "graph replays: " + std::to_string(replay.kernels.size()) +
              " kernels ran where the capture of batch size " +
              std::to_string(choice.batch) + " launched " +
              std::to_string(capture->launches.size());
  if (capture) {
    ++padded[{replay.step.batch, choice.batch, choice.mode.str()}];
    for (auto &[call, count] : capture->calls)
      byCall[{call, replay.step.phase}].calls += count;
  }
  if (!problem.empty()) {
    failed[problem].calls += 1;
    failed[problem].timeNs += time;
    return;
  }
  for (auto [call, kernel] :
       llvm::zip_equal(capture->launches, replay.kernels)) {
    Tally &tally = call == noIndex ? byKernel[kernelNames[kernel.first].str()]
                                   : byCall[{call, replay.step.phase}];
    tally.timeNs += double(kernel.second);
    if (call == noIndex || placement.call(call).rank == PlacedCall::Unknown)
      tally.calls += 1;
  }
}

void TraceJoin::finish() {
  std::map<std::string, Tally> failed;
  for (const StoredReplay &stored : replays)
    replay(stored, failed);
  for (auto &[problem, tally] : failed)
    lines.push_back(problem + "; " + std::to_string(int64_t(tally.calls)) +
                    " replays, " + std::to_string(int64_t(tally.timeNs / 1e3)) +
                    " us without a shape");
  for (auto &[key, steps] : padded) {
    auto &[size, captured, mode] = key;
    std::string line = std::to_string(steps) + " steps of batch size " +
                       std::to_string(size) + " ran the graph captured for " +
                       std::to_string(captured);
    if (captures.size() > 1 && !mode.empty())
      line += " in mode " + mode;
    if (size != captured)
      line += "; the histogram has the padded size";
    lines.push_back(std::move(line));
  }
}
