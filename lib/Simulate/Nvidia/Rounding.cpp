//===- Rounding.cpp - Arithmetic rounded in a given direction -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"

#include "llvm/ADT/bit.h"

#include <cfenv>
#include <cmath>

// Operands and results pass through volatile variables: what a compiler folds
// or moves would be rounded to nearest.
#pragma STDC FENV_ACCESS ON

using namespace llvm;

namespace lathe::sim {

namespace {

int modeOf(Rounding rounding) {
  switch (rounding) {
  case Rounding::NearestEven:
    return FE_TONEAREST;
  case Rounding::TowardZero:
    return FE_TOWARDZERO;
  case Rounding::Down:
    return FE_DOWNWARD;
  case Rounding::Up:
    return FE_UPWARD;
  }
  return FE_TONEAREST;
}

class ScopedRounding {
public:
  explicit ScopedRounding(Rounding rounding) : before(std::fegetround()) {
    std::fesetround(modeOf(rounding));
  }
  ~ScopedRounding() { std::fesetround(before); }

private:
  int before;
};

float canonical(float value) {
  return value != value ? bit_cast<float>(0x7fffffffu) : value;
}
double canonical(double value) {
  return value != value ? bit_cast<double>(0x7fffffffffffffffull) : value;
}

template <typename T, typename Function>
T inDirection(Rounding rounding, Function function) {
  volatile T result;
  {
    ScopedRounding scope(rounding);
    result = function();
  }
  return canonical(T(result));
}

template <typename T> T add(T a, T b, Rounding rounding) {
  volatile T x = a, y = b;
  return inDirection<T>(rounding, [&] { return T(x) + T(y); });
}

template <typename T> T mul(T a, T b, Rounding rounding) {
  volatile T x = a, y = b;
  return inDirection<T>(rounding, [&] { return T(x) * T(y); });
}

template <typename T> T fma(T a, T b, T c, Rounding rounding) {
  volatile T x = a, y = b, z = c;
  return inDirection<T>(rounding, [&] { return std::fma(T(x), T(y), T(z)); });
}

template <typename T> T div(T a, T b, Rounding rounding) {
  volatile T x = a, y = b;
  return inDirection<T>(rounding, [&] { return T(x) / T(y); });
}

template <typename T> T sqrt(T a, Rounding rounding) {
  volatile T x = a;
  return inDirection<T>(rounding, [&] { return std::sqrt(T(x)); });
}

/// The sum of two doubles, rounded so that rounding it again to fewer bits is
/// as if it had been rounded once: inexact results get an odd last bit.
double addToOdd(double a, double b) {
  double sum = a + b;
  if (!std::isfinite(sum))
    return sum;
  double partOfB = sum - a;
  double error = (a - (sum - partOfB)) + (b - partOfB);
  uint64_t bits = bit_cast<uint64_t>(sum);
  if (error == 0 || (bits & 1))
    return sum;
  // Even and inexact: the neighbour on the side of the error is odd.
  return std::nextafter(sum, error > 0 ? HUGE_VAL : -HUGE_VAL);
}

} // namespace

float flushed(float value) {
  return std::fabs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value;
}

float saturated(float value) {
  return value > 0 ? std::min(value, 1.0f) : 0.0f;
}
double saturated(double value) {
  return value > 0 ? std::min(value, 1.0) : 0.0;
}

float addRounded(float a, float b, Rounding rounding) {
  return add(a, b, rounding);
}
float mulRounded(float a, float b, Rounding rounding) {
  return mul(a, b, rounding);
}
float fmaRounded(float a, float b, float c, Rounding rounding) {
  return fma(a, b, c, rounding);
}
float divRounded(float a, float b, Rounding rounding) {
  return div(a, b, rounding);
}
float sqrtRounded(float a, Rounding rounding) { return sqrt(a, rounding); }

double addRounded(double a, double b, Rounding rounding) {
  return add(a, b, rounding);
}
double mulRounded(double a, double b, Rounding rounding) {
  return mul(a, b, rounding);
}
double fmaRounded(double a, double b, double c, Rounding rounding) {
  return fma(a, b, c, rounding);
}
double divRounded(double a, double b, Rounding rounding) {
  return div(a, b, rounding);
}
double sqrtRounded(double a, Rounding rounding) { return sqrt(a, rounding); }

uint16_t fmaSmall(FloatFormat format, uint16_t a, uint16_t b, uint16_t c) {
  // Products of 11 or 8 bit significands are exact in a double.
  double product = decodeFloat(format, a) * decodeFloat(format, b);
  return uint16_t(
      encodeFloat(format, addToOdd(product, decodeFloat(format, c))));
}

uint16_t addSmall(FloatFormat format, uint16_t a, uint16_t b) {
  return uint16_t(encodeFloat(
      format, addToOdd(decodeFloat(format, a), decodeFloat(format, b))));
}

double minMax(MinMax kind, double a, double b) {
  bool negative = kind.xorSign && std::signbit(a) != std::signbit(b);
  if (kind.xorSign) {
    a = std::fabs(a);
    b = std::fabs(b);
  }
  bool nanA = a != a, nanB = b != b;
  if (nanA || nanB) {
    if (kind.propagateNaN || (nanA && nanB))
      return bit_cast<double>(0x7fffffffffffffffull);
    double other = nanA ? b : a;
    return negative ? -other : other;
  }
  bool aLess = a < b || (a == b && std::signbit(a) > std::signbit(b));
  double result = aLess == kind.max ? b : a;
  return negative ? -result : result;
}

float toFloat(double value, Rounding rounding) {
  volatile double x = value;
  return inDirection<float>(rounding, [&] { return float(x); });
}

float integerToFloat(uint64_t value, bool isSigned, Rounding rounding) {
  volatile uint64_t x = value;
  return inDirection<float>(rounding, [&] {
    return isSigned ? float(int64_t(x)) : float(uint64_t(x));
  });
}

double integerToDouble(uint64_t value, bool isSigned, Rounding rounding) {
  volatile uint64_t x = value;
  return inDirection<double>(rounding, [&] {
    return isSigned ? double(int64_t(x)) : double(uint64_t(x));
  });
}

} // namespace lathe::sim
