//===- Progress.cpp - How far a run is ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include <cstdio>
#include <numeric>
#include <unistd.h>

using namespace lathe::device;
using lathe::measure::DeviceVerdict;

void Progress::add(DeviceVerdict verdict) {
  std::lock_guard<std::mutex> lock(mutex);
  ++counts[size_t(verdict)];
}

size_t Progress::count(DeviceVerdict verdict) const {
  std::lock_guard<std::mutex> lock(mutex);
  return counts[size_t(verdict)];
}

size_t Progress::done() const {
  std::lock_guard<std::mutex> lock(mutex);
  return std::accumulate(counts.begin(), counts.end(), size_t(0));
}

std::string Progress::line() const {
  size_t done = this->done();
  std::string text =
      std::to_string(done) + "/" + std::to_string(total) + " candidates";
  for (size_t i = 0; i != counts.size(); ++i)
    if (size_t number = count(DeviceVerdict(i)))
      text += std::string(", ") + std::to_string(number) + " " +
              measure::verdictName(DeviceVerdict(i));
  std::chrono::duration<double> spent = Clock::now() - start;
  if (done != 0 && done != total) {
    char left[48];
    snprintf(left, sizeof(left), ", %.0f s left",
             spent.count() / double(done) * double(total - done));
    text += left;
  }
  return text;
}

void Progress::print(bool isLast) {
  bool isTerminal = isatty(STDERR_FILENO);
  Clock::time_point now = Clock::now();
  if (!isLast && now - last < std::chrono::seconds(isTerminal ? 1 : 10))
    return;
  last = now;
  // Clears to the end of the line.
  fprintf(stderr, isTerminal ? "\r%s\033[K%s" : "%s%s", line().c_str(),
          isTerminal && !isLast ? "" : "\n");
}
