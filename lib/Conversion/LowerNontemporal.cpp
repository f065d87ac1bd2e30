//===- LowerNontemporal.cpp - Spell streaming stores for PTX --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Conversion/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

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
        load.setNontemporal(false);
      else if (auto store = dyn_cast<LLVM::StoreOp>(op))
        rewriteStore(store);
    });
  }

  bool isGlobal(Value pointer) {
    return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() ==
           1;
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
    LLVM::InlineAsmOp::create(
        builder, loc, TypeRange(), operands, text, constraints + ",~{memory}",
        /*has_side_effects=*/true,
        /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
        LLVM::AsmDialectAttr(), ArrayAttr());
    store.erase();
  }
};
} // namespace
