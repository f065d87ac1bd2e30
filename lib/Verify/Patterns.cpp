//===- Patterns.cpp - Rows that are hard to compute with ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "lathe/Verify/Inputs.h"

#include <cmath>
#include <limits>

using namespace lathe;

namespace {

/// One element and its row.
struct Place {
  uint64_t row = 0, column = 0;
  uint64_t rowBits = 0, bits = 0; ///< random, of the row and of the element
};

} // namespace

static Place placeOf(const PatternQuestion &q) {
  auto inner = uint64_t(std::max<int64_t>(q.inner, 1));
  Place place{q.index / inner, q.index % inner, 0, 0};
  // Other streams than the values', so that the two are independent.
  place.rowBits = randomBits(q.seed, ~q.operand, place.row);
  place.bits = randomBits(~q.seed, ~q.operand, q.index);
  return place;
}

/// Rows take turns, from a start that differs by seed and operand.
static uint64_t turn(const PatternQuestion &q, const Place &place,
                     uint64_t patterns) {
  return (place.row + randomBits(q.seed, ~q.operand, ~uint64_t(0))) % patterns;
}

static double adversarial(const PatternQuestion &q) {
  Place place = placeOf(q);
  double normal = q.normal(q.index), large = q.distribution->large;
  double power = double(1 << place.rowBits % 3);
  bool negative = place.rowBits & 4;
  if (!q.rows) // a few elements of a vector are out of line
    switch (place.bits % 64) {
    case 0:
      return normal * std::min(large, 64.0);
    case 1:
      return -normal;
    case 2:
      return -q.distribution->offset / q.distribution->scale; // zero
    default:
      return normal;
    }
  switch (turn(q, place, 9)) {
  case 0:
    return normal * large;
  case 1: // pairs cancel
    return place.column % 2 ? -q.normal(q.index - 1) : normal;
  case 2: // one outlier
    return place.column == place.rowBits / 8 % uint64_t(q.inner)
               ? (negative ? -large : large)
               : normal;
  case 3: // constant; sums are exact
    return negative ? -power : power;
  case 4:
    return place.column % 2 ? -power : power;
  case 5: // ties
    return double(place.bits % 4) - 1;
  case 6:
    return 0;
  case 7:
    return normal * 0x1p-20;
  default:
    return normal;
  }
}

/// The least positive value, and the least normal one.
static double leastOf(const ElementType &type, bool normal) {
  auto mantissa = unsigned(-std::lround(std::log2(type.epsilon())));
  return type.value(normal ? uint64_t(1) << mantissa : 1);
}

static double special(const PatternQuestion &q, uint64_t which) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (which) {
  case 0:
    return infinity;
  case 1:
    return -infinity;
  case 2:
    return std::numeric_limits<double>::quiet_NaN();
  default:
    return largestFinite(*q.type->format);
  }
}

/// Edge values are values of the element itself, not multiples of the scale.
static double edge(const PatternQuestion &q) {
  const DistributionSpec &d = *q.distribution;
  Place place = placeOf(q);
  double usual = d.offset + d.scale * q.normal(q.index);
  if (!q.rows) {
    if (place.bits % 64 != 0)
      return usual;
    uint64_t which = place.bits / 64 % 6;
    if (which >= 4 || d.finite)
      return which % 2 ? 0.0 : -0.0;
    return special(q, which);
  }
  bool chosen = place.column == place.rowBits / 8 % uint64_t(q.inner);
  bool negative = place.bits & 1;
  uint64_t pattern = turn(q, place, d.finite ? 4 : d.huge ? 9 : 8);
  double value = 0;
  switch (pattern) {
  case 0:
    return negative ? -0.0 : 0.0;
  case 1:
    value = leastOf(*q.type, false) * double(1 + place.bits / 2 % 3);
    return negative ? -value : value;
  case 2:
    value = leastOf(*q.type, true);
    return negative ? -value : value;
  case 3:
    return usual;
  case 8: // one sign only, so that no order of summing matters
    return special(q, 3);
  default:
    return chosen ? special(q, pattern - 4) : usual;
  }
}

double lathe::patternAt(const PatternQuestion &question) {
  if (!question.type->format)
    return 0;
  if (question.edge)
    return edge(question);
  return question.distribution->offset +
         question.distribution->scale * adversarial(question);
}
