//===- BitFields.cpp - Bytes and bits of registers ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;

namespace lathe::sim {

namespace {

/// `index`: bits 0-2 choose among the eight bytes, bit 3 replicates the sign.
uint32_t pickByte(uint64_t bytes, uint32_t index) {
  uint32_t byte = bytes >> (index & 7) * 8 & 0xff;
  if (index & 8)
    return byte & 0x80 ? 0xff : 0;
  return byte;
}

int64_t part(uint32_t value, unsigned index, unsigned bits, bool isSigned) {
  uint32_t field = value >> index * bits & ((1u << bits) - 1);
  return isSigned ? SignExtend64(field, bits) : int64_t(field);
}

} // namespace

uint32_t permuteBytes(PermuteMode mode, uint32_t a, uint32_t b,
                      uint32_t selector) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t s = selector & 3;
  uint32_t result = 0;
  for (uint32_t i = 0; i != 4; ++i) {
    uint32_t index = 0;
    switch (mode) {
    case PermuteMode::Index:
      index = selector >> i * 4 & 15;
      break;
    case PermuteMode::Forward4:
      index = s + i;
      break;
    case PermuteMode::Backward4:
      index = (s - i) & 7;
      break;
    case PermuteMode::Replicate8:
      index = s;
      break;
    case PermuteMode::EdgeLeft:
      index = std::max(i, s);
      break;
    case PermuteMode::EdgeRight:
      index = std::min(i, s);
      break;
    case PermuteMode::Replicate16:
      index = (i & 1) + (s & 1) * 2;
      break;
    }
    result |= pickByte(bytes, index) << i * 8;
  }
  return result;
}

uint64_t bitFieldExtract(uint64_t value, uint32_t position, uint32_t length,
                         unsigned bits, bool isSigned) {
  unsigned msb = bits - 1;
  uint32_t from = position & 0xff, count = length & 0xff;
  uint64_t sign = 0;
  if (isSigned && count != 0)
    sign = value >> std::min<uint32_t>(from + count - 1, msb) & 1;
  uint64_t result = 0;
  for (unsigned i = 0; i != bits; ++i) {
    bool inField = i < count && from + i <= msb;
    result |= (inField ? value >> (from + i) & 1 : sign) << i;
  }
  return result;
}

uint64_t bitFieldInsert(uint64_t field, uint64_t value, uint32_t position,
                        uint32_t length, unsigned bits) {
  uint32_t from = position & 0xff, count = length & 0xff;
  for (uint32_t i = 0; i < count && from + i < bits; ++i) {
    uint64_t bit = uint64_t(1) << (from + i);
    value = field >> i & 1 ? value | bit : value & ~bit;
  }
  return value;
}

uint32_t findNthSet(uint32_t mask, uint32_t base, int32_t offset) {
  base &= 31;
  if (offset == 0)
    return mask >> base & 1 ? base : ~0u;
  int step = offset > 0 ? 1 : -1;
  int64_t left = std::abs(int64_t(offset));
  for (int position = int(base); position >= 0 && position < 32;
       position += step)
    if ((mask >> position & 1) && --left == 0)
      return uint32_t(position);
  return ~0u;
}

uint32_t findLeading(uint64_t value, unsigned bits, bool isSigned, bool shift) {
  if (bits < 64)
    value &= (uint64_t(1) << bits) - 1;
  if (isSigned && value >> (bits - 1) & 1)
    value = ~value & maskTrailingOnes<uint64_t>(bits);
  if (value == 0)
    return ~0u;
  uint32_t position = 63 - countl_zero(value);
  return shift ? bits - 1 - position : position;
}

uint32_t extendBits(uint32_t value, uint32_t length, bool isSigned, bool wrap) {
  length = wrap ? length & 31 : std::min<uint32_t>(length, 32);
  if (length == 0)
    return 0;
  if (length == 32)
    return value;
  uint32_t low = value & maskTrailingOnes<uint32_t>(length);
  return isSigned ? uint32_t(SignExtend64(low, length)) : low;
}

uint32_t bitMask(uint32_t position, uint32_t length, bool wrap) {
  if (wrap) {
    position &= 31;
    length &= 31;
  } else {
    position = std::min<uint32_t>(position, 32);
    length = std::min<uint32_t>(length, 32);
  }
  uint64_t ones = (uint64_t(1) << length) - 1;
  return uint32_t(ones << position);
}

uint32_t dotBytes(uint32_t a, uint32_t b, uint32_t c, bool aSigned,
                  bool bSigned) {
  int64_t sum = c;
  for (unsigned i = 0; i != 4; ++i)
    sum += part(a, i, 8, aSigned) * part(b, i, 8, bSigned);
  return uint32_t(sum);
}

uint32_t dotHalves(uint32_t a, uint32_t b, uint32_t c, bool aSigned,
                   bool bSigned, bool high) {
  int64_t sum = c;
  for (unsigned i = 0; i != 2; ++i)
    sum += part(a, i, 16, aSigned) * part(b, i + (high ? 2 : 0), 8, bSigned);
  return uint32_t(sum);
}

} // namespace lathe::sim
