//===- DescribeSites.cpp - What reports will name -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostModule.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ModuleSlotTracker.h"

using namespace llvm;

namespace lathe::host {

static constexpr size_t textLimit = 200;

// One line, without metadata; long ones (wgmma has hundreds of operands) are
// cut in the middle.
static std::string printed(const Instruction &instruction,
                           ModuleSlotTracker &slots) {
  std::string text;
  raw_string_ostream stream(text);
  instruction.print(stream, slots);
  StringRef line = StringRef(text).trim();
  for (StringRef metadata : {", !", " !dbg"})
    line = line.substr(0, line.find(metadata));
  if (line.size() <= textLimit)
    return line.str();
  return (line.take_front(textLimit * 3 / 4) + " ... " +
          line.take_back(textLimit / 4 - 5))
      .str();
}

static std::string locationOf(const Instruction &instruction) {
  const DebugLoc &location = instruction.getDebugLoc();
  if (!location)
    return "";
  return (location->getFilename() + ":" + Twine(location.getLine()) + ":" +
          Twine(location.getCol()))
      .str();
}

static bool isDivision(const Instruction &instruction) {
  unsigned opcode = instruction.getOpcode();
  return opcode == Instruction::SDiv || opcode == Instruction::UDiv ||
         opcode == Instruction::SRem || opcode == Instruction::URem;
}

/// The list that the instruction belongs to, or null.
static std::vector<WorkItem> *listFor(HostModule &host,
                                      Instruction &instruction) {
  if (isa<LoadInst, StoreInst, AtomicRMWInst, AtomicCmpXchgInst>(instruction))
    return &host.accesses;
  if (isa<FenceInst>(instruction))
    return &host.fences;
  if (isa<UnreachableInst>(instruction))
    return &host.traps;
  if (isDivision(instruction))
    return &host.divisions;
  if (isa<DbgInfoIntrinsic>(instruction))
    return nullptr;
  if (isa<CallInst>(instruction))
    return &host.calls;
  return nullptr;
}

void describeSites(HostModule &host) {
  ModuleSlotTracker slots(host.module.get());
  std::vector<Site> &sites = host.program->sites;
  for (Function &function : *host.module) {
    if (function.isDeclaration())
      continue;
    slots.incorporateFunction(function);
    for (BasicBlock &block : function) {
      uint32_t count = 0;
      for (Instruction &instruction : block) {
        count += !isa<PHINode, DbgInfoIntrinsic>(instruction);
        if (auto *local = dyn_cast<AllocaInst>(&instruction))
          host.locals.push_back(local);
        std::vector<WorkItem> *list = listFor(host, instruction);
        if (!list)
          continue;
        Site site;
        site.id = sites.size();
        site.name = instruction.getOpcodeName();
        site.text = printed(instruction, slots);
        site.location = locationOf(instruction);
        site.isAmd = host.program->isAmd;
        site.arch = host.program->arch;
        list->push_back({&instruction, site.id});
        sites.push_back(std::move(site));
      }
      host.blocks.push_back({&block, count});
    }
    for (auto scc = scc_begin(&function); !scc.isAtEnd(); ++scc)
      if (scc.hasCycle())
        host.inLoop.insert(scc->begin(), scc->end());
  }
}

} // namespace lathe::host
