//===- CheckDraw.h - What can be drawn --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No LLVM: sources come from operators and from files that nobody trusts.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_CHECKDRAW_H
#define LATHE_VERIFY_CHECKDRAW_H

#include "lathe/Verify/DrawSource.h"

#include <string>
#include <vector>

namespace lathe {

/// Why a source cannot be drawn by itself, or empty.
inline std::string checkDrawSource(const DrawSource &source) {
  if (source.rank > maxElementRank)
    return "expected at most " + std::to_string(maxElementRank) +
           " dimensions, found " + std::to_string(source.rank);
  uint64_t elements = 1;
  for (uint32_t i = 0; i < source.rank; ++i) {
    if (source.shape[i] < 0)
      return "an extent is negative";
    if (__builtin_mul_overflow(elements, uint64_t(source.shape[i]),
                               &elements) ||
        elements > uint64_t(1) << 48)
      return "it has more than 2^48 elements";
  }
  if (source.kind == DrawKind::Quantized && !source.element.isFloat)
    return "only floats can be quantized";
  if (elements == 0)
    return "";
  int64_t inner = innerExtent(source);
  if (source.kind == DrawKind::Softmax && inner > maxDrawGroup)
    return "rows are too long for a softmax";
  bool hasLow =
      source.kind == DrawKind::Integers || source.kind == DrawKind::Permuted;
  if (!hasLow && source.kind != DrawKind::Skewed &&
      source.kind != DrawKind::Iota)
    return "";
  // Doubles count so far one by one.
  constexpr double limit = 0x1p53;
  if (hasLow && !(source.low >= -limit && source.low <= limit))
    return "expected a low of at most 2^53";
  int64_t low = hasLow ? int64_t(source.low) : 0;
  int64_t least = source.kind == DrawKind::Permuted ? low + inner : low + 1;
  if (source.bound < least)
    return "expected a bound of at least " + std::to_string(least) +
           ", found " + std::to_string(source.bound);
  if (source.bound > int64_t(limit))
    return "expected a bound of at most 2^53";
  return "";
}

/// Checks that a Quantized source and its Scales name each other, and sets the
/// former's block. Why they do not, or empty; other kinds have no partner.
inline std::string linkDrawSource(std::vector<DrawSource> &sources,
                                  size_t operand) {
  DrawSource &source = sources[operand];
  bool isQuantized = source.kind == DrawKind::Quantized;
  if (!isQuantized && source.kind != DrawKind::Scales)
    return "";
  if (source.partner >= sources.size())
    return "its partner is no operand";
  const DrawSource &partner = sources[source.partner];
  DrawKind wanted = isQuantized ? DrawKind::Scales : DrawKind::Quantized;
  if (partner.kind != wanted || partner.partner != operand)
    return "its partner does not name it in turn";
  if (partner.rank != source.rank || source.rank > maxElementRank)
    return "its partner has another rank";
  if (!isQuantized)
    return "";
  int64_t elements = 1;
  for (uint32_t i = 0; i < source.rank; ++i) {
    int64_t extent = source.shape[i], scales = partner.shape[i];
    if (extent < 0 || scales < 0)
      return "an extent is negative";
    if (extent > 0 && scales == 0)
      return "its partner is empty";
    int64_t block = scales ? extent / scales + (extent % scales != 0) : 1;
    source.block[i] = block > 1 ? block : 1;
    if (source.block[i] > maxDrawGroup ||
        (elements *= source.block[i]) > maxDrawGroup)
      return "a block of more than " + std::to_string(maxDrawGroup) +
             " elements shares a scale";
  }
  return "";
}

} // namespace lathe

#endif // LATHE_VERIFY_CHECKDRAW_H
