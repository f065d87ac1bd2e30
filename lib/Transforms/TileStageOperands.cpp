//===- TileStageOperands.cpp - Operands of dots in shared memory ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Transforms/Passes.h"

#include "Tile/Tile.h"

namespace lathe {
#define GEN_PASS_DEF_TILESTAGEOPERANDS
#include "lathe/Transforms/Passes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

namespace {

struct TileStageOperands
    : lathe::impl::TileStageOperandsBase<TileStageOperands> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      SmallVector<DotOp> dots;
      kernel.walk([&](DotOp dot) { dots.push_back(dot); });
      for (DotOp dot : dots)
        if (failed(stage(kernel, dot)))
          return signalPassFailure();
    }
  }

  LogicalResult stage(KernelOp kernel, DotOp dot) {
    if (!kernel.isStatic())
      return kernel.emitError("kernel is not specialized");
    SmallVector<OpOperand *> staged;
    for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()})
      if (isa<RankedTensorType>(operand->get().getType()))
        staged.push_back(operand);
    if (staged.empty())
      return success();
    OpBuilder builder(dot);
    // Until here, slower warps may read what the last turn left.
    BarrierOp::create(builder, dot.getLoc());
    for (OpOperand *operand : staged) {
      auto tile = cast<RankedTensorType>(operand->get().getType());
      if (!tile.hasStaticShape() || !tile.getElementType().isIntOrFloat())
        return dot.emitError()
               << "operand " << tile << " has no constant extents";
      int64_t rowBytes = tile.getShape()[1] *
                         tile.getElementType().getIntOrFloatBitWidth() / 8;
      auto type = SharedType::getChecked(
          [&] { return dot.emitError("cannot stage an operand: "); },
          &getContext(), tile.getShape(), tile.getElementType(),
          SharedType::chooseSwizzle(&getContext(), rowBytes));
      if (!type)
        return failure();
      auto top = OpBuilder::atBlockBegin(&kernel.getBody().front());
      Value buffer = AllocOp::create(top, dot.getLoc(), type);
      WriteSharedOp::create(builder, dot.getLoc(), operand->get(), buffer);
      operand->set(buffer);
    }
    BarrierOp::create(builder, dot.getLoc());
    return success();
  }
};

} // namespace
