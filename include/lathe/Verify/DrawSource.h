//===- DrawSource.h - How a test input is drawn -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Freestanding: the same text is compiled for the host and for GPUs.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_DRAWSOURCE_H
#define LATHE_VERIFY_DRAWSOURCE_H

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
  bool finite = false, huge = true, cancels = true;
  bool magnitude = false; ///< without the sign
  bool keepsSign = false; ///< also where other inputs are magnitudes
  double scale = 1, offset = 0, low = 0, high = 1, large = 1024;
  int64_t bound = 0;
  int64_t shape[maxElementRank] = {};
  int64_t block[maxElementRank] = {}; ///< Quantized: what shares a scale
  const int64_t *values = nullptr;    ///< List: one per element
};

/// Whether magnitudes of inputs are drawn without this one's sign.
inline bool takesMagnitude(const DrawSource &source) {
  return source.element.isFloat && !source.keepsSign;
}

/// Most elements of a block that shares a scale, or of a softmax row.
constexpr int64_t maxDrawGroup = 1 << 20;

/// Length of a row: the extent of the last dimension.
inline int64_t innerExtent(const DrawSource &source) {
  return source.rank ? source.shape[source.rank - 1] : 1;
}

inline uint64_t elementCount(const DrawSource &source) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < source.rank; ++i)
    count *= uint64_t(source.shape[i]);
  return count;
}

} // namespace lathe

#endif // LATHE_VERIFY_DRAWSOURCE_H
