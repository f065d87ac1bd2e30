//===- LowerGlobals.cpp - Shared variables to offsets in an arena ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostModule.h"

#include "../Machine.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace lathe::host {

static constexpr unsigned sharedSpace = 3;

static uint64_t alignOf(const HostModule &host, const GlobalVariable &global) {
  return global.getAlign()
      .value_or(host.gpuLayout.getABITypeAlign(global.getValueType()))
      .value();
}

/// Offsets in the arena: static variables first, in the module's order; all
/// dynamic ones (external arrays of no elements) begin at the same place.
static DenseMap<GlobalVariable *, uint64_t>
assignOffsets(HostModule &host, ArrayRef<GlobalVariable *> shared) {
  DenseMap<GlobalVariable *, uint64_t> offsets;
  Program &program = *host.program;
  SmallVector<GlobalVariable *> dynamic;
  uint64_t end = 0;
  for (GlobalVariable *global : shared) {
    if (global->isDeclaration()) {
      auto *array = dyn_cast<ArrayType>(global->getValueType());
      if (!array || array->getNumElements() != 0)
        host.unsupported.insert("external shared variable " +
                                global->getName().str());
      dynamic.push_back(global);
      program.dynamicAlign =
          std::max(program.dynamicAlign, alignOf(host, *global));
      continue;
    }
    if (!isa<UndefValue>(global->getInitializer()))
      host.unsupported.insert("initializer of shared variable " +
                              global->getName().str());
    end = alignTo(end, alignOf(host, *global));
    offsets[global] = end;
    uint64_t bytes = host.gpuLayout.getTypeAllocSize(global->getValueType());
    end = bytes > sim::arenaBytes ? sim::arenaBytes + 1 : end + bytes;
    if (end > sim::arenaBytes) {
      host.unsupported.insert("shared variables of more than " +
                              std::to_string(sim::arenaBytes) + " bytes");
      end = 0;
    }
  }
  program.staticShared = end;
  for (GlobalVariable *global : dynamic)
    offsets[global] = alignTo(end, program.dynamicAlign);
  return offsets;
}

/// Replaces each use by an address that the function computes at its start.
static void replaceShared(HostModule &host, GlobalVariable &global,
                          uint64_t offset) {
  DenseMap<Function *, Value *> addresses;
  SmallVector<Use *> uses;
  for (Use &use : global.uses())
    uses.push_back(&use);
  for (Use *use : uses) {
    auto *user = dyn_cast<Instruction>(use->getUser());
    if (!user) {
      host.unsupported.insert("use of shared variable " +
                              global.getName().str() + " in a constant");
      continue;
    }
    Function *function = user->getFunction();
    Value *&address = addresses[function];
    if (!address) {
      IRBuilder<> builder(&function->getEntryBlock(),
                          host.entryPoint(*function));
      Value *arena =
          builder.CreateCall(host.runtime("lathe_sim_arena", host.i64(), {}));
      address = builder.CreateIntToPtr(
          builder.CreateAdd(arena, builder.getInt64(offset)), global.getType());
    }
    use->set(address);
  }
}

// Constant tables stay: the machine learns where they are after linking.
static void keepConstants(HostModule &host) {
  for (GlobalVariable &global : host.module->globals()) {
    if (global.getAddressSpace() == sharedSpace)
      continue;
    if (global.isDeclaration())
      host.unsupported.insert("external variable " + global.getName().str());
    else if (!global.isConstant())
      host.unsupported.insert("variable " + global.getName().str() +
                              " that outlives a launch");
    // A symbol that can be looked up, and that hides none of the host's.
    global.setLinkage(GlobalValue::ExternalLinkage);
    global.setVisibility(GlobalValue::DefaultVisibility);
    global.setDSOLocal(true);
    global.setComdat(nullptr);
    global.setSection("");
    global.setName("lathe_constant_" + Twine(host.constants.size()));
    host.constants.push_back(
        {global.getName().str(),
         host.gpuLayout.getTypeAllocSize(global.getValueType())});
  }
}

void lowerGlobals(HostModule &host) {
  Module &module = *host.module;
  removeFromUsedLists(module, [](Constant *) { return true; });
  for (StringRef name : {"llvm.global_ctors", "llvm.global_dtors"})
    if (GlobalVariable *list = module.getNamedGlobal(name)) {
      host.unsupported.insert(name.str());
      list->eraseFromParent();
    }
  SmallVector<GlobalVariable *> shared;
  SmallVector<Constant *> constants;
  for (GlobalVariable &global : module.globals())
    if (global.getAddressSpace() == sharedSpace) {
      shared.push_back(&global);
      constants.push_back(&global);
    }
  convertUsersOfConstantsToInstructions(constants);
  for (auto &[global, offset] : assignOffsets(host, shared))
    replaceShared(host, *global, offset);
  for (GlobalVariable *global : shared)
    if (global->use_empty())
      global->eraseFromParent();
  keepConstants(host);
}

} // namespace lathe::host
