//===- Math.cpp - AMD transcendental and other float instructions ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Approximations give the correctly rounded value. The hardware's differ from
// it by up to (MI300 ISA guide): rcp, rsq, sqrt, exp, log of f32 1 ulp, of f16
// 0.51 ulp; rcp, rsq and sqrt of f64 2^29 ulp; sin and cos of f32 2^-20
// absolute. Denormals of f32 are flushed by those instructions.
//
//===----------------------------------------------------------------------===//

#include "Floats.h"

#include <cmath>

using namespace lathe;
using namespace lathe::sim;
using namespace lathe::sim::amd;

namespace {

double flushed(double value, FloatFormat format) {
  return format == FloatFormat::F32 && std::fabs(value) < 0x1p-126
             ? std::copysign(0.0, value)
             : value;
}

template <double (*function)(double)> void runApproximation(Call &call) {
  FloatFormat format = formatOf(call.site.results[0]);
  double value = function(flushed(floatOperand(call, 0), format));
  // What rounds up to the least normal is none to flush.
  setFloat(call, flushed(roundTo(format, value), format));
}

double reciprocal(double x) { return 1 / x; }
double reciprocalRoot(double x) { return 1 / std::sqrt(x); }
double root(double x) { return std::sqrt(x); }
double exponential(double x) { return std::exp2(x); }
double logarithm(double x) { return std::log2(x); }

template <double (*function)(double)> void runExact(Call &call) {
  setFloat(call, function(floatOperand(call, 0)));
}

double mantissa(double x) {
  int exponent;
  return std::isfinite(x) ? std::frexp(x, &exponent) : x;
}

void runExponent(Call &call) {
  double value = floatOperand(call, 0);
  int exponent = 0;
  if (std::isfinite(value))
    std::frexp(value, &exponent);
  call.setInteger(uint64_t(int64_t(exponent)));
}

void runFraction(Call &call) {
  setFloat(call,
           fraction(floatOperand(call, 0), formatOf(call.site.results[0])));
}

void runMedian(Call &call) {
  setFloat(call, median(floatOperand(call, 0), floatOperand(call, 1),
                        floatOperand(call, 2)));
}

// Zero times anything is zero.
double legacyProduct(double a, double b) {
  return a == 0 || b == 0 ? 0 : a * b;
}
void runLegacyMultiply(Call &call) {
  setFloat(call, legacyProduct(floatOperand(call, 0), floatOperand(call, 1)));
}
void runLegacyFused(Call &call) {
  double a = floatOperand(call, 0), b = floatOperand(call, 1);
  double c = floatOperand(call, 2);
  call.set(a == 0 || b == 0 ? float(c)
                            : std::fma(float(a), float(b), float(c)));
}

void runClass(Call &call) {
  const Slot &slot = call.site.operands[0];
  uint64_t bits = 0;
  copyOperand(call, 0, &bits, slot.bytesPerLane());
  double value = floatOperand(call, 0);
  bool negative = (bits >> (slot.bits - 1)) & 1;
  double leastNormal = slot.bits == 64   ? 0x1p-1022
                       : slot.bits == 32 ? 0x1p-126
                                         : 0x1p-14;
  unsigned fractionBits = slot.bits == 64 ? 52 : slot.bits == 32 ? 23 : 10;
  unsigned bit;
  if (std::isnan(value))
    bit = (bits >> (fractionBits - 1)) & 1; // 0 signals, 1 is quiet
  else if (std::isinf(value))
    bit = negative ? 2 : 9;
  else if (value == 0)
    bit = negative ? 5 : 6;
  else if (std::fabs(value) < leastNormal)
    bit = negative ? 4 : 7;
  else
    bit = negative ? 3 : 8;
  call.setInteger((call.integer(1) >> bit) & 1);
}

//===----------------------------------------------------------------------===//
// Dot products and division
//===----------------------------------------------------------------------===//

// Rounded once; f16 products are exact.
void runHalfDot(Call &call) {
  double sum = 0;
  for (unsigned lane : {0, 1}) {
    double a = floatOperand(call, 0, lane), b = floatOperand(call, 1, lane);
    if (call.site.arch == "gfx90a") { // flushes f16 denormals
      a = std::fabs(a) < 0x1p-14 ? std::copysign(0.0, a) : a;
      b = std::fabs(b) < 0x1p-14 ? std::copysign(0.0, b) : b;
    }
    sum += a * b;
  }
  float result = float(sum + floatOperand(call, 2));
  if (call.integer(3) & 1)
    result = std::fmin(std::fmax(result, 0.0f), 1.0f);
  call.set(result);
}

void runDivisionFix(Call &call) {
  setFloat(call, fixDivision(floatOperand(call, 0), floatOperand(call, 1),
                             floatOperand(call, 2)));
}

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

Prepared prepareScalar(const Site &site) {
  const Slot &slot = site.operands[0];
  if (slot.isVector || slot.isBFloat)
    return llvm::createStringError("expected a float of 16, 32 or 64 bits");
  return nullptr;
}

} // namespace

void lathe::sim::addAmdMath(InstructionSet &set) {
  auto add = [&](const char *name, Handler run,
                 Prepared (*prepare)(const Site &) = prepareScalar) {
    set.add(("llvm.amdgcn." + llvm::Twine(name)).str(), {run, prepare, true});
  };
  add("rcp", runApproximation<reciprocal>);
  add("rsq", runApproximation<reciprocalRoot>);
  add("sqrt", runApproximation<root>);
  add("exp2", runApproximation<exponential>);
  add("log", runApproximation<logarithm>);
  add("sin", runApproximation<sineOfTurns>);
  add("cos", runApproximation<cosineOfTurns>);
  add("frexp.mant", runExact<mantissa>);
  add("frexp.exp", runExponent);
  add("fract", runFraction);
  add("fmed3", runMedian);
  add("fmul.legacy", runLegacyMultiply);
  add("fma.legacy", runLegacyFused);
  add("class", runClass);
  add("div.fixup", runDivisionFix);
  set.addPure("llvm.amdgcn.fdot2", runHalfDot);
}
