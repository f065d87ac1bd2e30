//===- Floats.cpp - AMD float instructions --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Floats.h"

#include <cmath>
#include <limits>

using namespace lathe;
using namespace lathe::sim;

static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
static constexpr double infinity = std::numeric_limits<double>::infinity();

double amd::floatOperand(const Call &call, unsigned operand, unsigned lane) {
  const Slot &slot = call.site.operands[operand];
  if (slot.undefined)
    return notANumber;
  uint64_t bits = 0;
  uint32_t bytes = slot.bytesPerLane();
  std::memcpy(&bits, call.data(operand) + lane * bytes, bytes);
  return decodeFloat(formatOf(slot), bits);
}

void amd::setFloat(Call &call, double value, unsigned lane) {
  const Slot &slot = call.site.results[0];
  uint64_t bits = encodeFloat(formatOf(slot), value);
  uint32_t bytes = slot.bytesPerLane();
  std::memcpy(call.result() + lane * bytes, &bits, bytes);
}

double amd::belowOne(FloatFormat format) {
  switch (format) {
  case FloatFormat::F64:
    return 1 - 0x1p-53;
  case FloatFormat::F32:
    return 1 - 0x1p-24;
  default:
    return 1 - 0x1p-11;
  }
}

double amd::fraction(double value, FloatFormat format) {
  if (std::isinf(value))
    return notANumber;
  return std::isnan(value)
             ? value
             : std::min(value - std::floor(value), belowOne(format));
}

double amd::median(double a, double b, double c) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c))
    return std::fmin(std::fmin(a, b), c);
  return std::fmax(std::fmin(a, b), std::fmin(std::fmax(a, b), c));
}

double amd::sineOfTurns(double turns) {
  if (!std::isfinite(turns))
    return notANumber;
  if (std::fabs(turns) > 256)
    return 0;
  // Whole turns are exact to take off; halves then are exact zeros.
  double rest = turns - std::nearbyint(turns);
  return std::fabs(rest) == 0.5 ? 0 : std::sin(rest * 2 * M_PI);
}

double amd::cosineOfTurns(double turns) {
  if (!std::isfinite(turns))
    return notANumber;
  if (std::fabs(turns) > 256)
    return 1;
  double rest = std::fabs(turns - std::nearbyint(turns));
  return rest == 0.25 ? 0 : std::cos(rest * 2 * M_PI);
}

// MI300 ISA guide, V_DIV_FIXUP.
double amd::fixDivision(double quotient, double denominator, double numerator) {
  bool negative = std::signbit(denominator) != std::signbit(numerator);
  double sign = negative ? -1 : 1;
  if (std::isnan(numerator) || std::isnan(denominator) ||
      (denominator == 0 && numerator == 0) ||
      (std::isinf(denominator) && std::isinf(numerator)))
    return notANumber;
  if (denominator == 0 || std::isinf(numerator))
    return sign * infinity;
  if (std::isinf(denominator) || numerator == 0)
    return sign * 0.0;
  return std::copysign(quotient, sign);
}
