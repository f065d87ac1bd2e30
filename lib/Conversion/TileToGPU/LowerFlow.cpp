//===- LowerFlow.cpp - Loops and branches ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

LogicalResult KernelLowering::lowerFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  SmallVector<Value> inits;
  for (auto [init, argument, result] : llvm::zip_equal(
           loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
    if (startsAtZero(argument))
      inits.push_back(LLVM::PoisonOp::create(
          builder, loop.getLoc(),
          packType(
              cast<VectorType>(convertType(init.getType())).getNumElements())));
    else
      inits.push_back(carry(loop.getLoc(), init,
                            lookupAs(loop.getLoc(), init, isUnderWay(result))));
  }
  auto lowered = scf::ForOp::create(builder, loop.getLoc(),
                                    mapping.lookup(loop.getLowerBound()),
                                    mapping.lookup(loop.getUpperBound()),
                                    mapping.lookup(loop.getStep()), inits);
  mapping.map(loop.getInductionVar(), lowered.getInductionVar());
  Block *body = lowered.getBody();
  mapCarried(loop.getResults(), lowered.getResults());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(body);
  mapCarried(loop.getRegionIterArgs(), lowered.getRegionIterArgs());
  if (inits.empty())
    body->getTerminator()->erase();
  for (auto [argument, result] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults()))
    if (startsAtZero(argument)) {
      builder.setInsertionPoint(lowered);
      startedSums[result] = arith::CmpIOp::create(
          builder, loop.getLoc(), arith::CmpIPredicate::slt,
          lowered.getLowerBound(), lowered.getUpperBound());
      builder.setInsertionPointToStart(body);
      startedSums[argument] = arith::CmpIOp::create(
          builder, loop.getLoc(), arith::CmpIPredicate::ne,
          lowered.getInductionVar(), lowered.getLowerBound());
    }
  builder.setInsertionPointToEnd(body);
  return lowerBlock(*loop.getBody());
}

LogicalResult KernelLowering::lowerIf(Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  SmallVector<Type> types;
  for (Value result : branch.getResults()) {
    Type type = convertType(result.getType());
    types.push_back(isUnderWay(result)
                        ? packType(cast<VectorType>(type).getNumElements())
                        : carriedType(result.getType(), type));
  }
  auto lowered = scf::IfOp::create(builder, branch.getLoc(), types,
                                   mapping.lookup(branch.getCondition()),
                                   !branch.getElseRegion().empty());
  for (auto [from, to] :
       llvm::zip_equal(branch->getRegions(), lowered->getRegions())) {
    if (from.empty())
      continue;
    if (!to.front().empty())
      to.front().getTerminator()->erase();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&to.front());
    if (failed(lowerBlock(from.front())))
      return failure();
  }
  mapCarried(branch.getResults(), lowered.getResults());
  return success();
}

/// Operands that wait in registers go as the words that instructions take:
/// taken apart, they would be put together again between those.
Type KernelLowering::carriedType(Type tile, Type lowered) {
  auto type = dyn_cast<RankedTensorType>(tile);
  auto vector = dyn_cast<VectorType>(lowered);
  if (!type || !vector || !isa_and_nonnull<MmaAttr>(type.getEncoding()) ||
      vector.getElementTypeBitWidth() != 16 ||
      vector.getShape().back() % 2 != 0)
    return lowered;
  SmallVector<int64_t> shape(vector.getShape());
  shape.back() /= 2;
  return VectorType::get(shape, builder.getI32Type());
}

Value KernelLowering::carry(Location loc, Value tile, Value value) {
  Type type = carriedType(tile.getType(), value.getType());
  if (type == value.getType())
    return value;
  return vector::BitCastOp::create(builder, loc, cast<VectorType>(type), value);
}

void KernelLowering::mapCarried(ValueRange tiles, ValueRange values) {
  for (auto [tile, value] : llvm::zip_equal(tiles, values)) {
    Type type = convertType(tile.getType());
    bool isCarried = type != value.getType() &&
                     carriedType(tile.getType(), type) == value.getType();
    mapping.map(tile, isCarried ? vector::BitCastOp::create(
                                      builder, value.getLoc(),
                                      cast<VectorType>(type), value)
                                      .getResult()
                                : value);
  }
}
