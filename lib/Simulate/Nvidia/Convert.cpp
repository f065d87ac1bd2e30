//===- Convert.cpp - Conversions between formats --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"

#include <cmath>

namespace lathe::sim {

double toIntegral(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::NearestEven:
    return std::nearbyint(value);
  case Rounding::TowardZero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  }
  return value;
}

uint64_t toInteger(double value, Rounding rounding, unsigned bits,
                   bool isSigned, bool wide) {
  uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  uint64_t top = uint64_t(1) << (bits - 1);
  if (value != value)
    return wide ? top : 0;
  double integral = toIntegral(value, rounding);
  // Powers of two, hence exact.
  double limit = std::ldexp(1.0, isSigned ? int(bits) - 1 : int(bits));
  if (integral >= limit)
    return isSigned ? top - 1 : mask;
  if (isSigned)
    return integral < -limit ? top : uint64_t(int64_t(integral)) & mask;
  return integral < 0 ? 0 : uint64_t(integral) & mask;
}

uint64_t narrow(FloatFormat format, double value, Narrowing how) {
  if (how.relu && (value < 0 || (value == 0 && std::signbit(value))))
    value = 0;
  return encodeFloat(format, value,
                     how.saturate ? FloatOverflow::Saturate
                                  : FloatOverflow::Special,
                     how.rounding);
}

} // namespace lathe::sim
