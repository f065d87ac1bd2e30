//===- Compare.cpp - Outputs against the reference ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/Compare.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <limits>

using namespace lathe;
namespace json = llvm::json;

constexpr double infinity = std::numeric_limits<double>::infinity();

double Comparison::norm() const {
  if (errorSquares == 0)
    return 0;
  return referenceSquares ? std::sqrt(errorSquares / referenceSquares)
                          : infinity;
}

static std::string shortText(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.7g", value);
  return text;
}

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
  if (worst.ulp > 0)
    out["worst"] = errorToJSON(worst);
  if (first)
    out["first"] = errorToJSON(*first);
  return out;
}

bool Comparison::passes(const ToleranceSpec &tolerance,
                        std::string &why) const {
  if (mismatches) {
    std::string at;
    for (int64_t index : first->index)
      at += (at.empty() ? "" : ", ") + std::to_string(index);
    why = llvm::formatv("{0} of {1} elements, first [{2}]: found {3}, expected "
                        "{4} ({5} ulp)",
                        mismatches, elements, at, shortText(first->found),
                        shortText(first->expected), shortText(first->ulp));
    return false;
  }
  if (double(flips) > tolerance.flips * double(elements)) {
    why = llvm::formatv("{0} of {1} elements are one step off, at most a share "
                        "of {2:e} may be",
                        flips, elements, tolerance.flips);
    return false;
  }
  if (tolerance.norm && norm() > tolerance.norm) {
    why = llvm::formatv("the error's norm is {0:e} of the reference's, at most "
                        "{1:e} is allowed",
                        norm(), tolerance.norm);
    return false;
  }
  // A few steps of rounding say nothing in a few elements, nor do those of f32
  // sums in f32 outputs.
  constexpr uint64_t enough = 4096;
  double drift = std::max(tolerance.drift * epsilon, 0x1p-20);
  if (tolerance.drift && elements >= enough && norm() > drift) {
    why = llvm::formatv("the error's norm is {0:e} of the reference's over {1} "
                        "elements, a drift of at most {2:e} is allowed",
                        norm(), elements, drift);
    return false;
  }
  return true;
}

namespace {

enum class Match { Yes, Flip, No };

struct RowContext {
  const ElementType &type;
  const ToleranceSpec &tolerance;
  double rms;
};

} // namespace

/// Steps between two values of the dtype; infinite if just one is NaN.
static double stepsBetween(const ElementType &type, uint64_t a, uint64_t b) {
  bool nanA = type.isNaN(a), nanB = type.isNaN(b);
  if (nanA || nanB)
    return nanA == nanB ? 0 : infinity;
  return std::fabs(double(type.ordinal(a)) - double(type.ordinal(b)));
}

static Match match(const RowContext &row, double expected, double found,
                   double steps) {
  if (steps == 0 || (row.type.format && steps <= row.tolerance.ulp))
    return Match::Yes;
  if (!row.type.format || std::isnan(expected) || std::isnan(found))
    return Match::No;
  if (std::isfinite(expected) && std::isfinite(found) &&
      std::fabs(expected - found) <= row.tolerance.nearZero * row.rms)
    return Match::Yes;
  // Factors on the way to a denormal f32 have lost bits, or are flushed.
  if (row.type.format == FloatFormat::F32 && row.tolerance.ulp > 0 &&
      std::fabs(expected - found) <= 0x1p-126)
    return Match::Yes;
  if (row.tolerance.flips && steps <= row.tolerance.ulp + 1)
    return Match::Flip;
  return Match::No;
}

static bool withinEvaluator(const ElementType &type, double expected,
                            double found) {
  if (expected == found)
    return true;
  return type.format &&
         std::fabs(expected - found) <= 0.01 + 0.05 * std::fabs(found);
}

void lathe::compareRow(Comparison &comparison, const ElementType &type,
                       const ToleranceSpec &tolerance,
                       llvm::ArrayRef<int64_t> indexOfRow, int64_t length,
                       const char *expected, const char *found) {
  double squares = 0;
  int64_t finite = 0;
  for (int64_t i = 0; type.format && i < length; ++i) {
    double value = type.value(type.load(expected + i * type.bytes));
    if (!std::isfinite(value))
      continue;
    squares += value * value;
    ++finite;
  }
  RowContext row{type, tolerance,
                 finite ? std::sqrt(squares / double(finite)) : 0};
  comparison.epsilon = type.epsilon();
  comparison.referenceSquares += squares;
  comparison.elements += uint64_t(length);
  for (int64_t i = 0; i < length; ++i) {
    uint64_t bitsExpected = type.load(expected + i * type.bytes);
    uint64_t bitsFound = type.load(found + i * type.bytes);
    double a = type.value(bitsExpected), b = type.value(bitsFound);
    if (!withinEvaluator(type, a, b))
      ++comparison.beyondEvaluator;
    double steps = stepsBetween(type, bitsExpected, bitsFound);
    if (steps == 0)
      continue;
    if (std::isfinite(a) && std::isfinite(b))
      comparison.errorSquares += (a - b) * (a - b);
    Match result = match(row, a, b, steps);
    if (steps > comparison.worst.ulp ||
        (result == Match::No && !comparison.first)) {
      ElementError error;
      error.index.assign(indexOfRow.begin(), indexOfRow.end());
      if (!error.index.empty())
        error.index.back() += i;
      error.expected = a;
      error.found = b;
      error.ulp = steps;
      if (result == Match::No && !comparison.first)
        comparison.first = error;
      if (steps > comparison.worst.ulp)
        comparison.worst = std::move(error);
    }
    comparison.flips += result == Match::Flip;
    comparison.mismatches += result == Match::No;
  }
}
