//===- CompareKernels.h - An output against the reference -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Freestanding. In this order: squareRows, finishRows, compareRows, findWorst,
// sumRows; each reads what those before it wrote.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_MEASURE_KERNELS_COMPAREKERNELS_H
#define LATHE_LIB_MEASURE_KERNELS_COMPAREKERNELS_H

#include "Threads.h"

namespace lathe::measure {

/// Part of a row that one thread walks along.
struct Segment {
  uint64_t row = 0;                 ///< in the batch
  uint64_t index = 0, count = 0;    ///< elements; the first, in the whole
  uint64_t expected = 0, found = 0; ///< where the first lies
};

inline Segment segmentAt(const CompareArgument &a, uint64_t i) {
  Segment segment;
  segment.row = divide(i, a.segments);
  uint64_t row = a.firstRow + segment.row;
  uint64_t column =
      (i - segment.row * a.segments) * uint64_t(RowSquares::segment);
  uint64_t left = a.length - column;
  segment.index = row * a.length + column;
  uint64_t view = a.starts ? divide(row, a.rows.elements) : 0;
  uint64_t offset = elementOffset(a.rows, row - view * a.rows.elements) +
                    column * a.lengthStride;
  segment.expected = offset + view * a.expectedStep;
  segment.found = offset + (a.starts ? a.starts[view] : 0);
  segment.count = left < RowSquares::segment ? left : RowSquares::segment;
  return segment;
}

inline uint64_t expectedOffset(const CompareArgument &a, const Segment &segment,
                               uint64_t i) {
  return (segment.expected + i * a.lengthStride) * a.element.bytes;
}

inline uint64_t expectedAt(const CompareArgument &a, const Segment &segment,
                           uint64_t i) {
  return loadElement(a.element, a.expected + expectedOffset(a, segment, i));
}

inline double magnitudeAt(const CompareArgument &a, const Segment &segment,
                          uint64_t i) {
  if (!a.magnitudes)
    return 0;
  return elementValue(
      a.element,
      loadElement(a.element, a.magnitudes + expectedOffset(a, segment, i)));
}

inline uint64_t foundAt(const CompareArgument &a, const Segment &segment,
                        uint64_t i) {
  return loadElement(a.element, a.found + (segment.found + i * a.lengthStride) *
                                              a.element.bytes);
}

inline void squareRows(const CompareArgument &a, Thread thread) {
  for (uint64_t s = thread.index; s < a.rowCount * a.segments;
       s += thread.count) {
    Segment segment = segmentAt(a, s);
    RowSquares part;
    for (uint64_t i = 0; a.element.isFloat && i < segment.count; ++i)
      if (double value = elementValue(a.element, expectedAt(a, segment, i));
          isFiniteValue(value))
        part.add(value * value, 1);
    a.squares[s].reference = part.sum;
    a.squares[s].finite = part.finite;
  }
}

inline void finishRows(const CompareArgument &a, Thread thread) {
  for (uint64_t row = thread.index; row < a.rowCount; row += thread.count) {
    RowSquares squares;
    for (uint64_t s = row * a.segments; s < (row + 1) * a.segments; ++s)
      squares.add(a.squares[s].reference, a.squares[s].finite);
    a.rms[row] = squares.rms();
    a.rowSquares[row] = squares.sum;
  }
}

inline void compareRows(const CompareArgument &a, Thread thread) {
  ComparisonSums sums;
  uint64_t first = ~uint64_t(0), worst = 0;
  for (uint64_t s = thread.index; s < a.rowCount * a.segments;
       s += thread.count) {
    Segment segment = segmentAt(a, s);
    double rms = a.rms[segment.row], error = 0;
    for (uint64_t i = 0; i < segment.count; ++i) {
      ElementMatch match;
      double steps = compareElement(
          sums, a.element, a.tolerance, rms, magnitudeAt(a, segment, i),
          expectedAt(a, segment, i), foundAt(a, segment, i), error, match);
      uint64_t bits = __builtin_bit_cast(uint64_t, steps);
      worst = bits > worst ? bits : worst;
      if (match == ElementMatch::No && segment.index + i < first)
        first = segment.index + i;
    }
    a.squares[s].error = error;
  }
  atomicAdd(a.totals->mismatches, sums.mismatches);
  atomicAdd(a.totals->flips, sums.flips);
  atomicAdd(a.totals->cancelled, sums.cancelled);
  atomicAdd(a.totals->beyondEvaluator, sums.beyondEvaluator);
  atomicMin(a.totals->first, first);
  atomicMax(a.totals->worstSteps, worst);
}

inline void findWorst(const CompareArgument &a, Thread thread) {
  uint64_t wanted = a.totals->worstSteps, least = ~uint64_t(0);
  if (wanted == 0) // for all threads
    return;
  for (uint64_t s = thread.index; s < a.rowCount * a.segments;
       s += thread.count) {
    Segment segment = segmentAt(a, s);
    for (uint64_t i = 0; i < segment.count; ++i) {
      double steps = elementSteps(a.element, expectedAt(a, segment, i),
                                  foundAt(a, segment, i));
      if (__builtin_bit_cast(uint64_t, steps) != wanted)
        continue;
      if (segment.index + i < least)
        least = segment.index + i;
      break;
    }
  }
  atomicMin(a.totals->worst, least);
}

inline void sumRows(const CompareArgument &a, Thread thread) {
  for (uint64_t group = thread.index; group * sumGroup < a.rowCount;
       group += thread.count) {
    double reference = 0, error = 0;
    for (uint64_t row = group * sumGroup;
         row < (group + 1) * sumGroup && row < a.rowCount; ++row) {
      reference += a.rowSquares[row];
      for (uint64_t s = row * a.segments; s < (row + 1) * a.segments; ++s)
        error += a.squares[s].error;
    }
    a.sums[2 * group] = reference;
    a.sums[2 * group + 1] = error;
  }
}

} // namespace lathe::measure

#endif // LATHE_LIB_MEASURE_KERNELS_COMPAREKERNELS_H
