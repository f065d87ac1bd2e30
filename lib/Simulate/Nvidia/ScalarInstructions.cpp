//===- ScalarInstructions.cpp - Instructions of one thread ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "Register.h"
#include "Space.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace llvm;

namespace lathe::sim {

namespace {

//--- integers -----------------------------------------------------------------

template <typename T> T operand(const Call &call, unsigned index) {
  return T(call.integer(index));
}

template <typename T, typename Wide> void runMulHigh(Call &call) {
  Wide product = Wide(operand<T>(call, 0)) * Wide(operand<T>(call, 1));
  call.setInteger(uint64_t(product >> sizeof(T) * 8));
}

template <bool isSigned> void runMul24(Call &call) {
  auto low = [&](unsigned index) {
    uint32_t bits = uint32_t(call.integer(index)) & 0xffffff;
    return isSigned ? SignExtend64<24>(bits) : int64_t(bits);
  };
  call.setInteger(uint64_t(low(0) * low(1)));
}

template <typename T> void runSad(Call &call) {
  T a = operand<T>(call, 0), b = operand<T>(call, 1);
  uint64_t difference =
      a < b ? uint64_t(b) - uint64_t(a) : uint64_t(a) - uint64_t(b);
  call.setInteger(difference + call.integer(2));
}

template <bool aSigned, bool bSigned> void runDotBytes(Call &call) {
  call.setInteger(dotBytes(operand<uint32_t>(call, 0),
                           operand<uint32_t>(call, 1),
                           operand<uint32_t>(call, 2), aSigned, bSigned));
}

template <bool aSigned, bool bSigned> void runDotHalves(Call &call) {
  call.setInteger(dotHalves(
      operand<uint32_t>(call, 0), operand<uint32_t>(call, 1),
      operand<uint32_t>(call, 3), aSigned, bSigned, call.integer(2) & 1));
}

/// shf.clamp, of any width; the high part of {a, b} shifted left, or the low
/// part shifted right.
template <bool left> void runFunnel(Call &call) {
  unsigned bits = call.site.results[0].bits;
  uint64_t high = call.integer(0), low = call.integer(1);
  uint64_t shift = std::min<uint64_t>(call.integer(2), bits);
  if (shift == bits)
    return call.setInteger(left ? low : high);
  if (shift == 0)
    return call.setInteger(left ? high : low);
  call.setInteger(left ? high << shift | low >> (bits - shift)
                       : low >> shift | high << (bits - shift));
}

template <bool isSigned> void runLeading(Call &call) {
  call.setInteger(findLeading(call.integer(0), call.site.operands[0].bits,
                              isSigned, call.integer(1) & 1));
}

struct ExtendInfo {
  bool isSigned, wrap;
};
void runExtend(Call &call) {
  const auto &info = infoOf<ExtendInfo>(call);
  call.setInteger(extendBits(operand<uint32_t>(call, 0),
                             operand<uint32_t>(call, 1), info.isSigned,
                             info.wrap));
}

template <bool wrap> void runMask(Call &call) {
  call.setInteger(
      bitMask(operand<uint32_t>(call, 0), operand<uint32_t>(call, 1), wrap));
}

void runFindNth(Call &call) {
  call.setInteger(findNthSet(operand<uint32_t>(call, 0),
                             operand<uint32_t>(call, 1),
                             operand<int32_t>(call, 2)));
}

void runPermute(Call &call) {
  bool twoSources = call.site.operands.size() == 3;
  call.setInteger(permuteBytes(infoOf<PermuteMode>(call),
                               operand<uint32_t>(call, 0),
                               twoSources ? operand<uint32_t>(call, 1) : 0,
                               operand<uint32_t>(call, twoSources ? 2 : 1)));
}

template <typename T> void addOfWidth(InstructionSet &set, StringRef suffix) {
  using Unsigned = std::make_unsigned_t<T>;
  using Wide = std::conditional_t<sizeof(T) == 8, __int128, int64_t>;
  using UnsignedWide =
      std::conditional_t<sizeof(T) == 8, unsigned __int128, uint64_t>;
  addNvvm(set, "mulhi." + suffix, runMulHigh<T, Wide>, true);
  addNvvm(set, "mulhi.u" + suffix, runMulHigh<Unsigned, UnsignedWide>, true);
  addNvvm(set, "sad." + suffix, runSad<T>, true);
  addNvvm(set, "sad.u" + suffix, runSad<Unsigned>, true);
}

void addIntegers(InstructionSet &set) {
  addOfWidth<int16_t>(set, "s");
  addOfWidth<int32_t>(set, "i");
  addOfWidth<int64_t>(set, "ll");
  addNvvm(set, "mul24.i", runMul24<true>, true);
  addNvvm(set, "mul24.ui", runMul24<false>, true);
  addNvvm(set, "idp4a.s.s", runDotBytes<true, true>, true);
  addNvvm(set, "idp4a.s.u", runDotBytes<true, false>, true);
  addNvvm(set, "idp4a.u.s", runDotBytes<false, true>, true);
  addNvvm(set, "idp4a.u.u", runDotBytes<false, false>, true);
  addNvvm(set, "idp2a.s.s", runDotHalves<true, true>, true);
  addNvvm(set, "idp2a.s.u", runDotHalves<true, false>, true);
  addNvvm(set, "idp2a.u.s", runDotHalves<false, true>, true);
  addNvvm(set, "idp2a.u.u", runDotHalves<false, false>, true);
  addNvvm(set, "fshl.clamp", runFunnel<true>, true);
  addNvvm(set, "fshr.clamp", runFunnel<false>, true);
  addNvvm(set, "flo.s", runLeading<true>, true);
  addNvvm(set, "flo.u", runLeading<false>, true);
  for (bool wrap : {false, true}) {
    StringRef mode = wrap ? ".wrap" : ".clamp";
    addNvvm(set, "sext" + mode, runExtend, ExtendInfo{true, wrap}, true);
    addNvvm(set, "zext" + mode, runExtend, ExtendInfo{false, wrap}, true);
  }
  addNvvm(set, "bmsk.wrap", runMask<true>, true);
  addNvvm(set, "bmsk.clamp", runMask<false>, true);
  addNvvm(set, "fns", runFindNth, true);
  const std::pair<StringRef, PermuteMode> modes[] = {
      {"", PermuteMode::Index},           {".f4e", PermuteMode::Forward4},
      {".b4e", PermuteMode::Backward4},   {".rc8", PermuteMode::Replicate8},
      {".ecl", PermuteMode::EdgeLeft},    {".ecr", PermuteMode::EdgeRight},
      {".rc16", PermuteMode::Replicate16}};
  for (auto [suffix, mode] : modes)
    addNvvm(set, "prmt" + suffix, runPermute, mode, true);
}

//--- moves and hints ----------------------------------------------------------

void runMove(Call &call) {
  const Slot &slot = call.site.results[0];
  std::memcpy(call.result(), call.data(0), slot.bytesPerLane() * slot.lanes);
}

/// The value is in place already; the alignment is the second operand.
void runLoadUniform(Call &call) {
  Thread &thread = call.thread;
  const Slot &slot = call.site.results[0];
  uint64_t bytes = uint64_t(slot.bytesPerLane()) * slot.lanes;
  const char *from = thread.machine->access(
      thread, call.site, call.integer(0), bytes,
      std::max<uint64_t>(call.integer(1), 1), AccessKind::Read);
  std::memcpy(call.result(), from, bytes);
}

void runYield(Call &call) { call.thread.yield(call.site); }
void runExit(Call &call) { call.thread.exit(); }
void runNothing(Call &) {}

void runRegisters(Call &call) {
  setMaxRegisters(call.thread, call.site, call.integer(0));
}

void addHints(InstructionSet &set) {
  for (StringRef name :
       {"prefetch.L1", "prefetch.L2", "prefetch.global.L1",
        "prefetch.global.L2", "prefetch.global.L2.evict.last",
        "prefetch.global.L2.evict.normal", "prefetch.local.L1",
        "prefetch.local.L2", "prefetchu.L1", "applypriority.L2.evict.normal",
        "applypriority.global.L2.evict.normal", "pm.event.mask",
        "griddepcontrol.launch.dependents", "griddepcontrol.wait"})
    addNvvm(set, name, runNothing);
}

} // namespace

void addNvidiaScalars(InstructionSet &set) {
  addIntegers(set);
  for (StringRef type : {"i16", "i32", "i64", "float", "double", "ptr"})
    addNvvm(set, "move." + type, runMove, true);
  addNvvm(set, "internal.addrspace.wrap", runMove, true);
  for (StringRef type : {"i", "f", "p"})
    addNvvm(set, "ldu.global." + type, runLoadUniform);
  addNvvm(set, "nanosleep", runYield);
  addNvvm(set, "exit", runExit);
  addNvvm(set, "setmaxnreg.inc.sync.aligned.u32", runRegisters);
  addNvvm(set, "setmaxnreg.dec.sync.aligned.u32", runRegisters);
  addHints(set);
}

} // namespace lathe::sim
