//===- WarpConsumer.cpp - The role that multiplies ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpRoles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

namespace {

class Consumer : public RoleBuilder {
public:
  using RoleBuilder::RoleBuilder;

private:
  bool carriesValues() const override { return true; }
  LogicalResult require(Operation *, Value) override { return success(); }

  void beginProducts(Location loc, Value parity) override {
    MbarrierWaitOp::create(builder, loc, share.order, constant(loc, share.turn),
                           parity);
  }

  void endProducts(Location loc) override {
    MbarrierArriveOp::create(builder, loc, share.order,
                             constant(loc, (share.turn + 1) % share.count),
                             Value(), /*cluster=*/false);
  }

  LogicalResult visit(Operation *op, const RingStage *current) override {
    if (isa<LoadOp, ConvertOp>(op) && isOnlyStaged(op))
      return success();
    if (!current) {
      builder.clone(*op, mapping);
      return success();
    }
    const OperandStage &stage = current->stage;
    if (isa<WriteSharedOp>(op)) {
      if (op == stage.writes.front())
        await(*current);
      return success();
    }
    if (isa<BarrierOp>(op)) // it kept writes and products apart
      return success();
    auto dot = dyn_cast<DotOp>(op);
    bool takesPending = !allOperandsFromAbove(
        op, [&](Value value) { return !llvm::is_contained(pending, value); });
    bool continues = dot && llvm::is_contained(pending, dot.getAccumulator()) &&
                     dot.getAccumulator().hasOneUse();
    if (continues)
      llvm::erase(pending, dot.getAccumulator());
    else if (takesPending)
      finishDots(/*stillRunning=*/0);
    Operation *copy = builder.clone(*op, mapping);
    if (!dot)
      return success();
    cast<DotOp>(copy).setAsync(true);
    pending.push_back(dot.getResult());
    if (dot == stage.dots.back())
      finishTurn(*current);
    return success();
  }

  bool isOnlyStaged(Operation *op) const {
    return !op->use_empty() &&
           llvm::all_of(op->getUsers(), [&](Operation *user) {
             return isa<WriteSharedOp>(user) ||
                    (isa<LoadOp>(op) && isa<ConvertOp>(user) &&
                     isOnlyStaged(user));
           });
  }

  /// The turn's operands are in their slots; products find them there.
  void await(const RingStage &current) {
    Location loc = current.stage.getLoc();
    auto [slot, phase] = positionOf(current);
    MbarrierWaitOp::create(builder, loc, current.full, slot, phase);
    SmallVector<Value> slots;
    for (auto [operand, ring] :
         llvm::zip_equal(current.stage.operands, current.rings))
      slots.push_back(SlotOp::create(builder, loc, operand.type, ring, slot));
    for (WriteSharedOp write : current.stage.writes) {
      Value buffer = write.getBuffer();
      mapping.map(buffer, slots[current.stage.operandIn(buffer)]);
    }
  }

  /// Until at most so many products run; then the others have their results.
  void finishDots(int64_t stillRunning) {
    for (Value result : pending)
      awaitDot(result, mapping.lookup(result), stillRunning);
    pending.clear();
  }

  void awaitDot(Value result, Value started, int64_t stillRunning) {
    mapping.map(result,
                AwaitDotsOp::create(builder, result.getLoc(), started.getType(),
                                    stillRunning, started)
                    .getResult());
  }

  /// Gives back the slot that no product reads any more: this turn's, or, where
  /// this turn's products go on, that of the turn before.
  void finishTurn(const RingStage &current) {
    Location loc = current.stage.getLoc();
    if (!current.overlaps) {
      finishDots(/*stillRunning=*/0);
      MbarrierArriveOp::create(builder, loc, current.empty,
                               positionOf(current).slot, Value(),
                               current.crossesBlocks());
      advance(current);
      return;
    }
    finishDots(current.stage.dots.size());
    auto loop = cast<scf::ForOp>(builder.getInsertionBlock()->getParentOp());
    Value later =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                              loop.getInductionVar(), loop.getLowerBound());
    MbarrierArriveOp::create(builder, loc, current.empty,
                             loop.getRegionIterArgs().back(), later,
                             current.crossesBlocks());
    advance(current);
  }

  void finishLoop(scf::ForOp loop, scf::ForOp rebuilt,
                  const RingStage &current) override {
    Location loc = loop.getLoc();
    for (DotOp dot : current.stage.dots) {
      Value carried =
          loop.getTiedLoopResult(cast<BlockArgument>(dot.getAccumulator()));
      awaitDot(carried, mapping.lookup(carried), /*stillRunning=*/0);
    }
    Value any =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                              rebuilt.getLowerBound(), rebuilt.getUpperBound());
    MbarrierArriveOp::create(builder, loc, current.empty,
                             rebuilt.getResults().back(), any,
                             current.crossesBlocks());
  }

  /// Results of this turn's products, as the original names them, that nothing
  /// has waited for.
  SmallVector<Value> pending;
};

} // namespace

LogicalResult tile::buildConsumer(ArrayRef<RingStage> stages,
                                  const SmallPtrSetImpl<Operation *> &outside,
                                  Value zero, ItemShare share, Block &body,
                                  Block &to) {
  return Consumer(stages, outside, zero, share).run(body, to);
}
