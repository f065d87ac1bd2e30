//===- CheckTypes.cpp - What means something else on the host -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostModule.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace lathe::host {

// AMD's null of 32-bit address spaces is all ones, and casts convert it.
void checkPointers(HostModule &host) {
  auto isNarrow = [&](const Type *type) {
    auto *pointer = dyn_cast<PointerType>(type->getScalarType());
    return pointer &&
           host.gpuLayout.getPointerSizeInBits(pointer->getAddressSpace()) < 64;
  };
  auto check = [&](const Constant &constant) {
    auto *expression = dyn_cast<ConstantExpr>(&constant);
    if (!expression)
      return;
    if (expression->getOpcode() == Instruction::AddrSpaceCast &&
        isa<ConstantPointerNull>(expression->getOperand(0)) &&
        (isNarrow(expression->getType()) ||
         isNarrow(expression->getOperand(0)->getType())))
      host.unsupported.insert("null pointer of a 32-bit address space");
    if (expression->getOpcode() == Instruction::IntToPtr &&
        isNarrow(expression->getType()) &&
        cast<Constant>(expression->getOperand(0))->isAllOnesValue())
      host.unsupported.insert("null pointer of a 32-bit address space");
  };
  for (const Function &function : *host.module)
    for (const Instruction &instruction : instructions(function)) {
      for (const Use &use : instruction.operands())
        if (auto *constant = dyn_cast<Constant>(use))
          check(*constant);
      // A resource's 128 bits exist only in its handle.
      if (isa<PtrToIntInst, IntToPtrInst>(instruction)) {
        const Type *from = instruction.getOperand(0)->getType();
        for (const Type *type : {from, (const Type *)instruction.getType()})
          if (type->isPointerTy() && type->getPointerAddressSpace() == 8)
            host.unsupported.insert("buffer resource as an integer");
      }
    }
}

// Address arithmetic must not change with the layout.
static void checkLayouts(HostModule &host, const DataLayout &layout) {
  std::set<const Type *> types;
  for (const Function &function : *host.module)
    for (const Instruction &instruction : instructions(function)) {
      if (auto *gep = dyn_cast<GetElementPtrInst>(&instruction))
        types.insert(gep->getSourceElementType());
      else if (auto *local = dyn_cast<AllocaInst>(&instruction))
        types.insert(local->getAllocatedType());
    }
  for (const GlobalVariable &global : host.module->globals())
    types.insert(global.getValueType());
  auto differs = [&](auto &self, Type *type) -> bool {
    if (!type->isSized() || type->isScalableTy())
      return true;
    if (layout.getTypeAllocSize(type) != host.gpuLayout.getTypeAllocSize(type))
      return true;
    if (auto *members = dyn_cast<StructType>(type)) {
      const StructLayout *here = layout.getStructLayout(members);
      const StructLayout *there = host.gpuLayout.getStructLayout(members);
      for (unsigned i = 0; i < members->getNumElements(); ++i)
        if (here->getElementOffset(i) != there->getElementOffset(i))
          return true;
    }
    if (auto *array = dyn_cast<ArrayType>(type))
      return self(self, array->getElementType());
    return false;
  };
  for (const Type *type : types)
    if (differs(differs, const_cast<Type *>(type))) {
      std::string text;
      raw_string_ostream(text) << *type;
      host.unsupported.insert("memory layout of " + text);
    }
}

void setHostLayout(HostModule &host, const Triple &triple,
                   const DataLayout &layout) {
  checkLayouts(host, layout);
  host.module->setDataLayout(layout);
  host.module->setTargetTriple(triple);
  // Flags of the GPU's ABI would be errors on the host.
  if (NamedMDNode *flags = host.module->getModuleFlagsMetadata())
    flags->eraseFromParent();
}

} // namespace lathe::host
