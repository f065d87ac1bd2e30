//===- Conversions.cpp - AMD float conversions ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gfx942 has the FNUZ formats. Overflow gives NaN: kernels run with
// MODE.FP16_OVFL = 0 and clamp first if they want to saturate.
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "Floats.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace lathe;
using namespace lathe::sim;
using namespace lathe::sim::amd;

// The seed's upper bits are added below the last bit that is kept, in place of
// a rounding (MI300 ISA guide, V_CVT_SR_FP8_F32, V_CVT_SR_BF8_F32).
uint8_t amd::encodeStochastic(FloatFormat format, float value, uint32_t seed) {
  unsigned kept = format == FloatFormat::F8E4M3FNUZ ? 3 : 2;
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude < 0x7F800000)
    magnitude += seed >> (32 - (23 - kept));
  float moved = llvm::bit_cast<float>((bits & 0x80000000) | magnitude);
  constexpr uint8_t notANumber = 0x80;
  double step = std::ldexp(1.0, std::ilogb(largestFinite(format)) - int(kept));
  if (!(std::fabs(moved) < largestFinite(format) + step))
    return notANumber;
  return uint8_t(encodeFloat(format, moved, FloatOverflow::Special,
                             FloatRounding::TowardZero));
}

namespace {

constexpr FloatFormat fp8 = FloatFormat::F8E4M3FNUZ;
constexpr FloatFormat bf8 = FloatFormat::F8E5M2FNUZ;

void runPackTowardZero(Call &call) {
  for (unsigned lane : {0, 1})
    call.set(uint16_t(encodeFloat(FloatFormat::F16, floatOperand(call, lane),
                                  FloatOverflow::Special,
                                  FloatRounding::TowardZero)),
             0, lane);
}

uint32_t word(const Call &call, unsigned operand) {
  uint32_t value;
  copyOperand(call, operand, &value, sizeof(value));
  return value;
}

template <FloatFormat format> void runDecode(Call &call) {
  unsigned byte = call.integer(1) & 3;
  call.set(decodeTable(format)[(word(call, 0) >> (8 * byte)) & 0xFF]);
}

template <FloatFormat format> void runDecodePair(Call &call) {
  unsigned shift = call.integer(1) & 1 ? 16 : 0;
  for (unsigned lane : {0, 1})
    call.set(decodeTable(format)[(word(call, 0) >> (shift + 8 * lane)) & 0xFF],
             0, lane);
}

template <FloatFormat format> void runEncodePair(Call &call) {
  unsigned shift = call.integer(3) & 1 ? 16 : 0;
  uint32_t pair = uint32_t(encodeFloat(format, floatOperand(call, 0))) |
                  uint32_t(encodeFloat(format, floatOperand(call, 1))) << 8;
  uint32_t old = word(call, 2);
  call.setInteger((old & ~(0xFFFFu << shift)) | pair << shift);
}

template <FloatFormat format> void runEncodeStochastic(Call &call) {
  unsigned shift = 8 * (call.integer(3) & 3);
  float value;
  copyOperand(call, 0, &value, sizeof(value));
  uint32_t byte = encodeStochastic(format, value, word(call, 1));
  call.setInteger((word(call, 2) & ~(0xFFu << shift)) | byte << shift);
}

Prepared prepareFnuz(const Site &site) {
  if (!site.arch.empty() && site.arch != "gfx942")
    return llvm::createStringError("fp8 conversion on %s, expected gfx942",
                                   site.arch.c_str());
  return nullptr;
}

} // namespace

void lathe::sim::addAmdConversions(InstructionSet &set) {
  auto addFnuz = [&](const char *name, Handler run) {
    set.add(("llvm.amdgcn.cvt." + llvm::Twine(name)).str(),
            {run, prepareFnuz, true});
  };
  set.addPure("llvm.amdgcn.cvt.pkrtz", runPackTowardZero);
  addFnuz("f32.fp8", runDecode<fp8>);
  addFnuz("f32.bf8", runDecode<bf8>);
  addFnuz("pk.f32.fp8", runDecodePair<fp8>);
  addFnuz("pk.f32.bf8", runDecodePair<bf8>);
  addFnuz("pk.fp8.f32", runEncodePair<fp8>);
  addFnuz("pk.bf8.f32", runEncodePair<bf8>);
  addFnuz("sr.fp8.f32", runEncodeStochastic<fp8>);
  addFnuz("sr.bf8.f32", runEncodeStochastic<bf8>);
}
