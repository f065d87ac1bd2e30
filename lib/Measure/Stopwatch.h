//===- Stopwatch.h - One sample at a time -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_MEASURE_STOPWATCH_H
#define LATHE_LIB_MEASURE_STOPWATCH_H

#include "lathe/Measure/Timer.h"

#include <optional>

namespace lathe::measure {

/// Of the host, in µs.
double hostNow();

/// A launch of a subject on one of its sets, captured and instantiated.
class CapturedLaunch {
public:
  /// Throws DriverError if it cannot be captured; what the subject throws.
  CapturedLaunch(Device &device, Subject &subject, unsigned set, Stream stream);
  ~CapturedLaunch();
  CapturedLaunch(const CapturedLaunch &) = delete;
  CapturedLaunch &operator=(const CapturedLaunch &) = delete;

  void replay(Stream stream);
  /// Nodes that compute or move data.
  unsigned work() const { return count; }

private:
  Device &device;
  void *graph = nullptr, *executable = nullptr;
  unsigned count = 0;
};

/// Takes samples: a cold cache, a stream that is busy until all is queued, and
/// two events.
class Stopwatch {
public:
  explicit Stopwatch(Device &device);
  ~Stopwatch();
  Stopwatch(const Stopwatch &) = delete;
  Stopwatch &operator=(const Stopwatch &) = delete;

  Stream stream() const { return work; }
  /// Evicts what the last-level cache holds. Only queues.
  void cool();
  /// Occupies the stream. Only queues.
  void spin(double us);
  /// Launch nothing but an entry and an exit.
  void launchEmpty();
  void launchMark(); ///< the same under another name
  static constexpr const char *markName = "lathe_timer_mark";

  /// `queue` launches what is timed. `spinUs` is what it took so far to be
  /// queued in time, and grows. None: the stream does not stay busy for as long
  /// as `queue` takes.
  std::optional<double> byEvents(const std::function<void()> &queue,
                                 double &spinUs);
  struct HostTime {
    double us = 0;       ///< to launch and wait for the stream
    double idleWait = 0; ///< then, to wait for the device
  };
  HostTime byHost(const std::function<void()> &queue);

private:
  Device &device;
  Stream work = nullptr;
  Event begin = nullptr, end = nullptr;
  void *module = nullptr, *empty = nullptr, *mark = nullptr, *spinner = nullptr;
  DevicePointer coolant = 0;
  uint64_t coolantBytes = 0;
};

} // namespace lathe::measure

#endif // LATHE_LIB_MEASURE_STOPWATCH_H
