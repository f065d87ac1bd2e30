//===- TilePipelineLoops.cpp - Load turns ahead ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Transforms/Passes.h"

#include "OperandStages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace lathe {
#define GEN_PASS_DEF_TILEPIPELINELOOPS
#include "lathe/Transforms/Passes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

/// `tile.await_copies` leaves at most 7 groups open, two fewer than slots.
static constexpr int64_t kMostStages = 9;

/// Whether `value` can be computed for any turn: from the index of `loop`, from
/// what is outside of it, and by scalar code.
static bool isEarly(scf::ForOp loop, Value value) {
  if (value == loop.getInductionVar() || loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *def = value.getDefiningOp();
  return def && def->getParentOp() == loop && isScalarCode(def) &&
         allOperandsFromAbove(
             def, [&](Value operand) { return isEarly(loop, operand); });
}

/// Whether a load of a view could as well be done in any turn.
static bool canLoadEarly(scf::ForOp loop, Operation *load) {
  return load->getParentOp() == loop &&
         llvm::all_of(load->getOperands(),
                      [&](Value operand) { return isEarly(loop, operand); });
}

/// An early value of the turn that `mapping` maps the loop's index to.
static Value computeAt(OpBuilder &builder, scf::ForOp loop, Value value,
                       IRMapping &mapping) {
  if (mapping.contains(value) || loop.isDefinedOutsideOfLoop(value))
    return mapping.lookupOrDefault(value);
  Operation *def = value.getDefiningOp();
  allOperandsFromAbove(def, [&](Value operand) {
    computeAt(builder, loop, operand, mapping);
    return true;
  });
  builder.clone(*def, mapping);
  return mapping.lookup(value);
}

static Value slotConstant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

namespace {

/// A loop's operands on their way through rings of shared memory by cp.async.
class RingLoop {
public:
  RingLoop(KernelOp kernel, OperandStage &stage, int64_t slots)
      : stage(stage), slots(slots), loc(stage.getLoc()),
        loop(cast<scf::ForOp>(stage.block->getParentOp())) {
    auto top = OpBuilder::atBlockBegin(&kernel.getBody().front());
    for (OperandStage::Operand &operand : stage.operands)
      rings.push_back(AllocOp::create(
          top, loc, RingType::get(top.getContext(), slots, operand.type),
          IntegerAttr()));
  }

  void build() {
    OpBuilder before(loop);
    // Slower warps may still read what an earlier turn of an outer loop left.
    BarrierOp::create(before, loc);
    Value turn = loop.getLowerBound();
    for (int64_t slot = 0; slot + 1 < slots; ++slot) {
      copyTurn(before, turn, slotConstant(before, loc, slot));
      turn = arith::AddIOp::create(before, loc, turn, loop.getStep());
    }
    Value ahead =
        arith::SubIOp::create(before, loc, turn, loop.getLowerBound());
    SmallVector<Value> positions = {slotConstant(before, loc, 0),
                                    slotConstant(before, loc, slots - 1)};
    IRRewriter rewriter(before);
    loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, positions, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &builder, Location, ArrayRef<BlockArgument> arguments) {
          SmallVector<Value> next;
          for (Value slot : arguments)
            next.push_back(nextSlot(builder, loc, slot, slots).first);
          return next;
        }));
    Value read = loop.getRegionIterArgs().drop_back().back();
    Value filled = loop.getRegionIterArgs().back();

    for (auto barrier : // they kept writes and products apart
         llvm::make_early_inc_range(loop.getBody()->getOps<BarrierOp>()))
      barrier.erase();
    OpBuilder builder(stage.writes.front());
    AwaitCopiesOp::create(builder, loc, slots - 2);
    BarrierOp::create(builder, loc);
    Value later =
        arith::AddIOp::create(builder, loc, loop.getInductionVar(), ahead);
    copyTurn(builder, later, filled);
    for (auto [operand, ring] : llvm::zip_equal(stage.operands, rings))
      buffers.push_back(SlotOp::create(builder, loc, operand.type, ring, read));
    removeWrites();
  }

