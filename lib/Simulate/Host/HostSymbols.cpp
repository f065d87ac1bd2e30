//===- HostSymbols.cpp - What compiled code may call ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostModule.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstring>

using namespace llvm;

namespace {

uint32_t bitsOf(float value) { return bit_cast<uint32_t>(value); }

/// Rounds the upper bits of a double, which must hold more than twice as many
/// significant bits as the result, to nearest even.
/// `exponentBits`, `fractionBits`: of the small format, an IEEE one.
uint16_t roundToSmall(double value, unsigned exponentBits,
                      unsigned fractionBits) {
  uint64_t bits = bit_cast<uint64_t>(value);
  uint16_t sign = uint16_t(bits >> 63) << (exponentBits + fractionBits);
  uint16_t infinity = uint16_t(((1u << exponentBits) - 1) << fractionBits);
  if (std::isnan(value))
    return sign | infinity | uint16_t(1u << (fractionBits - 1));
  if (std::isinf(value))
    return sign | infinity;
  if (value == 0)
    return sign;
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = std::ilogb(value);
  // The weight of the last place; below the least normal it stays.
  int last = std::max(exponent, 1 - bias) - int(fractionBits);
  double scaled = std::ldexp(std::fabs(value), -last);
  auto whole = uint64_t(scaled);
  double rest = scaled - double(whole);
  whole += rest > 0.5 || (rest == 0.5 && (whole & 1));
  // A carry runs into the exponent by itself.
  uint64_t magnitude =
      whole < (uint64_t(1) << fractionBits)
          ? whole
          : whole +
                (uint64_t(last + int(fractionBits) + bias - 1) << fractionBits);
  return sign | uint16_t(std::min<uint64_t>(magnitude, infinity));
}

uint16_t toBFloat(float value) {
  uint32_t bits = bitsOf(value);
  if (std::isnan(value))
    return uint16_t(bits >> 16) | 0x40;
  return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float fromHalf(uint16_t half) {
  unsigned exponent = (half >> 10) & 31, fraction = half & 1023;
  float sign = half & 0x8000 ? -1.0f : 1.0f;
  if (exponent == 31)
    return bit_cast<float>(uint32_t(half & 0x8000) << 16 | 0x7f800000u |
                           fraction << 13);
  if (exponent == 0)
    return std::ldexp(sign * float(fraction), -24);
  return std::ldexp(sign * float(fraction | 1024), int(exponent) - 25);
}

float fromBFloat(uint16_t value) {
  return bit_cast<float>(uint32_t(value) << 16);
}

/// a * b + c for factors of at most 12 bits, rounded to odd: rounding the
/// result once more, to a small format, is then exact.
double fmaToOdd(double a, double b, double c) {
  double product = a * b;
  double sum = product + c;
  if (!std::isfinite(sum))
    return sum;
  double part = sum - product;
  double error = (product - (sum - part)) + (c - part);
  uint64_t bits = bit_cast<uint64_t>(sum);
  if (error != 0 && !(bits & 1)) {
    bool away = (error > 0) == (sum > 0);
    bits = away ? bits + 1 : bits - 1;
  }
  return bit_cast<double>(bits);
}

// bfloat and half are returned in xmm0; a float with those low bits is, too.
float lowBits(uint16_t bits) { return bit_cast<float>(uint32_t(bits)); }

extern "C" {
static uint32_t lathe_host_fma_f16(uint32_t a, uint32_t b, uint32_t c) {
  return roundToSmall(fmaToOdd(fromHalf(a), fromHalf(b), fromHalf(c)), 5, 10);
}
static uint32_t lathe_host_fma_bf16(uint32_t a, uint32_t b, uint32_t c) {
  return roundToSmall(fmaToOdd(fromBFloat(a), fromBFloat(b), fromBFloat(c)), 8,
                      7);
}
static float truncsfbf2(float value) { return lowBits(toBFloat(value)); }
static float truncdfbf2(double value) {
  return lowBits(roundToSmall(value, 8, 7));
}
static float truncsfhf2(float value) {
  return lowBits(roundToSmall(value, 5, 10));
}
static float truncdfhf2(double value) {
  return lowBits(roundToSmall(value, 5, 10));
}
static float extendhfsf2(float value) { return fromHalf(bitsOf(value)); }
static float extendbfsf2(float value) { return fromBFloat(bitsOf(value)); }

__int128_t __divti3(__int128_t, __int128_t);
__int128_t __modti3(__int128_t, __int128_t);
__uint128_t __udivti3(__uint128_t, __uint128_t);
__uint128_t __umodti3(__uint128_t, __uint128_t);
}

} // namespace

namespace lathe::host {

template <typename T> static void *address(T *function) {
  return reinterpret_cast<void *>(function);
}
#define UNARY(name)                                                            \
  {#name, address(static_cast<double (*)(double)>(&::name))}, {                \
    #name "f", address(static_cast<float (*)(float)>(&::name##f))              \
  }
#define BINARY(name)                                                           \
  {#name, address(static_cast<double (*)(double, double)>(&::name))}, {        \
    #name "f", address(static_cast<float (*)(float, float)>(&::name##f))       \
  }

ArrayRef<std::pair<StringRef, void *>> hostSymbols() {
  static const std::pair<StringRef, void *> symbols[] = {
      {"lathe_sim_call", address(&sim::lathe_sim_call)},
      {"lathe_sim_access", address(&sim::lathe_sim_access)},
      {"lathe_sim_count", address(&sim::lathe_sim_count)},
      {"lathe_sim_yield", address(&sim::lathe_sim_yield)},
      {"lathe_sim_fence", address(&sim::lathe_sim_fence)},
      {"lathe_sim_arena", address(&sim::lathe_sim_arena)},
      {"lathe_sim_local", address(&sim::lathe_sim_local)},
      {"lathe_sim_trap", address(&sim::lathe_sim_trap)},
      {"lathe_host_fma_f16", address(&lathe_host_fma_f16)},
      {"lathe_host_fma_bf16", address(&lathe_host_fma_bf16)},
      {"__truncsfbf2", address(&truncsfbf2)},
      {"__truncdfbf2", address(&truncdfbf2)},
      {"__truncsfhf2", address(&truncsfhf2)},
      {"__truncdfhf2", address(&truncdfhf2)},
      {"__extendhfsf2", address(&extendhfsf2)},
      {"__extendbfsf2", address(&extendbfsf2)},
      {"__divti3", address(&__divti3)},
      {"__modti3", address(&__modti3)},
      {"__udivti3", address(&__udivti3)},
      {"__umodti3", address(&__umodti3)},
      {"memcpy", address(&std::memcpy)},
      {"memmove", address(&std::memmove)},
      {"memset", address(&std::memset)},
      UNARY(ceil),
      UNARY(cos),
      UNARY(exp),
      UNARY(exp10),
      UNARY(exp2),
      UNARY(floor),
      UNARY(log),
      UNARY(log10),
      UNARY(log2),
      UNARY(nearbyint),
      UNARY(rint),
      UNARY(round),
      UNARY(sin),
      UNARY(sqrt),
      UNARY(tan),
      UNARY(tanh),
      UNARY(trunc),
      BINARY(fmod),
      BINARY(pow),
      {"fma", address(static_cast<double (*)(double, double, double)>(&::fma))},
      {"fmaf", address(static_cast<float (*)(float, float, float)>(&::fmaf))},
  };
  return symbols;
}

} // namespace lathe::host
