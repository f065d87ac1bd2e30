//===- WarpRoles.cpp - A kernel's body, once for each role ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpRoles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

RoleBuilder::RoleBuilder(const RingStages &staged,
                         const SmallPtrSetImpl<Operation *> &outside,
                         Value zero, ItemShare share)
    : stages(staged.stages), rings(staged.rings), turns(staged.turns),
      dealt(staged.dealt), teams(staged.teams), outside(outside), share(share),
      builder(zero.getContext()), zero(zero),
      positions(rings.size(), {zero, zero}) {
  for (const RingStage &ring : stages) {
    for (WriteSharedOp write : ring.stage.writes)
      stageOfWrite[write] = &ring;
    note(ring.stage.block, ring.ring);
    note(ring.stage.block, turns);
  }
}

void RoleBuilder::note(Block *block, std::optional<unsigned> ring) {
  for (Operation *op = block->getParentOp(); !isa<KernelOp>(op);
       op = op->getParentOp()) {
    Indices &inside = ringsInside[op];
    if (ring && !llvm::is_contained(inside, *ring))
      inside.push_back(*ring);
  }
}

scf::ForOp tile::findDealtLoop(KernelOp kernel, ArrayRef<RingStage> stages) {
  scf::ForOp found;
  for (const RingStage &ring : stages) {
    if (ring.stage.staysForOthers())
      continue;
    auto loop = dyn_cast<scf::ForOp>(ring.stage.block->getParentOp());
    if (!loop || loop.getNumResults() != 0 || ring.stage.isWidened() ||
        (found && loop != found)) {
      ring.stage.dots.front()->emitError(
          "teams cannot take turns: expected one loop that loads its operands "
          "in each turn and yields nothing");
      return {};
    }
    found = loop;
  }
  // What is around the loop all teams do.
  for (Operation *op = found; op && !isa<KernelOp>(op); op = op->getParentOp())
    for (Operation &other : *op->getBlock()) {
      bool isOfStages = isa<AllocOp, LoadOp, WriteSharedOp, BarrierOp>(other);
      if (&other == op || isOfStages || other.hasTrait<OpTrait::IsTerminator>())
        continue;
      if (!isMemoryEffectFree(&other)) {
        other.emitError("teams cannot take turns: expected it in the loop that "
                        "they share");
        return {};
      }
    }
  if (!found)
    kernel.emitError("teams cannot take turns: expected a loop that loads "
                     "operands");
  return found;
}

SmallVector<DotOp> tile::productsInTurn(Block *body) {
  if (!isa<scf::ForOp>(body->getParentOp()))
    return {};
  auto dots = llvm::to_vector(body->getOps<DotOp>());
  if (dots.size() < 2 || !takesProduct(dots.back()))
    return {};
  return dots;
}

LogicalResult RoleBuilder::run(Block &body, Block &to) {
  // Loops may multiply what stays from outside of them alone.
  if (carriesValues())
    for (const RingStage &ring : stages)
      for (DotOp dot : ring.stage.dots)
        note(dot->getBlock(), turns);
  builder.setInsertionPointToEnd(&to);
  if (failed(rebuild(body)))
    return failure();
  EndRoleOp::create(builder, body.getParentOp()->getLoc());
  return success();
}

