//===- Timer.h - Honest times -----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One subject or two that are interleaved ABBA. Each sample starts with a cold
// last-level cache and a stream that is busy until the launch is queued, so
// that neither leftovers nor the host's time count. Between samples inputs,
// addresses and poison change, and outputs are looked at afterwards.
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
  virtual unsigned sets() const { return 1; } ///< at least 1
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
  /// Samples by each method, at most; 0: the method is not asked.
  unsigned pairs = 20; ///< by events
  unsigned graphPairs = 10;
  unsigned tracedLaunches = 7;
  unsigned hostLaunches = 7;
  double budgetMs = 400;   ///< of time per subject; fewer samples then
  double warmupMs = 3;     ///< at least; longer until times are stable
  double rooflineUs = 0;   ///< no honest time is below
  unsigned checkEvery = 8; ///< samples between checks of the outputs, about
  /// What a launch and the wait for it may take on the host beyond the device's
  /// time; a launch from an interpreter takes more than one from C.
  double hostSlackUs = 200;
};

/// All samples of one subject, in µs. Empty where a method was not available.
struct Samples {
  std::vector<double> events, graph, cupti, host;
  std::vector<std::string> missing; ///< methods that were not there, and why
};

/// Times of an empty kernel under the same methods, measured in this run; 0
/// where a method is not available.
struct Floors {
  double events = 0, graph = 0, cupti = 0, host = 0;
  /// Time of a long kernel by events over that by the host's clock: 1, or one
  /// of the clocks is wrong.
  double clockRatio = 1;
  double idleWait = 0; ///< to find an idle device idle, by the host's clock
  std::vector<std::string> missing;
};

struct TimingQuestion {
  Samples samples;
  Floors floors;
  double rooflineUs = 0;
  double hostSlackUs = 200;
  bool throttled = false;    ///< so much that samples are lacking
  bool extraWork = false;    ///< device busy after the stream was idle
  bool emptyCapture = false; ///< a captured launch recorded no work
  unsigned graphNodes = 0;   ///< that work, of one launch
};

/// Whether samples may be believed, by a stated rule:
/// - `Fault`: a median below the roofline by more than 2 %, or below the floor
///   by more than max(2 %, 0.1 µs); work on another stream; an empty capture;
///   an event clock that is off the host's by more than 10 %; host time beyond
///   its floor less than half of the device time beyond its own, by more than 5
///   µs.
/// - `Void`: throttled; no samples by events; the methods disagree: events and
///   graph, less their floors, by more than max(0.6 µs, 12 %); cupti above
///   events by more than max(0.3 µs, 2 %), or below events by more than the
///   floors' difference + max(0.6 µs, 12 %) per kernel; host, less the floors,
///   below events by more than max(3 µs, 12 %), or its least above by more than
///   the slack + 25 %.
/// A method that is missing decides nothing.
enum class Honesty { Good, Void, Fault };
const char *honestyName(Honesty honesty); ///< "good", "void", "fault"
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

/// Several subjects, taken in turn.
struct TimedGroup {
  std::vector<Samples> samples;
  std::vector<TimingAnswer> answers;
  std::vector<ClockSample> clocks;
};

class Timer {
public:
  Timer(Device &device, TimerOptions options);
  ~Timer();
  /// Measures them on the first call; by a tracer only if the timer's options
  /// or a comparison asked for traced launches.
  const Floors &floors();
  /// Two subjects, ABBA. Discards samples under throttle.
  /// Throws DriverError, and what the subjects' functions throw.
  TimedPair compare(Subject &first, Subject &second,
                    const TimerOptions &options);
  /// One alone.
  TimedPair measure(Subject &subject, const TimerOptions &options);
  /// Any number, forwards and backwards in turn. The i-th samples by events of
  /// all were taken beside each other.
  TimedGroup measureAll(const std::vector<Subject *> &subjects,
                        const TimerOptions &options);
  /// That subjects are launched on.
  Stream stream() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace lathe::measure

#endif // LATHE_MEASURE_TIMER_H
