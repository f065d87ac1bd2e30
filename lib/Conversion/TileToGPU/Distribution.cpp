//===- Distribution.cpp - Which elements a thread holds -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

Distribution::Distribution(RankedTensorType type) : type(type) {
  dealt = dyn_cast<LayoutInterface>(type.getEncoding());
  if (auto slice = dyn_cast<SliceAttr>(type.getEncoding())) {
    dealt = slice.getParent();
    sliced = slice.getDim();
  }
}

int64_t Distribution::layoutDim(int64_t dim) const {
  return sliced >= 0 && dim >= sliced ? dim + 1 : dim;
}

int64_t Distribution::vectorSize(int64_t dim) const {
  return dealt.getVectorSize(layoutDim(dim));
}

int64_t Distribution::rounds(int64_t dim) const {
  return dealt.getRounds(layoutDim(dim), extent(dim));
}

int64_t Distribution::roundOffset(int64_t dim, int64_t round) const {
  return dealt.getRoundOffset(layoutDim(dim), round);
}

bool Distribution::mayBeInert(int64_t dim, int64_t round) const {
  int64_t last = roundOffset(dim, round) + vectorSize(dim);
  for (ThreadDigit digit : dealt.getDigits(layoutDim(dim)))
    last += (digit.modulus - 1) * digit.scale;
  return last > extent(dim);
}

VectorType Distribution::threadType(Type element) const {
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < rank(); ++dim)
    shape.push_back(count(dim));
  return VectorType::get(shape, storageType(element));
}

Value KernelLowering::threadDigit(Location loc, ThreadDigit digit,
                                  int64_t numThreads) {
  Value value = threadId(loc);
  if (digit.divisor != 1)
    value =
        arith::DivUIOp::create(builder, loc, value, index(loc, digit.divisor));
  if (digit.divisor * digit.modulus != numThreads)
    value =
        arith::RemUIOp::create(builder, loc, value, index(loc, digit.modulus));
  return arith::MulIOp::create(builder, loc, value, index(loc, digit.scale));
}

Value KernelLowering::threadSum(Location loc, LayoutInterface layout,
                                int64_t dim) {
  auto key = std::make_pair(Attribute(layout), dim);
  if (Value known = role.coords.lookup(key))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(threadId(loc));
  Value sum;
  for (ThreadDigit digit : layout.getDigits(dim)) {
    if (digit.modulus == 1)
      continue;
    Value part = threadDigit(loc, digit, layout.getNumThreads());
    sum =
        sum ? arith::AddIOp::create(builder, loc, sum, part).getResult() : part;
  }
  if (!sum)
    sum = index(loc, 0);
  role.coords[key] = sum;
  return sum;
}

Value KernelLowering::threadBase(Location loc, const Distribution &distribution,
                                 int64_t dim) {
  return threadSum(loc, distribution.layout(), distribution.layoutDim(dim));
}

Value KernelLowering::slotPosition(Location loc,
                                   const Distribution &distribution,
                                   int64_t dim, int64_t slot, Value &inside) {
  int64_t size = distribution.vectorSize(dim), round = slot / size;
  Value position = arith::AddIOp::create(
      builder, loc, threadBase(loc, distribution, dim),
      index(loc, distribution.roundOffset(dim, round) + slot % size));
  if (distribution.mayBeInert(dim, round))
    inside =
        isBelow(loc, position, index(loc, distribution.extent(dim)), inside);
  return position;
}

Value KernelLowering::both(Location loc, Value also, Value condition) {
  return also ? arith::AndIOp::create(builder, loc, also, condition).getResult()
              : condition;
}

Value KernelLowering::isBelow(Location loc, Value position, Value limit,
                              Value also) {
  return both(loc, also,
              arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                    position, limit));
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