Value RoleBuilder::constant(Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

bool RoleBuilder::hasStages(Block *block) const {
  return llvm::any_of(
      stages, [&](const RingStage &ring) { return ring.stage.block == block; });
}

const RingStage *RoleBuilder::overlappingIn(Block *block) const {
  const RingStage *found = llvm::find_if(stages, [&](const RingStage &ring) {
    return ring.overlaps && ring.stage.block == block;
  });
  return found != stages.end() ? found : nullptr;
}

void RoleBuilder::advance(const RingStage &current) {
  RingPosition &at = positionOf(current);
  Location loc = current.stage.getLoc();
  auto [next, wraps] = nextSlot(builder, loc, at.slot, ringOf(current).slots);
  at.slot = next;
  Value turned =
      arith::ExtUIOp::create(builder, loc, builder.getI32Type(), wraps);
  at.phase = arith::XOrIOp::create(builder, loc, at.phase, turned);
}

RingPosition RoleBuilder::turnsOf(Location loc, const RingStage &stage) {
  auto loop = cast<scf::ForOp>(stage.stage.block->getParentOp());
  Value slots = constant(loc, ringOf(stage).slots);
  Value length = arith::SubIOp::create(
      builder, loc, mapping.lookupOrDefault(loop.getUpperBound()),
      mapping.lookupOrDefault(loop.getLowerBound()));
  length = arith::MaxSIOp::create(
      builder, loc, length, arith::ConstantIndexOp::create(builder, loc, 0));
  Value turns = arith::IndexCastOp::create(
      builder, loc, builder.getI32Type(),
      arith::CeilDivUIOp::create(builder, loc, length,
                                 mapping.lookupOrDefault(loop.getStep())));
  Value rounds = arith::DivUIOp::create(builder, loc, turns, slots);
  return {arith::RemUIOp::create(builder, loc, turns, slots),
          arith::AndIOp::create(builder, loc, rounds, constant(loc, 1))};
}

void RoleBuilder::skip(Location loc, unsigned index, RingPosition turns) {
  RingPosition &at = positions[index];
  Value slots = constant(loc, rings[index].slots);
  Value next = arith::AddIOp::create(builder, loc, at.slot, turns.slot);
  Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                      next, slots);
  Value behind = arith::SubIOp::create(builder, loc, next, slots);
  at.slot = arith::SelectOp::create(builder, loc, wraps, behind, next);
  Value turned =
      arith::ExtUIOp::create(builder, loc, builder.getI32Type(), wraps);
  at.phase = arith::XOrIOp::create(
      builder, loc, at.phase,
      arith::XOrIOp::create(builder, loc, turned, turns.phase));
}

void RoleBuilder::skipOthers(Location loc, const Indices &inside,
                             ArrayRef<RingPosition> turns, int64_t items) {
  for (int64_t item = 0; item < items; ++item)
    for (auto [index, of] : llvm::zip(inside, turns))
      skip(loc, index, of);
}

void RoleBuilder::append(SmallVectorImpl<Value> &values,
                         const Indices &inside) const {
  for (unsigned index : inside)
    values.append({positions[index].slot, positions[index].phase});
}

void RoleBuilder::restore(ValueRange values, const Indices &inside) {
  for (auto [place, index] : llvm::enumerate(inside))
    positions[index] = {values[2 * place], values[2 * place + 1]};
}

LogicalResult RoleBuilder::rebuild(Block &block) {
  beginBlock();
  for (Operation &op : block.without_terminator()) {
    if (outside.contains(&op))
      continue;
    beginOp(&op);
    auto found = ringsInside.find(&op);
    LogicalResult result = success();
    if (found == ringsInside.end())
      result = visit(&op);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      result = rebuildFor(loop, found->second);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      result = rebuildIf(branch, found->second);
    else
      result = op.emitError()
               << "'" << op.getName()
               << "' around a product, expected scf.for or scf.if";
    if (failed(result))
      return failure();
    leaveOp(&op);
  }
  endBlock();
  return success();
}

Value RoleBuilder::ownTeam() {
  if (teams > 1 && !team) {
    OpBuilder begin = atRoleBegin();
    team = TeamIdOp::create(begin, zero.getLoc());
  }
  return team;
}

OpBuilder RoleBuilder::atRoleBegin() {
  Region *region = builder.getInsertionBlock()->getParent();
  Region *role = isa<RolesOp>(region->getParentOp())
                     ? region
                     : getRole(region->getParentOp());
  return OpBuilder::atBlockBegin(&role->front());
}

