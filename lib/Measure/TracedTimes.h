//===- TracedTimes.h - Times from records of kernels ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_MEASURE_TRACEDTIMES_H
#define LATHE_LIB_MEASURE_TRACEDTIMES_H

#include "lathe/Measure/Device.h"

namespace lathe::measure {

struct TracedTimes {
  std::vector<double> us; ///< per launch, in order
  bool otherStream = false;
  std::string missing; ///< why there are no times, else empty
};

/// Each of `launches` launches lies between two kernels called `mark` on one
/// stream; its time is from the first begin to the last end between them.
TracedTimes readTrace(const std::vector<KernelTracer::Record> &records,
                      const std::string &mark, unsigned launches);

} // namespace lathe::measure

#endif // LATHE_LIB_MEASURE_TRACEDTIMES_H
