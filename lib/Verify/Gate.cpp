//===- Gate.cpp - Is a kernel right? --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/Gate.h"

#include "TrialRun.h"
#include "lathe/Ingest/Bind.h"
#include "lathe/Plan/Candidate.h"
#include "lathe/Support/ListName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>

using namespace lathe;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

constexpr StringRef verdictNames[] = {"PASSED", "WRONG",   "FAULT",
                                      "RACY",   "TIMEOUT", "UNSUPPORTED"};

StringRef lathe::verdictName(Verdict verdict) {
  return verdictNames[static_cast<int>(verdict)];
}

std::optional<Verdict> lathe::parseVerdict(StringRef name) {
  for (auto [i, known] : llvm::enumerate(verdictNames))
    if (name == known)
      return static_cast<Verdict>(i);
  return std::nullopt;
}

namespace {

/// Simulated instructions of one launch until it counts as endless.
constexpr uint64_t launchBudget = uint64_t(1) << 33;
/// Draws that everybody may know start here.
constexpr uint64_t visibleSeed = 20260;

/// The largest errors of one output over all draws.
struct OutputSummary {
  uint64_t elements = 0, flips = 0;
  double ulp = 0, norm = 0;
  /// Of realistic draws only: NaN and infinities always fail that rule.
  uint64_t evaluatorElements = 0, beyondEvaluator = 0;
};

class Gate {
public:
  explicit Gate(const GateQuestion &question) : question(question) {}
  Expected<GateAnswer> run();

private:
  Error prepare();
  bool load();
  Error tryAll();
  Error tryOne(const Trial &trial, const Draw &draw, unsigned schedules);
  std::vector<std::pair<Draw, unsigned>> drawsOf(const Trial &trial,
                                                 size_t index) const;
  void fail(Verdict verdict, const llvm::Twine &reason);
  bool judge(const Trial &trial, const Draw &draw,
             const sim::RunOptions &options, const TrialOutcome &outcome);
  void describeFailure(const Trial &trial, const Draw &draw,
                       const sim::RunOptions &options);
  void summarize(const Draw &draw, const TrialOutcome &outcome);
  void finish();

  const GateQuestion &question;
  TrialQuestion trials;
  TrialPlan plan;
  std::unique_ptr<sim::Kernel> kernel;
  std::unique_ptr<Reference> reference;
  GateAnswer answer;
  bool failed = false;
  uint64_t launches = 0, draws = 0;
  std::vector<OutputSummary> outputs;
};

} // namespace

static std::string sizesOf(const OperatorSpec &spec, const Trial &trial) {
  std::string text = trial.why + ":";
  for (const DimSpec &dim : spec.dims) {
    if (!dim.isGiven())
      continue;
    const ExprValue &value = trial.bindings.find(dim.name)->second;
    text += " " + dim.name + "=";
    if (!value.isList) {
      text += std::to_string(value.elements.front());
      continue;
    }
    text += listName(value.elements);
  }
  if (!trial.blocks.empty())
    text +=
        llvm::formatv(", {0} of {1} blocks", trial.blocks.size(),
                      uint64_t(trial.grid[0]) * trial.grid[1] * trial.grid[2]);
  return text;
}

void Gate::fail(Verdict verdict, const llvm::Twine &reason) {
  failed = true;
  answer.verdict = verdict;
  answer.reason = reason.str();
}

Error Gate::prepare() {
  auto candidate = parseKernelName(question.kernel);
  if (!candidate)
    return candidate.takeError();
  if (question.cases.empty())
    return llvm::createStringError("no dispatch case names kernel '" +
                                   question.kernel + "'");
  if (!question.spec.hasReference) {
    fail(Verdict::Unsupported,
         "operator '" + question.spec.name + "' has no reference.mlir");
    return Error::success();
  }
  auto made = Reference::compile(question.spec, question.entry.dtypes);
  if (!made)
    return made.takeError();
  reference = std::move(*made);
  trials.spec = &question.spec;
  trials.entry = &question.entry;
  trials.constants = candidate->constants;
  trials.cases = question.cases;
  trials.own = question.own;
  trials.instances = question.instances;
  trials.canSample = reference->sampledRank() > 0;
  if (candidate->persistent())
    trials.gridStep = std::min<int64_t>(candidate->cluster(), UINT32_MAX);
  trials.schedules = question.schedules;
  trials.seed = question.hiddenSeed;
  trials.budget = question.budget;
  auto planned = planTrials(trials);
  if (!planned)
    return planned.takeError();
  plan = std::move(*planned);
  return Error::success();
}

