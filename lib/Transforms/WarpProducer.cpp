//===- WarpProducer.cpp - The role that copies ----------------------------===//
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

class Producer : public RoleBuilder {
public:
  using RoleBuilder::RoleBuilder;

private:
  bool carriesValues() const override { return false; }

  bool isKnown(Value value) const {
    if (mapping.contains(value))
      return true;
    if (Operation *def = value.getDefiningOp())
      return outside.contains(def);
    return isa<KernelOp>(value.getParentBlock()->getParentOp());
  }

  LogicalResult require(Operation *user, Value value) override {
    if (isKnown(value))
      return success();
    return user->emitError(
        "copying warps cannot compute where its operands are, expected "
        "arithmetic on loop indices, sizes and constants");
  }

  LogicalResult visit(Operation *op) override {
    if (isScalarCode(op) &&
        allOperandsFromAbove(op, [&](Value value) { return isKnown(value); }))
      builder.clone(*op, mapping);
    // Behind the last write, all that its loads need has been computed.
    const RingStage *stage = stageOf(op);
    if (stage && op == stage->stage.writes.back())
      return fill(*stage);
    return success();
  }

  /// Whether a slot may be awaited for long: what stays is copied when all have
  /// read what was there before, and a team may have one slot alone.
  bool waitsLong(const RingStage &stage) const {
    Operation *around = stage.stage.block->getParentOp();
    bool isInLoop =
        isa<scf::ForOp>(around) || around->getParentOfType<scf::ForOp>();
    return isInLoop && !stage.stage.isWidened() &&
           (stage.stage.staysForOthers() || ringOf(stage).slots == teams);
  }

  /// Until its slot is free, a stage comes from memory into the cache, and so
  /// do others of its block that wait as it does.
  void prefetch(const RingStage &current) {
    auto isOne = [&](const RingStage &stage) {
      return stage.stage.block == current.stage.block && waitsLong(stage);
    };
    if (llvm::find_if(stages, isOne) != &current)
      return;
    for (const RingStage &stage : stages)
      for (OperandStage::Operand operand : stage.stage.operands) {
        LoadOp load = operand.load;
        auto known = [&](Value place) { return isKnown(place); };
        if (!isOne(stage) || !llvm::all_of(load.getOffsets(), known) ||
            !llvm::all_of(load.getRow(), known))
          continue;
        PrefetchOp::create(builder, load.getLoc(), load.getView(),
                           placed(load.getOffsets()), load.getTable(),
                           placed(load.getRow()), load.getPageAttr(),
                           load.getAlongAttr(), TypeAttr::get(operand.type));
      }
  }

  SmallVector<Value> placed(ValueRange places) {
    return llvm::map_to_vector(
        places, [&](Value place) { return mapping.lookupOrDefault(place); });
  }

  LogicalResult fill(const RingStage &current) {
    Location loc = current.stage.getLoc();
    int64_t bytes = 0;
    for (OperandStage::Operand operand : current.stage.operands) {
      bytes += operand.type.getContentBytes();
      for (ValueRange places : {ValueRange(operand.load.getOffsets()),
                                ValueRange(operand.load.getRow())})
        for (Value place : places)
          if (failed(require(operand.load, place)))
            return failure();
    }
    prefetch(current);
    auto [slot, phase] = positionOf(current);
    const Ring &ring = ringOf(current);
    Value released =
        arith::XOrIOp::create(builder, loc, phase, constant(loc, 1));
    MbarrierWaitOp::create(builder, loc, ring.empty, slot, released);
    if (current.stage.isWidened()) {
      widen(current, slot);
      advance(current);
      return success();
    }
    MbarrierExpectOp::create(builder, loc, ring.full, slot, bytes);
    for (auto [operand, slots, multicast] : llvm::zip_equal(
             current.stage.operands, ring.buffers, ring.multicast)) {
      LoadOp load = operand.load;
      Value buffer = SlotOp::create(builder, loc, operand.type, slots, slot);
      CopyAsyncOp::create(builder, load.getLoc(), load.getView(),
                          placed(load.getOffsets()), buffer, ring.full, slot,
                          load.getTable(), placed(load.getRow()),
                          load.getPageAttr(), load.getAlongAttr(), multicast);
    }
    advance(current);
    return success();
  }

  /// All threads of the role load, convert and write; then one says so.
  void widen(const RingStage &current, Value slot) {
    Location loc = current.stage.getLoc();
    const Ring &ring = ringOf(current);
    for (auto [operand, slots] :
         llvm::zip_equal(current.stage.operands, ring.buffers)) {
      auto copy = [&](Operation *op) {
        Operation *copied = builder.clone(*op, mapping);
        return copied->getResult(0);
      };
      Value value = copy(operand.load);
      if (operand.widening)
        value = copy(operand.widening);
      Value buffer = SlotOp::create(builder, loc, operand.type, slots, slot);
      WriteSharedOp::create(builder, loc, value, buffer);
    }
    FenceAsyncOp::create(builder, loc);
    BarrierOp::create(builder, loc);
    MbarrierArriveOp::create(builder, loc, ring.full, slot, Value(),
                             /*cluster=*/false);
  }
};

} // namespace

LogicalResult tile::buildProducer(const RingStages &staged,
                                  const SmallPtrSetImpl<Operation *> &outside,
                                  Value zero, Block &body, Block &to) {
  return Producer(staged, outside, zero).run(body, to);
}
