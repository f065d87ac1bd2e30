//===- Timer.cpp - Honest times -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Measure/Timer.h"

#include "DriverTable.h"
#include "Stopwatch.h"
#include "TracedTimes.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

using namespace lathe::measure;

/// Between two looks at the clocks.
static constexpr unsigned roundsPerBlock = 10;
static constexpr int throttledBlocks = 4; ///< then there is no point in more
static constexpr unsigned leastSamples = 3;
// Shares of the budget.
static constexpr double eventsShare = 0.5, graphShare = 0.25, hostShare = 0.15,
                        tracedShare = 0.1;
static constexpr double stableShare = 0.02, mostWarmups = 5;
/// What a wait for an idle device may take beyond its floor.
static constexpr double idleSlackUs = 20;
// The event clock is held against the host's with a spin of this length.
static constexpr double longSpinUs = 1000, clockAgrees = 0.03;
static constexpr int clockAttempts = 20;

namespace {

/// A subject and what is known of it so far.
struct Timed {
  explicit Timed(Subject &subject) : subject(&subject) {}

  Subject *subject;
  Samples samples;
  double spinUs = 0;
  double sampleMs = 0; ///< that one sample takes, all in all
  unsigned launches = 0;
  std::vector<std::unique_ptr<CapturedLaunch>> captured; ///< per set
  bool emptyCapture = false, extraWork = false, isThrottled = false;
  unsigned graphNodes = 0;
  std::vector<double> idleWaits;

  unsigned nextSet() { return launches++ % std::max(subject->sets(), 1u); }
  void lack(Method method, const std::string &why) {
    samples.missing.push_back(std::string(methodName(method)) + ": " + why);
  }
};

class EmptySubject final : public Subject {
public:
  explicit EmptySubject(Stopwatch &stopwatch) : stopwatch(stopwatch) {}
  std::string name() const override { return "empty kernel"; }
  void launch(unsigned, Stream) override { stopwatch.launchEmpty(); }

private:
  Stopwatch &stopwatch;
};

double median(const std::vector<double> &values) {
  return summarize(values).median;
}

} // namespace

struct Timer::Impl {
  Impl(Device &device, const TimerOptions &options)
      : device(device), options(options), clocks(device.info()),
        stopwatch(device), random(std::random_device()()) {}

  using Take = std::function<std::optional<double>(Timed &, bool isLast)>;

  void measureFloors();
  double findClockRatio();
  void warmUp(Timed &timed, const TimerOptions &options);
  void capture(Timed &timed);
  /// Takes rounds over all that are not out yet; blocks under throttle are
  /// taken again.
  void takeRounds(std::vector<Timed> &all, unsigned rounds,
                  std::vector<double> Samples::*into, const Take &take);
  void timeAll(std::vector<Timed> &all, const TimerOptions &options);
  void trace(Timed &timed, unsigned launches);
  TimedGroup measure(const std::vector<Subject *> &subjects,
                     const TimerOptions &options);

  /// At moments that the subject cannot foresee.
  void maybeCheck(Timed &timed, unsigned set, bool isLast,
                  const TimerOptions &options) {
    if (isLast || random() % std::max(options.checkEvery, 1u) == 0)
      timed.subject->check(set);
  }
  std::optional<double> takeEvents(Timed &timed, bool isLast,
                                   const TimerOptions &options);
  std::optional<double> takeGraph(Timed &timed, bool isLast,
                                  const TimerOptions &options);
  double takeHost(Timed &timed, bool isLast, const TimerOptions &options);

  Device &device;
  TimerOptions options;
  Clocks clocks;
  Stopwatch stopwatch;
  std::minstd_rand random;
  std::optional<Floors> floors;
  std::unique_ptr<KernelTracer> tracer;
  std::string tracerMissing;
  bool isTracerAsked = false;
  std::vector<ClockSample> seen;
};

