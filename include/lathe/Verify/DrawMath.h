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

/// Of a normal positive number, to some 2^-38 of it. No branch: which one is
/// taken would be anybody's guess.
inline double naturalLogarithm(double x) {
  // Powers of two out, so that 1 / sqrt(2) <= m < sqrt(2).
  constexpr uint64_t least = 0x3FE6A09E667F3BCD;
  auto bits = __builtin_bit_cast(uint64_t, x);
  int64_t exponent = int64_t(bits - least) >> 52;
  auto m = __builtin_bit_cast(double, bits - (uint64_t(exponent) << 52));
  // log m = 2 artanh((m - 1) / (m + 1)), by its series.
  double s = (m - 1) / (m + 1), z = s * s, sum = 1.0 / 13;
  sum = sum * z + 1.0 / 11;
  sum = sum * z + 1.0 / 9;
  sum = sum * z + 1.0 / 7;
  sum = sum * z + 1.0 / 5;
  sum = sum * z + 1.0 / 3;
  sum = sum * z + 1;
  return 2 * s * sum + double(exponent) * 0.69314718055994530942;
}

/// cos(2 pi turns), 0 <= turns < 1, to some 2^-36.
inline double cosineOfTurns(double turns) {
  // The sine of an angle of at most a quarter turn, by its Taylor series.
  double x = (__builtin_fabs(turns - 0.5) - 0.25) * 6.28318530717958647693;
  double z = x * x, sum = -1.0 / 1307674368000;
  sum = sum * z + 1.0 / 6227020800;
  sum = sum * z - 1.0 / 39916800;
  sum = sum * z + 1.0 / 362880;
  sum = sum * z - 1.0 / 5040;
  sum = sum * z + 1.0 / 120;
  sum = sum * z - 1.0 / 6;
  return (sum * z + 1) * x;
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
