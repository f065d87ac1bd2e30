//===- LowerDot.cpp - Which matrix instruction multiplies -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

LogicalResult KernelLowering::lowerDot(DotOp op) {
  RankedTensorType type = op.getResult().getType();
  auto a = dyn_cast<SharedType>(op.getA().getType());
  if (!a || !isa<SharedType>(op.getB().getType()))
    return op.emitError("operands are not in shared memory");
  auto layout = dyn_cast<MmaAttr>(type.getEncoding());
  int64_t wave = *kernel.getWave();
  if (!layout || layout.getWave() != wave)
    return op.emitError() << "accumulates in " << type << " with waves of "
                          << wave << ", expected fragments of such waves";
  int64_t depth = a.getShape()[op.getTransposeA() ? 0 : 1];
  if (layout.getFragment() == Fragment::M16N8)
    return lowerMma(op, depth);
  return lowerMfma(op, depth);
}
