//===- CheckKernel.h - A kernel against its reference -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_MEASURE_CHECKKERNEL_H
#define LATHE_LIB_MEASURE_CHECKKERNEL_H

#include "LaunchKernel.h"
#include "SeedStream.h"
#include "lathe/Measure/ChildProtocol.h"

#include <functional>

namespace lathe::measure {

/// What everything in a child works with. `enter` says what begins.
struct ChildContext {
  Device &device;
  DeviceKernels &kernels;
  References &references;
  const Candidates &plan;
  Stream stream;
  std::function<void(ChildPhase, const std::string &)> enter;
};

/// "H=2048,T=64".
std::string problemText(const Problem &problem);

struct CheckOptions {
  uint64_t seed = 0;
  /// Without red zones and poison, and on small problems only: a tool watches
  /// every access.
  bool isWatched = false;
};

struct CheckReport {
  std::optional<Finding> finding; ///< the first that is wrong
  unsigned checked = 0, draws = 0, launches = 0;
  SampledShare sampled;
  std::vector<std::string> skipped; ///< "H=8,T=9: the device has no ..."
};

/// Every problem of the kernel with every draw. Faults of the kernel are thrown
/// as DriverError.
CheckReport checkKernel(const ChildContext &context, LoadedKernel &kernel,
                        const CheckOptions &options);

} // namespace lathe::measure

#endif // LATHE_LIB_MEASURE_CHECKKERNEL_H
