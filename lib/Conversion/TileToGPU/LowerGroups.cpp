//===- LowerGroups.cpp - Elements that groups of neighbours share ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

LogicalResult KernelLowering::lowerLoadGroups(LoadGroupsOp op) {
  Location loc = op.getLoc();
  ViewType view = op.getView().getType();
  Distribution distribution(op.getResult().getType());
  Expr group = op.getGroup().getExpr();
  if (!isComputable(group))
    return op.emitError() << "cannot compute '" << group.str()
                          << "' at run time";
  int64_t along = op.getDim();
  Type element = storageType(view.getElementType());
  auto pieceType = VectorType::get({1}, element);
  Value pointer = mapping.lookup(op.getView());
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, loc, a, b);
  };

  // What the other dimensions add to the address, and to the guard.
  Value start, inside;
  for (int64_t dim = 0; dim < view.getRank(); ++dim) {
    if (dim == along)
      continue;
    Expr bound = view.getExtents()[dim].getExpr();
    Value offset = mapping.lookup(op.getOffsets()[dim]);
    Value part = placeOf(loc, view, dim, offset);
    start = start ? add(start, part) : part;
    if (!isProvenInBounds(op.getOffsets()[dim], 1, bound))
      inside = isBelow(loc, offset, materialize(loc, bound), inside);
  }

  Expr bound = view.getExtents()[along].getExpr();
  Value offset = op.getOffsets()[along];
  int64_t extent = distribution.extent(0);
  std::optional<int64_t> size = group.asConstant();
  bool proven = size == 1 && isProvenInBounds(offset, extent, bound);
  auto loadAt = [&](Value position, Value condition) -> Value {
    if (size != 1)
      position = arith::DivUIOp::create(builder, loc, position,
                                        materialize(loc, group));
    if (!proven)
      condition = isBelow(loc, position, materialize(loc, bound), condition);
    return loadIf(builder, loc, condition, pieceType, [&]() -> Value {
      Value elements = placeOf(loc, view, along, position);
      if (start)
        elements = add(elements, start);
      elements = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                            elements);
      Value address = LLVM::GEPOp::create(
          builder, loc, pointer.getType(), element, pointer,
          ArrayRef<LLVM::GEPArg>{elements}, LLVM::GEPNoWrapFlags::inbounds);
      return LLVM::LoadOp::create(builder, loc, pieceType, address,
                                  element.getIntOrFloatBitWidth() / 8);
    });
  };

  // Where no tile reaches past a group, one element serves all.
  VectorType type = distribution.threadType();
  if (size && extent <= std::gcd(getDivisor(offset), *size)) {
    Value one = loadAt(mapping.lookup(offset), inside);
    mapping.map(
        op.getResult(),
        vector::BroadcastOp::create(
            builder, loc, type, vector::ExtractOp::create(builder, loc, one, 0))
            .getResult());
    return success();
  }
  SmallVector<Value> elements;
  for (int64_t slot = 0; slot < distribution.count(0); ++slot) {
    Value condition = inside;
    Value position = slotPosition(loc, distribution, 0, slot, condition);
    Value one = loadAt(add(mapping.lookup(offset), position), condition);
    elements.push_back(vector::ExtractOp::create(builder, loc, one, 0));
  }
  mapping.map(
      op.getResult(),
      vector::FromElementsOp::create(builder, loc, type, elements).getResult());
  return success();
}
