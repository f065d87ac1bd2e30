//===- TimeKernel.h - Honest times of a kernel ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_MEASURE_TIMEKERNEL_H
#define LATHE_LIB_MEASURE_TIMEKERNEL_H

#include "CheckKernel.h"

namespace lathe::measure {

/// A launch under the timer did what a launch under the check did not.
class FoundWhileTimed : public WrongAnswer {
public:
  FoundWhileTimed(Finding finding, uint32_t kernel)
      : WrongAnswer(finding.reason), finding(std::move(finding)),
        kernel(kernel) {}
  Finding finding;
  uint32_t kernel; ///< whose launch it was
};

struct TimeQuestion {
  uint32_t problem = 0;
  uint64_t seed = 0;
  TimerOptions timer;
  /// Stop early where the rival is far ahead.
  bool mayScreen = false;
};

/// The kernel's time, and the rival's if there is one, interleaved. Throws
/// FoundWhileTimed, DriverError, TooLittleMemory.
std::vector<TimeReply> timeKernel(const ChildContext &context, Timer &timer,
                                  LoadedKernel &kernel, LoadedKernel *rival,
                                  const TimeQuestion &question);

} // namespace lathe::measure

#endif // LATHE_LIB_MEASURE_TIMEKERNEL_H
