//===- Compare.cpp - Outputs against the reference ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/Compare.h"

#include "lathe/Verify/CompareText.h"

#include <algorithm>
#include <cmath>

using namespace lathe;
namespace json = llvm::json;

/// JSON has no infinities.
static json::Value numberOf(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

static json::Object errorToJSON(const ElementError &error) {
  return json::Object{{"index", json::Array(error.index)},
                      {"expected", numberOf(error.expected)},
                      {"found", numberOf(error.found)},
                      {"ulp", numberOf(error.ulp)}};
}

json::Object Comparison::toJSON() const {
  json::Object out{{"elements", int64_t(elements)},
                   {"mismatches", int64_t(mismatches)},
                   {"norm", numberOf(norm())},
                   {"beyond_evaluator", int64_t(beyondEvaluator)}};
  if (flips)
    out["flips"] = int64_t(flips);
  if (cancelled)
    out["cancelled"] = int64_t(cancelled);
  if (worst.ulp > 0)
    out["worst"] = errorToJSON(worst);
  if (first)
    out["first"] = errorToJSON(*first);
  return out;
}

ElementTolerance lathe::elementTolerance(const ToleranceSpec &tolerance) {
  return {tolerance.ulp,      tolerance.nearZero,    tolerance.norm,
          tolerance.drift,    tolerance.flips,       tolerance.flipUlp,
          tolerance.absolute, tolerance.cancellation};
}

bool Comparison::passes(const ToleranceSpec &tolerance,
                        std::string &why) const {
  ElementDifference difference;
  std::vector<int64_t> index;
  if (first) {
    difference.expected = first->expected;
    difference.found = first->found;
    difference.steps = first->ulp;
    index = first->index;
  }
  why = toleranceText(*this, elementTolerance(tolerance), difference, index);
  return why.empty();
}

void lathe::compareRow(Comparison &comparison, const ElementType &type,
                       const ToleranceSpec &tolerance,
                       llvm::ArrayRef<int64_t> indexOfRow, int64_t length,
                       const char *expected, const char *found,
                       const char *magnitudes) {
  ElementFormat element = type.plain();
  ElementTolerance plain = elementTolerance(tolerance);
  auto load = [&](const char *row, int64_t i) {
    return loadElement(element, row + i * element.bytes);
  };
  RowSquares row;
  for (int64_t at = 0; element.isFloat && at < length;
       at += RowSquares::segment) {
    RowSquares part;
    int64_t end = std::min(length, at + RowSquares::segment);
    for (int64_t i = at; i < end; ++i)
      if (double value = elementValue(element, load(expected, i));
          isFiniteValue(value))
        part.add(value * value, 1);
    row.add(part.sum, part.finite);
  }
  double rms = row.rms();
  comparison.epsilon = elementEpsilon(element);
  comparison.rowLength = std::max(comparison.rowLength, length);
  comparison.referenceSquares += row.sum;
  for (int64_t i = 0; i < length; ++i) {
    uint64_t a = load(expected, i), b = load(found, i);
    double magnitude =
        magnitudes ? elementValue(element, load(magnitudes, i)) : 0;
    ElementMatch match;
    double steps = compareElement(comparison, element, plain, rms, magnitude, a,
                                  b, comparison.errorSquares, match);
    bool isFirst = match == ElementMatch::No && !comparison.first;
    bool isWorst = steps > comparison.worst.ulp;
    if (!isFirst && !isWorst)
      continue;
    ElementError error;
    error.index.assign(indexOfRow.begin(), indexOfRow.end());
    if (!error.index.empty())
      error.index.back() += i;
    error.expected = elementValue(element, a);
    error.found = elementValue(element, b);
    error.ulp = steps;
    if (isFirst)
      comparison.first = error;
    if (isWorst)
      comparison.worst = std::move(error);
  }
}