private:
  /// One group of copies; of a turn past the loop's end, an empty one.
  void copyTurn(OpBuilder &builder, Value turn, Value slot) {
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, turn, loop.getUpperBound());
    auto guard = scf::IfOp::create(builder, loc, inside);
    OpBuilder copies = guard.getThenBodyBuilder();
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), turn);
    for (auto [operand, ring] : llvm::zip_equal(stage.operands, rings)) {
      SmallVector<Value> offsets;
      for (Value offset : operand.load.getOffsets())
        offsets.push_back(computeAt(copies, loop, offset, mapping));
      Value buffer = SlotOp::create(copies, loc, operand.type, ring, slot);
      auto copy = CopyAsyncOp::create(copies, loc, operand.load.getView(),
                                      offsets, buffer);
      copy.setAlongAttr(operand.load.getAlongAttr());
    }
    CommitCopiesOp::create(builder, loc);
  }

  void removeWrites() {
    for (WriteSharedOp write : stage.writes) {
      auto alloc = write.getBuffer().getDefiningOp<AllocOp>();
      Value buffer = buffers[stage.operandIn(alloc)];
      alloc.getResult().replaceUsesWithIf(
          buffer, [](OpOperand &use) { return isa<DotOp>(use.getOwner()); });
    }
    for (WriteSharedOp write : stage.writes) {
      Operation *alloc = write.getBuffer().getDefiningOp();
      write.erase();
      alloc->erase();
    }
    for (OperandStage::Operand &operand : stage.operands)
      if (operand.load->use_empty())
        operand.load.erase();
  }

  OperandStage &stage;
  int64_t slots;
  Location loc;
  scf::ForOp loop;
  SmallVector<Value> rings;
  SmallVector<Value> buffers; ///< this turn's slots
};

