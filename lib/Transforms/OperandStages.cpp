//===- OperandStages.cpp - What loops load to multiply --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandStages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

bool tile::isScalarCode(Operation *op) {
  if (!isMemoryEffectFree(op))
    return false;
  auto isScalar = [](Type type) {
    return type.isIntOrIndexOrFloat() || isa<ViewType>(type);
  };
  return !op->walk([&](Operation *nested) {
              bool ok = llvm::all_of(nested->getOperandTypes(), isScalar) &&
                        llvm::all_of(nested->getResultTypes(), isScalar);
              return ok ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

/// Whether `value` was computed element by element from the sums of a product.
static bool isOfProduct(Value value, SmallPtrSetImpl<Value> &seen) {
  if (!isa<RankedTensorType>(value.getType()) || !seen.insert(value).second)
    return false;
  auto anyOf = [&](ValueRange values) {
    return llvm::any_of(values,
                        [&](Value other) { return isOfProduct(other, seen); });
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument != loop.getInductionVar() &&
           anyOf({loop.getTiedLoopInit(argument)->get(),
                  loop.getTiedLoopYieldedValue(argument)->get()});
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (isa<DotOp>(op))
    return true;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return anyOf({loop.getInitArgs()[number], loop.getYieldedValues()[number]});
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return anyOf({branch.thenYield().getOperand(number),
                  branch.elseYield().getOperand(number)});
  return (isa<ConvertOp>(op) || op->hasTrait<OpTrait::Elementwise>()) &&
         anyOf(op->getOperands());
}

bool tile::takesProduct(DotOp dot) {
  SmallPtrSet<Value, 16> seen;
  return !dot.getTransposeA() && isOfProduct(dot.getA(), seen);
}

std::pair<Value, Value> tile::nextSlot(OpBuilder &builder, Location loc,
                                       Value slot, int64_t slots) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  Value next = arith::AddIOp::create(builder, loc, slot, constant(1));
  Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      next, constant(slots));
  return {arith::SelectOp::create(builder, loc, wraps, constant(0), next),
          wraps};
}

bool tile::allOperandsFromAbove(Operation *op,
                                llvm::function_ref<bool(Value)> visit) {
  return !op->walk([&](Operation *nested) {
              for (Value operand : nested->getOperands())
                if (!op->isAncestor(operand.getParentBlock()->getParentOp()) &&
                    !visit(operand))
                  return WalkResult::interrupt();
              return WalkResult::advance();
            }).wasInterrupted();
}

unsigned OperandStage::operandIn(Value buffer) const {
  WriteSharedOp write = *llvm::find_if(
      writes, [&](WriteSharedOp op) { return op.getBuffer() == buffer; });
  for (auto [index, operand] : llvm::enumerate(operands))
    if (write.getValue() == operand.getValue() &&
        buffer.getType() == operand.type)
      return index;
  llvm_unreachable("every write has its operand");
}

bool OperandStage::holds(Value buffer) const {
  return llvm::any_of(
      writes, [&](WriteSharedOp write) { return write.getBuffer() == buffer; });
}

Operation *OperandStage::lastUser() const {
  Operation *last = nullptr;
  for (DotOp dot : dots) {
    Operation *user = block->findAncestorOpInBlock(*dot);
    if (!last || last->isBeforeInBlock(user))
      last = user;
  }
  return last;
}

bool tile::loadsOperands(Operation *op) {
  return op->walk([](WriteSharedOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

bool OperandStage::staysForOthers() const {
  return llvm::any_of(dots, [&](DotOp dot) {
    Operation *user = block->findAncestorOpInBlock(*dot);
    return user != dot && loadsOperands(user);
  });
}

/// What no asynchronous copy can do of a write, if anything, and where.
static std::pair<Operation *, std::string>
findMisfit(WriteSharedOp write, const SmallPtrSetImpl<Value> &written) {
  auto widening = write.getValue().getDefiningOp<ConvertOp>();
  auto load = (widening ? widening.getValue() : write.getValue())
                  .getDefiningOp<LoadOp>();
  if (!load || (widening && (widening->getBlock() != write->getBlock() ||
                             load->getBlock() != write->getBlock() ||
                             !widening->hasOneUse() || !load->hasOneUse())))
    return {write, "stages what is not loaded as it is or wider, expected the "
                   "result of tile.load, or of a tile.convert of that"};
  if (written.contains(load.getView()))
    return {load, "reads a view that the kernel stores to ahead of time, "
                  "expected one that it only reads"};
  auto alloc = write.getBuffer().getDefiningOp<AllocOp>();
  if (!alloc)
    return {write, "stages into what is no buffer of its own, expected the "
                   "result of tile.alloc"};
  for (Operation *user : alloc->getUsers()) {
    Operation *ancestor = write->getBlock()->findAncestorOpInBlock(*user);
    if (user != write &&
        (!isa<DotOp>(user) || !ancestor || ancestor->isBeforeInBlock(write)))
      return {user, "uses a buffer apart from the products behind its only "
                    "write, expected none"};
  }
  return {};
}

/// Adds a write to the stage of its products.
static void addWrite(OperandStage &stage, WriteSharedOp write,
                     const SmallPtrSetImpl<Value> &written) {
  stage.block = write->getBlock();
  auto [misfit, problem] = findMisfit(write, written);
  if (misfit) {
    if (!stage.misfit)
      std::tie(stage.misfit, stage.problem) = {misfit, problem};
    return;
  }
  stage.writes.push_back(write);
  auto widening = write.getValue().getDefiningOp<ConvertOp>();
  auto load = (widening ? widening.getValue() : write.getValue())
                  .getDefiningOp<LoadOp>();
  SharedType type = write.getBuffer().getType();
  bool isKnown =
      llvm::any_of(stage.operands, [&](const OperandStage::Operand &operand) {
        return operand.load == load && operand.widening == widening &&
               operand.type == type;
      });
  if (!isKnown)
    stage.operands.push_back({load, widening, type});
}

/// The writes of each stage: those of a block whose values or products meet.
static SmallVector<SmallVector<WriteSharedOp>> groupWrites(KernelOp kernel) {
  SmallVector<WriteSharedOp> writes;
  kernel.walk([&](WriteSharedOp write) { writes.push_back(write); });
  llvm::EquivalenceClasses<Operation *> groups;
  llvm::DenseMap<std::pair<Block *, Value>, Operation *> first;
  auto meet = [&](WriteSharedOp write, Value over) {
    Operation *&other = first[{write->getBlock(), over}];
    if (!other)
      other = write;
    groups.unionSets(other, write);
  };
  for (WriteSharedOp write : writes) {
    groups.insert(write);
    meet(write, write.getValue());
    // What inner loops read again and again stays on its own.
    auto users = write.getBuffer().getUsers();
    bool isHeld = llvm::any_of(users, [&](Operation *user) {
      return user->getBlock() != write->getBlock();
    });
    for (Operation *user : users)
      if (auto dot = dyn_cast<DotOp>(user); dot && !isHeld)
        meet(write, dot.getResult());
  }
  llvm::MapVector<Operation *, SmallVector<WriteSharedOp>> found;
  for (WriteSharedOp write : writes)
    found[groups.getLeaderValue(write)].push_back(write);
  return llvm::map_to_vector(found, [](auto &group) { return group.second; });
}

SmallVector<OperandStage> tile::findOperandStages(KernelOp kernel) {
  SmallPtrSet<Value, 4> written = findWrittenViews(kernel);
  SmallVector<OperandStage> stages;
  for (ArrayRef<WriteSharedOp> group : groupWrites(kernel)) {
    OperandStage &stage = stages.emplace_back();
    for (WriteSharedOp write : group)
      addWrite(stage, write, written);
  }
  kernel.walk([&](DotOp dot) {
    bool misses = false;
    for (Value operand : {dot.getA(), dot.getB()}) {
      if (!isa<SharedType>(operand.getType()) && takesProduct(dot))
        continue;
      auto stage = llvm::find_if(
          stages, [&](OperandStage &stage) { return stage.holds(operand); });
      misses |= stage == stages.end();
      if (stage == stages.end())
        continue;
      if (!llvm::is_contained(stage->dots, dot))
        stage->dots.push_back(dot);
    }
    if (!misses)
      return;
    OperandStage &owner = stages.emplace_back();
    owner.block = dot->getBlock();
    owner.misfit = dot;
    owner.problem = "multiplies what nothing around it stages, expected "
                    "operands that it loads";
  });
  for (OperandStage &stage : stages)
    if (!stage.misfit && stage.dots.empty()) {
      stage.misfit = stage.writes.front();
      stage.problem = "stages what nothing multiplies, expected a tile.dot";
    }
  return stages;
}
