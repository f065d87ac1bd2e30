//===- DrawPatterns.h - Rows that are hard to compute with ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Freestanding: the same text is compiled for the host and for GPUs.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_DRAWPATTERNS_H
#define LATHE_VERIFY_DRAWPATTERNS_H

#include "lathe/Verify/DrawMath.h"
#include "lathe/Verify/DrawSource.h"

namespace lathe {

/// One element of an adversarial or edge draw, and its row.
struct PatternPlace {
  uint64_t seed = 0, operand = 0, index = 0;
  uint64_t inner = 1, row = 0, column = 0;
  uint64_t rowBits = 0, bits = 0; ///< random, of the row and of the element
};

inline PatternPlace patternPlace(const DrawSource &source, uint64_t operand,
                                 uint64_t seed, uint64_t index) {
  PatternPlace place{seed, operand, index};
  if (int64_t inner = innerExtent(source); inner > 1)
    place.inner = uint64_t(inner);
  place.row = index / place.inner;
  place.column = index - place.row * place.inner;
  // Other streams than the values', so that the two are independent.
  place.rowBits = randomBits(seed, ~operand, place.row);
  place.bits = randomBits(~seed, ~operand, index);
  return place;
}

/// Rows take turns, from a start that differs by seed and operand.
inline uint64_t patternTurn(const PatternPlace &place, uint64_t patterns) {
  return (place.row + randomBits(place.seed, ~place.operand, ~uint64_t(0))) %
         patterns;
}

/// Before scale and offset. An operand without rows (a weight vector) mixes the
/// patterns.
inline double adversarialValue(const DrawSource &source,
                               const PatternPlace &place) {
  double normal = normalAt(place.seed, place.operand, place.index);
  double power = double(1 << place.rowBits % 3);
  bool negative = place.rowBits & 4;
  if (source.rank < 2) // a few elements of a vector are out of line
    switch (place.bits % 64) {
    case 0:
      return normal * (source.large < 64 ? source.large : 64);
    case 1:
      return -normal;
    case 2:
      return -source.offset / source.scale; // zero
    default:
      return normal;
    }
  switch (patternTurn(place, 9)) {
  case 0:
    return normal * source.large;
  case 1: // pairs cancel
    return place.column % 2
               ? -normalAt(place.seed, place.operand, place.index - 1)
               : normal;
  case 2: // one outlier
    return place.column == place.rowBits / 8 % place.inner
               ? (negative ? -source.large : source.large)
               : normal;
  case 3: // constant; sums are exact
    return negative && source.cancels ? -power : power;
  case 4:
    return place.column % 2 ? -power : power;
  case 5: // ties
    return double(place.bits % 4) - 1;
  case 6:
    return source.cancels ? 0 : power;
  case 7:
    return normal * 0x1p-20;
  default:
    return normal;
  }
}

inline double specialValue(const ElementFormat &element, uint64_t which) {
  switch (which) {
  case 0:
    return __builtin_inf();
  case 1:
    return -__builtin_inf();
  case 2:
    return __builtin_nan("");
  default:
    return largestElement(element);
  }
}

/// Rows of an edge draw take turns at so many patterns. Products of two largest
/// values overflow, and what their sums with an infinity are depends on the
/// order: where that matters, operands of even and of odd number never both
/// have them.
inline uint64_t edgePatterns(const DrawSource &source,
                             const PatternPlace &place) {
  if (source.finite)
    return 4;
  if (source.huge)
    return 9;
  uint64_t turn = randomBits(~place.seed, ~uint64_t(0), ~uint64_t(0));
  return (turn ^ place.operand) & 1 ? 8 : 7;
}

/// Edge values are values of the element itself, not multiples of the scale.
inline double edgeValue(const DrawSource &source, const PatternPlace &place) {
  const FloatLayout &layout = floatLayouts[unsigned(source.element.format)];
  double usual =
      source.offset +
      source.scale * normalAt(place.seed, place.operand, place.index);
  if (source.rank < 2) {
    if (place.bits % 64 != 0)
      return usual;
    uint64_t which = place.bits / 64 % 6;
    if (which >= 4 || source.finite)
      return which % 2 ? 0.0 : -0.0;
    return specialValue(source.element, which);
  }
  bool chosen = place.column == place.rowBits / 8 % place.inner;
  bool negative = place.bits & 1;
  uint64_t pattern = patternTurn(place, edgePatterns(source, place));
  double value = 0;
  switch (pattern) {
  case 0:
    return negative ? -0.0 : 0.0;
  case 1: // the least positive value, and small multiples
    value = decodeFloatBits(layout, uint64_t(1) << layout.padding) *
            double(1 + place.bits / 2 % 3);
    return negative ? -value : value;
  case 2: // the least normal value
    value = decodeFloatBits(layout, uint64_t(1)
                                        << (layout.mantissa + layout.padding));
    return negative ? -value : value;
  case 3:
    return usual;
  case 8: // one sign only, so that no order of summing matters
    return largestElement(source.element);
  default:
    if (!chosen)
      return usual;
    // Far from all else, but no product overflows, which would matter beside an
    // infinity, and matrix units do not drop what else they add up.
    if (pattern == 7 && !source.huge)
      return source.scale * 0x1p10;
    return specialValue(source.element, pattern - 4);
  }
}

/// A normal operand's element, adversarial or edge. Integers are 0.
inline double patternValue(const DrawSource &source, uint64_t operand,
                           bool isEdge, uint64_t seed, uint64_t index) {
  if (!source.element.isFloat)
    return 0;
  PatternPlace place = patternPlace(source, operand, seed, index);
  if (isEdge)
    return edgeValue(source, place);
  return source.offset + source.scale * adversarialValue(source, place);
}

} // namespace lathe

#endif // LATHE_VERIFY_DRAWPATTERNS_H
