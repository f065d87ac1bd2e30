//===- TileWidenOperands.cpp - Multiply in f32 ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Transforms/Passes.h"

#include "Tile/Tile.h"

namespace lathe {
#define GEN_PASS_DEF_TILEWIDENOPERANDS
#include "lathe/Transforms/Passes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

namespace {

struct TileWidenOperands
    : lathe::impl::TileWidenOperandsBase<TileWidenOperands> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      int64_t widen = kernel.getScheduleValue("WIDEN").value_or(0);
      if (widen != 0 && widen != 1) {
        kernel.emitError() << "schedule has WIDEN = " << widen
                           << ", expected 0 or 1";
        return signalPassFailure();
      }
      if (widen == 0)
        continue;
      SmallVector<DotOp> dots;
      kernel.walk([&](DotOp dot) { dots.push_back(dot); });
      for (DotOp dot : dots)
        for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()})
          if (failed(this->widen(dot, *operand)))
            return signalPassFailure();
    }
  }

  LogicalResult widen(DotOp dot, OpOperand &operand) {
    auto tile = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!tile || !isa<FloatType>(tile.getElementType()))
      return dot.emitError()
             << "cannot widen an operand of " << operand.get().getType()
             << ", expected a tile of floats";
    OpBuilder builder(dot);
    if (!tile.getElementType().isF32())
      operand.set(ConvertOp::create(builder, dot.getLoc(),
                                    tile.clone(builder.getF32Type()),
                                    operand.get()));
    return success();
  }
};

} // namespace
