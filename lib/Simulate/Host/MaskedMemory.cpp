//===- MaskedMemory.cpp - Masked accesses to one access per lane ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostModule.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/ScalarizeMaskedMemIntrin.h"

using namespace llvm;

namespace lathe::host {

static bool isMasked(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call)
    return false;
  switch (call->getIntrinsicID()) {
  case Intrinsic::masked_load:
  case Intrinsic::masked_store:
  case Intrinsic::masked_gather:
  case Intrinsic::masked_scatter:
  case Intrinsic::masked_expandload:
  case Intrinsic::masked_compressstore:
    return true;
  default:
    return false;
  }
}

// Both backends do the same before they select instructions.
void lowerMaskedMemory(HostModule &host) {
  SmallVector<Function *> functions;
  for (Function &function : *host.module)
    if (any_of(instructions(function), isMasked))
      functions.push_back(&function);
  if (functions.empty())
    return;
  PassBuilder builder;
  LoopAnalysisManager loops;
  FunctionAnalysisManager analyses;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(analyses);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, analyses, sccs, modules);
  for (Function *function : functions)
    ScalarizeMaskedMemIntrinPass().run(*function, analyses);
}

} // namespace lathe::host
