//===- Approximate.cpp - Instructions with a stated error -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computed in double, whose error is far below half an ulp of a float, and
// rounded once. Special values follow the tables of the PTX ISA.
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace llvm;

namespace lathe::sim {

namespace {

template <typename Function>
float approximate(float x, bool flush, Function function) {
  if (flush)
    x = flushed(x);
  float result = float(function(double(x)));
  if (result != result)
    return bit_cast<float>(0x7fffffffu);
  return flush ? flushed(result) : result;
}

double highHalf(double value) {
  if (value != value)
    return bit_cast<double>(0x7fffffff00000000ull);
  return bit_cast<double>(bit_cast<uint64_t>(value) & 0xffffffff00000000ull);
}

double flushedDouble(double value) {
  return std::fabs(value) < 0x1p-1022 ? std::copysign(0.0, value) : value;
}

} // namespace

float ex2Approx(float x, bool flush) {
  return approximate(x, flush, [](double v) { return std::exp2(v); });
}

float lg2Approx(float x, bool flush) {
  return approximate(x, flush, [](double v) { return std::log2(v); });
}

float rcpApprox(float x, bool flush) {
  return approximate(x, flush, [](double v) { return 1 / v; });
}

float rsqrtApprox(float x, bool flush) {
  return approximate(x, flush, [](double v) { return 1 / std::sqrt(v); });
}

float sqrtApprox(float x, bool flush) {
  return approximate(x, flush, [](double v) { return std::sqrt(v); });
}

float sinApprox(float x, bool flush) {
  return approximate(x, flush, [](double v) { return std::sin(v); });
}

float cosApprox(float x, bool flush) {
  return approximate(x, flush, [](double v) { return std::cos(v); });
}

float tanhApprox(float x) {
  return approximate(x, false, [](double v) { return std::tanh(v); });
}

float divApprox(float a, float b, bool flush) {
  if (flush) {
    a = flushed(a);
    b = flushed(b);
  }
  float size = std::fabs(b);
  if (size > 0x1p126f && std::isfinite(size)) {
    if (std::isfinite(a))
      return std::copysign(0.0f, std::signbit(a) == std::signbit(b) ? 1 : -1);
    return bit_cast<float>(0x7fffffffu);
  }
  return divFull(a, b, flush);
}

float divFull(float a, float b, bool flush) {
  if (flush) {
    a = flushed(a);
    b = flushed(b);
  }
  // A quotient of floats in double, rounded again, is correctly rounded.
  return approximate(float(double(a) / double(b)), flush,
                     [](double v) { return v; });
}

double rcpApprox(double x) {
  return flushedDouble(highHalf(1 / flushedDouble(x)));
}

double rsqrtApprox(double x, bool flush) {
  if (flush)
    x = flushedDouble(x);
  return highHalf(1 / std::sqrt(x));
}

ArrayRef<ApproximationBound> approximationBounds() {
  const double inf = HUGE_VAL, pi = 3.1415926;
  // 1 ulp of a float is at most 2^-23 of its value.
  static const ApproximationBound bounds[] = {
      {"ex2.approx.f32", 0x1p-22, 0, 0, inf},
      {"lg2.approx.f32", 0x1p-22, 0, 0, 0.5},
      {"lg2.approx.f32", 0, 0x1p-22, 0.5, 2},
      {"lg2.approx.f32", 0x1p-22, 0, 2, inf},
      {"rcp.approx.f32", 0x1p-23, 0, 0, inf},
      {"rsqrt.approx.f32", 0x1.126p-23, 0, 0, inf},
      {"sqrt.approx.f32", 0x1p-23, 0, 0, inf},
      {"sin.approx.f32", 0, 0x1.6ap-21, 0, 2 * pi},
      {"sin.approx.f32", 0, 0x1.3bp-15, 2 * pi, 100 * pi},
      {"cos.approx.f32", 0, 0x1.6ap-21, 0, 2 * pi},
      {"cos.approx.f32", 0, 0x1.3bp-15, 2 * pi, 100 * pi},
      {"tanh.approx.f32", 0x1p-11, 0, 0, inf},
      {"div.approx.f32", 0x1p-22, 0, 0x1p-126, 0x1p126},
      {"div.full.f32", 0x1p-22, 0, 0, inf},
      {"ex2.approx.f16", 0x1.13p-10, 0, 0, inf},
      {"tanh.approx.f16", 0, 0x1.02p-11, 0, inf},
      {"ex2.approx.ftz.bf16", 0x1p-7, 0, 0, inf},
      {"tanh.approx.bf16", 0, 0x1p-8, 0, inf},
      {"rcp.approx.ftz.f64", 0x1p-20, 0, 0, inf},
      {"rsqrt.approx.f64", 0x1p-19, 0, 0, inf},
  };
  return bounds;
}

} // namespace lathe::sim
