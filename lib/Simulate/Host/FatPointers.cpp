//===- FatPointers.cpp - AMD buffer pointers of 160 bits ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostModule.h"

#include "llvm-c/Target.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace llvm;

namespace lathe::host {

static bool hasFatPointers(const Module &module) {
  auto isFat = [](const Type *type) {
    auto *pointer = dyn_cast<PointerType>(type->getScalarType());
    return pointer && pointer->getAddressSpace() == 7;
  };
  for (const Function &function : module) {
    if (any_of(function.args(), [&](const Argument &argument) {
          return isFat(argument.getType());
        }))
      return true;
    for (const Instruction &instruction : instructions(function))
      if (isFat(instruction.getType()))
        return true;
  }
  return false;
}

Error lowerFatPointers(HostModule &host) {
  if (!host.program->isAmd || !hasFatPointers(*host.module))
    return Error::success();
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
  });
  std::string message;
  const Triple &triple = host.module->getTargetTriple();
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return createStringError(message);
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, host.program->arch, "", TargetOptions(), std::nullopt));
  if (!machine)
    return createStringError("LLVM cannot generate code for " + triple.str());
  PassBuilder builder(machine.get());
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  ModulePassManager passes;
  if (Error error =
          builder.parsePassPipeline(passes, "amdgpu-lower-buffer-fat-pointers"))
    return error;
  passes.run(*host.module, modules);
  // The pass clones functions whose arguments change type.
  host.kernel = host.module->getFunction(host.program->symbol);
  std::string text;
  raw_string_ostream stream(text);
  if (!host.kernel || verifyModule(*host.module, &stream))
    return createStringError("invalid module after lowering buffer pointers: " +
                             StringRef(text).rtrim());
  return Error::success();
}

} // namespace lathe::host
