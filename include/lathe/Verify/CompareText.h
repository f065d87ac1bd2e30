//===- CompareText.h - Why an output is refused, in words -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No LLVM: the simulator's gate and the device's say the same.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_COMPARETEXT_H
#define LATHE_VERIFY_COMPARETEXT_H

#include "lathe/Verify/CompareValue.h"

#include <cstdio>
#include <string>
#include <vector>

namespace lathe {

/// One line; empty if all tolerances hold. `first` is the first mismatch, where
/// there is one, and `index` its place.
inline std::string toleranceText(const ComparisonSums &sums,
                                 const ElementTolerance &tolerance,
                                 const ElementDifference &first,
                                 const std::vector<int64_t> &index) {
  auto number = [](const char *format, double value) {
    char text[40];
    std::snprintf(text, sizeof(text), format, value);
    return std::string(text);
  };
  std::string of = " of " + std::to_string(sums.elements) + " elements";
  switch (failureOf(sums, tolerance)) {
  case ToleranceFailure::None:
    return "";
  case ToleranceFailure::Element: {
    std::string at;
    for (int64_t i : index)
      at += (at.empty() ? "" : ", ") + std::to_string(i);
    return std::to_string(sums.mismatches) + of + ", first [" + at +
           "]: found " + number("%.7g", first.found) + ", expected " +
           number("%.7g", first.expected) + " (" + number("%.7g", first.steps) +
           " ulp)";
  }
  case ToleranceFailure::Flips:
    return std::to_string(sums.flips) + of +
           " are off by a flip, at most " +
           std::to_string(uint64_t(flipLimit(sums, tolerance))) + " may be";
  case ToleranceFailure::Cancelled:
    return std::to_string(sums.cancelled) + of +
           " are no closer than terms that cancel leave them, at most " +
           std::to_string(cancelledLimit(sums)) + " may be";
  case ToleranceFailure::Norm:
    return "the error's norm is " + number("%e", sums.norm()) +
           " of the reference's, at most " + number("%e", tolerance.norm) +
           " is allowed";
  case ToleranceFailure::Drift:
    return "the error's norm is " + number("%e", sums.norm()) +
           " of the reference's over " + std::to_string(sums.elements) +
           " elements, a drift of at most " +
           number("%e", driftLimit(sums, tolerance)) + " is allowed";
  }
  return "";
}

} // namespace lathe

#endif // LATHE_VERIFY_COMPARETEXT_H
