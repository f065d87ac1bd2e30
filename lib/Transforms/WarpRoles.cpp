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

RoleBuilder::RoleBuilder(ArrayRef<RingStage> stages,
                         const SmallPtrSetImpl<Operation *> &outside,
                         Value zero)
    : stages(stages), outside(outside), builder(zero.getContext()), zero(zero),
      positions(stages.size(), {zero, zero}) {
  for (auto [index, ring] : llvm::enumerate(stages))
    for (Operation *op = ring.stage.block->getParentOp(); !isa<KernelOp>(op);
         op = op->getParentOp())
      stagesInside[op].push_back(index);
}

LogicalResult RoleBuilder::run(Block &body, Block &to) {
  builder.setInsertionPointToEnd(&to);
  if (failed(rebuild(body)))
    return failure();
  EndRoleOp::create(builder, body.getParentOp()->getLoc());
  return success();
}

Value RoleBuilder::constant(Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

const RingStage *RoleBuilder::stageOf(Block *block) const {
  const RingStage *found = llvm::find_if(
      stages, [&](const RingStage &ring) { return ring.stage.block == block; });
  return found != stages.end() ? found : nullptr;
}

void RoleBuilder::advance(const RingStage &current) {
  RingPosition &at = positionOf(current);
  Location loc = current.stage.getLoc();
  auto [next, wraps] = nextSlot(builder, loc, at.slot, current.slots);
  at.slot = next;
  Value turned =
      arith::ExtUIOp::create(builder, loc, builder.getI32Type(), wraps);
  at.phase = arith::XOrIOp::create(builder, loc, at.phase, turned);
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
  const RingStage *current = stageOf(&block);
  for (Operation &op : block.without_terminator()) {
    if (outside.contains(&op))
      continue;
    auto found = stagesInside.find(&op);
    LogicalResult result = success();
    if (found == stagesInside.end())
      result = visit(&op, current);
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
  }
  return success();
}

LogicalResult RoleBuilder::rebuildFor(scf::ForOp loop, const Indices &inside) {
  Location loc = loop.getLoc();
  for (Value bound :
       {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
    if (failed(require(loop, bound)))
      return failure();
  SmallVector<Value> inits;
  if (carriesValues())
    for (Value init : loop.getInitArgs())
      inits.push_back(mapping.lookupOrDefault(init));
  unsigned numValues = inits.size(), numPositions = 2 * inside.size();
  append(inits, inside);
  const RingStage *turn = stageOf(loop.getBody());
  bool overlaps = turn && turn->overlaps && carriesValues();
  if (overlaps)
    inits.push_back(zero); // what no turn takes tempts nobody to peel the first
  auto rebuilt = scf::ForOp::create(
      builder, loc, mapping.lookupOrDefault(loop.getLowerBound()),
      mapping.lookupOrDefault(loop.getUpperBound()),
      mapping.lookupOrDefault(loop.getStep()), inits);
  mapping.map(loop.getInductionVar(), rebuilt.getInductionVar());
  ValueRange arguments = rebuilt.getRegionIterArgs();
  if (carriesValues())
    mapping.map(loop.getRegionIterArgs(), arguments.take_front(numValues));
  restore(arguments.slice(numValues, numPositions), inside);
  Value slot = overlaps ? positionOf(*turn).slot : Value();

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(rebuilt.getBody());
  if (failed(rebuild(*loop.getBody())))
    return failure();
  SmallVector<Value> yields;
  if (carriesValues())
    for (Value value : loop.getYieldedValues())
      yields.push_back(mapping.lookupOrDefault(value));
  append(yields, inside);
  if (overlaps)
    yields.push_back(slot);
  scf::YieldOp::create(builder, loc, yields);

  builder.setInsertionPointAfter(rebuilt);
  ValueRange results = rebuilt.getResults();
  if (carriesValues())
    mapping.map(loop.getResults(), results.take_front(numValues));
  restore(results.slice(numValues, numPositions), inside);
  if (overlaps)
    finishLoop(loop, rebuilt, *turn);
  return success();
}

LogicalResult RoleBuilder::rebuildIf(scf::IfOp branch, const Indices &inside) {
  Location loc = branch.getLoc();
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
