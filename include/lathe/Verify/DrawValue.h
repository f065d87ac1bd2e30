//===- DrawValue.h - One element of a test input ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Freestanding: the same text is compiled for the host and for GPUs, and gives
// the same bits on both. No contraction, no libm.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_DRAWVALUE_H
#define LATHE_VERIFY_DRAWVALUE_H

#include "lathe/Verify/ElementBits.h"

namespace lathe {

enum class DrawMode : uint32_t {
  Realistic,   ///< as the operator's distributions say
  Adversarial, ///< large, cancelling, constant, tied rows, outliers
  Edge         ///< zeros, -0, denormals, infinities, NaN, the largest values
};

/// DistributionSpec::kind; see there.
enum class DrawKind : uint32_t {
  Normal,
  Uniform,
  Constant, ///< zeros too
  Falling,
  Integers,
  Skewed,
  Permuted,
  Iota,
  Softmax,
  List, ///< lengths, offsets
  Quantized,
  Scales
};

/// How one operand is drawn: a DistributionSpec at one size, as plain data.
struct DrawSource {
  DrawKind kind = DrawKind::Normal;
  ElementFormat element;
  uint32_t rank = 0;
  uint32_t partner = 0; ///< Quantized, Scales: the other of the two operands
  bool finite = false, huge = true;
  double scale = 1, offset = 0, low = 0, high = 1, large = 1024;
  int64_t bound = 0;
  int64_t shape[maxElementRank] = {};
  int64_t block[maxElementRank] = {}; ///< Quantized: what shares a scale
  const int64_t *values = nullptr;    ///< List: one per element
};

} // namespace lathe

#endif // LATHE_VERIFY_DRAWVALUE_H
