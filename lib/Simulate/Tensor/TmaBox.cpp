//===- TmaBox.cpp - Which bytes a box of a tensor map covers --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TmaBox.h"

#include <algorithm>

using namespace lathe::sim;

void lathe::sim::forEachRow(const EncodedMap &map, const TensorCoordinates &at,
                            llvm::function_ref<void(const BoxRow &)> visit) {
  int64_t width = map.dims[0];
  auto first = std::clamp<int64_t>(-int64_t(at[0]), 0, map.box[0]);
  auto end = std::clamp<int64_t>(width - at[0], first, map.box[0]);
  std::array<uint32_t, 5> position = {};
  for (uint64_t index = 0, count = map.rows(); index < count; ++index) {
    BoxRow row;
    row.index = index;
    row.global = map.base + (int64_t(at[0]) + first) * map.elementBytes;
    bool isInside = true;
    for (unsigned dim = 1; dim < map.rank; ++dim) {
      int64_t coordinate =
          int64_t(at[dim]) + int64_t(position[dim]) * map.elementStrides[dim];
      isInside &= coordinate >= 0 && coordinate < int64_t(map.dims[dim]);
      row.global += uint64_t(coordinate) * map.strides[dim - 1];
    }
    if (isInside) {
      row.first = first;
      row.end = end;
    }
    visit(row);
    for (unsigned dim = 1; dim < map.rank; ++dim) {
      if (++position[dim] < map.boxElements(dim))
        break;
      position[dim] = 0;
    }
  }
}

// Whatever the type, an H200 fills in 16-bit words of this value.
uint64_t lathe::sim::fillBits(const EncodedMap &map) {
  return map.fillNaN ? 0x7FF77FF77FF77FF7 : 0;
}
