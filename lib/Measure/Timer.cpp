//===- Timer.cpp - Honest times ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimerImpl.h"

using namespace lathe::measure;

/// What a wait for an idle device may take beyond its floor.
static constexpr double idleSlackUs = 20;

TimedGroup Timer::Impl::measure(const std::vector<Subject *> &subjects,
                                const TimerOptions &options) {
  if (!floors)
    measureFloors();
  seen.clear();
  std::vector<Timed> all;
  for (Subject *subject : subjects)
    all.emplace_back(*subject);
  timeAll(all, options);
  traceFloor(options.tracedLaunches);

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
  impl->traceFloor(impl->options.tracedLaunches);
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
