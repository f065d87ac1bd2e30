//===- ViewArgument.h - Views as the kernels take them ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_MEASURE_KERNELS_VIEWARGUMENT_H
#define LATHE_LIB_MEASURE_KERNELS_VIEWARGUMENT_H

#include "Arguments.h"

#include "lathe/Measure/Candidates.h"

namespace lathe::measure {

/// In the order of the view's elements. Throws std::runtime_error for more
/// than maxElementRank dimensions, negative extents or strides, and elements
/// that overlap or lie further out than 2^48 bytes.
ViewArgument viewArgument(const View &view, const ElementFormat &element);

/// The same elements by descending strides, as coversByte wants them.
ViewArgument byStride(const ViewArgument &view);

/// The view without its last dimension, which becomes length and stride.
ViewArgument rowsOf(const View &view, const ElementFormat &element,
                    uint64_t &length, uint64_t &stride);

/// The place of an element, from its number.
std::vector<int64_t> indexOf(const View &view, uint64_t number);

/// Elements from the first of a view to that at these leading indices.
uint64_t offsetOf(const View &view, const std::vector<int64_t> &index);

/// Elements from the first of a view that is not empty to its last.
uint64_t spanOf(const View &view);

/// parseElementFormat; throws std::runtime_error.
ElementFormat elementOf(const std::string &dtype);

} // namespace lathe::measure

#endif // LATHE_LIB_MEASURE_KERNELS_VIEWARGUMENT_H
