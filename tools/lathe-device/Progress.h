//===- Progress.h - How far a run is -------------------------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_DEVICE_PROGRESS_H
#define LATHE_TOOLS_LATHE_DEVICE_PROGRESS_H

#include "lathe/Measure/Verdict.h"

#include <array>
#include <chrono>
#include <mutex>
#include <string>

namespace lathe::device {

/// Counts of verdicts; any thread may add to them.
class Progress {
public:
  explicit Progress(size_t total)
      : total(total), start(Clock::now()), last(start) {}

  void add(measure::DeviceVerdict verdict);
  /// The line on standard error, unless the last one is too young: rewritten
  /// each second on a terminal, else a new one each ten seconds.
  void print(bool isLast);
  size_t count(measure::DeviceVerdict verdict) const;
  size_t done() const;

private:
  using Clock = std::chrono::steady_clock;
  std::string line() const;

  mutable std::mutex mutex;
  size_t total;
  Clock::time_point start, last;
  std::array<size_t, 9> counts = {};
};

} // namespace lathe::device

#endif // LATHE_TOOLS_LATHE_DEVICE_PROGRESS_H
