//===- MeasuredTimes.h - What a device said of kernels ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_RANK_MEASUREDTIMES_H
#define LATHE_RANK_MEASUREDTIMES_H

#include "lathe/Ingest/Model.h"
#include "lathe/Support/SizeValue.h"

#include <map>
#include <optional>
#include <string>

namespace lathe {

/// A time in us and its 95 % confidence. A model's time has no width.
struct KernelTime {
  enum Source {
    Model,     ///< scaled by what the model gets wrong for the entry
    Corrected, ///< scaled by what it gets wrong for this kernel at sizes nearby
    Measured
  };
  double us = 0, lowUs = 0, highUs = 0;
  Source source = Model;
  /// What the measured time was multiplied by to compare it with others that
  /// were taken in another process.
  double drift = 1;

  KernelTime() = default;
  KernelTime(double us) : us(us), lowUs(us), highUs(us) {}

  void applyDrift(double factor) {
    us *= factor;
    lowUs *= factor;
    highUs *= factor;
    drift *= factor;
  }
  /// As it was measured.
  KernelTime withoutDrift() const {
    KernelTime plain = *this;
    plain.applyDrift(1 / drift);
    return plain;
  }
};

/// Whether neither can be called faster: their confidences overlap, or they are
/// within `tolerance` (0.01 = 1 %) of each other.
bool isTie(const KernelTime &a, const KernelTime &b, double tolerance);

/// Every dim that is said of a shape, by name: strides and lists too.
using SizeKey = std::map<std::string, SizeValue>;

/// Nothing if a dim is not bound.
std::optional<SizeKey> sizeKey(const Bindings &bindings,
                               const OperatorSpec &spec);

/// Other over this, with its 95 % confidence.
struct MeasuredRatio {
  double ratio = 1, low = 1, high = 1;
};

struct MeasuredKernel {
  bool passed = false; ///< the device's verdict
  std::string refused; ///< why it may not ship, else empty
  std::map<SizeKey, KernelTime> times;
  /// Where it was right but no honest time could be taken, and why.
  std::map<SizeKey, std::string> voids;
  /// Where it was interleaved with others, by their names.
  std::map<SizeKey, std::map<std::string, MeasuredRatio>> against;
};

/// A plain value, made by whoever reads records; all of one device and driver.
struct MeasuredTimes {
  std::string device, driver;
  /// By entry and kernel name.
  std::map<std::pair<std::string, std::string>, MeasuredKernel> kernels;

  const MeasuredKernel *find(const std::string &entry,
                             const std::string &kernel) const;
};

} // namespace lathe

#endif // LATHE_RANK_MEASUREDTIMES_H
