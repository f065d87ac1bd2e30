//===- ControlHooks.cpp - Counters, traps and guarded divisions -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostModule.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace lathe::host {

static void trap(HostModule &host, IRBuilder<> &builder, uint32_t site) {
  CallInst *call = builder.CreateCall(
      host.runtime("lathe_sim_trap", builder.getVoidTy(), {host.i32()}),
      {builder.getInt32(site)});
  call->setDoesNotReturn();
}

// x86 raises SIGFPE where a GPU gives some number; in LLVM IR both are
// undefined.
static void guardDivision(HostModule &host, const WorkItem &item) {
  auto *division = cast<BinaryOperator>(item.instruction);
  Value *divisor = division->getOperand(1);
  Type *type = divisor->getType();
  bool isSigned = division->getOpcode() == Instruction::SDiv ||
                  division->getOpcode() == Instruction::SRem;
  if (auto *constant = dyn_cast<ConstantInt>(divisor))
    if (!constant->isZero() && !(isSigned && constant->isMinusOne()))
      return;
  IRBuilder<> builder(division);
  Value *bad = builder.CreateICmpEQ(divisor, Constant::getNullValue(type));
  if (isSigned) {
    Constant *least = ConstantInt::get(
        type, APInt::getSignedMinValue(type->getScalarSizeInBits()));
    Value *overflows = builder.CreateAnd(
        builder.CreateICmpEQ(divisor, Constant::getAllOnesValue(type)),
        builder.CreateICmpEQ(division->getOperand(0), least));
    bad = builder.CreateOr(bad, overflows);
  }
  if (type->isVectorTy())
    bad = builder.CreateOrReduce(bad);
  Instruction *then =
      SplitBlockAndInsertIfThen(bad, division, /*Unreachable=*/true);
  builder.SetInsertPoint(then);
  trap(host, builder, item.site);
}

void addControlHooks(HostModule &host) {
  for (const WorkItem &item : host.traps) {
    IRBuilder<> builder(item.instruction);
    trap(host, builder, item.site);
    if (isa<CallInst>(item.instruction))
      item.instruction->eraseFromParent();
  }
  for (auto [block, count] : host.blocks) {
    IRBuilder<> builder(block, block->getFirstInsertionPt());
    while (builder.GetInsertPoint() != block->end() &&
           isa<AllocaInst>(&*builder.GetInsertPoint()))
      builder.SetInsertPoint(block, std::next(builder.GetInsertPoint()));
    builder.CreateCall(
        host.runtime("lathe_sim_count", builder.getVoidTy(), {host.i32()}),
        {builder.getInt32(count)});
  }
  for (const WorkItem &item : host.divisions)
    guardDivision(host, item);
}

} // namespace lathe::host
