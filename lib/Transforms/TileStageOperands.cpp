//===- TileStageOperands.cpp - Operands of dots in shared memory ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Transforms/Passes.h"

#include "OperandStages.h"

#include "mlir/IR/Matchers.h"

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
      WalkResult result = kernel.walk([&](ClusterReduceOp reduce) {
        return failed(stage(kernel, reduce)) ? WalkResult::interrupt()
                                             : WalkResult::advance();
      });
      if (result.wasInterrupted())
        return signalPassFailure();
    }
  }

  LogicalResult stage(KernelOp kernel, DotOp dot) {
    if (!kernel.isStatic())
      return kernel.emitError("kernel is not specialized");
    if (kernel.getParts() > 0)
      return success();
    SmallVector<OpOperand *> staged;
    for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()}) {
      if (!isa<RankedTensorType>(operand->get().getType()) ||
          (operand == &dot.getAMutable() && takesProduct(dot) &&
           hasWholeRows(kernel, dot)))
        continue;
      if (auto load = operand->get().getDefiningOp<LoadOp>();
          load && isHeld(load)) {
        if (failed(stageHeld(kernel, load)))
          return failure();
        continue;
      }
      staged.push_back(operand);
    }
    if (staged.empty())
      return success();
    OpBuilder builder(dot);
    bool widens = widensLate(kernel, dot);
    // Until here, slower warps may read what the last turn left.
    BarrierOp::create(builder, dot.getLoc());
    for (OpOperand *operand : staged) {
      auto convert = operand->get().getDefiningOp<ConvertOp>();
      Value tile = widens ? convert.getValue() : operand->get();
      Value buffer = allocate(kernel, dot, tile);
      if (!buffer)
        return failure();
      WriteSharedOp::create(builder, dot.getLoc(), tile, buffer);
      operand->set(buffer);
      if (widens && convert->use_empty())
        convert.erase();
    }
    if (widens)
      dot.setAs(builder.getF16Type());
    BarrierOp::create(builder, dot.getLoc());
    return success();
  }

  /// Whether each warp can have whole rows of a product's sums: then what it
  /// makes of those of another one are the rows that it multiplies.
  static bool hasWholeRows(KernelOp kernel, DotOp dot) {
    constexpr int64_t fragmentRows = 16;
    int64_t warps = *kernel.getThreads() / *kernel.getWave();
    RankedTensorType sums = dot.getAccumulator().getType();
    return kernel.hasProducers() || !sums.hasStaticShape() ||
           sums.getShape()[0] % (fragmentRows * warps) == 0;
  }

  /// Whether inner loops multiply a tile again and again, or several products.
  static bool isHeld(LoadOp load) {
    Operation *first = nullptr;
    return llvm::any_of(load->getUsers(), [&](Operation *user) {
      if (!isa<DotOp>(user))
        return false;
      bool isOther = first && first != user;
      first = user;
      return isOther || user->getBlock() != load->getBlock();
    });
  }

  /// What multiplies a loaded tile first, beside the load.
  static Operation *firstProduct(LoadOp load) {
    Operation *first = nullptr;
    for (Operation *user : load->getUsers()) {
      Operation *top = load->getBlock()->findAncestorOpInBlock(*user);
      if (isa<DotOp>(user) && (!first || top->isBeforeInBlock(first)))
        first = top;
    }
    return first;
  }

  /// Puts a tile into shared memory for all its products: before the first of
  /// them, or where it is loaded if another role will copy it.
  LogicalResult stageHeld(KernelOp kernel, LoadOp load) {
    Value tile = load.getResult();
    Value buffer = allocate(kernel, load, tile);
    if (!buffer)
      return failure();
    OpBuilder builder(kernel.hasProducers() ? load->getNextNode()
                                            : firstProduct(load));
    BarrierOp::create(builder, load.getLoc());
    auto write = WriteSharedOp::create(builder, load.getLoc(), tile, buffer);
    BarrierOp::create(builder, load.getLoc());
    tile.replaceUsesWithIf(buffer, [&](OpOperand &use) {
      return use.getOwner() != write && isa<DotOp>(use.getOwner());
    });
    return success();
  }

  /// Whether to widen operands behind shared memory: what cp.async copies comes
  /// there as it was loaded. Both, as their orders of K must match.
  static bool widensLate(KernelOp kernel, DotOp dot) {
    auto isWidened = [](Value operand) {
      auto convert = operand.getDefiningOp<ConvertOp>();
      return convert && convert.getValue().getDefiningOp<LoadOp>() &&
             widensExactly(getElementTypeOrSelf(convert.getValue())) &&
             getElementTypeOrSelf(convert.getResult()).isF16();
    };
    return kernel.getScheduleValue("STAGES").value_or(1) > 2 &&
           !kernel.hasProducers() && *kernel.getWave() == 32 &&
           !dot.getTransposeA() && dot.getTransposeB() &&
           isWidened(dot.getA()) && isWidened(dot.getB());
  }

  LogicalResult stage(KernelOp kernel, ClusterReduceOp reduce) {
    if (!kernel.isStatic())
      return kernel.emitError("kernel is not specialized");
    if (reduce.getBuffer())
      return success();
    Value buffer =
        allocate(kernel, reduce, reduce.getValue(),
                 std::max<int64_t>(kernel.getParts(), 1), reduce.getLogRows());
    if (!buffer)
      return failure();
    reduce.getBufferMutable().assign(buffer);
    // Until here, slower warps may use memory that the buffer takes over.
    auto before = OpBuilder(reduce);
    BarrierOp::create(before, reduce.getLoc());
    return success();
  }

  /// Whether the copy engine brings pages, which it does with one copy for all
  /// panels of a page if each is whole.
  static bool goesInBands(KernelOp kernel, Value operand, SharedType type) {
    auto load = operand.getDefiningOp<LoadOp>();
    if (!load || !load.getTable() || !load.getAlong() ||
        !kernel.hasProducers() || type.getSwizzleBytes().value_or(0) == 0)
      return false;
    ViewType view = load.getView().getType();
    ArrayRef<int64_t> along = *load.getAlong();
    Expr columns = view.getExtents()[along.back()].getExpr();
    return view.getRank() <= 3 && view.getSplits().empty() &&
           along.front() < along.back() &&
           kernel.getKnownDivisor(columns) % type.getPanelColumns() == 0 &&
           matchPattern(load.getOffsets()[along.back()], m_Zero());
  }

  /// Shared memory for `copies` of a tile that `op` takes, one below the other,
  /// and for more rows; null after an error.
  Value allocate(KernelOp kernel, Operation *op, Value operand,
                 int64_t copies = 1, int64_t moreRows = 0) {
    auto tile = cast<RankedTensorType>(operand.getType());
    if (!tile.hasStaticShape() || !tile.getElementType().isIntOrFloat()) {
      op->emitError() << "operand " << tile << " has no constant extents";
      return {};
    }
    SharedType type = SharedType::choose(
        [&] { return op->emitError("cannot stage an operand: "); },
        {tile.getShape()[0] * copies + moreRows, tile.getShape()[1]},
        tile.getElementType());
    if (!type)
      return {};
    if (goesInBands(kernel, operand, type))
      type = type.inBands();
    auto top = OpBuilder::atBlockBegin(&kernel.getBody().front());
    return AllocOp::create(top, op->getLoc(), type);
  }
};

} // namespace