struct TilePipelineLoops
    : lathe::impl::TilePipelineLoopsBase<TilePipelineLoops> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (failed(pipeline(kernel)))
        return signalPassFailure();
  }

  LogicalResult pipeline(KernelOp kernel) {
    int64_t stages = kernel.getScheduleValue("STAGES").value_or(1);
    bool prefetches = kernel.getScheduleValue("PREFETCH") == 1;
    bool hasProducers = kernel.hasProducers();
    if (!hasProducers && (stages < 1 || stages > kMostStages))
      return kernel.emitError() << "schedule has STAGES = " << stages
                                << ", expected 1 to " << kMostStages;
    if (!hasProducers && stages > 2)
      for (OperandStage &stage : findOperandStages(kernel))
        if (fitsRing(stage))
          RingLoop(kernel, stage, stages).build();
    bool operandsToo = !hasProducers && stages == 2;
    if (!operandsToo && !prefetches && !hasProducers)
      return success();
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      loadAhead(loop, findLoads(kernel, loop, operandsToo, prefetches));
    return success();
  }

  static bool fitsRing(const OperandStage &stage) {
    auto loop = dyn_cast<scf::ForOp>(stage.block->getParentOp());
    return loop && !stage.misfit && !stage.isWidened() &&
           llvm::all_of(stage.operands, [&](OperandStage::Operand operand) {
             return canLoadEarly(loop, operand.load) &&
                    !operand.load.getUntil() && !operand.load.getTable();
           });
  }

  /// Whether a role that multiplies nothing widens what it loads for others.
  static bool isWidenedForOthers(scf::ForOp loop, Operation *load) {
    auto convert = load->hasOneUse()
                       ? dyn_cast<ConvertOp>(*load->getUsers().begin())
                       : ConvertOp();
    return convert && loop->getParentOfType<RolesOp>() &&
           loop.getBody()->getOps<DotOp>().empty() &&
           llvm::any_of(convert->getUsers(), llvm::IsaPred<WriteSharedOp>);
  }

  /// Loads of this loop that could as well come a turn earlier: what they read
  /// does not change in the kernel.
  static SmallVector<Operation *> findLoads(KernelOp kernel, scf::ForOp loop,
                                            bool operandsToo, bool prefetches) {
    SmallPtrSet<Value, 4> written = findWrittenViews(kernel);
    auto dots = loop.getBody()->getOps<DotOp>();
    SmallVector<Operation *> loads;
    for (Operation &op : *loop.getBody()) {
      if (!isa<LoadOp, LoadGroupsOp>(op) || !canLoadEarly(loop, &op) ||
          written.contains(op.getOperand(0)))
        continue;
      bool multiplied = llvm::any_of(op.getUsers(), [&](Operation *user) {
        return isa<WriteSharedOp, DotOp>(user) && user->getParentOp() == loop;
      });
      bool wanted = multiplied ? operandsToo : prefetches && !dots.empty();
      if (wanted || isWidenedForOthers(loop, &op))
        loads.push_back(&op);
    }
    return loads;
  }

  /// Whether finding out that there is nothing to load is work.
  static bool isCut(Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    return load && (load.getTable() || load.getUntil());
  }

  /// Loads of a turn, unless it is past the loop's end.
  static SmallVector<Value> loadInTurn(
      OpBuilder &builder, scf::ForOp loop, Value turn,
      ArrayRef<Operation *> loads,
      llvm::function_ref<Value(OpBuilder &, Operation *, Value)> loadAt) {
    Location loc = loop.getLoc();
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, turn, loop.getUpperBound());
    auto guard = scf::IfOp::create(
        builder, loc, inside,
        [&](OpBuilder &then, Location) {
          SmallVector<Value> loaded;
          for (Operation *load : loads)
            loaded.push_back(loadAt(then, load, turn));
          scf::YieldOp::create(then, loc, loaded);
        },
        [&](OpBuilder &otherwise, Location) {
          SmallVector<Value> kept;
          for (Operation *load : loads)
            kept.push_back(load->getResult(0));
          scf::YieldOp::create(otherwise, loc, kept);
        });
    return guard.getResults();
  }

  static void loadAhead(scf::ForOp loop, ArrayRef<Operation *> loads) {
    if (loads.empty())
      return;
    auto loadAt = [&](OpBuilder &builder, Operation *load, Value turn) {
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), turn);
      for (Value operand : load->getOperands())
        computeAt(builder, loop, operand, mapping);
      return builder.clone(*load, mapping)->getResult(0);
    };
    // What the loop multiplies from shared memory need not be there yet.
    Operation *place = loop;
    while (isa_and_nonnull<BarrierOp, WriteSharedOp>(place->getPrevNode()))
      place = place->getPrevNode();
    OpBuilder before(place);
    SmallVector<Value> first;
    for (Operation *load : loads)
      first.push_back(loadAt(before, load, loop.getLowerBound()));

    // The next turn's loads go before the products, which hide their latency,
    // or what else the turn does.
    auto dots = loop.getBody()->getOps<DotOp>();
    OpBuilder inside(dots.empty() ? &loop.getBody()->front()
                                  : (*dots.begin()).getOperation());
    Value turn = arith::AddIOp::create(inside, loop.getLoc(),
                                       loop.getInductionVar(), loop.getStep());
    SmallVector<Value> next;
    if (llvm::any_of(loads, isCut))
      next = loadInTurn(inside, loop, turn, loads, loadAt);
    else
      for (Operation *load : loads)
        next.push_back(loadAt(inside, load, turn));

    IRRewriter rewriter(loop);
    auto yields = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
      return next;
    };
    auto replaced = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, first, /*replaceInitOperandUsesInLoop=*/false, yields));
    auto carried = replaced.getRegionIterArgs().take_back(loads.size());
    for (auto [load, value] : llvm::zip_equal(loads, carried)) {
      load->getResult(0).replaceAllUsesWith(value);
      load->erase();
    }
  }
};

} // namespace
