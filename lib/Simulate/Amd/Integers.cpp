//===- Integers.cpp - AMD integer instructions ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Integers.h"
#include "Site.h"

#include "llvm/Support/MathExtras.h"

using namespace lathe::sim;
using namespace lathe::sim::amd;

//===----------------------------------------------------------------------===//
// Semantics, MI300 ISA guide, "VOP3" and "VOP3P"
//===----------------------------------------------------------------------===//

uint32_t amd::extractBits(uint32_t value, uint32_t offset, uint32_t width) {
  offset &= 31;
  width &= 31;
  return (value >> offset) & llvm::maskTrailingOnes<uint32_t>(width);
}

uint32_t amd::extractSignedBits(uint32_t value, uint32_t offset,
                                uint32_t width) {
  offset &= 31;
  width &= 31;
  if (width == 0)
    return 0;
  // What lies above the top bit is its copies.
  int32_t shifted = int32_t(value) >> offset;
  return offset + width >= 32
             ? uint32_t(shifted)
             : uint32_t(llvm::SignExtend32(uint32_t(shifted), width));
}

uint32_t amd::permuteBytes(uint32_t high, uint32_t low, uint32_t selector) {
  uint64_t bytes = uint64_t(high) << 32 | low;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    uint32_t select = (selector >> (8 * i)) & 0xFF;
    uint32_t byte;
    if (select >= 13)
      byte = 0xFF;
    else if (select == 12)
      byte = 0;
    else if (select >= 8) // signs of bytes 1, 3, 5 and 7
      byte = (bytes >> (16 * (select - 8) + 15)) & 1 ? 0xFF : 0;
    else
      byte = (bytes >> (8 * select)) & 0xFF;
    result |= byte << (8 * i);
  }
  return result;
}

uint32_t amd::alignBytes(uint32_t high, uint32_t low, uint32_t shift) {
  return uint32_t((uint64_t(high) << 32 | low) >> (8 * (shift & 3)));
}

uint32_t amd::sumOfDifferences(uint32_t a, uint32_t b, uint32_t sum,
                               unsigned bits, bool masked) {
  uint32_t mask = llvm::maskTrailingOnes<uint32_t>(bits);
  for (unsigned shift = 0; shift < 32; shift += bits) {
    uint32_t x = (a >> shift) & mask, y = (b >> shift) & mask;
    if (!masked || y != 0)
      sum += x > y ? x - y : y - x;
  }
  return sum;
}

uint32_t amd::interpolateBytes(uint32_t a, uint32_t b, uint32_t round) {
  uint32_t result = 0;
  for (unsigned shift = 0; shift < 32; shift += 8)
    result |= ((((a >> shift) & 0xFF) + ((b >> shift) & 0xFF) +
                ((round >> shift) & 1)) >>
               1)
              << shift;
  return result;
}

uint32_t amd::dotProduct(uint32_t a, uint32_t b, uint32_t c, unsigned bits,
                         bool isSigned, bool clamps) {
  int64_t sum = isSigned ? int64_t(int32_t(c)) : int64_t(c);
  uint32_t mask = llvm::maskTrailingOnes<uint32_t>(bits);
  for (unsigned shift = 0; shift < 32; shift += bits) {
    uint32_t x = (a >> shift) & mask, y = (b >> shift) & mask;
    sum += isSigned ? llvm::SignExtend64(x, bits) * llvm::SignExtend64(y, bits)
                    : int64_t(uint64_t(x) * y);
  }
  if (clamps)
    sum = isSigned ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX)
                   : std::min<int64_t>(sum, UINT32_MAX);
  return uint32_t(sum);
}

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

namespace {

uint32_t word(const Call &call, unsigned operand) {
  uint32_t value;
  copyOperand(call, operand, &value, sizeof(value));
  return value;
}

using Ternary = uint32_t (*)(uint32_t, uint32_t, uint32_t);

template <Ternary function> void runTernary(Call &call) {
  call.setInteger(function(word(call, 0), word(call, 1), word(call, 2)));
}

template <unsigned bits, bool masked>
uint32_t differences(uint32_t a, uint32_t b, uint32_t sum) {
  return sumOfDifferences(a, b, sum, bits, masked);
}

uint32_t highDifferences(uint32_t a, uint32_t b, uint32_t sum) {
  return (sumOfDifferences(a, b, 0, 8, false) << 16) + sum;
}

template <unsigned bits, bool isSigned> void runDot(Call &call) {
  call.setInteger(dotProduct(word(call, 0), word(call, 1), word(call, 2), bits,
                             isSigned, call.integer(3) & 1));
}

template <bool isSigned, unsigned shift> void runMultiply24(Call &call) {
  uint32_t a = word(call, 0), b = word(call, 1);
  int64_t product = isSigned
                        ? llvm::SignExtend64<24>(a) * llvm::SignExtend64<24>(b)
                        : int64_t(uint64_t(a & 0xFFFFFF) * (b & 0xFFFFFF));
  call.setInteger(uint64_t(product >> shift));
}

// The first bit that differs from the sign, counted from above; -1 if none.
void runFindSignChange(Call &call) {
  uint32_t value = word(call, 0);
  uint32_t changes = int32_t(value) < 0 ? ~value : value;
  call.setInteger(changes ? llvm::countl_zero(changes) : ~0u);
}

Prepared prepareWord(const Site &site) {
  const Slot &slot = site.results[0];
  if (slot.bits != 32)
    return llvm::createStringError("result of %u bits, expected 32", slot.bits);
  return nullptr;
}

} // namespace

void lathe::sim::addAmdIntegers(InstructionSet &set) {
  auto add = [&](const char *name, Handler run, bool checksWidth = false) {
    Instruction instruction{run, {}, true};
    if (checksWidth)
      instruction.prepare = prepareWord;
    set.add(("llvm.amdgcn." + llvm::Twine(name)).str(), instruction);
  };
  add("ubfe", runTernary<extractBits>, true);
  add("sbfe", runTernary<extractSignedBits>, true);
  add("perm", runTernary<permuteBytes>);
  add("alignbyte", runTernary<alignBytes>);
  add("lerp", runTernary<interpolateBytes>);
  add("sad.u8", runTernary<differences<8, false>>);
  add("msad.u8", runTernary<differences<8, true>>);
  add("sad.u16", runTernary<differences<16, false>>);
  add("sad.hi.u8", runTernary<highDifferences>);
  add("sdot2", runDot<16, true>);
  add("udot2", runDot<16, false>);
  add("sdot4", runDot<8, true>);
  add("udot4", runDot<8, false>);
  add("sdot8", runDot<4, true>);
  add("udot8", runDot<4, false>);
  add("mul.i24", runMultiply24<true, 0>);
  add("mul.u24", runMultiply24<false, 0>);
  add("mulhi.i24", runMultiply24<true, 32>);
  add("mulhi.u24", runMultiply24<false, 32>);
  add("sffbh", runFindSignChange, true);
}
