//===- Distribution.cpp - Which elements a thread holds -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

Distribution::Distribution(RankedTensorType type) : type(type) {
  blocked = dyn_cast<BlockedAttr>(type.getEncoding());
  if (auto slice = dyn_cast<SliceAttr>(type.getEncoding())) {
    blocked = slice.getParent();
    sliced = slice.getDim();
  }
}

int64_t Distribution::layoutDim(int64_t dim) const {
  return sliced >= 0 && dim >= sliced ? dim + 1 : dim;
}

int64_t Distribution::vectorSize(int64_t dim) const {
  return blocked.getVector()[layoutDim(dim)];
}

int64_t Distribution::rounds(int64_t dim) const {
  return blocked.getRounds(layoutDim(dim), extent(dim));
}

int64_t Distribution::roundOffset(int64_t dim, int64_t round) const {
  return round * blocked.getThreads()[layoutDim(dim)] * vectorSize(dim);
}

bool Distribution::mayBeInert(int64_t dim, int64_t round) const {
  return roundOffset(dim, round + 1) > extent(dim);
}

VectorType Distribution::threadType(Type element) const {
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < rank(); ++dim)
    shape.push_back(count(dim));
  return VectorType::get(shape, element);
}

void lathe::forEachIndex(ArrayRef<int64_t> sizes,
                         llvm::function_ref<void(ArrayRef<int64_t>)> body) {
  if (llvm::is_contained(sizes, 0))
    return;
  SmallVector<int64_t> position(sizes.size(), 0);
  while (true) {
    body(position);
    int64_t dim = sizes.size();
    while (--dim >= 0 && ++position[dim] == sizes[dim])
      position[dim] = 0;
    if (dim < 0)
      return;
  }
}
