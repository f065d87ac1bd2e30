//===- HostMath.cpp - Generic operations as GPUs carry them out -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostModule.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace lathe::host {

bool isHostIntrinsic(Intrinsic::ID id) {
  switch (id) {
  // integers
  case Intrinsic::abs:
  case Intrinsic::bitreverse:
  case Intrinsic::bswap:
  case Intrinsic::ctlz:
  case Intrinsic::ctpop:
  case Intrinsic::cttz:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
  case Intrinsic::sadd_sat:
  case Intrinsic::sadd_with_overflow:
  case Intrinsic::scmp:
  case Intrinsic::smax:
  case Intrinsic::smin:
  case Intrinsic::smul_with_overflow:
  case Intrinsic::sshl_sat:
  case Intrinsic::ssub_sat:
  case Intrinsic::ssub_with_overflow:
  case Intrinsic::uadd_sat:
  case Intrinsic::uadd_with_overflow:
  case Intrinsic::ucmp:
  case Intrinsic::umax:
  case Intrinsic::umin:
  case Intrinsic::umul_with_overflow:
  case Intrinsic::ushl_sat:
  case Intrinsic::usub_sat:
  case Intrinsic::usub_with_overflow:
  // floats
  case Intrinsic::canonicalize:
  case Intrinsic::ceil:
  case Intrinsic::copysign:
  case Intrinsic::cos:
  case Intrinsic::exp:
  case Intrinsic::exp10:
  case Intrinsic::exp2:
  case Intrinsic::fabs:
  case Intrinsic::floor:
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
  case Intrinsic::fptosi_sat:
  case Intrinsic::fptoui_sat:
  case Intrinsic::is_fpclass:
  case Intrinsic::log:
  case Intrinsic::log10:
  case Intrinsic::log2:
  case Intrinsic::maximum:
  case Intrinsic::maximumnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::minimumnum:
  case Intrinsic::minnum:
  case Intrinsic::nearbyint:
  case Intrinsic::pow:
  case Intrinsic::rint:
  case Intrinsic::round:
  case Intrinsic::roundeven:
  case Intrinsic::sin:
  case Intrinsic::sqrt:
  case Intrinsic::tan:
  case Intrinsic::tanh:
  case Intrinsic::trunc:
  // vectors
  case Intrinsic::vector_deinterleave2:
  case Intrinsic::vector_extract:
  case Intrinsic::vector_insert:
  case Intrinsic::vector_interleave2:
  case Intrinsic::vector_reduce_add:
  case Intrinsic::vector_reduce_and:
  case Intrinsic::vector_reduce_fadd:
  case Intrinsic::vector_reduce_fmax:
  case Intrinsic::vector_reduce_fmin:
  case Intrinsic::vector_reduce_fmul:
  case Intrinsic::vector_reduce_mul:
  case Intrinsic::vector_reduce_or:
  case Intrinsic::vector_reduce_smax:
  case Intrinsic::vector_reduce_smin:
  case Intrinsic::vector_reduce_umax:
  case Intrinsic::vector_reduce_umin:
  case Intrinsic::vector_reduce_xor:
  case Intrinsic::vector_reverse:
  // hints
  case Intrinsic::assume:
  case Intrinsic::donothing:
  case Intrinsic::expect:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::invariant_end:
  case Intrinsic::invariant_start:
  case Intrinsic::is_constant:
  case Intrinsic::launder_invariant_group:
  case Intrinsic::lifetime_end:
  case Intrinsic::lifetime_start:
  case Intrinsic::objectsize:
  case Intrinsic::ptrmask:
  case Intrinsic::sideeffect:
  case Intrinsic::ssa_copy:
  case Intrinsic::strip_invariant_group:
    return true;
  default:
    return false;
  }
}

/// Applies a scalar function to each element.
static Value *perElement(IRBuilder<> &builder, IntrinsicInst &call,
                         function_ref<Value *(ArrayRef<Value *>)> scalar) {
  auto *vector = dyn_cast<FixedVectorType>(call.getType());
  if (!vector)
    return scalar(SmallVector<Value *>(call.args()));
  Value *result = PoisonValue::get(vector);
  for (unsigned i = 0; i < vector->getNumElements(); ++i) {
    SmallVector<Value *> operands;
    for (Value *operand : call.args())
      operands.push_back(builder.CreateExtractElement(operand, i));
    result = builder.CreateInsertElement(result, scalar(operands), i);
  }
  return result;
}

// The host would compute in f32 and round twice.
static void lowerSmallFma(HostModule &host, IntrinsicInst &call) {
  Type *element = call.getType()->getScalarType();
  FunctionCallee function = host.runtime(
      element->isHalfTy() ? "lathe_host_fma_f16" : "lathe_host_fma_bf16",
      host.i32(), {host.i32(), host.i32(), host.i32()});
  IRBuilder<> builder(&call);
  Value *result =
      perElement(builder, call, [&](ArrayRef<Value *> operands) -> Value * {
        SmallVector<Value *> bits;
        for (Value *operand : operands)
          bits.push_back(builder.CreateZExt(
              builder.CreateBitCast(operand, builder.getInt16Ty()),
              host.i32()));
        Value *sum = builder.CreateCall(function, bits);
        return builder.CreateBitCast(
            builder.CreateTrunc(sum, builder.getInt16Ty()), element);
      });
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

static void replaceBy(IntrinsicInst &call, Intrinsic::ID id) {
  IRBuilder<> builder(&call);
  Value *result = builder.CreateIntrinsic(id, {call.getType()},
                                          SmallVector<Value *>(call.args()));
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

void lowerHostIntrinsic(HostModule &host, IntrinsicInst &call) {
  Type *element = call.getType()->getScalarType();
  switch (call.getIntrinsicID()) {
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
    if (element->isHalfTy() || element->isBFloatTy())
      lowerSmallFma(host, call);
    else if (call.getIntrinsicID() == Intrinsic::fmuladd)
      replaceBy(call, Intrinsic::fma); // as both backends select it
    return;
  // Both GPUs order -0 before +0 and skip NaNs of either kind.
  case Intrinsic::minnum:
    replaceBy(call, Intrinsic::minimumnum);
    return;
  case Intrinsic::maxnum:
    replaceBy(call, Intrinsic::maximumnum);
    return;
  case Intrinsic::assume:
  case Intrinsic::sideeffect:
  case Intrinsic::donothing:
  case Intrinsic::invariant_end:
  case Intrinsic::experimental_noalias_scope_decl:
    call.eraseFromParent();
    return;
  default:
    return;
  }
}

void lowerConversions(HostModule &host) {
  SmallVector<CastInst *> casts;
  for (Function &function : *host.module)
    for (Instruction &instruction : instructions(function))
      if (isa<FPToSIInst, FPToUIInst>(instruction))
        casts.push_back(cast<CastInst>(&instruction));
  // The narrowest integer that the hardware converts to; below, bits are cut.
  unsigned narrowest = host.program->isAmd ? 32 : 16;
  for (CastInst *cast : casts) {
    IRBuilder<> builder(cast);
    Type *type = cast->getType();
    unsigned bits = type->getScalarSizeInBits();
    Type *wide = bits < narrowest ? type->getWithNewBitWidth(narrowest) : type;
    Value *result = builder.CreateIntrinsic(
        isa<FPToSIInst>(cast) ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat,
        {wide, cast->getOperand(0)->getType()}, {cast->getOperand(0)});
    result = builder.CreateTrunc(result, type);
    cast->replaceAllUsesWith(result);
    cast->eraseFromParent();
  }
}

} // namespace lathe::host
