//===- TimerSamples.cpp - Samples by each method -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverTable.h"
#include "TimerImpl.h"
#include "TracedTimes.h"

#include <chrono>
#include <cmath>
#include <thread>

using namespace lathe::measure;

/// Between two looks at the clocks.
static constexpr unsigned roundsPerBlock = 10;
static constexpr int throttledBlocks = 6; ///< then there is no point in more
static constexpr unsigned leastSamples = 3;
// Shares of the budget.
static constexpr double eventsShare = 0.5, graphShare = 0.25, hostShare = 0.15,
                        tracedShare = 0.1;
static constexpr double stableShare = 0.02, mostWarmups = 5;

std::optional<double> Timer::Impl::takeEvents(Timed &timed, bool isLast,
                                              const TimerOptions *options) {
  unsigned set = timed.nextSet();
  timed.subject->prepare(set, stopwatch.stream());
  auto us = stopwatch.byEvents(
      [&] { timed.subject->launch(set, stopwatch.stream()); }, timed.spinUs);
  if (!us)
    timed.lack(Method::Events,
               "a launch waits for the device, or takes the host too long");
  else if (options)
    lookAt(timed, set, isLast, *options);
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
    lookAt(timed, set, isLast, options);
  return us;
}

double Timer::Impl::takeHost(Timed &timed, bool isLast,
                             const TimerOptions &options) {
  unsigned set = timed.nextSet();
  timed.subject->prepare(set, stopwatch.stream());
  Stopwatch::HostTime time =
      stopwatch.byHost([&] { timed.subject->launch(set, stopwatch.stream()); });
  timed.idleWaits.push_back(time.idleWait);
  lookAt(timed, set, isLast, options);
  return time.us;
}

void Timer::Impl::warmUp(Timed &timed, const TimerOptions &options) {
  double start = hostNow(), limit = options.warmupMs * 1000;
  std::vector<double> times;
  bool isStable = false;
  for (double passed = 0;
       passed < mostWarmups * limit && (passed < limit || !isStable);
       passed = hostNow() - start) {
    auto us = takeEvents(timed, /*isLast=*/false, nullptr);
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
    if (!timed.isThrottled)
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
               return takeEvents(timed, isLast, &options);
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