/// Compiles the kernel for the host; false if nobody can simulate it.
bool Gate::load() {
  auto loaded =
      sim::Kernel::load(question.bitcode, question.cases.front().symbol);
  if (loaded) {
    kernel = std::move(*loaded);
    return true;
  }
  // Unknown instructions, or a module that is none.
  fail(Verdict::Unsupported, llvm::toString(loaded.takeError()));
  return false;
}

/// What a trial draws, and under how many schedules.
std::vector<std::pair<Draw, unsigned>> Gate::drawsOf(const Trial &trial,
                                                     size_t index) const {
  std::vector<std::pair<Draw, unsigned>> draws;
  auto add = [&](DrawMode mode, bool hidden, unsigned schedules) {
    Draw draw;
    draw.mode = mode;
    draw.spec = trial.spec;
    draw.otherScalars = hidden;
    draw.seed = hidden ? randomBits(question.hiddenSeed, index, uint64_t(mode))
                       : visibleSeed + index;
    draws.emplace_back(draw, schedules);
  };
  if (trial.spec) { // its inputs are what it says
    add(DrawMode::Realistic, false, 1);
    add(DrawMode::Realistic, true, 1);
    return draws;
  }
  if (!trial.thorough && trial.isLong) {
    add(DrawMode::Realistic, true, 1);
    return draws;
  }
  if (!trial.thorough) {
    add(index % 3 == 0   ? DrawMode::Adversarial
        : index % 3 == 1 ? DrawMode::Realistic
                         : DrawMode::Edge,
        true, 1);
    return draws;
  }
  for (bool hidden : {false, true})
    for (DrawMode mode :
         {DrawMode::Realistic, DrawMode::Adversarial, DrawMode::Edge})
      add(mode, hidden,
          hidden && mode == DrawMode::Realistic ? trial.schedules : 1);
  return draws;
}

void Gate::describeFailure(const Trial &trial, const Draw &draw,
                           const sim::RunOptions &options) {
  constexpr const char *timings[] = {"immediate", "late", "random"};
  json::Object scalars;
  for (const auto &[name, value] :
       drawScalars(question.spec, question.entry, draw))
    scalars[name] = value;
  json::Object at{
      {"size", sizesOf(question.spec, trial)},
      {"draw", draw.name()},
      {"scalars", std::move(scalars)},
      {"seed", std::to_string(draw.seed)},
      {"schedule", options.interleaving == sim::Interleaving::InOrder
                       ? "in order"
                       : "random, seed " + std::to_string(options.seed) +
                             ", copies " +
                             timings[static_cast<int>(options.asyncTiming)]}};
  answer.evidence["failed_at"] = std::move(at);
}

static Verdict verdictOf(sim::FaultKind kind) {
  switch (kind) {
  case sim::FaultKind::SharedRace:
  case sim::FaultKind::GlobalRace:
    return Verdict::Racy;
  case sim::FaultKind::Timeout:
    return Verdict::Timeout;
  default:
    return Verdict::Fault;
  }
}

/// Whether the launch ended without a fault and with the right result.
bool Gate::judge(const Trial &trial, const Draw &draw,
                 const sim::RunOptions &options, const TrialOutcome &outcome) {
  const sim::RunReport &report = outcome.report;
  answer.instructions += report.instructions;
  ++launches;
  std::string at =
      " (" + sizesOf(question.spec, trial) + ", " + draw.name() + " draw)";
  if (!report.ok()) {
    if (report.faults.empty()) {
      fail(Verdict::Fault, "the launch was given up" + at);
    } else {
      const sim::Fault &fault = report.faults.front();
      std::string place = fault.location.empty() ? "" : " at " + fault.location;
      fail(verdictOf(fault.kind),
           sim::faultKindName(fault.kind) + ": " + fault.message + place + at);
    }
    describeFailure(trial, draw, options);
    json::Value shown = report.toJSON();
    if (json::Object *object = shown.getAsObject())
      object->erase("seconds");
    answer.evidence["report"] = std::move(shown);
    return false;
  }
  if (outcome.problem.empty())
    return true;
  fail(Verdict::Wrong, outcome.problem + at);
  describeFailure(trial, draw, options);
  json::Array comparisons;
  for (const Comparison &comparison : outcome.outputs)
    comparisons.push_back(comparison.toJSON());
  answer.evidence["outputs"] = std::move(comparisons);
  return false;
}

