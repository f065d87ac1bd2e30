//===- MathInstructions.cpp - Approximate and rounded arithmetic ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "Register.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace llvm;

namespace lathe::sim {

namespace {

struct RoundedInfo {
  Rounding rounding;
  bool flush = false, saturate = false;
};

float operandOf(const Call &call, const RoundedInfo &info, unsigned index) {
  float value = call.get<float>(index);
  return info.flush ? flushed(value) : value;
}

void setRounded(const Call &call, const RoundedInfo &info, float value) {
  if (info.flush)
    value = flushed(value);
  call.set(info.saturate ? saturated(value) : value);
}

using Unary = float (*)(float, Rounding);
using Binary = float (*)(float, float, Rounding);
using UnaryDouble = double (*)(double, Rounding);
using BinaryDouble = double (*)(double, double, Rounding);

template <Unary function> void runUnary(Call &call) {
  const auto &info = infoOf<RoundedInfo>(call);
  setRounded(call, info, function(operandOf(call, info, 0), info.rounding));
}

template <Binary function> void runBinary(Call &call) {
  const auto &info = infoOf<RoundedInfo>(call);
  setRounded(call, info,
             function(operandOf(call, info, 0), operandOf(call, info, 1),
                      info.rounding));
}

void runFma(Call &call) {
  const auto &info = infoOf<RoundedInfo>(call);
  setRounded(call, info,
             fmaRounded(operandOf(call, info, 0), operandOf(call, info, 1),
                        operandOf(call, info, 2), info.rounding));
}

template <UnaryDouble function> void runUnaryDouble(Call &call) {
  call.set(function(call.get<double>(0), infoOf<RoundedInfo>(call).rounding));
}

template <BinaryDouble function> void runBinaryDouble(Call &call) {
  call.set(function(call.get<double>(0), call.get<double>(1),
                    infoOf<RoundedInfo>(call).rounding));
}

void runFmaDouble(Call &call) {
  call.set(fmaRounded(call.get<double>(0), call.get<double>(1),
                      call.get<double>(2), infoOf<RoundedInfo>(call).rounding));
}

float reciprocal(float a, Rounding rounding) {
  return divRounded(1.0f, a, rounding);
}
double reciprocal(double a, Rounding rounding) {
  return divRounded(1.0, a, rounding);
}

struct SmallInfo {
  FloatFormat format;
  bool flush = false, saturate = false, relu = false;
};

uint16_t flushedSmall(FloatFormat format, uint16_t bits) {
  uint16_t exponent = format == FloatFormat::F16 ? 0x7c00 : 0x7f80;
  return bits & exponent ? bits : bits & 0x8000;
}

void runFmaSmall(Call &call) {
  const auto &info = infoOf<SmallInfo>(call);
  for (unsigned lane = 0; lane != call.site.results[0].lanes; ++lane) {
    uint16_t values[3];
    for (unsigned i = 0; i != 3; ++i) {
      values[i] = call.get<uint16_t>(i, lane);
      if (info.flush)
        values[i] = flushedSmall(info.format, values[i]);
    }
    uint16_t bits = fmaSmall(info.format, values[0], values[1], values[2]);
    if (info.flush)
      bits = flushedSmall(info.format, bits);
    double value = decodeFloat(info.format, bits);
    if (info.saturate)
      bits = uint16_t(encodeFloat(info.format, saturated(value)));
    if (info.relu)
      bits = uint16_t(narrow(info.format, value,
                             {FloatRounding::NearestEven, true, false}));
    call.set(bits, 0, lane);
  }
}

using Approximation = float (*)(float, bool);

template <Approximation function, bool flush> void runApproximate(Call &call) {
  call.set(function(call.get<float>(0), flush));
}

/// Of f32 and of the small formats, also in vectors.
template <bool flush> void runEx2(Call &call) {
  const Slot &slot = call.site.results[0];
  if (slot.bits == 32)
    return call.set(ex2Approx(call.get<float>(0), flush));
  FloatFormat format = slot.isBFloat ? FloatFormat::BF16 : FloatFormat::F16;
  for (unsigned lane = 0; lane != slot.lanes; ++lane) {
    uint16_t bits = call.get<uint16_t>(0, lane);
    if (flush)
      bits = flushedSmall(format, bits);
    bits = uint16_t(encodeFloat(format, std::exp2(decodeFloat(format, bits))));
    call.set(flush ? flushedSmall(format, bits) : bits, 0, lane);
  }
}

template <float function(float, float, bool), bool flush>
void runDivision(Call &call) {
  call.set(function(call.get<float>(0), call.get<float>(1), flush));
}

template <bool flush> void runRsqrtDouble(Call &call) {
  call.set(rsqrtApprox(call.get<double>(0), flush));
}

void runRcpDouble(Call &call) { call.set(rcpApprox(call.get<double>(0))); }

template <Approximation function>
void addApproximation(InstructionSet &set, StringRef name) {
  addNvvm(set, name + ".approx.f", runApproximate<function, false>, true);
  addNvvm(set, name + ".approx.ftz.f", runApproximate<function, true>, true);
}

void addDirection(InstructionSet &set, StringRef mode, Rounding rounding) {
  for (bool flush : {false, true}) {
    StringRef ftz = flush ? ".ftz" : "";
    RoundedInfo info{rounding, flush};
    auto name = [&](StringRef op, StringRef suffix = "") {
      return (op + "." + mode + ftz + suffix + ".f").str();
    };
    addNvvm(set, name("mul"), runBinary<mulRounded>, info, true);
    addNvvm(set, name("div"), runBinary<divRounded>, info, true);
    addNvvm(set, name("rcp"), runUnary<reciprocal>, info, true);
    addNvvm(set, name("sqrt"), runUnary<sqrtRounded>, info, true);
    for (bool saturate : {false, true}) {
      info.saturate = saturate;
      StringRef sat = saturate ? ".sat" : "";
      addNvvm(set, name("add", sat), runBinary<addRounded>, info, true);
      addNvvm(set, name("fma", sat), runFma, info, true);
    }
  }
  RoundedInfo info{rounding};
  auto name = [&](StringRef op) { return (op + "." + mode + ".d").str(); };
  addNvvm(set, name("add"), runBinaryDouble<addRounded>, info, true);
  addNvvm(set, name("mul"), runBinaryDouble<mulRounded>, info, true);
  addNvvm(set, name("div"), runBinaryDouble<divRounded>, info, true);
  addNvvm(set, name("fma"), runFmaDouble, info, true);
  addNvvm(set, name("rcp"), runUnaryDouble<reciprocal>, info, true);
  addNvvm(set, name("sqrt"), runUnaryDouble<sqrtRounded>, info, true);
}

} // namespace

void addApproximateMath(InstructionSet &set) {
  addNvvm(set, "ex2.approx", runEx2<false>, true);
  addNvvm(set, "ex2.approx.ftz", runEx2<true>, true);
  addApproximation<lg2Approx>(set, "lg2");
  addApproximation<sinApprox>(set, "sin");
  addApproximation<cosApprox>(set, "cos");
  addApproximation<rsqrtApprox>(set, "rsqrt");
  addApproximation<sqrtApprox>(set, "sqrt");
  addNvvm(set, "rcp.approx.ftz.f", runApproximate<rcpApprox, true>, true);
  addNvvm(set, "rcp.approx.ftz.d", runRcpDouble, true);
  addNvvm(set, "rsqrt.approx.d", runRsqrtDouble<false>, true);
  addNvvm(set, "rsqrt.approx.ftz.d", runRsqrtDouble<true>, true);
  addNvvm(set, "div.approx.f", runDivision<divApprox, false>, true);
  addNvvm(set, "div.approx.ftz.f", runDivision<divApprox, true>, true);
  addNvvm(set, "div.full", runDivision<divFull, false>, true);
  addNvvm(set, "div.full.ftz", runDivision<divFull, true>, true);
}

void addNvidiaArithmetic(InstructionSet &set) {
  for (auto &[mode, rounding] : roundings)
    addDirection(set, mode, rounding);
  // The backend selects sqrt.rn for it, unless told otherwise.
  addNvvm(set, "sqrt.f", runUnary<sqrtRounded>,
          RoundedInfo{Rounding::NearestEven}, true);
  for (bool bfloat : {false, true})
    for (bool flush : {false, true})
      for (StringRef variant : {"", ".sat", ".relu"})
        for (StringRef vector : {"", "x2"}) {
          SmallInfo info{bfloat ? FloatFormat::BF16 : FloatFormat::F16, flush,
                         variant == ".sat", variant == ".relu"};
          addNvvm(set,
                  "fma.rn" + Twine(flush ? ".ftz" : "") + variant +
                      (bfloat ? ".bf16" : ".f16") + vector,
                  runFmaSmall, info, true);
        }
}

} // namespace lathe::sim
