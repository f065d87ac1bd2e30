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
  readParameters(host);
  addEntry(host);
  Function *entry = module.getFunction(entryName);
  StripDebugInfo(module);
  dropAttributes(host);
  entry->setLinkage(GlobalValue::ExternalLinkage);
  return Error::success();
}

} // namespace lathe::host
