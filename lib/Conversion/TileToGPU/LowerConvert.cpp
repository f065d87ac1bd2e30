//===- LowerConvert.cpp - Element types and constants ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

static bool isFloat8(Type element) {
  return isa<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType,
             Float8E5M2FNUZType>(element);
}

Type lathe::storageType(Type element) {
  return isFloat8(element) ? IntegerType::get(element.getContext(), 8)
                           : element;
}

/// `like`'s shape, with another element type.
static Type withElement(Type like, Type element) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(vector.clone(element)) : element;
}

LogicalResult KernelLowering::lowerColumns(ColumnsOp op) {
  auto layout = dyn_cast<MmaAttr>(op.getValue().getType().getEncoding());
  if (!layout || op.getResult().getType().getEncoding() != layout)
    return op.emitError(
        "cuts a tile that is no accumulator, expected #tile.mma "
        "on both sides");
  Distribution from(op.getValue().getType()), to(op.getResult().getType());
  int64_t turn = layout.getTurnSize(1), first = op.getFirst();
  if (first % turn != 0)
    return op.emitError() << "cuts a tile at column " << first
                          << ", expected a multiple of " << turn;
  int64_t slot = from.count(1) * first / from.extent(1);
  mapping.map(op.getResult(),
              vector::ExtractStridedSliceOp::create(
                  builder, op.getLoc(), mapping.lookup(op.getValue()),
                  ArrayRef<int64_t>{0, slot},
                  ArrayRef<int64_t>{to.count(0), to.count(1)},
                  ArrayRef<int64_t>{1, 1})
                  .getResult());
  return success();
}

LogicalResult KernelLowering::lowerConvert(ConvertOp op) {
  Location loc = op.getLoc();
  Value value = mapping.lookup(op.getValue());
  auto source = cast<FloatType>(getElementTypeOrSelf(op.getValue().getType()));
  auto target = cast<FloatType>(getElementTypeOrSelf(op.getResult().getType()));
  auto isKnown = [](Type type) {
    return isFloat8(type) ||
           isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
  };
  if (!isKnown(source) || !isKnown(target) ||
      (source.isF64() && isFloat8(target)))
    return op.emitError() << "no conversion from " << source << " to " << target
                          << " on this target";
  auto step = [&](FloatType to) {
    Type type = withElement(value.getType(), to);
    unsigned width =
        cast<FloatType>(getElementTypeOrSelf(value.getType())).getWidth();
    if (to.getWidth() > width)
      value = arith::ExtFOp::create(builder, loc, type, value);
    else if (to.getWidth() < width)
      value = arith::TruncFOp::create(builder, loc, type, value);
  };
  // Scalars keep their type; only tiles are held as bits.
  if (getElementTypeOrSelf(value.getType()) != source)
    value = arith::BitcastOp::create(
        builder, loc, withElement(value.getType(), source), value);
  // Types of one width, and all to 8 bits, meet in f32, which holds them.
  bool overWide =
      source != target && (source.getWidth() == target.getWidth() ||
                           isFloat8(target) || source.getWidth() == 16);
  if (overWide)
    step(Float32Type::get(builder.getContext()));
  step(target);
  Type held = convertType(op.getResult().getType());
  if (value.getType() != held)
    value = arith::BitcastOp::create(builder, loc, held, value);
  mapping.map(op.getResult(), value);
  return success();
}

void KernelLowering::lowerSplat(SplatOp op) {
  Location loc = op.getLoc();
  Value value = mapping.lookup(op.getValue());
  Type storage = storageType(value.getType());
  if (storage != value.getType())
    value = arith::BitcastOp::create(builder, loc, storage, value);
  mapping.map(op.getResult(),
              vector::BroadcastOp::create(
                  builder, loc, convertType(op.getResult().getType()), value)
                  .getResult());
}

LogicalResult KernelLowering::lowerConstant(arith::ConstantOp op) {
  TypedAttr value = op.getValue();
  if (isa<RankedTensorType>(op.getType())) {
    auto splat = dyn_cast<SplatElementsAttr>(value);
    if (!splat)
      return op.emitError("a tile constant must be a splat");
    auto type = cast<VectorType>(convertType(op.getType()));
    value = isFloat8(splat.getElementType())
                ? DenseElementsAttr::get(
                      type, splat.getSplatValue<APFloat>().bitcastToAPInt())
                : splat.resizeSplat(type);
  }
  mapping.map(
      op.getResult(),
      arith::ConstantOp::create(builder, op.getLoc(), value).getResult());
  return success();
}
