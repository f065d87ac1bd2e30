//===- LowerDot.cpp - Which matrix instruction multiplies -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

static OperandAttr getOperandLayout(Value operand) {
  auto tile = dyn_cast<RankedTensorType>(operand.getType());
  return tile ? dyn_cast_or_null<OperandAttr>(tile.getEncoding())
              : OperandAttr();
}

/// Whether operands are in the registers of the warps that have the sums, in
/// one order of K, as many of its elements as instructions take.
static bool areInFragments(DotOp op, MmaAttr sums) {
  constexpr int64_t stepBits = 64; // of a lane's row
  OperandAttr a = getOperandLayout(op.getA()), b = getOperandLayout(op.getB());
  if (!a || !b || a.getDim() != 0 || b.getDim() != 1 || a.getParent() != sums ||
      b.getParent() != sums || a.getVector() != b.getVector() ||
      op.getTransposeA() || !op.getTransposeB())
    return false;
  auto type = cast<RankedTensorType>(op.getA().getType());
  return Distribution(type).count(1) * type.getElementTypeBitWidth() %
             stepBits ==
         0;
}

/// Whether operand a lies as the sums do, of 16-bit elements, so that fragments
/// of it are what instructions take.
static bool takesSums(DotOp op, MmaAttr sums) {
  auto a = dyn_cast<RankedTensorType>(op.getA().getType());
  return a && a.getEncoding() == Attribute(sums) && sums.getWarps()[1] == 1 &&
         a.getElementTypeBitWidth() == 16 && !op.getTransposeA();
}

LogicalResult KernelLowering::checkFirst(DotOp op) {
  if (!op.getFirst())
    return success();
  if (!isa<SharedType>(op.getB().getType()))
    return op.emitError("multiplies a part of an operand in registers, "
                        "expected it in shared memory");
  // Swizzles go by address.
  constexpr int64_t groupOfRows = 8;
  if (int64_t divisor = getDivisor(op.getFirst()); divisor % groupOfRows != 0)
    return op.emitError() << "multiplies b from a row on that is a multiple of "
                          << divisor << ", expected one of " << groupOfRows;
  return success();
}

Value KernelLowering::bufferOfB(Location loc, DotOp op) {
  Value buffer = mapping.lookup(op.getB());
  if (!op.getFirst())
    return buffer;
  return slotAddress(loc, buffer, mapping.lookup(op.getFirst()),
                     cast<SharedType>(op.getB().getType()).getRowStride());
}

LogicalResult KernelLowering::lowerDot(DotOp op) {
  if (failed(checkFirst(op)))
    return failure();
  return op.getAsync() ? lowerWgmma(op) : lowerSyncDot(op);
}

LogicalResult KernelLowering::lowerSyncDot(DotOp op) {
  RankedTensorType type = op.getResult().getType();
  auto layout = dyn_cast<MmaAttr>(type.getEncoding());
  bool inShared = isa<SharedType>(op.getB().getType()) &&
                  (isa<SharedType>(op.getA().getType()) ||
                   (layout && takesSums(op, layout)));
  if (!inShared && !(layout && areInFragments(op, layout)))
    return op.emitError("operands are not in shared memory, nor in registers "
                        "as the warps with the sums multiply them");
  int64_t wave = *kernel.getWave();
  if (!layout || layout.getWave() != wave)
    return op.emitError() << "accumulates in " << type << " with waves of "
                          << wave << ", expected fragments of such waves";
  if (inShared && layout.getParts() > 1)
    return op.emitError("multiplies all of K in every part of a sum, expected "
                        "operands in registers");
  if (layout.getFragment() == Fragment::M16N8)
    return lowerMma(op, op.getStaticDepth());
  return lowerMfma(op, op.getStaticDepth());
}
