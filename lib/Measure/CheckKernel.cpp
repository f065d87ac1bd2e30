//===- CheckKernel.cpp - A kernel against its reference -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckKernel.h"

#include "lathe/Measure/CheckCost.h"
#include "lathe/Measure/Seed.h"

using namespace lathe;
using namespace lathe::measure;

/// A tool that watches every access makes kernels slower by up to thousands.
static constexpr uint64_t watchedBytes = uint64_t(4) << 20;

std::string lathe::measure::problemText(const Problem &problem) {
  std::string text;
  for (const auto &[name, value] : problem.dims)
    text += (text.empty() ? "" : ",") + name + "=" + value.text();
  return text;
}

namespace {

class ProblemCheck {
public:
  ProblemCheck(const ChildContext &context, LoadedKernel &kernel,
               const LaunchPlan &launch, const CheckOptions &options,
               CheckReport &report)
      : context(context), kernel(kernel), launch(launch), options(options),
        report(report), problem(context.plan.problems[launch.problem]) {}

  void run(SeedStream &seeds);

private:
  void check(const DrawPlan &draw, uint64_t seed, unsigned repeats);
  std::optional<Finding> launchOnce(OperandSet &operands);
  std::optional<Finding> repeat(OperandSet &operands, unsigned times);
  OperandSet makeOperands(bool aliased) const {
    OperandMemory memory;
    memory.alignment = launch.alignment;
    memory.redZones = !options.isWatched;
    memory.aliased = aliased;
    return OperandSet(context.device, context.kernels,
                      context.plan.entries[problem.entry], problem, memory);
  }

  const ChildContext &context;
  LoadedKernel &kernel;
  const LaunchPlan &launch;
  const CheckOptions &options;
  CheckReport &report;
  const Problem &problem;
  std::optional<OperandSet> separate, aliased;
  References::Outputs expected;
};

} // namespace

std::optional<Finding> ProblemCheck::launchOnce(OperandSet &operands) {
  ++report.launches;
  kernel.launch(launch, operands, context.stream);
  context.device.synchronize(context.stream);
  // Whoever waited for the stream would take this for the answer.
  uint64_t atOnce = operands.outputHash(context.stream);
  context.device.synchronizeAll();
  if (operands.outputHash(context.stream) != atOnce)
    return Finding{DeviceVerdict::Fault,
                   "outputs were written after the stream had ended"};
  return operands.findDamage(context.stream);
}

std::optional<Finding> ProblemCheck::repeat(OperandSet &operands,
                                            unsigned times) {
  uint64_t first = operands.outputHash(context.stream);
  for (unsigned i = 1; i < times; ++i) {
    operands.resetOutputs(context.stream);
    if (auto damage = launchOnce(operands)) {
      damage->reason += " by launch " + std::to_string(i + 1);
      return damage;
    }
    if (operands.outputHash(context.stream) == first)
      continue;
    // Poison differs from launch to launch, too.
    if (operands.hasUnwritten(context.stream))
      return Finding{DeviceVerdict::Wrong,
                     "not all elements of the outputs were written by launch " +
                         std::to_string(i + 1)};
    return Finding{DeviceVerdict::Racy,
                   "launch " + std::to_string(i + 1) +
                       " on the same inputs gave other bits than the first"};
  }
  return std::nullopt;
}

void ProblemCheck::check(const DrawPlan &draw, uint64_t seed,
                         unsigned repeats) {
  context.enter(ChildPhase::Launch, "checking " + problemText(problem));
  auto begin = [&](OperandSet &operands) {
    operands.draw(draw, seed, context.stream);
    operands.rememberInputs(context.stream);
    return launchOnce(operands);
  };
  std::optional<Finding> finding = begin(*separate);
  bool withAlias = !finding && aliased && &draw == &problem.draws.front();
  if (withAlias && (finding = begin(*aliased)))
    finding->reason += " (outputs in place of inputs)";
  if (!finding) {
    // Only now does the device hold the answer, and not for long.
    context.enter(ChildPhase::Reference,
                  "computing the reference of " + problemText(problem));
    context.references.compute(*separate, expected, context.stream);
    report.sampled.add(context.plan.entries[problem.entry], problem,
                       expected.sample);
    finding = context.references.compare(*separate, *separate, expected,
                                         context.stream);
    if (!finding && withAlias &&
        (finding = context.references.compare(*separate, *aliased, expected,
                                              context.stream)))
      finding->reason += " (outputs in place of inputs)";
    context.references.wipe(expected, context.stream);
    context.device.synchronize(context.stream);
  }
  if (!finding) {
    context.enter(ChildPhase::Launch, "repeating " + problemText(problem));
    finding = repeat(*separate, repeats);
  }
  ++report.draws;
  if (!finding)
    return;
  finding->reason += " at " + problemText(problem) + ", draw '" + draw.name +
                     "' of seed " + seedText(seed);
  report.finding = std::move(finding);
}

void ProblemCheck::run(SeedStream &seeds) {
  const EntryPlan &entry = context.plan.entries[problem.entry];
  uint64_t bytes = operandBytes(entry, problem);
  bool isInPlace = !options.isWatched && hasInPlace(entry, problem);
  if (options.isWatched && bytes > watchedBytes) {
    report.skipped.push_back(problemText(problem) +
                             ": too large to be watched");
    return;
  }
  try {
    separate.emplace(makeOperands(false));
    expected = context.references.allocate(problem, checkReferenceSeconds);
    if (isInPlace)
      aliased.emplace(makeOperands(true));
  } catch (const TooLittleMemory &error) {
    report.skipped.push_back(problemText(problem) +
                             (isInPlace && !expected.pointers.empty()
                                  ? ", outputs in place of inputs: "
                                  : ": ") +
                             error.what());
    if (expected.pointers.empty())
      return;
  }
  ++report.checked;
  for (const DrawPlan &draw : problem.draws) {
    bool isFirst = &draw == &problem.draws.front();
    unsigned repeats =
        isFirst && options.isWatched ? 1 : checkLaunches(bytes, isFirst);
    check(draw, seeds.next(), repeats);
    if (report.finding)
      return;
  }
}

CheckReport lathe::measure::checkKernel(const ChildContext &context,
                                        LoadedKernel &kernel,
                                        const CheckOptions &options) {
  CheckReport report;
  SeedStream seeds(options.seed);
  const EntryPlan &entry = context.plan.entries[kernel.kernel().entry];
  const ReferencePlan &reference = context.plan.references[entry.reference];
  if (!reference.missing.empty()) {
    report.finding =
        Finding{DeviceVerdict::Refused,
                "no reference to check it by: " + reference.missing};
    return report;
  }
  for (const LaunchPlan &launch : kernel.kernel().launches) {
    ProblemCheck(context, kernel, launch, options, report).run(seeds);
    if (report.finding)
      return report;
  }
  if (report.checked == 0)
    report.finding = Finding{
        DeviceVerdict::Refused,
        report.skipped.empty() ? "it has no problem to be checked at"
                               : "no problem fits: " + report.skipped.front()};
  return report;
}