std::optional<double> Timer::Impl::takeEvents(Timed &timed, bool isLast,
                                              const TimerOptions &options) {
  unsigned set = timed.nextSet();
  timed.subject->prepare(set, stopwatch.stream());
  auto us = stopwatch.byEvents(
      [&] { timed.subject->launch(set, stopwatch.stream()); }, timed.spinUs);
  if (!us)
    timed.lack(Method::Events,
               "a launch waits for the device, or takes the host too long");
  else
    maybeCheck(timed, set, isLast, options);
  return us;
}

std::optional<double> Timer::Impl::takeGraph(Timed &timed, bool isLast,
                                             const TimerOptions &options) {
  unsigned set = timed.nextSet();
  CapturedLaunch &launch = *timed.captured[set];
  timed.subject->prepare(set, stopwatch.stream());
  auto us = stopwatch.byEvents([&] { launch.replay(stopwatch.stream()); },
                               timed.spinUs);
  if (!us)
    timed.lack(Method::Graph, "a replay takes the host too long");
  else
    maybeCheck(timed, set, isLast, options);
  return us;
}

double Timer::Impl::takeHost(Timed &timed, bool isLast,
                             const TimerOptions &options) {
  unsigned set = timed.nextSet();
  timed.subject->prepare(set, stopwatch.stream());
  Stopwatch::HostTime time =
      stopwatch.byHost([&] { timed.subject->launch(set, stopwatch.stream()); });
  timed.idleWaits.push_back(time.idleWait);
  maybeCheck(timed, set, isLast, options);
  return time.us;
}

void Timer::Impl::warmUp(Timed &timed, const TimerOptions &options) {
  double start = hostNow(), limit = options.warmupMs * 1000;
  std::vector<double> times;
  bool isStable = false;
  for (double passed = 0;
       passed < mostWarmups * limit && (passed < limit || !isStable);
       passed = hostNow() - start) {
    auto us = takeEvents(timed, /*isLast=*/false, options);
    if (!us)
      return;
    times.push_back(*us);
    size_t n = times.size();
    if (n < 2 * leastSamples)
      continue;
    double last = median({times.end() - leastSamples, times.end()}),
           before = median(
               {times.end() - 2 * leastSamples, times.end() - leastSamples});
    isStable = std::fabs(last - before) <= stableShare * before;
  }
  if (!times.empty())
    timed.sampleMs = (hostNow() - start) / 1000 / double(times.size());
}

void Timer::Impl::takeRounds(std::vector<Timed> &all, unsigned rounds,
                             std::vector<double> Samples::*into,
                             const Take &take) {
  std::vector<Timed *> left;
  for (Timed &timed : all)
    left.push_back(&timed);
  unsigned done = 0;
  int throttled = 0;
  while (done < rounds && !left.empty()) {
    unsigned count = std::min(roundsPerBlock, rounds - done);
    std::vector<std::vector<double>> block(left.size());
    for (unsigned round = 0; round < count; ++round)
      for (size_t i = 0; i < left.size(); ++i) {
        size_t which = round % 2 ? left.size() - 1 - i : i;
        if (!left[which])
          continue;
        bool isLast = done + round + 1 == rounds;
        if (auto us = take(*left[which], isLast)) {
          block[which].push_back(*us);
        } else {
          (left[which]->samples.*into).clear();
          left[which] = nullptr;
        }
      }
    seen.push_back(clocks.sample());
    if (seen.back().isThrottled() || seen[seen.size() - 2].isThrottled()) {
      if (++throttled == throttledBlocks) {
        for (Timed *timed : left)
          if (timed)
            timed->isThrottled = true;
        return;
      }
      // Time to cool down.
      std::this_thread::sleep_for(std::chrono::milliseconds(10 * throttled));
    } else {
      for (size_t i = 0; i < left.size(); ++i)
        if (left[i])
          (left[i]->samples.*into)
              .insert((left[i]->samples.*into).end(), block[i].begin(),
                      block[i].end());
      done += count;
    }
    left.erase(std::remove(left.begin(), left.end(), nullptr), left.end());
  }
}