void Gate::summarize(const Draw &draw, const TrialOutcome &outcome) {
  outputs.resize(outcome.outputs.size());
  for (auto [summary, comparison] : llvm::zip_equal(outputs, outcome.outputs)) {
    summary.elements += comparison.elements;
    summary.flips += comparison.flips;
    summary.ulp = std::max(summary.ulp, comparison.worst.ulp);
    summary.norm = std::max(summary.norm, comparison.norm());
    if (draw.mode != DrawMode::Realistic)
      continue;
    summary.evaluatorElements += comparison.elements;
    summary.beyondEvaluator += comparison.beyondEvaluator;
  }
}

Error Gate::tryOne(const Trial &trial, const Draw &draw, unsigned schedules) {
  auto run = TrialRun::create(trials, trial, draw);
  if (!run) {
    // A size that nobody can draw inputs for says nothing of the kernel.
    plan.leftOut.push_back(trial.why + ", " + draw.name() + ": " +
                           llvm::toString(run.takeError()));
    return Error::success();
  }
  if (trial.aliased && !run->aliases())
    return Error::success();
  ++draws;
  sim::RunOptions options;
  options.budget = launchBudget;
  options.seed = draw.seed;
  auto first = run->launch(*kernel, *reference, options);
  if (!first)
    return first.takeError();
  if (!judge(trial, draw, options, *first))
    return Error::success();
  summarize(draw, *first);
  for (unsigned i = 1; i < schedules; ++i) {
    constexpr sim::AsyncTiming timings[] = {sim::AsyncTiming::Random,
                                            sim::AsyncTiming::Late,
                                            sim::AsyncTiming::Immediate};
    options.interleaving = sim::Interleaving::Random;
    options.asyncTiming = timings[i % 3];
    options.seed = randomBits(draw.seed, 1, i);
    auto again = run->launch(*kernel, *reference, options);
    if (!again)
      return again.takeError();
    if (again->report.ok() && again->hash != first->hash) {
      fail(Verdict::Racy, "another schedule gives another result (" +
                              sizesOf(question.spec, trial) + ")");
      describeFailure(trial, draw, options);
      return Error::success();
    }
    if (!judge(trial, draw, options, *again))
      return Error::success();
  }
  return Error::success();
}

Error Gate::tryAll() {
  for (auto [index, trial] : llvm::enumerate(plan.trials))
    for (auto [draw, schedules] : drawsOf(trial, index)) {
      if (Error error = tryOne(trial, draw, schedules))
        return error;
      if (failed)
        return Error::success();
    }
  if (!draws)
    return llvm::createStringError(
        "no inputs can be drawn for any trial of kernel '" + question.kernel +
        "': " + (plan.leftOut.empty() ? "" : plan.leftOut.front()));
  answer.verdict = Verdict::Passed;
  return Error::success();
}

void Gate::finish() {
  json::Object &evidence = answer.evidence;
  evidence["hidden_seed"] = std::to_string(question.hiddenSeed);
  evidence["visible_seed"] = std::to_string(visibleSeed);
  json::Array sizes;
  for (const Trial &trial : plan.trials)
    sizes.push_back(sizesOf(question.spec, trial));
  evidence["sizes"] = std::move(sizes);
  if (!plan.leftOut.empty())
    evidence["left_out"] = json::Array(plan.leftOut);
  if (question.own)
    evidence["admits"] = guardsToJSON(*question.own);
  evidence["draws"] = int64_t(draws);
  evidence["launches"] = int64_t(launches);
  evidence["instructions"] = int64_t(answer.instructions);
  if (failed)
    return;
  json::Object errors;
  size_t output = 0;
  for (const OperandSpec &operand : question.spec.operands) {
    if (!operand.isOutput || output >= outputs.size())
      continue;
    const OutputSummary &summary = outputs[output++];
    json::Object record{
        {"elements", int64_t(summary.elements)},
        {"worst_ulp", summary.ulp},
        {"worst_norm", summary.norm},
        {"evaluator_elements", int64_t(summary.evaluatorElements)},
        {"evaluator_beyond", int64_t(summary.beyondEvaluator)}};
    if (summary.flips)
      record["flips"] = int64_t(summary.flips);
    errors[operand.name] = std::move(record);
  }
  evidence["errors"] = std::move(errors);
}

Expected<GateAnswer> Gate::run() {
  auto start = std::chrono::steady_clock::now();
  if (Error error = prepare())
    return std::move(error);
  if (!failed && load())
    if (Error error = tryAll())
      return std::move(error);
  finish();
  answer.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return std::move(answer);
}

Expected<GateAnswer> lathe::runGate(const GateQuestion &question) {
  return Gate(question).run();
}
