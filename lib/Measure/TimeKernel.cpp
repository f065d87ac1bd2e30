//===- TimeKernel.cpp - Honest times of a kernel --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimeKernel.h"

#include "Evidence.h"
#include "lathe/Measure/Seed.h"

using namespace lathe;
using namespace lathe::measure;

/// Independent sets of operands, at different addresses.
static constexpr unsigned wantedSets = 3;
/// One launch in so many has new inputs, at moments that nobody can foresee.
static constexpr uint64_t redrawOneIn = 24;
/// A screening takes so many pairs, and gives up on what is so much slower.
static constexpr unsigned screeningPairs = 3;
static constexpr double screenedRatio = 1.5;

namespace {

/// What both subjects of a comparison work on.
class TimedSets {
public:
  TimedSets(const ChildContext &context, const Problem &problem,
            uint32_t alignment, uint64_t seed)
      : context(context), draw(problem.draws.front()), seeds(seed) {
    OperandMemory memory;
    memory.exactAlignment = false;
    memory.alignment = alignment;
    expected = context.references.allocate(problem, timedReferenceSeconds);
    while (sets.size() != wantedSets)
      try {
        sets.emplace_back(context.device, context.kernels,
                          context.plan.entries[problem.entry], problem, memory);
      } catch (const TooLittleMemory &) {
        if (sets.empty())
          throw;
        break;
      }
    versions.resize(sets.size());
    right.resize(sets.size());
    for (unsigned set = 0; set != sets.size(); ++set)
      redraw(set, context.stream);
  }

  /// New inputs and poison. Only queues.
  void redraw(unsigned set, Stream stream) {
    sets[set].draw(draw, seeds.next(), stream);
    ++versions[set];
    ++redraws;
  }
  /// Before a timed launch: poison at least.
  void prepare(unsigned set, Stream stream) {
    if (seeds.next() % redrawOneIn == 0)
      redraw(set, stream);
    else
      sets[set].resetOutputs(stream);
  }
  /// Compares what lies in the outputs, with the stream idle, and gives its
  /// hash.
  uint64_t verify(unsigned set, uint32_t kernel) {
    OperandSet &operands = sets[set];
    auto finding = operands.findDamage(context.stream);
    uint64_t hash = operands.outputHash(context.stream);
    // Whoever gives the same bits for the same inputs is right as well.
    auto &known = right[set];
    if (!finding && known != std::pair(versions[set], hash)) {
      const std::string where = problemText(operands.problem());
      context.enter(ChildPhase::Reference,
                    "computing the reference of " + where);
      context.references.compute(operands, expected, context.stream);
      sampled.add(operands.entry(), operands.problem(), expected.sample);
      finding = context.references.compare(operands, operands, expected,
                                           context.stream);
      context.references.wipe(expected, context.stream);
      context.device.synchronize(context.stream);
      context.enter(ChildPhase::Time, "timing " + where);
    }
    if (finding)
      throwFound(set, kernel, std::move(*finding));
    known = {versions[set], hash};
    operands.rememberInputs(context.stream);
    return hash;
  }
  [[noreturn]] void throwFound(unsigned set, uint32_t kernel,
                               Finding finding) const {
    finding.reason += " while it was timed at " +
                      problemText(sets[set].problem()) + ", seed " +
                      seedText(sets[set].seed());
    throw FoundWhileTimed(std::move(finding), kernel);
  }

  const ChildContext &context;
  std::vector<OperandSet> sets;
  std::vector<uint64_t> versions; ///< of the inputs
  unsigned redraws = 0;
  SampledShare sampled;

private:
  const DrawPlan &draw;
  SeedStream seeds;
  References::Outputs expected;
  /// By set: a version of the inputs, 0 for none, and right outputs' hash.
  std::vector<std::pair<uint64_t, uint64_t>> right;
};

class KernelSubject : public Subject {
public:
  KernelSubject(TimedSets &sets, LoadedKernel &kernel, uint32_t problem)
      : sets_(sets), kernel(kernel), plan(*kernel.launchAt(problem)),
        known(sets.sets.size()) {
    // The first answers come outside of the timer, all verified.
    for (unsigned set = 0; set != known.size(); ++set) {
      sets_.sets[set].resetOutputs(sets_.context.stream);
      launch(set, sets_.context.stream);
      sets_.context.device.synchronize(sets_.context.stream);
      learn(set);
    }
  }