void Timer::Impl::capture(Timed &timed) {
  if (!timed.captured.empty())
    return;
  std::vector<std::unique_ptr<CapturedLaunch>> captured;
  try {
    for (unsigned set = 0; set < std::max(timed.subject->sets(), 1u); ++set)
      captured.push_back(std::make_unique<CapturedLaunch>(
          device, *timed.subject, set, stopwatch.stream()));
  } catch (const DriverError &error) {
    if (error.isFault() || error.isDeviceLost())
      throw;
    // Work that went to another stream and was not waited for.
    timed.extraWork |= error.code == captureUnjoined;
    timed.lack(Method::Graph,
               std::string("cannot be captured: ") + error.what());
    return;
  } catch (const WrongAnswer &) {
    throw;
  } catch (const std::runtime_error &error) {
    timed.lack(Method::Graph,
               std::string("cannot be captured: ") + error.what());
    return;
  }
  for (const auto &launch : captured) {
    timed.graphNodes = launch->work();
    timed.emptyCapture |= launch->work() == 0;
  }
  if (!timed.emptyCapture)
    timed.captured = std::move(captured);
}

void Timer::Impl::trace(Timed &timed, unsigned launches) {
  if (!isTracerAsked)
    tracer = KernelTracer::open(tracerMissing);
  isTracerAsked = true;
  if (!tracer)
    return timed.lack(Method::Cupti, tracerMissing);
  // The first launch under a tracer pays for its setting up.
  unsigned all = launches + 1, set = 0;
  TracedTimes times;
  try {
    tracer->start();
    try {
      for (unsigned i = 0; i < all; ++i) {
        set = timed.nextSet();
        timed.subject->prepare(set, stopwatch.stream());
        stopwatch.cool();
        stopwatch.launchMark();
        timed.subject->launch(set, stopwatch.stream());
        stopwatch.launchMark();
        device.synchronize(stopwatch.stream());
      }
      device.synchronizeAll();
    } catch (...) {
      tracer->stop();
      throw;
    }
    times = readTrace(tracer->stop(), Stopwatch::markName, all);
  } catch (const DriverError &) {
    throw;
  } catch (const WrongAnswer &) {
    throw;
  } catch (const std::runtime_error &error) {
    times.missing = error.what();
  }
  timed.subject->check(set);
  timed.extraWork |= times.otherStream;
  if (!times.missing.empty())
    return timed.lack(Method::Cupti, times.missing);
  timed.samples.cupti.assign(times.us.begin() + 1, times.us.end());
}

void Timer::Impl::timeAll(std::vector<Timed> &all,
                          const TimerOptions &options) {
  seen.push_back(clocks.sample());
  double sampleMs = 0;
  for (Timed &timed : all) {
    warmUp(timed, options);
    sampleMs = std::max(sampleMs, timed.sampleMs);
  }
  auto affordable = [&](unsigned wanted, double share) {
    if (sampleMs <= 0)
      return wanted;
    double count = options.budgetMs * share / sampleMs;
    unsigned least = std::min(wanted, leastSamples);
    return count >= wanted ? wanted : std::max(least, unsigned(count));
  };
  takeRounds(all, affordable(options.pairs, eventsShare), &Samples::events,
             [&](Timed &timed, bool isLast) {
               // What could not be warmed up cannot be timed.
               if (!timed.samples.missing.empty())
                 return std::optional<double>();
               return takeEvents(timed, isLast, options);
             });
  if (unsigned rounds = affordable(options.graphPairs, graphShare)) {
    for (Timed &timed : all)
      capture(timed);
    takeRounds(all, rounds, &Samples::graph, [&](Timed &timed, bool isLast) {
      if (timed.captured.empty())
        return std::optional<double>();
      return takeGraph(timed, isLast, options);
    });
  }
  takeRounds(all, affordable(options.hostLaunches, hostShare), &Samples::host,
             [&](Timed &timed, bool isLast) {
               return std::optional<double>(takeHost(timed, isLast, options));
             });
  if (unsigned launches = affordable(options.tracedLaunches, tracedShare))
    for (Timed &timed : all)
      trace(timed, launches);
}

