//===- WarpConsumer.cpp - The role that multiplies ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpRoles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

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

  LogicalResult visit(Operation *op) override {
    if (early.contains(op))
      return success();
    if (isa<LoadOp, ConvertOp>(op) && isOnlyStaged(op))
      return success();
    if (isa<WriteSharedOp>(op)) {
      const RingStage *stage = stageOf(op);
      if (op == stage->stage.writes.front() && !isOpen(*stage))
        await(*stage);
      return success();
    }
    // It kept writes and products apart.
    if (isa<BarrierOp>(op) && hasStages(op->getBlock()))
      return success();
    auto dot = dyn_cast<DotOp>(op);
    Running started;
    if (dot)
      started = continueSum(dot);
    awaitUses(op);
    SmallVector<DotOp> inTurn;
    if (dot && turns)
      inTurn = productsInTurn(op->getBlock());
    if (!inTurn.empty() && dot == inTurn.front())
      takeTurn(inTurn);
    Operation *copy = builder.clone(*op, mapping);
    if (!dot)
      return success();
    cast<DotOp>(copy).setAsync(true);
    if (!inTurn.empty() && dot == inTurn.back())
      passTurn(dot.getLoc());
    for (const RingStage &ring : stages)
      if (llvm::is_contained(ring.stage.dots, dot)) {
        started.stages.insert(&ring);
        if (ring.overlaps && dot == ring.stage.dots.back())
          turn = &ring;
      }
    started.result = dot.getResult();
    running.push_back(std::move(started));
    if (turn)
      finishTurn(*std::exchange(turn, nullptr));
    return success();
  }

  void beginRegion() override { finishDots(running.size()); }
  void beginBlock() override { awaited.push_back(awaited.back()); }
  void endBlock() override {
    finishDots(running.size());
    awaited.pop_back();
  }

  /// Whether a stage is awaited where it is first multiplied, again in each
  /// turn of the loop that loads others: by then it is seldom late. What has to
  /// be cleared behind its end is awaited where it is loaded.
  static bool isAwaitedLate(const RingStage &stage) {
    return stage.stage.staysForOthers() && !stage.stage.isCleared();
  }

  void beginOp(Operation *op) override {
    if (loadsOperands(op))
      return;
    op->walk([&](DotOp dot) {
      for (const OpenStage &other : open)
        if (isAwaitedLate(*other.stage) &&
            llvm::is_contained(other.stage->stage.dots, dot) &&
            awaited.back().insert(other.stage).second)
          awaitFull(*other.stage);
    });
  }

  void awaitFull(const RingStage &stage) {
    auto [slot, phase] = positionOf(stage);
    MbarrierWaitOp::create(builder, stage.stage.getLoc(), ringOf(stage).full,
                           slot, phase);
  }

  void leaveOp(Operation *op) override {
    for (OpenStage &stage : open)
      stage.isRead |= op == stage.lastUser;
    releaseRead();
  }

  /// A product that started and that nothing has waited for, and whose
  /// operands it reads, by the original's result.
  struct Running {
    Value result;
    llvm::SmallSetVector<const RingStage *, 2> stages;
  };

  /// A stage whose operands are there, and whether all that read them started.
  struct OpenStage {
    const RingStage *stage;
    Operation *lastUser;
    bool isRead = false;
  };

  Value warpgroup(Location loc) {
    if (!ownWarpgroup) {
      OpBuilder begin = atRoleBegin();
      ownWarpgroup = WarpgroupIdOp::create(begin, loc);
    }
    return ownWarpgroup;
  }

  bool isOpen(const RingStage &stage) const {
    return llvm::any_of(
        open, [&](const OpenStage &other) { return other.stage == &stage; });
  }

  /// All operands of a turn are there before it begins: while one warpgroup
  /// has its turn, the role cannot meet.
  void awaitEarly(ArrayRef<DotOp> inTurn) {
    Operation *last = inTurn.back();
    for (Operation *op = inTurn.front()->getNextNode(); op != last;
         op = op->getNextNode()) {
      const RingStage *stage = stageOf(op);
      if (isScalarCode(op)) {
        builder.clone(*op, mapping);
        early.insert(op);
      } else if (stage && op == stage->stage.writes.front()) {
        await(*stage);
      }
    }
  }

  /// Matrix units then have work of one warpgroup while another computes what
  /// its next products take. A fresh mbarrier lets the first pass.
  void takeTurn(ArrayRef<DotOp> inTurn) {
    Location loc = inTurn.front()->getLoc();
    awaitEarly(inTurn);
    Value own = warpgroup(loc);
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, own, constant(loc, 0));
    Value parity = arith::XOrIOp::create(
        builder, loc, turnParity(),
        arith::ExtUIOp::create(builder, loc, builder.getI32Type(), isFirst));
    MbarrierWaitOp::create(builder, loc, rings[*turns].full, own, parity);
  }

  void passTurn(Location loc) {
    Value next =
        arith::AddIOp::create(builder, loc, warpgroup(loc), constant(loc, 1));
    int64_t count = rings[*turns].slots;
    Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        next, constant(loc, count));
    next = arith::SelectOp::create(builder, loc, wraps, constant(loc, 0), next);
    MbarrierArriveOp::create(builder, loc, rings[*turns].full, next, Value(),
                             /*cluster=*/false);
    turnParity() =
        arith::XOrIOp::create(builder, loc, turnParity(), constant(loc, 1));
  }

  /// What a product adds to if that runs, to which nothing else then adds.
  Running continueSum(DotOp dot) {
    auto found = llvm::find_if(running, [&](const Running &other) {
      return other.result == dot.getAccumulator();
    });
    if (found == running.end() || !dot.getAccumulator().hasOneUse())
      return {};
    Running sum = std::move(*found);
    running.erase(found);
    return sum;
  }

  /// Waits for what `op` takes of products that run.
  void awaitUses(Operation *op) {
    size_t used = 0;
    allOperandsFromAbove(op, [&](Value value) {
      for (auto [index, other] : llvm::enumerate(running))
        if (other.result == value)
          used = std::max(used, index + 1);
      return true;
    });
    finishDots(used);
  }

  bool isOnlyStaged(Operation *op) const {
    return !op->use_empty() &&
           llvm::all_of(op->getUsers(), [&](Operation *user) {
             return isa<WriteSharedOp>(user) ||
                    (isa<LoadOp>(op) && isa<ConvertOp>(user) &&
                     isOnlyStaged(user));
           });
  }

  /// The stage's operands are in their slots; products find them there.
  void await(const RingStage &current) {
    Location loc = current.stage.getLoc();
    const Ring &ring = ringOf(current);
    auto [slot, phase] = positionOf(current);
    if (!isAwaitedLate(current))
      awaitFull(current);
    SmallVector<Value> slots;
    for (auto [operand, buffers] :
         llvm::zip_equal(current.stage.operands, ring.buffers)) {
      slots.push_back(
          SlotOp::create(builder, loc, operand.type, buffers, slot));
      clearBehind(current, operand.load, slots.back());
    }
    if (ring.cleared) {
      MbarrierArriveOp::create(builder, loc, ring.cleared, slot,
                               isFirstTeam(loc), /*cluster=*/false);
      MbarrierWaitOp::create(builder, loc, ring.cleared, slot, phase);
    }
    for (WriteSharedOp write : current.stage.writes) {
      Value buffer = write.getBuffer();
      mapping.map(buffer, slots[current.stage.operandIn(buffer)]);
    }
    if (!current.overlaps)
      open.push_back({&current, current.stage.lastUser()});
  }

  /// Copies bring what is behind the end of a load, too. What several teams
  /// read the first of them clears.
  void clearBehind(const RingStage &current, LoadOp load, Value buffer) {
    if (!load.getUntil())
      return;
    Location loc = load.getLoc();
    int64_t along = load.getAlong() ? load.getAlong()->front() : 0;
    // As the copy engine counts.
    auto asWord = [&](Value value) -> Value {
      return arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                        mapping.lookupOrDefault(value));
    };
    Value first = asWord(load.getOffsets()[along]);
    Value end = asWord(load.getUntil());
    Value none = constant(loc, 0);
    Value rows = constant(loc, load.getResult().getType().getShape().front());
    Value valid = arith::SubIOp::create(builder, loc, end, first);
    Value isCut = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        valid, rows);
    if (ringOf(current).cleared)
      isCut = arith::AndIOp::create(builder, loc, isCut, isFirstTeam(loc));
    auto branch = scf::IfOp::create(builder, loc, isCut);
    OpBuilder inside = branch.getThenBodyBuilder();
    valid = arith::MaxSIOp::create(inside, loc, valid, none);
    ClearRowsOp::create(inside, loc, buffer, valid);
    FenceAsyncOp::create(inside, loc);
    BarrierOp::create(inside, loc);
  }

  Value isFirstTeam(Location loc) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                 ownTeam(), constant(loc, 0));
  }

  /// Waits until the first `count` products that run have their results.
  void finishDots(size_t count) {
    if (count == 0)
      return;
    int64_t others = running.size() - count;
    for (const Running &other : ArrayRef(running).take_front(count))
      awaitDot(other.result, mapping.lookup(other.result), others,
               /*isDone=*/others > 0);
    running.erase(running.begin(), running.begin() + count);
    releaseRead();
  }

  void awaitDot(Value result, Value started, int64_t stillRunning,
                bool isDone = false) {
    mapping.map(result,
                AwaitDotsOp::create(builder, result.getLoc(), started.getType(),
                                    stillRunning, started, isDone)
                    .getResult());
  }

  /// A team without a turn has not met, nor waited for what it did not need.
  /// Its threads must not be a phase ahead of those of another team, nor a
  /// phase behind each other: a parity tells a phase from the next alone.
  void giveBackHeld(const RingStage &current) {
    if (!current.stage.staysForOthers() || teams == 1)
      return;
    if (isAwaitedLate(current) && !awaited.back().contains(&current))
      awaitFull(current);
    BarrierOp::create(builder, current.stage.getLoc());
  }

  /// Gives back slots that no product reads any more.
  void releaseRead() {
    for (OpenStage *at = open.begin(); at != open.end();) {
      const RingStage &current = *at->stage;
      bool isBusy = !at->isRead || llvm::any_of(running, [&](auto &other) {
        return other.stages.contains(&current);
      });
      if (isBusy) {
        ++at;
        continue;
      }
      const Ring &ring = ringOf(current);
      giveBackHeld(current);
      MbarrierArriveOp::create(builder, current.stage.getLoc(), ring.empty,
                               positionOf(current).slot, Value(),
                               ring.crossesBlocks());
      advance(current);
      at = open.erase(at);
    }
  }

  /// Where a turn's products go on, gives back the slot of the turn before.
  void finishTurn(const RingStage &current) {
    Location loc = current.stage.getLoc();
    for (const Running &other : running)
      awaitDot(other.result, mapping.lookup(other.result),
               current.stage.dots.size());
    running.clear();
    auto loop = cast<scf::ForOp>(builder.getInsertionBlock()->getParentOp());
    Value later =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                              loop.getInductionVar(), loop.getLowerBound());
    const Ring &ring = ringOf(current);
    MbarrierArriveOp::create(builder, loc, ring.empty,
                             loop.getRegionIterArgs().back(), later,
                             ring.crossesBlocks());
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
    const Ring &ring = ringOf(current);
    MbarrierArriveOp::create(builder, loc, ring.empty,
                             rebuilt.getResults().back(), any,
                             ring.crossesBlocks());
  }

  SmallVector<Running, 2> running; ///< in the order in which they started
  SmallVector<OpenStage, 4> open;
  /// Of those that stay, which are there, in each block around.
  SmallVector<llvm::SmallPtrSet<const RingStage *, 2>> awaited{{}};
  const RingStage *turn = nullptr; ///< ends with the product just started
  Value ownWarpgroup;
  SmallPtrSet<Operation *, 8> early; ///< done ahead of its place
};

} // namespace

LogicalResult tile::buildConsumer(const RingStages &staged,
                                  const SmallPtrSetImpl<Operation *> &outside,
                                  Value zero, ItemShare share, Block &body,
                                  Block &to) {
  return Consumer(staged, outside, zero, share).run(body, to);
}
