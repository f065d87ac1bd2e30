//===- ViewArgument.cpp - Views as the kernels take them ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ViewArgument.h"

#include "lathe/Verify/ParseElement.h"

#include <algorithm>
#include <stdexcept>

using namespace lathe;
using namespace lathe::measure;

namespace {

struct Dimension {
  uint64_t extent = 1, stride = 1;
};

} // namespace

/// Each stride must step over all that lies inside it.
static void checkDisjoint(std::vector<Dimension> dimensions, uint64_t bytes) {
  std::sort(dimensions.begin(), dimensions.end(),
            [](const Dimension &a, const Dimension &b) {
              return a.stride < b.stride;
            });
  constexpr uint64_t most = uint64_t(1) << 48;
  uint64_t last = 0; // element, of those that have been looked at
  for (const Dimension &dimension : dimensions) {
    if (dimension.stride <= last)
      throw std::runtime_error("expected a view whose elements do not overlap");
    uint64_t reach;
    if (__builtin_mul_overflow(dimension.extent - 1, dimension.stride,
                               &reach) ||
        reach > most || (last += reach) > most / bytes)
      throw std::runtime_error("expected a view of at most 2^48 bytes");
  }
}

static ViewArgument makeArgument(const std::vector<int64_t> &shape,
                                 const std::vector<int64_t> &strides,
                                 size_t rank, const ElementFormat &element) {
  ViewArgument argument;
  argument.bytes = element.bytes;
  std::vector<Dimension> dimensions;
  for (size_t i = 0; i < rank; ++i) {
    auto extent = uint64_t(shape[i]), stride = uint64_t(strides[i]);
    if (extent == 0)
      argument.elements = 0;
    if (extent <= 1)
      continue;
    if (!dimensions.empty() && dimensions.back().stride / extent == stride &&
        dimensions.back().stride % extent == 0) {
      dimensions.back().extent *= extent;
      dimensions.back().stride = stride;
    } else {
      dimensions.push_back({extent, stride});
    }
  }
  if (argument.elements == 0)
    return argument;
  checkDisjoint(dimensions, argument.bytes);
  for (const Dimension &dimension : dimensions) {
    argument.shape[argument.rank] = dimension.extent;
    argument.strides[argument.rank++] = dimension.stride;
    argument.elements *= dimension.extent;
  }
  return argument;
}

static void checkView(const View &view) {
  if (view.shape.size() > maxElementRank)
    throw std::runtime_error(
        "expected a view of at most " + std::to_string(maxElementRank) +
        " dimensions, found " + std::to_string(view.shape.size()));
  if (view.shape.size() != view.strides.size())
    throw std::runtime_error("expected a stride for each dimension of a view");
  auto isNegative = [](int64_t value) { return value < 0; };
  if (std::any_of(view.shape.begin(), view.shape.end(), isNegative) ||
      std::any_of(view.strides.begin(), view.strides.end(), isNegative))
    throw std::runtime_error("expected no negative extent or stride in a view");
}

ViewArgument lathe::measure::viewArgument(const View &view,
                                          const ElementFormat &element) {
  checkView(view);
  return makeArgument(view.shape, view.strides, view.shape.size(), element);
}

ViewArgument lathe::measure::byStride(const ViewArgument &view) {
  std::vector<Dimension> dimensions;
  for (uint32_t i = 0; i < view.rank; ++i)
    dimensions.push_back({view.shape[i], view.strides[i]});
  std::sort(dimensions.begin(), dimensions.end(),
            [](const Dimension &a, const Dimension &b) {
              return a.stride > b.stride;
            });
  ViewArgument sorted = view;
  for (uint32_t i = 0; i < view.rank; ++i) {
    sorted.shape[i] = dimensions[i].extent;
    sorted.strides[i] = dimensions[i].stride;
  }
  return sorted;
}

ViewArgument lathe::measure::rowsOf(const View &view,
                                    const ElementFormat &element,
                                    uint64_t &length, uint64_t &stride) {
  ViewArgument whole = viewArgument(view, element); // checks it
  length = stride = 1;
  if (view.shape.empty() || whole.elements == 0)
    return whole;
  length = uint64_t(view.shape.back());
  stride = uint64_t(view.strides.back());
  return makeArgument(view.shape, view.strides, view.shape.size() - 1, element);
}

std::vector<int64_t> lathe::measure::indexOf(const View &view,
                                             uint64_t number) {
  std::vector<int64_t> index(view.shape.size());
  for (size_t i = index.size(); i-- > 0;) {
    index[i] = int64_t(number % uint64_t(view.shape[i]));
    number /= uint64_t(view.shape[i]);
  }
  return index;
}

uint64_t lathe::measure::offsetOf(const View &view,
                                  const std::vector<int64_t> &index) {
  uint64_t offset = 0;
  for (size_t i = 0; i != index.size(); ++i)
    offset += uint64_t(index[i]) * uint64_t(view.strides[i]);
  return offset;
}

uint64_t lathe::measure::spanOf(const View &view) {
  uint64_t last = 0;
  for (size_t i = 0; i != view.shape.size(); ++i)
    last += uint64_t(view.shape[i] - 1) * uint64_t(view.strides[i]);
  return last + 1;
}

ElementFormat lathe::measure::elementOf(const std::string &dtype) {
  std::optional<ElementFormat> element = parseElementFormat(dtype);
  if (!element)
    throw std::runtime_error("no codec for elements of type '" + dtype + "'");
  return *element;
}
