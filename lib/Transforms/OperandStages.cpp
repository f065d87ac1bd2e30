//===- OperandStages.cpp - What loops load to multiply --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandStages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// Adds a write to its block's stage, or says why it is none.
static void addWrite(OperandStage &stage, WriteSharedOp write,
                     const SmallPtrSetImpl<Value> &written) {
  auto refuse = [&](Operation *at, const Twine &problem) {
    if (!stage.misfit) {
      stage.misfit = at;
      stage.problem = problem.str();
    }
  };
  auto widening = write.getValue().getDefiningOp<ConvertOp>();
  auto load = (widening ? widening.getValue() : write.getValue())
                  .getDefiningOp<LoadOp>();
  if (!load || (widening && (widening->getBlock() != write->getBlock() ||
                             load->getBlock() != write->getBlock() ||
                             !widening->hasOneUse() || !load->hasOneUse())))
    return refuse(write, "stages what is not loaded as it is or wider, "
                         "expected the result of tile.load, or of a "
                         "tile.convert of that");
  if (written.contains(load.getView()))
    return refuse(load, "reads a view that the kernel stores to ahead of time, "
                        "expected one that it only reads");
  auto alloc = write.getBuffer().getDefiningOp<AllocOp>();
  if (!alloc)
    return refuse(write, "stages into what is no buffer of its own, expected "
                         "the result of tile.alloc");
  for (Operation *user : alloc->getUsers())
    if (user != write &&
        (!isa<DotOp>(user) || user->getBlock() != stage.block ||
         user->isBeforeInBlock(write)))
      return refuse(user, "uses a buffer apart from the products behind its "
                          "only write, expected none");
  stage.writes.push_back(write);
  SharedType type = write.getBuffer().getType();
  bool isKnown =
      llvm::any_of(stage.operands, [&](const OperandStage::Operand &operand) {
        return operand.load == load && operand.widening == widening &&
               operand.type == type;
      });
  if (!isKnown)
    stage.operands.push_back({load, widening, type});
}

SmallVector<OperandStage> tile::findOperandStages(KernelOp kernel) {
  SmallPtrSet<Value, 4> written = findWrittenViews(kernel);
  llvm::MapVector<Block *, OperandStage> stages;
  kernel.walk([&](WriteSharedOp write) {
    OperandStage &stage = stages[write->getBlock()];
    stage.block = write->getBlock();
    addWrite(stage, write, written);
  });
  kernel.walk([&](DotOp dot) {
    auto found = stages.find(dot->getBlock());
    OperandStage *stage = found != stages.end() ? &found->second : nullptr;
    auto isStaged = [&](Value operand) {
      return stage && llvm::any_of(stage->writes, [&](WriteSharedOp write) {
               return write.getBuffer() == operand;
             });
    };
    if (isStaged(dot.getA()) && isStaged(dot.getB())) {
      stage->dots.push_back(dot);
      return;
    }
    OperandStage &owner = stages[dot->getBlock()];
    owner.block = dot->getBlock();
    if (!owner.misfit) {
      owner.misfit = dot;
      owner.problem = "multiplies what its block does not stage, expected "
                      "operands that it loads";
    }
  });
  SmallVector<OperandStage> result;
  for (auto &[block, stage] : stages) {
    if (!stage.misfit && stage.dots.empty()) {
      stage.misfit = stage.writes.front();
      stage.problem = "stages what nothing multiplies, expected a tile.dot";
    }
    result.push_back(std::move(stage));
  }
  return result;
}
