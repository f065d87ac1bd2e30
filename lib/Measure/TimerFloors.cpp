//===- TimerFloors.cpp - What an empty kernel takes ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimerImpl.h"

#include <cmath>

using namespace lathe::measure;

// The event clock is held against the host's with a spin of this length.
static constexpr double longSpinUs = 1000, clockAgrees = 0.03;
static constexpr int clockAttempts = 20;
// Clocks rise when work comes, and are settled when they stand still.
static constexpr double leastSettlingUs = 10e3, mostSettlingUs = 200e3,
                        settledShare = 0.01;

namespace {

class EmptySubject final : public Subject {
public:
  explicit EmptySubject(Stopwatch &stopwatch) : stopwatch(stopwatch) {}
  std::string name() const override { return "empty kernel"; }
  void launch(unsigned, Stream) override { stopwatch.launchEmpty(); }

private:
  Stopwatch &stopwatch;
};

} // namespace

void Timer::Impl::settleClocks() {
  double start = hostNow();
  unsigned before = 0;
  for (bool isSettled = false; !isSettled;) {
    for (int i = 0; i < 4; ++i)
      stopwatch.spin(longSpinUs);
    device.synchronize(stopwatch.stream());
    double passed = hostNow() - start;
    unsigned now = clocks.sample().smMHz;
    bool stands = std::fabs(double(now) - double(before)) <= settledShare * now;
    isSettled =
        passed >= mostSettlingUs || (passed >= leastSettlingUs && stands);
    before = now;
  }
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
  floorOptions.tracedLaunches = 0;
  settleClocks();
  EmptySubject empty(stopwatch);
  std::vector<Timed> all;
  all.emplace_back(empty);
  timeAll(all, floorOptions);
  const Timed &timed = all.front();
  floors.emplace();
  floors->events = median(timed.samples.events);
  floors->graph = median(timed.samples.graph);
  // What interrupts the host here must not excuse a short wait later.
  floors->host = summarize(timed.samples.host).least;
  floors->idleWait = median(timed.idleWaits);
  floors->missing = timed.samples.missing;
  floors->clockRatio = findClockRatio();
}

void Timer::Impl::traceFloor(unsigned launches) {
  // A tracer that was once at work stays attached to the process, so it is
  // asked for no sooner than somebody needs it.
  if (isFloorTraced || !launches)
    return;
  isFloorTraced = true;
  EmptySubject empty(stopwatch);
  Timed timed(empty);
  trace(timed, launches);
  floors->cupti = median(timed.samples.cupti);
  floors->missing.insert(floors->missing.end(), timed.samples.missing.begin(),
                         timed.samples.missing.end());
}
