//===- FloatInstructions.cpp - Signs, extrema, integral values ------------===//
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

struct MinMaxInfo {
  MinMax kind;
  FloatFormat format;
  bool flush;
};

double flushedIn(FloatFormat format, double value) {
  double least = format == FloatFormat::F16 ? 0x1p-14 : 0x1p-126;
  return std::fabs(value) < least ? std::copysign(0.0, value) : value;
}

void runMinMax(Call &call) {
  const auto &info = infoOf<MinMaxInfo>(call);
  unsigned bytes = floatStorageBits(info.format) / 8;
  for (unsigned lane = 0; lane != call.site.results[0].lanes; ++lane) {
    double values[2];
    for (unsigned i = 0; i != 2; ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, call.data(i) + lane * bytes, bytes);
      values[i] = decodeFloat(info.format, bits);
      if (info.flush)
        values[i] = flushedIn(info.format, values[i]);
    }
    uint64_t bits =
        encodeFloat(info.format, minMax(info.kind, values[0], values[1]));
    std::memcpy(call.result() + lane * bytes, &bits, bytes);
  }
}

void addMinMax(InstructionSet &set) {
  const std::pair<StringRef, FloatFormat> types[] = {
      {".f", FloatFormat::F32},
      {".f16", FloatFormat::F16},
      {".f16x2", FloatFormat::F16},
      {".bf16", FloatFormat::BF16},
      {".bf16x2", FloatFormat::BF16}};
  for (bool max : {false, true}) {
    std::string op = max ? "fmax" : "fmin";
    for (bool xorSign : {false, true})
      for (bool nan : {false, true})
        for (bool flush : {false, true})
          for (auto [type, format] : types)
            addNvvm(set,
                    op + (flush ? ".ftz" : "") + (nan ? ".nan" : "") +
                        (xorSign ? ".xorsign.abs" : "") + type,
                    runMinMax, MinMaxInfo{{max, nan, xorSign}, format, flush},
                    true);
    addNvvm(set, op + ".d", runMinMax,
            MinMaxInfo{{max, false, false}, FloatFormat::F64, false}, true);
  }
}

/// Clears or flips the sign of any float, in vectors too.
template <bool clear, bool flush> void runSign(Call &call) {
  const Slot &slot = call.site.results[0];
  unsigned bytes = slot.bytesPerLane();
  uint64_t sign = uint64_t(1) << (slot.bits - 1);
  for (unsigned lane = 0; lane != slot.lanes; ++lane) {
    uint64_t bits = 0;
    std::memcpy(&bits, call.data(0) + lane * bytes, bytes);
    bits = clear ? bits & ~sign : bits ^ sign;
    if (flush) {
      FloatFormat format = slot.bits == 32 ? FloatFormat::F32
                           : slot.isBFloat ? FloatFormat::BF16
                                           : FloatFormat::F16;
      double value = decodeFloat(format, bits);
      if (std::fabs(value) > 0 && flushedIn(format, value) == 0)
        bits &= sign;
    }
    std::memcpy(call.result() + lane * bytes, &bits, bytes);
  }
}

template <typename T, T function(T), bool flush> void runMap(Call &call) {
  T value = call.get<T>(0);
  if (flush)
    value = T(flushed(float(value)));
  call.set(function(value));
}

float floorOf(float x) { return std::floor(x); }
float ceilOf(float x) { return std::ceil(x); }
float truncOf(float x) { return std::trunc(x); }
float roundOf(float x) { return std::nearbyint(x); }
double floorOf(double x) { return std::floor(x); }
double ceilOf(double x) { return std::ceil(x); }
double truncOf(double x) { return std::trunc(x); }
double roundOf(double x) { return std::nearbyint(x); }

template <float onFloat(float), double onDouble(double)>
void addMap(InstructionSet &set, StringRef name) {
  addNvvm(set, name + ".f", runMap<float, onFloat, false>, true);
  addNvvm(set, name + ".ftz.f", runMap<float, onFloat, true>, true);
  addNvvm(set, name + ".d", runMap<double, onDouble, false>, true);
}

} // namespace

void addNvidiaFloats(InstructionSet &set) {
  addMinMax(set);
  addMap<floorOf, floorOf>(set, "floor");
  addMap<ceilOf, ceilOf>(set, "ceil");
  addMap<truncOf, truncOf>(set, "trunc");
  addMap<roundOf, roundOf>(set, "round");
  addMap<saturated, saturated>(set, "saturate");
  addNvvm(set, "fabs", runSign<true, false>, true);
  addNvvm(set, "fabs.ftz", runSign<true, true>, true);
  addNvvm(set, "neg.bf16", runSign<false, false>, true);
  addNvvm(set, "neg.bf16x2", runSign<false, false>, true);
}

} // namespace lathe::sim
