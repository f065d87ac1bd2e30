//===- FuseContractions.cpp - Products that become part of a sum ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuseContractions.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lathe {

namespace {
/// One product under a sum: where it stands, and how to name its factors for
/// the sum's type.
struct Product {
  BinaryOperator *multiply = nullptr;
  bool negated = false;
  Value *lane = nullptr; ///< the product's element that the sum takes
};

class Fuser {
public:
  explicit Fuser(Module &module)
      : isNvidia(module.getTargetTriple().isNVPTX()) {}
  void run(Function &function);

private:
  bool hasFma(const Type *type) const;
  std::optional<Product> productOf(Value *value) const;
  void fuse(BinaryOperator &sum);
  Value *factor(IRBuilder<> &builder, const Product &product, unsigned index);

  bool isNvidia;
  SmallVector<WeakTrackingVH> dead;
};
} // namespace

// Types for which the backends have an instruction that rounds once.
bool Fuser::hasFma(const Type *type) const {
  type = type->getScalarType();
  return type->isFloatTy() || type->isDoubleTy() || type->isHalfTy() ||
         (type->isBFloatTy() && isNvidia);
}

std::optional<Product> Fuser::productOf(Value *value) const {
  Product product;
  if (match(value, m_FNeg(m_Value(value))))
    product.negated = true;
  // Instruction selection takes vectors apart, so that an element's product is
  // as good as a scalar one.
  Value *vector;
  Value *lane;
  if (match(value, m_ExtractElt(m_Value(vector), m_Value(lane))) &&
      isa<ConstantInt>(lane)) {
    product.lane = lane;
    value = vector;
  }
  product.multiply = dyn_cast<BinaryOperator>(value);
  if (!product.multiply || product.multiply->getOpcode() != Instruction::FMul ||
      !product.multiply->hasAllowContract())
    return std::nullopt;
  return product;
}

Value *Fuser::factor(IRBuilder<> &builder, const Product &product,
                     unsigned index) {
  Value *value = product.multiply->getOperand(index);
  return product.lane ? builder.CreateExtractElement(value, product.lane)
                      : value;
}

// (a * b) + c, c + (a * b), (a * b) - c and c - (a * b), as the generic
// combiner fuses on targets that ask for all of it; of two products, the one
// with fewer users.
void Fuser::fuse(BinaryOperator &sum) {
  std::optional<Product> left = productOf(sum.getOperand(0));
  std::optional<Product> right = productOf(sum.getOperand(1));
  if (left && right)
    if (left->multiply->getNumUses() > right->multiply->getNumUses())
      left.reset();
  bool takesLeft = left.has_value();
  const std::optional<Product> &product = takesLeft ? left : right;
  if (!product)
    return;
  bool isDifference = sum.getOpcode() == Instruction::FSub;
  IRBuilder<> builder(&sum);
  Value *a = factor(builder, *product, 0);
  Value *b = factor(builder, *product, 1);
  Value *c = sum.getOperand(takesLeft ? 1 : 0);
  if (product->negated != (isDifference && !takesLeft))
    a = builder.CreateFNeg(a);
  if (isDifference && takesLeft)
    c = builder.CreateFNeg(c);
  Value *fused =
      builder.CreateIntrinsic(Intrinsic::fma, {sum.getType()}, {a, b, c});
  fused->takeName(&sum);
  sum.replaceAllUsesWith(fused);
  dead.push_back(&sum);
}

void Fuser::run(Function &function) {
  SmallVector<BinaryOperator *> sums;
  for (Instruction &instruction : instructions(function))
    if (auto *sum = dyn_cast<BinaryOperator>(&instruction);
        sum &&
        (sum->getOpcode() == Instruction::FAdd ||
         sum->getOpcode() == Instruction::FSub) &&
        sum->hasAllowContract() && hasFma(sum->getType()))
      sums.push_back(sum);
  for (BinaryOperator *sum : sums)
    fuse(*sum);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);

  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
        call && call->getIntrinsicID() == Intrinsic::fmuladd &&
        hasFma(call->getType()))
      call->setCalledFunction(Intrinsic::getOrInsertDeclaration(
          function.getParent(), Intrinsic::fma, {call->getType()}));
    if (auto *operation = dyn_cast<FPMathOperator>(&instruction)) {
      FastMathFlags kept = operation->getFastMathFlags();
      kept.setAllowContract(false);
      kept.setAllowReassoc(false);
      kept.setAllowReciprocal(false);
      kept.setApproxFunc(false);
      kept.setNoSignedZeros(false);
      instruction.copyFastMathFlags(kept);
      instruction.setMetadata(LLVMContext::MD_fpmath, nullptr);
    }
  }
}

void fuseContractions(Module &module) {
  Fuser fuser(module);
  for (Function &function : module)
    if (!function.isDeclaration())
      fuser.run(function);
}

} // namespace lathe
