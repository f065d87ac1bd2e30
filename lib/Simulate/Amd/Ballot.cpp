//===- Ballot.cpp - Masks and reductions over an AMD wave -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Floats.h"

#include "llvm/IR/InstrTypes.h"

using namespace lathe;
using namespace lathe::sim;
using namespace lathe::sim::amd;

namespace {

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

bool compareIntegers(const Call &call, unsigned predicate) {
  uint64_t a = call.integer(0), b = call.integer(1);
  int64_t sa = call.signedInteger(0), sb = call.signedInteger(1);
  switch (predicate) {
  case llvm::CmpInst::ICMP_EQ:
    return a == b;
  case llvm::CmpInst::ICMP_NE:
    return a != b;
  case llvm::CmpInst::ICMP_UGT:
    return a > b;
  case llvm::CmpInst::ICMP_UGE:
    return a >= b;
  case llvm::CmpInst::ICMP_ULT:
    return a < b;
  case llvm::CmpInst::ICMP_ULE:
    return a <= b;
  case llvm::CmpInst::ICMP_SGT:
    return sa > sb;
  case llvm::CmpInst::ICMP_SGE:
    return sa >= sb;
  case llvm::CmpInst::ICMP_SLT:
    return sa < sb;
  }
  return sa <= sb;
}

bool compareFloats(const Call &call, unsigned predicate) {
  // The bits of an fcmp predicate: equal, greater, less, unordered.
  double a = floatOperand(call, 0), b = floatOperand(call, 1);
  unsigned bit = a == b ? 0 : a > b ? 1 : a < b ? 2 : 3;
  return (predicate >> bit) & 1;
}

void vote(Call &call, llvm::function_ref<bool(const Call &)> holds) {
  meetActive(call, [&](LaneCalls &calls) {
    uint64_t mask = 0;
    forEachLane(calls, [&](unsigned lane, Call &from) {
      mask |= uint64_t(holds(from)) << lane;
    });
    forEachLane(calls, [&](unsigned, Call &to) { to.setInteger(mask); });
  });
}

void runBallot(Call &call) {
  vote(call, [](const Call &from) { return from.integer(0) & 1; });
}

void runIntegerCompare(Call &call) {
  unsigned predicate = call.site.operands[2].constant;
  vote(call,
       [&](const Call &from) { return compareIntegers(from, predicate); });
}

void runFloatCompare(Call &call) {
  unsigned predicate = call.site.operands[2].constant;
  vote(call, [&](const Call &from) { return compareFloats(from, predicate); });
}

Prepared prepareMask(const Site &site) {
  if (site.results[0].bits != 64)
    return llvm::createStringError("mask of %u bits, a wave has 64 lanes",
                                   site.results[0].bits);
  return nullptr;
}

template <unsigned first, unsigned last>
Prepared preparePredicate(const Site &site) {
  uint64_t predicate = site.operands[2].constant;
  if (predicate < first || predicate > last)
    return llvm::createStringError("comparison predicate %u is none",
                                   unsigned(predicate));
  return prepareMask(site);
}

void runInverseBallot(Call &call) {
  call.setInteger((call.integer(0) >> call.thread.lane) & 1);
}

Prepared prepareInverseBallot(const Site &site) {
  if (site.operands[0].bits != 64)
    return llvm::createStringError("mask of %u bits, a wave has 64 lanes",
                                   site.operands[0].bits);
  return nullptr;
}

// Bits of the mask below the lane: those of lanes 0 to 31, those of the rest.
void runMaskCountLow(Call &call) {
  unsigned lane = call.thread.lane;
  uint32_t below = lane >= 32 ? ~0u : (1u << lane) - 1;
  call.setInteger(call.integer(1) +
                  __builtin_popcount(uint32_t(call.integer(0)) & below));
}

void runMaskCountHigh(Call &call) {
  unsigned lane = call.thread.lane;
  uint32_t below = lane <= 32 ? 0 : (1u << (lane - 32)) - 1;
  call.setInteger(call.integer(1) +
                  __builtin_popcount(uint32_t(call.integer(0)) & below));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

using Fold = uint64_t (*)(uint64_t a, uint64_t b, unsigned bits);

int64_t extend(uint64_t value, unsigned bits) {
  return int64_t(value << (64 - bits)) >> (64 - bits);
}

uint64_t foldMin(uint64_t a, uint64_t b, unsigned bits) {
  return extend(a, bits) < extend(b, bits) ? a : b;
}
uint64_t foldMax(uint64_t a, uint64_t b, unsigned bits) {
  return extend(a, bits) > extend(b, bits) ? a : b;
}
uint64_t foldUMin(uint64_t a, uint64_t b, unsigned) { return std::min(a, b); }
uint64_t foldUMax(uint64_t a, uint64_t b, unsigned) { return std::max(a, b); }
uint64_t foldAdd(uint64_t a, uint64_t b, unsigned) { return a + b; }
uint64_t foldAnd(uint64_t a, uint64_t b, unsigned) { return a & b; }
uint64_t foldOr(uint64_t a, uint64_t b, unsigned) { return a | b; }
uint64_t foldXor(uint64_t a, uint64_t b, unsigned) { return a ^ b; }

/// Over the active lanes, in their order; `negate` for the subtractions, which
/// give 0 - a - b - ...
template <Fold fold, bool negate = false> void runReduce(Call &call) {
  meetActive(call, [&](LaneCalls &calls) {
    unsigned bits = call.site.results[0].bits;
    uint64_t first = __builtin_ctzll(calls.mask);
    uint64_t total = calls.lane[first]->integer(0);
    forEachLane(calls, [&](unsigned lane, Call &from) {
      if (lane != first)
        total = fold(total, from.integer(0), bits);
    });
    if (negate)
      total = -total;
    forEachLane(calls, [&](unsigned, Call &to) { to.setInteger(total); });
  });
}

Prepared prepareReduce(const Site &site) {
  const Slot &slot = site.results[0];
  if (slot.kind != Slot::Integer || slot.isVector ||
      (slot.bits != 32 && slot.bits != 64))
    return llvm::createStringError(
        "wave reduction of %u bits, expected an integer of 32 or 64",
        slot.bits);
  return nullptr;
}

void addReduce(InstructionSet &set, llvm::StringRef name, Handler run) {
  set.add(("llvm.amdgcn.wave.reduce." + name).str(), {run, prepareReduce});
}

} // namespace

void lathe::sim::addAmdBallot(InstructionSet &set) {
  set.add("llvm.amdgcn.ballot", {runBallot, prepareMask});
  set.add("llvm.amdgcn.icmp",
          {runIntegerCompare,
           preparePredicate<llvm::CmpInst::FIRST_ICMP_PREDICATE,
                            llvm::CmpInst::LAST_ICMP_PREDICATE>});
  set.add(
      "llvm.amdgcn.fcmp",
      {runFloatCompare, preparePredicate<llvm::CmpInst::FIRST_FCMP_PREDICATE,
                                         llvm::CmpInst::LAST_FCMP_PREDICATE>});
  set.add("llvm.amdgcn.inverse.ballot",
          {runInverseBallot, prepareInverseBallot});
  set.add("llvm.amdgcn.mbcnt.lo", runMaskCountLow);
  set.add("llvm.amdgcn.mbcnt.hi", runMaskCountHigh);
  addReduce(set, "min", runReduce<foldMin>);
  addReduce(set, "max", runReduce<foldMax>);
  addReduce(set, "umin", runReduce<foldUMin>);
  addReduce(set, "umax", runReduce<foldUMax>);
  addReduce(set, "add", runReduce<foldAdd>);
  addReduce(set, "sub", runReduce<foldAdd, true>);
  addReduce(set, "and", runReduce<foldAnd>);
  addReduce(set, "or", runReduce<foldOr>);
  addReduce(set, "xor", runReduce<foldXor>);
}
