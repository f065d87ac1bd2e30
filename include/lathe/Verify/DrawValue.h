//===- DrawValue.h - One element of a test input ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Freestanding: the same text is compiled for the host and for GPUs, and gives
// the same bits on both. Sources are those that checkDrawSource accepts.
//
// Some elements depend on a group of others: a softmax's on its row, quantized
// values and their scales on their block. What they need of it (the sum of a
// row, the largest magnitude of a block) is reduced once per group.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_DRAWVALUE_H
#define LATHE_VERIFY_DRAWVALUE_H

#include "lathe/Verify/DrawPatterns.h"

namespace lathe {

/// A permutation of [0, bound): Feistel rounds, repeated until inside.
inline int64_t permuteIndex(uint64_t key, uint64_t index, uint64_t bound) {
  unsigned half = 1;
  while ((uint64_t(1) << (2 * half)) < bound)
    ++half;
  uint64_t mask = (uint64_t(1) << half) - 1;
  do {
    uint64_t left = index >> half, right = index & mask;
    for (uint64_t round = 0; round < 4; ++round) {
      uint64_t next = left ^ (randomBits(key, round, right) & mask);
      left = right;
      right = next;
    }
    index = left << half | right;
  } while (index >= bound);
  return int64_t(index);
}

inline bool drawsInGroups(const DrawSource &source) {
  return source.kind == DrawKind::Softmax ||
         source.kind == DrawKind::Quantized || source.kind == DrawKind::Scales;
}

/// Groups of a Softmax, or of a Quantized source, whose blocks its scales
/// count.
inline uint64_t drawGroups(const DrawSource &source, const DrawSource &scales) {
  if (source.kind == DrawKind::Quantized)
    return elementCount(scales);
  uint64_t inner = uint64_t(innerExtent(source));
  return inner ? elementCount(source) / inner : 0;
}

/// The group of an element. Quantized: `scales` is the other operand.
inline uint64_t drawGroupOf(const DrawSource &source, const DrawSource &scales,
                            uint64_t index) {
  if (source.kind == DrawKind::Scales)
    return index;
  if (source.kind == DrawKind::Softmax)
    return index / uint64_t(innerExtent(source));
  uint64_t block = 0, step = 1;
  for (uint32_t i = source.rank; i-- > 0;) {
    auto extent = uint64_t(source.shape[i]);
    block += index % extent / uint64_t(source.block[i]) * step;
    step *= uint64_t(scales.shape[i]);
    index /= extent;
  }
  return block;
}

/// The sum of a row of exponentials of normals.
inline double softmaxSum(const DrawSource &source, uint64_t operand,
                         uint64_t seed, uint64_t row) {
  double sum = 0;
  auto inner = uint64_t(innerExtent(source));
  for (uint64_t i = 0; i < inner; ++i)
    sum += exponential(normalAt(seed, operand, row * inner + i));
  return sum;
}

/// Rows (of the last dimension) of a block, counted as if no block were cut
/// off.
inline uint64_t blockRows(const DrawSource &source) {
  uint64_t rows = 1;
  for (uint32_t i = 0; i + 1 < source.rank; ++i)
    rows *= uint64_t(source.block[i]);
  return rows;
}

/// The largest magnitude in one row of a block; 0 for rows that lie outside.
inline double largestInBlockRow(const DrawSource &source,
                                const DrawSource &scales, uint64_t operand,
                                uint64_t seed, uint64_t block, uint64_t row) {
  uint64_t first = 0, step = 1, count = 1;
  for (uint32_t i = source.rank; i-- > 0;) {
    auto extent = uint64_t(source.shape[i]), size = uint64_t(source.block[i]);
    uint64_t at = block % uint64_t(scales.shape[i]) * size;
    block /= uint64_t(scales.shape[i]);
    if (i + 1 < source.rank) {
      at += row % size;
      row /= size;
      if (at >= extent)
        return 0;
    } else {
      count = at >= extent ? 0 : extent - at < size ? extent - at : size;
    }
    first += at * step;
    step *= extent;
  }
  double largest = 0;
  for (uint64_t i = 0; i < count; ++i) {
    double value = __builtin_fabs(normalAt(seed, operand, first + i));
    largest = value > largest ? value : largest;
  }
  return largest;
}

/// What `drawValue` wants to know of a group.
inline double drawGroup(const DrawSource &source, const DrawSource &scales,
                        uint64_t operand, uint64_t seed, uint64_t group) {
  if (source.kind == DrawKind::Softmax)
    return softmaxSum(source, operand, seed, group);
  double largest = 0;
  uint64_t rows = blockRows(source);
  for (uint64_t row = 0; row < rows; ++row) {
    double value = largestInBlockRow(source, scales, operand, seed, group, row);
    largest = value > largest ? value : largest;
  }
  return largest;
}

/// The scale that lets a block's largest magnitude just fit its dtype.
inline double scaleOfBlock(const DrawSource &quantized, double largest) {
  float scale = float(largest * quantized.scale) *
                float(1 / largestElement(quantized.element));
  return scale > 1e-12f ? scale : 1e-12f;
}

inline double signedValue(const DrawSource &source, const DrawSource &partner,
                          uint64_t operand, DrawMode mode, uint64_t seed,
                          uint64_t index, double group) {
  uint64_t bits = randomBits(seed, operand, index);
  double unit = double(bits >> 11) * 0x1p-53;
  switch (source.kind) {
  case DrawKind::Normal:
    if (mode == DrawMode::Realistic)
      return source.offset + source.scale * normalAt(seed, operand, index);
    return patternValue(source, operand, mode == DrawMode::Edge, seed, index);
  case DrawKind::Uniform:
    // The ends of the interval are legal and rarely drawn.
    if (mode != DrawMode::Realistic && bits % 4 < 2)
      unit = bits % 4 ? 1 - 0x1p-24 : 0;
    return source.low + (source.high - source.low) * unit;
  case DrawKind::Constant:
    return source.low;
  case DrawKind::Falling: {
    int64_t inner = innerExtent(source);
    int64_t below = source.rank > 1 ? inner : 1;
    int64_t extent = source.rank > 1 ? source.shape[source.rank - 2] : inner;
    double step = double(index / uint64_t(below) % uint64_t(extent)) + unit;
    return source.high - (source.high - source.low) * step / double(extent);
  }
  case DrawKind::Integers:
    return source.low +
           double(bits % uint64_t(source.bound - int64_t(source.low)));
  case DrawKind::Skewed:
    return double(int64_t(double(source.bound) * unit * unit * unit * unit));
  case DrawKind::Permuted: {
    auto inner = uint64_t(innerExtent(source));
    uint64_t row = index / inner;
    return source.low +
           double(permuteIndex(randomBits(seed, operand, ~row),
                               index - row * inner,
                               uint64_t(source.bound - int64_t(source.low))));
  }
  case DrawKind::Iota:
    return double(index % uint64_t(source.bound));
  case DrawKind::Softmax:
    return exponential(normalAt(seed, operand, index)) / group;
  case DrawKind::List:
    return double(source.values[index]);
  case DrawKind::Quantized:
    return normalAt(seed, operand, index) * source.scale /
           scaleOfBlock(source, group);
  case DrawKind::Scales:
    return scaleOfBlock(partner, group);
  }
  return 0;
}

/// An element before it is rounded to its dtype. `group` is drawGroup of the
/// element's group, where there are groups; of Scales, `partner` is the operand
/// that they are of.
inline double drawValue(const DrawSource &source, const DrawSource &partner,
                        uint64_t operand, DrawMode mode, uint64_t seed,
                        uint64_t index, double group) {
  double value =
      signedValue(source, partner, operand, mode, seed, index, group);
  return source.magnitude ? __builtin_fabs(value) : value;
}

} // namespace lathe

#endif // LATHE_VERIFY_DRAWVALUE_H
