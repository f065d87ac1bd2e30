//===- ConversionInstructions.cpp - cvt intrinsics ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Not here, and therefore unsupported: stochastic rounding, FP6, FP4 and UE8M0,
// which no architecture before sm_100 has.
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "Register.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace llvm;

namespace lathe::sim {

namespace {

struct NumberInfo {
  Rounding rounding;
  bool isSigned = false, flush = false;
};

template <typename From> void runToInteger(Call &call) {
  const auto &info = infoOf<NumberInfo>(call);
  From value = call.get<From>(0);
  if (info.flush)
    value = From(flushed(float(value)));
  unsigned bits = call.site.results[0].bits;
  call.setInteger(toInteger(double(value), info.rounding, bits, info.isSigned,
                            sizeof(From) == 8 || bits == 64));
}

uint64_t extended(const Call &call, bool isSigned) {
  return isSigned ? uint64_t(call.signedInteger(0)) : call.integer(0);
}

void runIntegerToFloat(Call &call) {
  const auto &info = infoOf<NumberInfo>(call);
  call.set(integerToFloat(extended(call, info.isSigned), info.isSigned,
                          info.rounding));
}

void runIntegerToDouble(Call &call) {
  const auto &info = infoOf<NumberInfo>(call);
  call.set(integerToDouble(extended(call, info.isSigned), info.isSigned,
                           info.rounding));
}

void runDoubleToFloat(Call &call) {
  const auto &info = infoOf<NumberInfo>(call);
  float value = toFloat(call.get<double>(0), info.rounding);
  call.set(info.flush ? flushed(value) : value);
}

void runLowHalf(Call &call) { call.set(uint32_t(call.get<uint64_t>(0))); }
void runHighHalf(Call &call) {
  call.set(uint32_t(call.get<uint64_t>(0) >> 32));
}
void runJoin(Call &call) {
  call.set(call.integer(1) << 32 | uint32_t(call.integer(0)));
}

struct NarrowInfo {
  FloatFormat format;
  Narrowing how;
  bool flush = false;
};

/// One f32 to f16, bf16 or tf32.
void runNarrow(Call &call) {
  const auto &info = infoOf<NarrowInfo>(call);
  float value = call.get<float>(0);
  uint64_t bits =
      narrow(info.format, info.flush ? flushed(value) : value, info.how);
  std::memcpy(call.result(), &bits, call.site.results[0].bytesPerLane());
}

/// Two f32 to a pair; PTX puts the first into the upper half.
template <typename Part> void runNarrowPair(Call &call) {
  const auto &info = infoOf<NarrowInfo>(call);
  Part high = Part(narrow(info.format, call.get<float>(0), info.how));
  Part low = Part(narrow(info.format, call.get<float>(1), info.how));
  Part parts[2] = {low, high};
  std::memcpy(call.result(), parts, sizeof(parts));
}

void runHalvesToBytes(Call &call) {
  const auto &info = infoOf<NarrowInfo>(call);
  uint8_t parts[2];
  for (unsigned i = 0; i != 2; ++i)
    parts[i] = uint8_t(narrow(
        info.format, decodeFloat(FloatFormat::F16, call.get<uint16_t>(0, i)),
        info.how));
  std::memcpy(call.result(), parts, sizeof(parts));
}

void runBytesToHalves(Call &call) {
  const auto &info = infoOf<NarrowInfo>(call);
  for (unsigned i = 0; i != 2; ++i) {
    double value = decodeFloat(info.format, call.integer(0) >> i * 8 & 0xff);
    call.set(uint16_t(narrow(FloatFormat::F16, value, info.how)), 0, i);
  }
}

/// bf16 to f16.
template <bool flush> void runBFloatToHalf(Call &call) {
  float value = float(decodeFloat(FloatFormat::BF16, call.get<uint16_t>(0)));
  call.set(
      uint16_t(encodeFloat(FloatFormat::F16, flush ? flushed(value) : value)));
}

void addNumbers(InstructionSet &set, StringRef mode, Rounding rounding) {
  for (bool isSigned : {false, true}) {
    StringRef sign = isSigned ? "" : "u";
    NumberInfo info{rounding, isSigned};
    for (StringRef type : {"i", "ll"}) {
      addNvvm(set, "d2" + sign + type + "." + mode, runToInteger<double>, info,
              true);
      addNvvm(set, sign + type + "2f." + mode, runIntegerToFloat, info, true);
      addNvvm(set, sign + type + "2d." + mode, runIntegerToDouble, info, true);
      addNvvm(set, "f2" + sign + type + "." + mode, runToInteger<float>, info,
              true);
      NumberInfo flushing = info;
      flushing.flush = true;
      addNvvm(set, "f2" + sign + type + "." + mode + ".ftz",
              runToInteger<float>, flushing, true);
    }
  }
  addNvvm(set, "d2f." + mode, runDoubleToFloat, NumberInfo{rounding}, true);
  addNvvm(set, "d2f." + mode + ".ftz", runDoubleToFloat,
          NumberInfo{rounding, false, true}, true);
}

void addNarrowings(InstructionSet &set) {
  const std::pair<StringRef, FloatRounding> modes[] = {
      {"rn", FloatRounding::NearestEven}, {"rz", FloatRounding::TowardZero}};
  for (auto [mode, rounding] : modes)
    for (bool relu : {false, true})
      for (bool saturate : {false, true}) {
        Narrowing how{rounding, relu, saturate};
        std::string suffix = ("." + mode + (relu ? ".relu" : "") +
                              (saturate ? ".satfinite" : ""))
                                 .str();
        NarrowInfo half{FloatFormat::F16, how}, bfloat{FloatFormat::BF16, how};
        addNvvm(set, "ff2f16x2" + suffix, runNarrowPair<uint16_t>, half, true);
        addNvvm(set, "ff2bf16x2" + suffix, runNarrowPair<uint16_t>, bfloat,
                true);
        addNvvm(set, "f2f16" + suffix, runNarrow, half, true);
        addNvvm(set, "f2bf16" + suffix, runNarrow, bfloat, true);
        addNvvm(set, "f2tf32" + suffix, runNarrow,
                NarrowInfo{FloatFormat::TF32, how}, true);
      }
  for (bool saturate : {false, true})
    addNvvm(set, "f2tf32.rna" + Twine(saturate ? ".satfinite" : ""), runNarrow,
            NarrowInfo{FloatFormat::TF32,
                       {FloatRounding::NearestAway, false, saturate}},
            true);
  for (bool flush : {false, true}) {
    StringRef ftz = flush ? ".ftz" : "";
    addNvvm(set, "f2h.rn" + ftz, runNarrow,
            NarrowInfo{FloatFormat::F16, {}, flush}, true);
    addNvvm(set, "bf2h.rn" + ftz,
            flush ? runBFloatToHalf<true> : runBFloatToHalf<false>, true);
  }
}

void addBytes(InstructionSet &set) {
  const std::pair<StringRef, FloatFormat> formats[] = {
      {"e4m3x2", FloatFormat::F8E4M3FN}, {"e5m2x2", FloatFormat::F8E5M2}};
  for (auto [type, format] : formats)
    for (bool relu : {false, true}) {
      StringRef suffix = relu ? ".rn.relu" : ".rn";
      // To FP8 the instruction always saturates (.satfinite is mandatory).
      NarrowInfo down{format, {FloatRounding::NearestEven, relu, true}};
      NarrowInfo up{format, {FloatRounding::NearestEven, relu, false}};
      addNvvm(set, "ff.to." + type + suffix, runNarrowPair<uint8_t>, down,
              true);
      addNvvm(set, "f16x2.to." + type + suffix, runHalvesToBytes, down, true);
      addNvvm(set, type + ".to.f16x2" + suffix, runBytesToHalves, up, true);
    }
}

} // namespace

void addNvidiaConversions(InstructionSet &set) {
  for (auto &[mode, rounding] : roundings)
    addNumbers(set, mode, rounding);
  addNarrowings(set);
  addBytes(set);
  addNvvm(set, "d2i.lo", runLowHalf, true);
  addNvvm(set, "d2i.hi", runHighHalf, true);
  addNvvm(set, "lohi.i2d", runJoin, true);
}

} // namespace lathe::sim
