//===- DrawKernels.h - Drawing, hashing, poison -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Freestanding.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_MEASURE_KERNELS_DRAWKERNELS_H
#define LATHE_LIB_MEASURE_KERNELS_DRAWKERNELS_H

#include "Threads.h"

#include "lathe/Verify/DrawValue.h"

namespace lathe::measure {

inline void reduceGroups(const GroupArgument &a, Thread thread) {
  for (uint64_t i = thread.index; i < a.groups * a.rows; i += thread.count) {
    uint64_t group = divide(i, a.rows);
    if (a.source.kind == DrawKind::Softmax) {
      a.result[group] = __builtin_bit_cast(
          uint64_t, softmaxSum(a.source, a.operand, a.seed, group));
      continue;
    }
    double largest = largestInBlockRow(a.source, a.scales, a.operand, a.seed,
                                       group, i - group * a.rows);
    atomicMaxAlone(a.result[group], __builtin_bit_cast(uint64_t, largest));
  }
}

inline void drawElements(const DrawArgument &a, Thread thread) {
  bool isGrouped = drawsInGroups(a.source);
  for (uint64_t i = thread.index; i < a.view.elements; i += thread.count) {
    double group =
        isGrouped ? a.groups[drawGroupOf(a.source, a.partner, i)] : 0;
    double value =
        drawValue(a.source, a.partner, a.operand, a.mode, a.seed, i, group);
    storeElement(a.source.element, elementBits(a.source.element, value),
                 a.out + elementOffset(a.view, i) * a.view.bytes);
  }
}

/// An element's share of a view's hash, which is their sum.
inline uint64_t elementHash(uint64_t bits, uint64_t number) {
  return randomBits(bits, 0x68617368, number);
}

inline void hashElements(const HashArgument &a, Thread thread) {
  ElementFormat element;
  element.bytes = uint8_t(a.view.bytes);
  uint64_t sum = 0;
  for (uint64_t i = thread.index; i < a.view.elements; i += thread.count) {
    const char *at = a.at + elementOffset(a.view, i) * a.view.bytes;
    sum += elementHash(loadElement(element, at), i);
  }
  atomicAdd(*a.sum, sum);
}

inline void fillPoison(const PoisonArgument &a, Thread thread) {
  bool isAligned = uint64_t(a.at) % 8 == 0;
  for (uint64_t i = thread.index; i < (a.bytes + 7) / 8; i += thread.count) {
    uint64_t word = poisonWord(a.salt, i), left = a.bytes - i * 8;
    if (isAligned && left >= 8) {
      reinterpret_cast<uint64_t *>(a.at)[i] = word;
      continue;
    }
    for (uint64_t byte = 0; byte < 8 && byte < left; ++byte)
      a.at[i * 8 + byte] = char(word >> byte * 8);
  }
}

/// Bytes outside of the view that are no longer poison.
inline void countChanged(const PoisonArgument &a, Thread thread) {
  bool isAligned = uint64_t(a.at) % 8 == 0;
  uint64_t count = 0;
  for (uint64_t i = thread.index; i < (a.bytes + 7) / 8; i += thread.count) {
    uint64_t word = poisonWord(a.salt, i), left = a.bytes - i * 8;
    if (isAligned && left >= 8 &&
        reinterpret_cast<const uint64_t *>(a.at)[i] == word)
      continue;
    for (uint64_t byte = 0; byte < 8 && byte < left; ++byte) {
      uint64_t offset = i * 8 + byte;
      if (uint8_t(a.at[offset]) == uint8_t(word >> byte * 8))
        continue;
      count += offset < a.first || !coversByte(a.view, offset - a.first);
    }
  }
  atomicAdd(*a.count, count);
}

inline void countUnwritten(const PoisonArgument &a, Thread thread) {
  uint64_t count = 0;
  for (uint64_t i = thread.index; i < a.view.elements; i += thread.count) {
    uint64_t at = a.first + elementOffset(a.view, i) * a.view.bytes, byte = 0;
    while (byte < a.view.bytes &&
           uint8_t(a.at[at + byte]) == poisonByte(a.salt, at + byte))
      ++byte;
    count += byte == a.view.bytes;
  }
  atomicAdd(*a.count, count);
}

} // namespace lathe::measure

#endif // LATHE_LIB_MEASURE_KERNELS_DRAWKERNELS_H