/// Each turn takes one slot of each ring inside, and a slot is always the same
/// team's, as rings have as many for each.
LogicalResult RoleBuilder::rebuildDealt(scf::ForOp loop,
                                        const Indices &inside) {
  Location loc = loop.getLoc();
  beginRegion();
  Value lower = mapping.lookupOrDefault(loop.getLowerBound());
  Value upper = mapping.lookupOrDefault(loop.getUpperBound());
  Value step = mapping.lookupOrDefault(loop.getStep());
  Type type = lower.getType();
  auto make = [&](auto operation, Value a, Value b) -> Value {
    return decltype(operation)::create(builder, loc, a, b);
  };
  auto cast = [&](Value value, Type to) -> Value {
    return value.getType() == to
               ? value
               : arith::IndexCastOp::create(builder, loc, to, value)
                     .getResult();
  };
  auto moved = [&](RingPosition from, int64_t slots, Value by) -> RingPosition {
    Value at = make(arith::AddIOp(), from.slot, by);
    Value count = constant(loc, slots);
    Value rounds = make(arith::DivUIOp(), at, count);
    return {make(arith::RemUIOp(), at, count),
            make(arith::XOrIOp(), from.phase,
                 make(arith::AndIOp(), rounds, constant(loc, 1)))};
  };
  SmallVector<RingPosition> before = positions;
  unsigned leader = inside.front();
  Value ahead = make(
      arith::RemUIOp(),
      make(arith::SubIOp(),
           make(arith::AddIOp(), ownTeam(), constant(loc, rings[leader].slots)),
           positions[leader].slot),
      constant(loc, teams));
  Value first = make(arith::AddIOp(), lower,
                     make(arith::MulIOp(), cast(ahead, type), step));
  Value stride = make(arith::MulIOp(), step,
                      arith::ConstantOp::create(
                          builder, loc, builder.getIntegerAttr(type, teams)));
  auto rebuilt = scf::ForOp::create(builder, loc, first, upper, stride);
  mapping.map(loop.getInductionVar(), rebuilt.getInductionVar());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(rebuilt.getBody());
    Value turn = cast(
        make(arith::DivUIOp(),
             make(arith::SubIOp(), rebuilt.getInductionVar(), lower), step),
        builder.getI32Type());
    for (unsigned index : inside)
      positions[index] = moved(before[index], rings[index].slots, turn);
    if (failed(rebuild(*loop.getBody())))
      return failure();
  }
  Value none =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, 0));
  Value length =
      make(arith::MaxSIOp(), make(arith::SubIOp(), upper, lower), none);
  Value all =
      cast(make(arith::CeilDivUIOp(), length, step), builder.getI32Type());
  for (unsigned index : inside)
    positions[index] = moved(before[index], rings[index].slots, all);
  return success();
}

