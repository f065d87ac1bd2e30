//===- DrawMath.h - Random bits and normals ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Freestanding, and of operations that IEEE 754 rounds exactly: the same bits
// on the host and on GPUs, if nothing is contracted (-ffp-contract=off).
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_DRAWMATH_H
#define LATHE_VERIFY_DRAWMATH_H

#include <stdint.h>

namespace lathe {

/// 64 random bits, a function of the three numbers.
inline uint64_t randomBits(uint64_t seed, uint64_t stream, uint64_t index) {
  // SplitMix64, started at a state that seed and stream choose.
  auto mix = [](uint64_t x) {
    x ^= x >> 30;
    x *= 0xBF58476D1CE4E5B9u;
    x ^= x >> 27;
    x *= 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  };
  constexpr uint64_t golden = 0x9E3779B97F4A7C15u;
  uint64_t state = mix(mix(seed + golden) + golden * (stream + 1));
  return mix(state + golden * (index + 1));
}

/// Of a normal positive number, to some 2^-52.
inline double naturalLogarithm(double x) {
  auto bits = __builtin_bit_cast(uint64_t, x);
  auto exponent = int(bits >> 52) - 1023;
  auto m = __builtin_bit_cast(double, (bits & 0xFFFFFFFFFFFFF) | uint64_t(1023)
                                                                     << 52);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  // log m = 2 artanh((m - 1) / (m + 1)), by its series.
  double s = (m - 1) / (m + 1), z = s * s, sum = 1.0 / 19;
  sum = sum * z + 1.0 / 17;
  sum = sum * z + 1.0 / 15;
  sum = sum * z + 1.0 / 13;
  sum = sum * z + 1.0 / 11;
  sum = sum * z + 1.0 / 9;
  sum = sum * z + 1.0 / 7;
  sum = sum * z + 1.0 / 5;
  sum = sum * z + 1.0 / 3;
  sum = sum * z + 1;
  return 2 * s * sum + exponent * 0.69314718055994530942;
}

/// cos(2 pi turns), 0 <= turns < 1, to some 2^-52.
inline double cosineOfTurns(double turns) {
  auto quarter = int(turns * 4 + 0.5);
  double x = (turns * 4 - quarter) * 1.57079632679489661923, z = x * x, sum;
  if (quarter % 2) { // sine, by its Taylor series
    sum = -1.0 / 1307674368000;
    sum = sum * z + 1.0 / 6227020800;
    sum = sum * z - 1.0 / 39916800;
    sum = sum * z + 1.0 / 362880;
    sum = sum * z - 1.0 / 5040;
    sum = sum * z + 1.0 / 120;
    sum = sum * z - 1.0 / 6;
    sum = (sum * z + 1) * x;
    return quarter == 1 ? -sum : sum;
  }
  sum = 1.0 / 20922789888000;
  sum = sum * z - 1.0 / 87178291200;
  sum = sum * z + 1.0 / 479001600;
  sum = sum * z - 1.0 / 3628800;
  sum = sum * z + 1.0 / 40320;
  sum = sum * z - 1.0 / 720;
  sum = sum * z + 1.0 / 24;
  sum = sum * z - 0.5;
  sum = sum * z + 1;
  return quarter == 2 ? -sum : sum;
}

/// e^x, |x| < 700, to some 2^-51.
inline double exponential(double x) {
  double steps = x * 1.44269504088896340736;
  auto power = int64_t(steps + (steps < 0 ? -0.5 : 0.5));
  // The logarithm of 2 in two parts; the first has few bits.
  double r = x - double(power) * 0x1.62e42fee00000p-1 -
             double(power) * 0x1.a39ef35793c76p-33;
  double sum = 1.0 / 6227020800;
  sum = sum * r + 1.0 / 479001600;
  sum = sum * r + 1.0 / 39916800;
  sum = sum * r + 1.0 / 3628800;
  sum = sum * r + 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  sum = sum * r + 1;
  sum = sum * r + 1;
  return sum * __builtin_bit_cast(double, uint64_t(1023 + power) << 52);
}

/// N(0, 1), never further out than 5.8; a value of f32.
inline double normalAt(uint64_t seed, uint64_t stream, uint64_t index) {
  uint64_t bits = randomBits(seed, stream, index);
  double u = double((bits >> 40) + 1) * 0x1p-24;
  double v = double(bits & 0xFFFFFF) * 0x1p-24;
  return float(__builtin_sqrt(-2 * naturalLogarithm(u)) * cosineOfTurns(v));
}

} // namespace lathe

#endif // LATHE_VERIFY_DRAWMATH_H
