//===- LowerNontemporal.cpp - Spell streaming accesses for PTX ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Conversion/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace lathe {
#define GEN_PASS_DEF_LOWERNONTEMPORAL
#include "lathe/Conversion/Passes.h.inc"
} // namespace lathe

using namespace mlir;

namespace {

/// 32-bit words of a value, or 0 if it is not 1, 2 or 4 of them.
int64_t countWords(Type type) {
  int64_t bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (auto vector = dyn_cast<VectorType>(type))
    bits *= vector.getNumElements();
  return bits == 32 || bits == 64 || bits == 128 ? bits / 32 : 0;
}

std::string vectorSuffix(int64_t words) {
  return words == 1 ? ".b32" : ".v" + std::to_string(words) + ".b32";
}

/// `{$first, ..., $last}`, or `$first` alone.
std::string operandList(int64_t first, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return count == 1 ? text : "{" + text + "}";
}

struct LowerNontemporal : lathe::impl::LowerNontemporalBase<LowerNontemporal> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (auto load = dyn_cast<LLVM::LoadOp>(op))
        rewriteLoad(load);
      else if (auto store = dyn_cast<LLVM::StoreOp>(op))
        rewriteStore(store);
    });
  }

  bool isGlobal(Value pointer) {
    return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == 1;
  }

  /// The kernel argument behind `pointer` is read-only and aliases nothing.
  bool isReadOnly(Value pointer) {
    while (auto gep = pointer.getDefiningOp<LLVM::GEPOp>())
      pointer = gep.getBase();
    auto argument = dyn_cast<BlockArgument>(pointer);
    auto func = argument ? dyn_cast<FunctionOpInterface>(
                               argument.getOwner()->getParentOp())
                         : FunctionOpInterface();
    if (!func || argument.getOwner() != &func.getFunctionBody().front())
      return false;
    auto has = [&](StringRef name) {
      return bool(func.getArgAttr(argument.getArgNumber(), name));
    };
    return has(LLVM::LLVMDialect::getReadonlyAttrName()) &&
           has(LLVM::LLVMDialect::getNoAliasAttrName());
  }

  void rewriteLoad(LLVM::LoadOp load) {
    int64_t words = countWords(load.getType());
    if (!load.getNontemporal() || !isGlobal(load.getAddr()) || words == 0 ||
        load.getAlignment().value_or(1) < static_cast<uint64_t>(words * 4))
      return;
    OpBuilder builder(load);
    Location loc = load.getLoc();
    bool readOnly = isReadOnly(load.getAddr());
    Type word = builder.getI32Type();
    Type result = word;
    if (words > 1)
      result = LLVM::LLVMStructType::getLiteral(
          &getContext(), SmallVector<Type>(words, word));
    std::string text = std::string(readOnly ? "ld.global.nc" : "ld.global") +
                       ".L1::no_allocate" + vectorSuffix(words) + " " +
                       operandList(0, words) + ", [$" + std::to_string(words) +
                       "];";
    std::string constraints;
    for (int64_t i = 0; i < words; ++i)
      constraints += "=r,";
    constraints += readOnly ? "l" : "l,~{memory}";
    // What nothing can change may be moved and merged freely.
    Value loaded =
        LLVM::InlineAsmOp::create(
            builder, loc, result, ValueRange{load.getAddr()}, text, constraints,
            /*has_side_effects=*/!readOnly, /*is_align_stack=*/false,
            LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
            ArrayAttr())
            .getRes();
    auto wordsType = VectorType::get({words}, word);
    Value vector = LLVM::PoisonOp::create(builder, loc, wordsType);
    for (int64_t i = 0; i < words; ++i) {
      Value part = words == 1 ? loaded
                              : LLVM::ExtractValueOp::create(builder, loc,
                                                             loaded, i);
      Value at = LLVM::ConstantOp::create(builder, loc, word,
                                          builder.getI32IntegerAttr(i));
      vector = LLVM::InsertElementOp::create(builder, loc, vector, part, at);
    }
    load.replaceAllUsesWith(
        LLVM::BitcastOp::create(builder, loc, load.getType(), vector)
            .getResult());
    load.erase();
  }

  void rewriteStore(LLVM::StoreOp store) {
    int64_t words = countWords(store.getValue().getType());
    if (!store.getNontemporal() || !isGlobal(store.getAddr()) || words == 0 ||
        store.getAlignment().value_or(1) < static_cast<uint64_t>(words * 4))
      return;
    OpBuilder builder(store);
    Location loc = store.getLoc();
    Type word = builder.getI32Type();
    Value vector = LLVM::BitcastOp::create(
        builder, loc, VectorType::get({words}, word), store.getValue());
    SmallVector<Value> operands{store.getAddr()};
    std::string constraints = "l";
    for (int64_t i = 0; i < words; ++i) {
      Value at = LLVM::ConstantOp::create(builder, loc, word,
                                          builder.getI32IntegerAttr(i));
      operands.push_back(
          LLVM::ExtractElementOp::create(builder, loc, vector, at));
      constraints += ",r";
    }
    std::string text = "st.global.cs" + vectorSuffix(words) + " [$0], " +
                       operandList(1, words) + ";";
    LLVM::InlineAsmOp::create(builder, loc, TypeRange(), operands, text,
                              constraints + ",~{memory}",
                              /*has_side_effects=*/true,
                              /*is_align_stack=*/false,
                              LLVM::tailcallkind::TailCallKind::None,
                              LLVM::AsmDialectAttr(), ArrayAttr());
    store.erase();
  }
};
} // namespace
