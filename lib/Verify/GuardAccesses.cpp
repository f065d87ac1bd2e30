//===- GuardAccesses.cpp - Accesses outside of an operand -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrepareReference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/Support/Path.h"

using namespace mlir;
using namespace lathe;

static bool isAccess(Operation *op) {
  return isa<memref::LoadOp, memref::StoreOp>(op);
}

static Value memrefOf(Operation *access) {
  auto load = dyn_cast<memref::LoadOp>(access);
  return load ? load.getMemRef() : cast<memref::StoreOp>(access).getMemRef();
}

static ValueRange indicesOf(Operation *access) {
  auto load = dyn_cast<memref::LoadOp>(access);
  return load ? load.getIndices() : cast<memref::StoreOp>(access).getIndices();
}

static Value compare(OpBuilder &builder, Location loc,
                     arith::CmpIPredicate predicate, Value a, Value b) {
  return arith::CmpIOp::create(builder, loc, predicate, a, b);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Before `loop`: whether `index` is in [0, extent) in all of its turns. Null
/// if that cannot be said there.
static Value staysInside(OpBuilder &builder, scf::ForOp loop, Value index,
                         Value extent) {
  Location loc = loop.getLoc();
  if (loop.isDefinedOutsideOfLoop(index))
    return compare(builder, loc, arith::CmpIPredicate::ult, index, extent);
  if (index == loop.getInductionVar()) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value begins = compare(builder, loc, arith::CmpIPredicate::sge,
                           loop.getLowerBound(), zero);
    Value ends = compare(builder, loc, arith::CmpIPredicate::sle,
                         loop.getUpperBound(), extent);
    return arith::AndIOp::create(builder, loc, begins, ends);
  }
  auto choice = index.getDefiningOp<arith::SelectOp>();
  if (!choice || !loop.isDefinedOutsideOfLoop(choice.getCondition()))
    return Value();
  Value a = staysInside(builder, loop, choice.getTrueValue(), extent);
  Value b = staysInside(builder, loop, choice.getFalseValue(), extent);
  if (!a || !b)
    return Value();
  return arith::SelectOp::create(builder, loc, choice.getCondition(), a, b);
}

/// Whether all indices of `access` stay inside; null as staysInside.
static Value staysInside(OpBuilder &builder, scf::ForOp loop,
                         Operation *access) {
  Value memref = memrefOf(access), all;
  if (!loop.isDefinedOutsideOfLoop(memref))
    return Value();
  for (auto [dim, index] : llvm::enumerate(indicesOf(access))) {
    Value extent =
        memref::DimOp::create(builder, loop.getLoc(), memref, int64_t(dim));
    Value inside = staysInside(builder, loop, index, extent);
    if (!inside)
      return Value();
    all = all ? arith::AndIOp::create(builder, loop.getLoc(), all, inside)
              : inside;
  }
  return all;
}

/// Makes a copy of an innermost loop for when the accesses that can be judged
/// before it stay inside, and adds those of the copy to `safe`.
static void splitLoop(scf::ForOp loop, DenseSet<Operation *> &safe) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value all;
  SmallVector<Operation *> judged;
  loop.walk([&](Operation *op) {
    Value inside = isAccess(op) ? staysInside(builder, loop, op) : Value();
    if (!inside)
      return;
    judged.push_back(op);
    all = all ? arith::AndIOp::create(builder, loc, all, inside) : inside;
  });
  if (!all)
    return;
  auto branch = scf::IfOp::create(builder, loc, loop.getResultTypes(), all,
                                  /*withElseRegion=*/true);
  loop.replaceAllUsesWith(branch);
  IRMapping copies;
  builder.setInsertionPointToStart(branch.thenBlock());
  Operation *copy = builder.clone(*loop, copies);
  loop->moveBefore(branch.elseBlock(), branch.elseBlock()->begin());
  if (loop.getNumResults() != 0) {
    scf::YieldOp::create(builder, loc, copy->getResults());
    builder.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(builder, loc, loop.getResults());
  }
  for (Operation *op : judged)
    safe.insert(copies.lookup(op));
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static std::string describePlace(Operation *op) {
  auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>();
  if (!loc)
    return "reference.mlir";
  return (llvm::sys::path::filename(loc.getFilename().getValue()) + ":" +
          Twine(loc.getLine()) + ":" + Twine(loc.getColumn()))
      .str();
}

static Value isInside(OpBuilder &builder, Location loc, Value memref,
                      ValueRange indices) {
  Value inside;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Value extent = memref::DimOp::create(builder, loc, memref, dim);
    // Unsigned, so that a negative index is outside too.
    Value fits =
        compare(builder, loc, arith::CmpIPredicate::ult, index, extent);
    inside = inside ? arith::AndIOp::create(builder, loc, inside, fits) : fits;
  }
  return inside;
}

LogicalResult lathe::guardReferenceAccesses(ModuleOp module,
                                            std::vector<std::string> &places) {
  SmallVector<scf::ForOp> innermost;
  module.walk([&](scf::ForOp loop) {
    bool hasLoop =
        loop.getBody()
            ->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (!hasLoop)
      innermost.push_back(loop);
  });
  DenseSet<Operation *> safe;
  for (scf::ForOp loop : innermost)
    splitLoop(loop, safe);
  SmallVector<Operation *> accesses;
  WalkResult result = module.walk([&](Operation *op) {
    if (!isa_and_nonnull<memref::MemRefDialect>(op->getDialect()) ||
        isa<memref::DimOp, memref::CastOp, memref::AllocOp, memref::DeallocOp>(
            op))
      return WalkResult::advance();
    // In a loop each turn would take more of the stack.
    if (isa<memref::AllocaOp>(op) && isa<func::FuncOp>(op->getParentOp()))
      return WalkResult::advance();
    if (!isAccess(op)) {
      op->emitError() << "'" << op->getName()
                      << "' in a reference, expected memref.load, store, dim, "
                         "cast, alloc, dealloc, or alloca outside of loops";
      return WalkResult::interrupt();
    }
    if (!safe.contains(op))
      accesses.push_back(op);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();

  OpBuilder builder(module.getContext());
  builder.setInsertionPointToStart(module.getBody());
  auto report = func::FuncOp::create(
      builder, module.getLoc(), outOfBoundsCallee,
      builder.getFunctionType(builder.getI32Type(), TypeRange()));
  report.setPrivate();
  for (Operation *op : accesses) {
    auto load = dyn_cast<memref::LoadOp>(op);
    Value memref = memrefOf(op);
    ValueRange indices = indicesOf(op);
    if (indices.empty())
      continue;
    Location loc = op->getLoc();
    builder.setInsertionPoint(op);
    Value inside = isInside(builder, loc, memref, indices);
    auto branch = scf::IfOp::create(builder, loc, op->getResultTypes(), inside,
                                    /*withElseRegion=*/true);
    Block *then = branch.thenBlock(), *otherwise = branch.elseBlock();
    op->replaceAllUsesWith(branch);
    op->moveBefore(then, then->begin());
    builder.setInsertionPointToStart(otherwise);
    Value place = arith::ConstantIntOp::create(
        builder, loc, builder.getI32Type(), int64_t(places.size()));
    func::CallOp::create(builder, loc, report, place);
    if (load) {
      Value zero = arith::ConstantOp::create(
          builder, loc, builder.getZeroAttr(load.getType()));
      scf::YieldOp::create(builder, loc, zero);
      builder.setInsertionPointToEnd(then);
      scf::YieldOp::create(builder, loc, load.getResult());
    }
    places.push_back(describePlace(op));
  }
  return success();
}
