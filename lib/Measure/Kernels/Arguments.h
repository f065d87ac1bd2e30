//===- Arguments.h - What the kernels take ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Freestanding: each kernel takes one of these by value. Addresses are
// the device's, or the host's where kernels run there.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_MEASURE_KERNELS_ARGUMENTS_H
#define LATHE_LIB_MEASURE_KERNELS_ARGUMENTS_H

#include "lathe/Verify/CompareValue.h"
#include "lathe/Verify/DrawSource.h"

namespace lathe::measure {

/// A View whose dimensions are as few as they can be. Every extent is at least
/// one; strides count elements.
struct ViewArgument {
  uint32_t rank = 0;
  uint32_t bytes = 1; ///< of an element
  uint64_t elements = 1;
  uint64_t shape[maxElementRank] = {}, strides[maxElementRank] = {};
};

struct DrawArgument {
  DrawSource source;
  DrawSource partner; ///< Quantized: its scales; Scales: what they are of
  ViewArgument view;
  uint64_t operand = 0, seed = 0;
  DrawMode mode = DrawMode::Realistic;
  double *groups = nullptr; ///< what drawValue wants to know of each
  char *out = nullptr;
};

/// Reduces groups of a Softmax or Quantized source; `groups` is zeroed before.
struct GroupArgument {
  DrawSource source, scales;
  uint64_t operand = 0, seed = 0;
  uint64_t groups = 0, rows = 0; ///< blockRows; 1 of a Softmax
  uint64_t *result = nullptr;    ///< bits of doubles, none of them negative
};

/// What one batch of rows adds up to; all commute but the squares.
struct CompareTotals {
  uint64_t mismatches = 0, flips = 0, cancelled = 0, beyondEvaluator = 0;
  uint64_t first = ~uint64_t(0); ///< index of the first mismatch
  uint64_t worstSteps = 0;       ///< bits of a double that is not negative
  uint64_t worst = ~uint64_t(0); ///< index of the first of them
};

struct SegmentSquares {
  double reference = 0, error = 0;
  int64_t finite = 0;
};

struct CompareArgument {
  ElementFormat element;
  ElementTolerance tolerance;
  ViewArgument rows; ///< where rows start; one element each
  uint64_t length = 0, lengthStride = 1;
  uint64_t segments = 0;               ///< of a row
  uint64_t firstRow = 0, rowCount = 0; ///< this batch
  /// What the reference makes of the inputs' magnitudes lies as `expected`
  /// does; null: nobody asked.
  const char *expected = nullptr, *found = nullptr, *magnitudes = nullptr;
  /// Several views of one form, `rows` being the rows of one: where each starts
  /// in `found`, and how far apart they lie in `expected`, in elements.
  const uint64_t *starts = nullptr;
  uint64_t expectedStep = 0;
  SegmentSquares *squares = nullptr; ///< per segment
  double *rms = nullptr;             ///< per row
  double *rowSquares = nullptr;      ///< per row
  double *sums = nullptr; ///< per group of rows: reference's, error's squares
  CompareTotals *totals = nullptr;
};

/// Rows whose squares one thread sums up.
constexpr uint64_t sumGroup = 1024;

struct HashArgument {
  ViewArgument view;
  const char *at = nullptr;
  uint64_t *sum = nullptr;
};

/// A poisoned range, and the view in it, where one is asked for.
struct PoisonArgument {
  char *at = nullptr;
  uint64_t bytes = 0, salt = 0;
  ViewArgument view;  ///< by descending strides, for padding
  uint64_t first = 0; ///< byte of the range where the view starts
  uint64_t *count = nullptr;
};

} // namespace lathe::measure

#endif // LATHE_LIB_MEASURE_KERNELS_ARGUMENTS_H
