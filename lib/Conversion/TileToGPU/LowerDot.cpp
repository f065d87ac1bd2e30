//===- LowerDot.cpp - Which matrix instruction multiplies -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

/// Whether an operand is in the registers of the warps that have the sums.
static bool isInFragments(Value operand, int64_t dim, MmaAttr sums) {
  auto tile = dyn_cast<RankedTensorType>(operand.getType());
  auto layout =
      tile ? dyn_cast_or_null<OperandAttr>(tile.getEncoding()) : OperandAttr();
  return layout && layout.getDim() == dim && layout.getParent() == sums;
}

LogicalResult KernelLowering::lowerDot(DotOp op) {
  RankedTensorType type = op.getResult().getType();
  auto layout = dyn_cast<MmaAttr>(type.getEncoding());
  auto a = dyn_cast<SharedType>(op.getA().getType());
  bool inShared = a && isa<SharedType>(op.getB().getType());
  if (!inShared && !(layout && isInFragments(op.getA(), 0, layout) &&
                     isInFragments(op.getB(), 1, layout)))
    return op.emitError("operands are not in shared memory");
  int64_t wave = *kernel.getWave();
  if (!layout || layout.getWave() != wave)
    return op.emitError() << "accumulates in " << type << " with waves of "
                          << wave << ", expected fragments of such waves";
  ArrayRef<int64_t> extents =
      a ? a.getShape() : cast<RankedTensorType>(op.getA().getType()).getShape();
  int64_t depth = extents[op.getTransposeA() ? 0 : 1];
  if (layout.getFragment() == Fragment::M16N8)
    return lowerMma(op, depth);
  return lowerMfma(op, depth);
}
