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

#include "lathe/Verify/DrawSource.h"

namespace lathe {

/// ToleranceSpec as plain data; see there.
struct ElementTolerance {
  double ulp = 1, nearZero = 0, norm = 0, drift = 0, flips = 0, flipUlp = 1,
         absolute = 0, cancellation = 0;
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
  /// Elements that are only as close as `cancellation` asks.
  uint64_t cancelled = 0;
  int64_t rowLength = 0;
  /// Elements beyond |expected - found| <= 0.01 + 0.05 * |found|, the rule of
  /// Atrex-Bench at revision eb8697d (any NaN fails it; integers are exact).
  uint64_t beyondEvaluator = 0;
  double errorSquares = 0, referenceSquares = 0; ///< where both are finite
  double epsilon = 0;                            ///< of the dtype

  /// |error| / |reference|; 0 without an error.
  double norm() const {
    if (errorSquares == 0)
      return 0;
    return referenceSquares != 0
               ? __builtin_sqrt(errorSquares / referenceSquares)
               : __builtin_inf();
  }
};

/// A handful of huge elements would be the whole norm: drift is looked for in
/// realistic draws only.
inline ElementTolerance toleranceInMode(ElementTolerance tolerance,
                                        DrawMode mode) {
  if (mode != DrawMode::Realistic)
    tolerance.drift = 0;
  return tolerance;
}

inline bool isFiniteValue(double value) { return value - value == 0; }

/// Squares of a row, summed in an order that threads can share: segments of
/// `segment` elements, each from its first to its last, then the segments.
struct RowSquares {
  static constexpr int64_t segment = 256;
  double sum = 0;
  int64_t finite = 0; ///< elements that are

  void add(double squares, int64_t count) {
    sum += squares;
    finite += count;
  }
  double rms() const {
    return finite ? __builtin_sqrt(sum / double(finite)) : 0;
  }
};

/// Steps between two values of the dtype; infinite if just one is NaN.
inline double elementSteps(const ElementFormat &element, uint64_t a,
                           uint64_t b) {
  bool nanA = isNaNElement(element, a), nanB = isNaNElement(element, b);
  if (nanA || nanB)
    return nanA == nanB ? 0 : __builtin_inf();
  return __builtin_fabs(double(elementOrdinal(element, a)) -
                        double(elementOrdinal(element, b)));
}

enum class ElementMatch : uint32_t { Yes, Flip, Cancelled, No };

/// `rms` is that of the reference's row, `magnitude` what the reference makes
/// of the inputs' magnitudes, or 0.
inline ElementMatch matchElement(const ElementFormat &element,
                                 const ElementTolerance &tolerance, double rms,
                                 double magnitude, double expected,
                                 double found, double steps) {
  if (steps == 0 || (element.isFloat && steps <= tolerance.ulp))
    return ElementMatch::Yes;
  if (!element.isFloat || expected != expected || found != found)
    return ElementMatch::No;
  double error = __builtin_fabs(expected - found);
  if (isFiniteValue(expected) && isFiniteValue(found) &&
      error <= __builtin_fmax(tolerance.nearZero * rms, tolerance.absolute))
    return ElementMatch::Yes;
  // Factors on the way to a denormal f32 have lost bits, or are flushed.
  if (element.format == FloatFormat::F32 && tolerance.ulp > 0 &&
      error <= 0x1p-126)
    return ElementMatch::Yes;
  if (tolerance.flips != 0 && steps <= tolerance.ulp + tolerance.flipUlp)
    return ElementMatch::Flip;
  // Larger magnitudes than the dtype has are infinities.
  if (isFiniteValue(expected) && magnitude > 0 &&
      error <= tolerance.cancellation *
                   __builtin_fmin(magnitude, largestElement(element)))
    return ElementMatch::Cancelled;
  return ElementMatch::No;
}

inline bool isWithinEvaluator(const ElementFormat &element, double expected,
                              double found) {
  return expected == found ||
         (element.isFloat && __builtin_fabs(expected - found) <=
                                 0.01 + 0.05 * __builtin_fabs(found));
}

/// Adds all about one element but the squares of a row; the steps between the
/// two, and how they match in `match`.
inline double compareElement(ComparisonSums &sums, const ElementFormat &element,
                             const ElementTolerance &tolerance, double rms,
                             double magnitude, uint64_t expected,
                             uint64_t found, double &errorSquares,
                             ElementMatch &match) {
  double a = elementValue(element, expected), b = elementValue(element, found);
  ++sums.elements;
  sums.beyondEvaluator += !isWithinEvaluator(element, a, b);
  double steps = elementSteps(element, expected, found);
  match = ElementMatch::Yes;
  if (steps == 0)
    return steps;
  if (isFiniteValue(a) && isFiniteValue(b))
    errorSquares += (a - b) * (a - b);
  match = matchElement(element, tolerance, rms, magnitude, a, b, steps);
  sums.flips += match == ElementMatch::Flip;
  sums.cancelled += match == ElementMatch::Cancelled;
  sums.mismatches += match == ElementMatch::No;
  return steps;
}

/// The tolerance that does not hold.
enum class ToleranceFailure : uint32_t {
  None,
  Element,
  Flips,
  Cancelled,
  Norm,
  Drift
};

/// Most elements that may be close by `cancellation` alone. How large the
/// others of a row are says how large its terms are, but for a few that all of
/// a row's large terms leave; where rows are short it says nothing.
inline uint64_t cancelledLimit(const ComparisonSums &sums) {
  constexpr int64_t shortRow = 16;
  constexpr uint64_t oneIn = 1024;
  return sums.rowLength < shortRow ? sums.elements : 1 + sums.elements / oneIn;
}

/// Most flips: the share that is allowed, and what chance adds to a count of few,
/// three standard deviations.
inline double flipLimit(const ComparisonSums &sums,
                        const ElementTolerance &tolerance) {
  double expected = tolerance.flips * double(sums.elements);
  return expected + 3 * __builtin_sqrt(expected);
}

/// Most that the norm may be where drift is limited.
inline double driftLimit(const ComparisonSums &sums,
                         const ElementTolerance &tolerance) {
  // Steps of rounding of f32 sums in f32 outputs say nothing.
  double drift = tolerance.drift * sums.epsilon;
  return drift > 0x1p-20 ? drift : 0x1p-20;
}

inline ToleranceFailure failureOf(const ComparisonSums &sums,
                                  const ElementTolerance &tolerance) {
  if (sums.mismatches)
    return ToleranceFailure::Element;
  if (double(sums.flips) > flipLimit(sums, tolerance))
    return ToleranceFailure::Flips;
  if (sums.cancelled > cancelledLimit(sums))
    return ToleranceFailure::Cancelled;
  double norm = sums.norm();
  // One of a handful would be the whole norm; and where all is next to nothing,
  // steps of denormals would be.
  constexpr uint64_t handful = 64;
  double nothing = tolerance.absolute * tolerance.absolute;
  if (tolerance.norm != 0 && norm > tolerance.norm &&
      sums.errorSquares > nothing * double(sums.elements) &&
      (sums.cancelled == 0 || sums.elements >= handful))
    return ToleranceFailure::Norm;
  // Nor do a few steps in a few elements.
  constexpr uint64_t enough = 4096;
  if (tolerance.drift != 0 && sums.elements >= enough &&
      norm > driftLimit(sums, tolerance))
    return ToleranceFailure::Drift;
  return ToleranceFailure::None;
}

} // namespace lathe

#endif // LATHE_VERIFY_COMPAREVALUE_H
