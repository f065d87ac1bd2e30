//===- TimerImpl.h - Inside the timer ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_MEASURE_TIMERIMPL_H
#define LATHE_LIB_MEASURE_TIMERIMPL_H

#include "Stopwatch.h"
#include "lathe/Measure/Seed.h"

#include <algorithm>
#include <random>

namespace lathe::measure {

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

inline double median(const std::vector<double> &values) {
  return summarize(values).median;
}

struct Timer::Impl {
  Impl(Device &device, const TimerOptions &options)
      : device(device), options(options), clocks(device.info()),
        stopwatch(device), random(randomSeed()) {}

  using Take = std::function<std::optional<double>(Timed &, bool isLast)>;

  void measureFloors();
  void traceFloor(unsigned launches);
  double findClockRatio();
  void settleClocks();
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

  /// With the stream idle: looks at the answer as it is now, at moments that
  /// the subject cannot foresee, or else whether the device is idle too.
  void lookAt(Timed &timed, unsigned set, bool isLast,
              const TimerOptions &options) {
    if (isLast || random() % std::max(options.checkEvery, 1u) == 0)
      return timed.subject->check(set);
    double start = hostNow();
    device.synchronizeAll();
    timed.idleWaits.push_back(hostNow() - start);
  }
  /// Without options nothing is looked at.
  std::optional<double> takeEvents(Timed &timed, bool isLast,
                                   const TimerOptions *options);
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
  bool isTracerAsked = false, isFloorTraced = false;
  std::vector<ClockSample> seen;
};

} // namespace lathe::measure

#endif // LATHE_LIB_MEASURE_TIMERIMPL_H
