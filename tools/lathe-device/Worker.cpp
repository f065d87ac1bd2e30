//===- Worker.cpp - Candidates on one device ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Supervisor.h"

#include "lathe/Measure/Seed.h"

#include <cstdlib>

using namespace lathe::device;
using namespace lathe::measure;

/// What the sanitizer ends with if it found something.
static constexpr int foundStatus = 86;
/// A device is given up after so many probes in a row that fail.
static constexpr unsigned maxProbes = 2;
/// ms of device time for a kernel at a problem, before and after the choice.
static constexpr double measureBudgetMs = 40, retimeBudgetMs = 200;

std::string lathe::device::visibleDevice(int ordinal) {
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  if (!visible)
    return std::to_string(ordinal);
  std::string rest = visible;
  for (int i = 0; i != ordinal; ++i) {
    size_t comma = rest.find(',');
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  return rest.substr(0, rest.find(','));
}

ProbeReply lathe::device::probeDevice(ChildSetup setup,
                                      const std::atomic<bool> &cancel) {
  setup.candidates.clear();
  setup.limits = {}; // those of candidates say nothing of the device
  auto child = startChild(setup);
  Outcome outcome = converse(*child, ChildTask(), setup, cancel);
  if (outcome.isCancelled)
    throw std::runtime_error("stopped");
  if (!outcome.probe)
    throw std::runtime_error(outcome.verdict.reason);
  if (!outcome.probe->isSound)
    throw std::runtime_error("the device loses what is written to it");
  return std::move(*outcome.probe);
}

Worker::Worker(SharedRun &run, int ordinal, std::string runId)
    : run(run), runId(std::move(runId)) {
  setup.candidates = run.options.candidates;
  setup.visible = visibleDevice(ordinal);
  setup.timeLimit = run.options.timeLimit;
  setup.limits.residentBytes = run.options.memoryLimit << 20;
}

uint64_t Worker::seed() const {
  return run.options.seed ? *run.options.seed : randomSeed();
}

ChildTask Worker::task(ChildTask::Kind kind, uint64_t seed) const {
  ChildTask task;
  task.kind = kind;
  task.seed = seed;
  task.isTimed = run.options.isTimed;
  task.timer.pairs = run.options.pairs;
  task.timer.budgetMs = retimeBudgetMs;
  if (kind != ChildTask::Retime) {
    task.timer.budgetMs = measureBudgetMs;
    // CUPTI takes long to start; winners meet it when they are timed again.
    task.timer.tracedLaunches = 0;
  }
  return task;
}

Outcome Worker::ask(const ChildTask &task) {
  auto child = spare ? std::move(spare) : startChild(setup);
  // It only reads the file, while the other opens the device.
  if (run.kernels.size() != 0 || run.retimings.size() != 0)
    spare = startChild(setup);
  return converse(*child, task, setup, run.cancel);
}

//===----------------------------------------------------------------------===//
// Trouble
//===----------------------------------------------------------------------===//

void Worker::probeAfter(Outcome &outcome) {
  DeviceVerdict verdict = outcome.verdict.verdict;
  if (verdict != DeviceVerdict::Fault && verdict != DeviceVerdict::Timeout &&
      verdict != DeviceVerdict::Crash && verdict != DeviceVerdict::DeviceLost)
    return;
  spare.reset(); // it knows the driver as it was before
  std::string why;
  for (unsigned i = 0; i != maxProbes && !run.cancel; ++i)
    try {
      probeDevice(setup, run.cancel);
      return;
    } catch (const std::runtime_error &error) {
      why = error.what();
    }
  if (run.cancel) {
    outcome.isCancelled = true;
    return;
  }
  lost = true;
  ++run.lost;
  outcome.verdict.reason += "; then the device did not come back: " + why;
  outcome.verdict.verdict = DeviceVerdict::DeviceLost;
}

Outcome Worker::watch(uint32_t kernel, uint64_t seed) {
  Outcome outcome;
  if (run.sanitizer.empty()) {
    outcome.verdict.verdict = DeviceVerdict::Refused;
    outcome.verdict.reason =
        "its proof is a run under compute-sanitizer, which was not found "
        "(--sanitizer says where it is)";
    return outcome;
  }
  ChildTask task = this->task(ChildTask::Candidate, seed);
  task.kernel = kernel;
  task.isTimed = false;
  task.isWatched = true;
  ChildSetup patient = setup;
  patient.timeLimit *= 10;
  for (const char *tool : {"memcheck", "racecheck", "initcheck", "synccheck"}) {
    auto child =
        startChild(patient, {run.sanitizer, "--tool", tool, "--error-exitcode",
                             std::to_string(foundStatus)});
    outcome = converse(*child, task, patient, run.cancel);
    if (outcome.isCancelled || outcome.verdict.verdict != DeviceVerdict::Passed)
      return outcome;
    if (outcome.exitStatus == 0)
      continue;
    bool isRace = std::string(tool) == "racecheck";
    outcome.verdict.verdict = outcome.exitStatus != foundStatus
                                  ? DeviceVerdict::Refused
                              : isRace ? DeviceVerdict::Racy
                                       : DeviceVerdict::Fault;
    // The tool's lines begin with ========= and say it in the second.
    size_t line = outcome.output.find("========= ", 1);
    outcome.verdict.reason =
        std::string("compute-sanitizer ") + tool + " " +
        (outcome.exitStatus == foundStatus
             ? "found: "
             : "failed with status " + std::to_string(outcome.exitStatus) +
                   ": ") +
        (line == std::string::npos
             ? "see the output"
             : outcome.output.substr(
                   line + 10, outcome.output.find('\n', line) - line - 10));
    return outcome;
  }
  return outcome;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

/// Whether it may not have been the candidate that went wrong, but the device
/// before it or a kernel beside it: then it is asked again, alone.
static bool isDoubtful(const ChildTask &task, const Outcome &outcome) {
  DeviceVerdict verdict = outcome.verdict.verdict;
  bool isTrouble = verdict == DeviceVerdict::Timeout ||
                   verdict == DeviceVerdict::Crash ||
                   verdict == DeviceVerdict::Fault;
  if (outcome.isCancelled || outcome.verdict.blame == VerdictReply::Own)
    return false;
  // It did not even get to the candidate.
  if (isTrouble && outcome.phase == ChildPhase::Start)
    return true;
  if (task.pairings.empty())
    return false;
  if (outcome.verdict.blame == VerdictReply::Rival)
    return true;
  return isTrouble && outcome.phase == ChildPhase::Time;
}

void Worker::measure(uint32_t kernel) {
  const KernelPlan &own = run.file.plan().kernels[kernel];
  uint64_t seed = this->seed();
  Outcome outcome;
  if (!own.refused.empty()) {
    outcome.verdict.verdict = DeviceVerdict::Refused;
    outcome.verdict.reason = own.refused;
  } else {
    if (own.proof == "sanitizer")
      outcome = watch(kernel, seed);
    else
      outcome.verdict.verdict = DeviceVerdict::Passed;
    if (!outcome.isCancelled &&
        outcome.verdict.verdict == DeviceVerdict::Passed) {
      ChildTask task = this->task(ChildTask::Candidate, seed);
      task.kernel = kernel;
      for (const LaunchPlan &launch : own.launches) {
        std::vector<KernelTime> times = run.log.times(launch.problem);
        if (!times.empty())
          task.pairings.push_back(
              {launch.problem, kernel, times.front().kernel});
      }
      outcome = ask(task);
      if (isDoubtful(task, outcome)) {
        probeAfter(outcome);
        task.pairings.clear();
        if (!lost && !outcome.isCancelled)
          outcome = ask(task);
      }
    }
    if (!outcome.isCancelled && !lost)
      probeAfter(outcome);
  }
  if (outcome.isCancelled)
    return;
  run.log.add(runId, kernel, seed, outcome, run.options.isTimed);
  run.progress.add(outcome.verdict.verdict);
}

void Worker::measureAll() {
  while (!lost && !run.cancel)
    if (auto kernel = run.kernels.pop())
      measure(*kernel);
    else
      break;
  spare.reset();
}

void Worker::retime(const std::vector<ChildTask::Pairing> &pairings) {
  uint64_t seed = this->seed();
  ChildTask task = this->task(ChildTask::Retime, seed);
  task.pairings = pairings;
  Outcome outcome = ask(task);
  if (!outcome.isCancelled)
    probeAfter(outcome);
  if (outcome.isCancelled)
    return;
  run.log.addRetimed(runId, seed, outcome);
  if (outcome.verdict.verdict == DeviceVerdict::Passed || lost)
    return;
  // Somebody is not what it seemed: find out who.
  const ChildTask::Pairing &first = pairings.front();
  if (pairings.size() > 1) {
    for (const ChildTask::Pairing &pairing : pairings)
      if (!lost && !run.cancel)
        retime({pairing});
  } else if (first.kernel != first.rival) {
    for (uint32_t kernel : {first.kernel, first.rival})
      if (!lost && !run.cancel)
        retime({{first.problem, kernel, kernel}});
  } else {
    outcome.verdict.reason += " (when it was timed again)";
    outcome.times.clear();
    run.log.add(runId, first.kernel, seed, outcome, true);
  }
}

void Worker::retimeAll() {
  while (!lost && !run.cancel)
    if (auto pairings = run.retimings.pop())
      retime(*pairings);
    else
      break;
  spare.reset();
}
