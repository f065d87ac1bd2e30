//===- FinishModule.cpp - A module that the host can compile --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostModule.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"

using namespace llvm;

namespace lathe::host {

FunctionCallee HostModule::runtime(StringRef name, Type *result,
                                   ArrayRef<Type *> parameters) {
  return module->getOrInsertFunction(
      name, FunctionType::get(result, parameters, /*isVarArg=*/false));
}

BasicBlock::iterator HostModule::entryPoint(Function &function) {
  BasicBlock &entry = function.getEntryBlock();
  auto it = entry.getFirstInsertionPt();
  while (it != entry.end() && isa<AllocaInst>(&*it))
    ++it;
  return it;
}

// Attributes speak of another machine, or promise what is no longer true: a
// call may switch fibers, memory is written by hooks' handlers.
static void dropAttributes(HostModule &host) {
  SmallVector<Function *> dead;
  for (Function &function : *host.module) {
    function.clearMetadata();
    function.setComdat(nullptr);
    if (function.isDeclaration()) {
      if (function.use_empty())
        dead.push_back(&function);
      continue;
    }
    function.setAttributes({});
    function.setCallingConv(CallingConv::C);
    function.setLinkage(GlobalValue::InternalLinkage);
    function.setVisibility(GlobalValue::DefaultVisibility);
    function.setSection("");
    for (Instruction &instruction : instructions(function)) {
      instruction.dropUnknownNonDebugMetadata();
      auto *call = dyn_cast<CallInst>(&instruction);
      if (!call || isa<IntrinsicInst>(call))
        continue;
      bool noReturn = call->doesNotReturn();
      call->setAttributes({});
      call->setCallingConv(CallingConv::C);
      call->setTailCallKind(CallInst::TCK_None);
      if (noReturn)
        call->setDoesNotReturn();
    }
  }
  for (Function *function : dead)
    function->eraseFromParent();
}

// AMD's null of 32-bit address spaces is all ones, and casts convert it.
static void checkPointers(HostModule &host) {
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

/// void lathe_sim_entry(void **arguments)
static void addEntry(HostModule &host) {
  Function *entry = Function::Create(
      FunctionType::get(Type::getVoidTy(*host.context), {host.ptr()}, false),
      GlobalValue::ExternalLinkage, entryName, *host.module);
  IRBuilder<> builder(BasicBlock::Create(*host.context, "", entry));
  SmallVector<Value *> values;
  for (auto [i, argument] : enumerate(host.kernel->args())) {
    Value *address = builder.CreateLoad(
        host.ptr(),
        builder.CreateConstGEP1_32(host.ptr(), entry->getArg(0), i));
    if (argument.hasPassPointeeByValueCopyAttr() || argument.hasByRefAttr())
      values.push_back(
          builder.CreateAddrSpaceCast(address, argument.getType()));
    else
      values.push_back(
          builder.CreateAlignedLoad(argument.getType(), address, Align(1)));
  }
  builder.CreateCall(host.kernel->getFunctionType(), host.kernel, values);
  builder.CreateRetVoid();
}

static void readParameters(HostModule &host) {
  constexpr uint64_t tensorMapBytes = 128;
  for (const Argument &argument : host.kernel->args()) {
    sim::ParameterInfo info;
    if (Type *pointee = argument.getPointeeInMemoryValueType()) {
      info.bytes = host.gpuLayout.getTypeAllocSize(pointee);
      info.tensorMap = info.bytes == tensorMapBytes && !host.program->isAmd;
    } else {
      Type *type = argument.getType();
      info.bytes = host.gpuLayout.getTypeStoreSize(type);
      info.pointer = type->isPointerTy();
      if (info.pointer && info.bytes != 8)
        host.unsupported.insert("kernel parameter that is a pointer of " +
                                std::to_string(info.bytes * 8) + " bits");
    }
    host.program->parameters.push_back(info);
  }
}

Error finishModule(HostModule &host) {
  Module &module = *host.module;
  if (module.getFunction(entryName))
    return createStringError("found a function '" + entryName +
                             "' in the module, expected none");
  checkPointers(host);
  readParameters(host);
  addEntry(host);
  Function *entry = module.getFunction(entryName);
  StripDebugInfo(module);
  dropAttributes(host);
  entry->setLinkage(GlobalValue::ExternalLinkage);
  return Error::success();
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
