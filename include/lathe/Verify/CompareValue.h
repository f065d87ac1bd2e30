//===- CompareValue.h - One element against the reference -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Freestanding: the same text is compiled for the host and for GPUs.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_COMPAREVALUE_H
#define LATHE_VERIFY_COMPAREVALUE_H

#include "lathe/Verify/ElementBits.h"

namespace lathe {

/// ToleranceSpec as plain data; see there.
struct ElementTolerance {
  double ulp = 1, nearZero = 0, norm = 0, drift = 0, flips = 0;
};

/// An element that is too far from the reference, or the one furthest from it.
struct ElementDifference {
  uint64_t index = ~uint64_t(0); ///< row-major, as if dense; ~0: there is none
  double expected = 0, found = 0;
  /// Steps of the dtype between the two; infinite where one is NaN.
  double steps = 0;
};

/// What comparing an output adds up to.
struct ComparisonSums {
  uint64_t elements = 0, mismatches = 0;
  /// Elements that used up the allowance of `flips`.
  uint64_t flips = 0;
  /// Elements beyond |expected - found| <= 0.01 + 0.05 * |found|, the rule of
  /// Atrex-Bench at revision eb8697d (any NaN fails it; integers are exact).
  uint64_t beyondEvaluator = 0;
  double errorSquares = 0, referenceSquares = 0; ///< where both are finite
  double epsilon = 0;                            ///< of the dtype
};

/// The tolerance that does not hold.
enum class ToleranceFailure : uint32_t { None, Element, Flips, Norm, Drift };

} // namespace lathe

#endif // LATHE_VERIFY_COMPAREVALUE_H