LogicalResult RoleBuilder::rebuildFor(scf::ForOp loop, const Indices &inside) {
  if (loop == dealt && carriesValues())
    return rebuildDealt(loop, inside);
  Location loc = loop.getLoc();
  beginRegion();
  for (Value bound :
       {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
    if (failed(require(loop, bound)))
      return failure();
  SmallVector<Value> inits;
  if (carriesValues())
    for (Value init : loop.getInitArgs())
      inits.push_back(mapping.lookupOrDefault(init));
  bool isDealtItem = share.isDealt() && loop->getParentOp() == share.items;
  if (isDealtItem && loop == firstProducts())
    beginProducts(loc, parity);
  Value first = mapping.lookupOrDefault(loop.getLowerBound());
  Value step = mapping.lookupOrDefault(loop.getStep());
  // Groups take items in turn; of each ring what the others take is skipped.
  SmallVector<RingPosition> others;
  bool dealt = share.isDealt() && loop == share.items;
  if (dealt) {
    for (unsigned index : inside)
      others.push_back(turnsOf(loc, *llvm::find_if(stages, [&](auto &stage) {
                                 return stage.ring == index;
                               })));
    auto times = [&](int64_t by) -> Value {
      return arith::MulIOp::create(
          builder, loc, step, arith::ConstantIndexOp::create(builder, loc, by));
    };
    first = arith::AddIOp::create(builder, loc, first, times(share.turn));
    step = times(share.count);
    skipOthers(loc, inside, others, share.turn);
  }
  unsigned numValues = inits.size(), numPositions = 2 * inside.size();
  append(inits, inside);
  // A fresh mbarrier lets the first group pass, by the parity that it has not.
  if (dealt)
    inits.push_back(constant(loc, share.turn == 0 ? 1 : 0));
  const RingStage *turn = overlappingIn(loop.getBody());
  bool overlaps = turn && carriesValues();
  if (overlaps)
    inits.push_back(zero); // what no turn takes tempts nobody to peel the first
  auto rebuilt = scf::ForOp::create(
      builder, loc, first, mapping.lookupOrDefault(loop.getUpperBound()), step,
      inits);
  mapping.map(loop.getInductionVar(), rebuilt.getInductionVar());
  ValueRange arguments = rebuilt.getRegionIterArgs();
  if (carriesValues())
    mapping.map(loop.getRegionIterArgs(), arguments.take_front(numValues));
  restore(arguments.slice(numValues, numPositions), inside);
  Value slot = overlaps ? positionOf(*turn).slot : Value();
  if (dealt)
    parity = arguments.back();

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(rebuilt.getBody());
  if (failed(rebuild(*loop.getBody())))
    return failure();
  skipOthers(loc, inside, others, share.count - 1);
  SmallVector<Value> yields;
  if (carriesValues())
    for (Value value : loop.getYieldedValues())
      yields.push_back(mapping.lookupOrDefault(value));
  append(yields, inside);
  if (dealt)
    yields.push_back(
        arith::XOrIOp::create(builder, loc, parity, constant(loc, 1)));
  if (overlaps)
    yields.push_back(slot);
  scf::YieldOp::create(builder, loc, yields);

  builder.setInsertionPointAfter(rebuilt);
  ValueRange results = rebuilt.getResults();
  if (carriesValues())
    mapping.map(loop.getResults(), results.take_front(numValues));
  restore(results.slice(numValues, numPositions), inside);
  // What the last turn started may still run.
  if (isDealtItem && loop == lastProducts())
    endProducts(loc);
  if (overlaps)
    finishLoop(loop, rebuilt, *turn);
  return success();
}

LogicalResult RoleBuilder::rebuildIf(scf::IfOp branch, const Indices &inside) {
  Location loc = branch.getLoc();
  beginRegion();
  if (failed(require(branch, branch.getCondition())))
    return failure();
  SmallVector<Type> types;
  if (carriesValues())
    llvm::append_range(types, branch.getResultTypes());
  unsigned numValues = types.size(), numPositions = 2 * inside.size();
  types.append(numPositions, builder.getI32Type());
  auto rebuilt = scf::IfOp::create(
      builder, loc, types, mapping.lookupOrDefault(branch.getCondition()),
      /*withElseRegion=*/true);
  SmallVector<RingPosition> before = positions;
  for (auto [from, to] :
       llvm::zip_equal(branch->getRegions(), rebuilt->getRegions())) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&to.front());
    positions = before;
    SmallVector<Value> yields;
    if (!from.empty()) {
      if (failed(rebuild(from.front())))
        return failure();
      if (carriesValues())
        for (Value value : from.front().getTerminator()->getOperands())
          yields.push_back(mapping.lookupOrDefault(value));
    }
    append(yields, inside);
    scf::YieldOp::create(builder, loc, yields);
  }
  positions = before;
  ValueRange results = rebuilt.getResults();
  if (carriesValues())
    mapping.map(branch.getResults(), results.take_front(numValues));
  restore(results.take_back(numPositions), inside);
  return success();
}
