//===- Timer.h - Honest times -----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One subject or two that are interleaved ABBA. Each sample starts with a cold
// last-level cache and a stream that is busy until the launch is queued, so that
// neither leftovers nor the host's time count. Between samples inputs, addresses
// and poison change, and outputs are looked at afterwards.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_MEASURE_TIMER_H
#define LATHE_MEASURE_TIMER_H

#include "lathe/Measure/Device.h"
#include "lathe/Measure/Statistics.h"

#include <functional>

namespace lathe::measure {

/// What is timed: queues its work on the stream and returns. `set` is one of
/// `sets()` independent sets of operands.
class Subject {
public:
  virtual ~Subject() = default;
  virtual std::string name() const = 0;
  virtual unsigned sets() const { return 1; }
  virtual void launch(unsigned set, Stream stream) = 0;
  /// Before a timed launch on the set: new inputs or poison; asynchronous.
  virtual void prepare(unsigned set, Stream stream) {}
  /// After it, with the stream idle: throws WrongAnswer if the outputs are not
  /// those of the set's inputs.
  virtual void check(unsigned set) {}
};

class WrongAnswer : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

enum class Method { Events, Graph, Cupti, Host };
const char *methodName(Method method); ///< "events", "graph", "cupti", "host"

struct TimerOptions {
  unsigned pairs = 20;      ///< of samples by events, at most
  unsigned graphPairs = 10; ///< by graph replay
  unsigned tracedLaunches = 7;
  unsigned hostLaunches = 7;
  double budgetMs = 400; ///< of device time per subject; fewer samples then
  double warmupMs = 3;
  double rooflineUs = 0; ///< no honest time is below
  unsigned checkEvery = 8; ///< samples between checks of the outputs
};

/// All samples of one subject, in µs. Empty where a method was not available.
struct Samples {
  std::vector<double> events, graph, cupti, host;
  std::vector<std::string> missing; ///< methods that were not there, and why
};

/// Times of an empty kernel under the same methods, measured in this run.
struct Floors {
  double events = 0, graph = 0, cupti = 0, host = 0;
};

struct TimingQuestion {
  Samples samples;
  Floors floors;
  double rooflineUs = 0;
  bool throttled = false;
  bool extraWork = false;    ///< device busy after the stream was idle
  bool emptyCapture = false; ///< a captured launch recorded no work
  unsigned graphNodes = 0;
};

/// Whether samples may be believed, by a stated rule:
/// - `Fault`: a median below max(roofline, floor) by more than 2 %, work on
///   another stream, an empty capture, host time far below device time.
/// - `Void`: throttled, or the methods disagree: |events - graph|, less their
///   floors' difference, beyond max(0.6 µs, 12 %); cupti above events, or below
///   events by more than the floors' difference + max(0.6 µs, 12 %); host below
///   events.
enum class Honesty { Good, Void, Fault };
struct TimingAnswer {
  Honesty honesty = Honesty::Good;
  std::string reason; ///< one line
  Summary events, graph, cupti, host;
  double timeUs = 0; ///< the smaller of the medians by events and by graph
};
TimingAnswer judge(const TimingQuestion &question);

struct TimedPair {
  Samples samples[2];
  TimingAnswer answers[2];
  PairedAnswer paired; ///< first against second, by events
  std::vector<ClockSample> clocks;
};

class Timer {
public:
  Timer(Device &device, TimerOptions options);
  ~Timer();
  /// Measures `floors` on the first call.
  const Floors &floors();
  /// Two subjects, ABBA. Discards samples under throttle.
  TimedPair compare(Subject &first, Subject &second,
                    const TimerOptions &options);
  /// One alone.
  TimedPair measure(Subject &subject, const TimerOptions &options);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace lathe::measure

#endif // LATHE_MEASURE_TIMER_H