  std::string name() const override { return kernel.kernel().name; }
  unsigned sets() const override { return unsigned(known.size()); }
  void launch(unsigned set, Stream stream) override {
    kernel.launch(plan, sets_.sets[set], stream);
  }
  void prepare(unsigned set, Stream stream) override {
    sets_.prepare(set, stream);
  }
  void check(unsigned set) override {
    ++checks;
    if (known[set].version != sets_.versions[set])
      return learn(set);
    OperandSet &operands = sets_.sets[set];
    if (auto finding = operands.findDamage(sets_.context.stream))
      sets_.throwFound(set, kernel.index(), std::move(*finding));
    if (operands.outputHash(sets_.context.stream) != known[set].hash)
      sets_.throwFound(set, kernel.index(),
                       {DeviceVerdict::Wrong,
                        "outputs differ from those that were verified"});
  }
  unsigned checks = 0;

private:
  void learn(unsigned set) {
    known[set].hash = sets_.verify(set, kernel.index());
    known[set].version = sets_.versions[set];
  }
  struct Known {
    uint64_t version = 0, hash = 0;
  };
  TimedSets &sets_;
  LoadedKernel &kernel;
  const LaunchPlan &plan;
  std::vector<Known> known;
};

} // namespace

static TimedPair ask(Timer &timer, KernelSubject &first, KernelSubject *second,
                     const TimerOptions &options) {
  return second ? timer.compare(first, *second, options)
                : timer.measure(first, options);
}

static bool isVoid(const TimedPair &pair, bool hasRival) {
  return pair.answers[0].honesty == Honesty::Void ||
         (hasRival && pair.answers[1].honesty == Honesty::Void);
}

static TimeReply describe(const TimedPair &pair, unsigned which) {
  const TimingAnswer &answer = pair.answers[which];
  const Summary &best =
      answer.graph.samples != 0 && answer.graph.median == answer.timeUs
          ? answer.graph
          : answer.events;
  TimeReply reply;
  reply.honesty = answer.honesty;
  reply.reason = answer.reason;
  reply.timeUs = answer.timeUs;
  reply.lowUs = best.low;
  reply.highUs = best.high;
  reply.spread = best.spread;
  reply.samples = samplesText(pair.samples[which]);
  reply.clocks = clocksText(pair.clocks);
  return reply;
}

std::vector<TimeReply>
lathe::measure::timeKernel(const ChildContext &context, Timer &timer,
                           LoadedKernel &kernel, LoadedKernel *rival,
                           const TimeQuestion &question) {
  const Problem &problem = context.plan.problems[question.problem];
  context.enter(ChildPhase::Time, "timing " + problemText(problem));
  uint32_t alignment = kernel.launchAt(question.problem)->alignment;
  if (rival)
    alignment =
        std::max(alignment, rival->launchAt(question.problem)->alignment);
  TimedSets sets(context, problem, alignment, question.seed);
  KernelSubject own(sets, kernel, question.problem);
  std::optional<KernelSubject> other;
  if (rival)
    other.emplace(sets, *rival, question.problem);

  TimerOptions options = question.timer;
  options.rooflineUs = problem.rooflineUs;
  KernelSubject *second = other ? &*other : nullptr;
  TimeEvidence evidence;
  TimedPair pair;
  if (question.mayScreen && second) {
    TimerOptions screening = options;
    screening.pairs = screeningPairs;
    screening.graphPairs = screening.tracedLaunches = screening.hostLaunches =
        0;
    pair = ask(timer, own, second, screening);
    evidence.isScreened =
        pair.answers[0].honesty == Honesty::Good &&
        pair.answers[0].timeUs > screenedRatio * pair.answers[1].timeUs;
  }
  if (!evidence.isScreened) {
    pair = ask(timer, own, second, options);
    if (isVoid(pair, second)) {
      evidence.isRetried = true;
      pair = ask(timer, own, second, options);
    }
  }
  evidence.sets = unsigned(sets.sets.size());
  evidence.redraws = sets.redraws;
  evidence.sampled = sets.sampled;

  std::vector<TimeReply> replies;
  for (unsigned which = 0; which != (second ? 2 : 1); ++which) {
    TimeReply &reply = replies.emplace_back(describe(pair, which));
    reply.problem = question.problem;
    reply.kernel = which == 0 ? kernel.index() : rival->index();
    evidence.checks = which == 0 ? own.checks : other->checks;
    evidence.missing = pair.samples[which].missing;
    evidence.answer = pair.answers[which];
    reply.evidence = timeEvidence(evidence);
    if (!second)
      continue;
    reply.rival = which == 0 ? rival->index() : kernel.index();
    const PairedAnswer &paired = pair.paired;
    reply.ratio = which == 0 ? paired.ratio : 1 / paired.ratio;
    reply.ratioLow = which == 0 ? paired.low : 1 / paired.high;
    reply.ratioHigh = which == 0 ? paired.high : 1 / paired.low;
  }
  return replies;
}