double Timer::Impl::findClockRatio() {
  double best = 0;
  for (int attempt = 0; attempt < clockAttempts; ++attempt) {
    double spinUs = 0;
    auto queue = [&] { stopwatch.spin(longSpinUs); };
    auto events = stopwatch.byEvents(queue, spinUs);
    double host = stopwatch.byHost(queue).us - floors->host;
    if (!events || host <= 0)
      continue;
    double ratio = (*events - floors->events) / host;
    if (std::fabs(ratio - 1) < std::fabs(best - 1))
      best = ratio;
    // The host may be interrupted; the device is not.
    if (std::fabs(best - 1) < clockAgrees)
      break;
  }
  return best;
}

void Timer::Impl::measureFloors() {
  TimerOptions floorOptions = options;
  floorOptions.pairs = 15;
  floorOptions.graphPairs = 10;
  floorOptions.hostLaunches = 7;
  EmptySubject empty(stopwatch);
  std::vector<Timed> all;
  all.emplace_back(empty);
  timeAll(all, floorOptions);
  const Timed &timed = all.front();
  floors.emplace();
  floors->events = median(timed.samples.events);
  floors->graph = median(timed.samples.graph);
  floors->cupti = median(timed.samples.cupti);
  floors->host = median(timed.samples.host);
  floors->idleWait = median(timed.idleWaits);
  floors->missing = timed.samples.missing;
  floors->clockRatio = findClockRatio();
}

TimedGroup Timer::Impl::measure(const std::vector<Subject *> &subjects,
                                const TimerOptions &options) {
  if (!floors)
    measureFloors();
  seen.clear();
  std::vector<Timed> all;
  for (Subject *subject : subjects)
    all.emplace_back(*subject);
  timeAll(all, options);

  TimedGroup group;
  for (Timed &timed : all) {
    TimingQuestion question;
    question.floors = *floors;
    question.rooflineUs = options.rooflineUs;
    question.hostSlackUs = options.hostSlackUs;
    question.throttled = timed.isThrottled;
    question.extraWork = timed.extraWork || median(timed.idleWaits) >
                                                floors->idleWait + idleSlackUs;
    question.emptyCapture = timed.emptyCapture;
    question.graphNodes = timed.graphNodes;
    question.samples = timed.samples;
    group.answers.push_back(judge(question));
    group.samples.push_back(std::move(timed.samples));
  }
  group.clocks = seen;
  return group;
}

Timer::Timer(Device &device, TimerOptions options)
    : impl(std::make_unique<Impl>(device, options)) {}
Timer::~Timer() = default;

const Floors &Timer::floors() {
  if (!impl->floors)
    impl->measureFloors();
  return *impl->floors;
}

Stream Timer::stream() const { return impl->stopwatch.stream(); }

TimedGroup Timer::measureAll(const std::vector<Subject *> &subjects,
                             const TimerOptions &options) {
  return impl->measure(subjects, options);
}

static TimedPair asPair(TimedGroup group) {
  TimedPair pair;
  for (size_t i = 0; i < group.samples.size(); ++i) {
    pair.samples[i] = std::move(group.samples[i]);
    pair.answers[i] = std::move(group.answers[i]);
  }
  pair.clocks = std::move(group.clocks);
  return pair;
}

TimedPair Timer::compare(Subject &first, Subject &second,
                         const TimerOptions &options) {
  TimedPair pair = asPair(impl->measure({&first, &second}, options));
  const std::vector<double> &a = pair.samples[0].events,
                            &b = pair.samples[1].events;
  if (!a.empty() && a.size() == b.size())
    pair.paired = comparePairs(a, b);
  return pair;
}

TimedPair Timer::measure(Subject &subject, const TimerOptions &options) {
  return asPair(impl->measure({&subject}, options));
}
