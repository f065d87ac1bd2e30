//===- AsyncProducts.cpp - wgmma as LLVM IR holds it ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncProducts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;
using namespace lathe;

static const InlineAsm *assemblyOf(const CallBase &call) {
  return dyn_cast<InlineAsm>(call.getCalledOperand());
}

// Index of the output that each input is tied to, or -1.
static SmallVector<int> tiesOf(const InlineAsm &assembly) {
  SmallVector<int> ties;
  for (const InlineAsm::ConstraintInfo &info : assembly.ParseConstraints()) {
    if (info.Type != InlineAsm::isInput)
      continue;
    // A tied input's code is the number of its output.
    unsigned output;
    bool isTied = info.Codes.size() == 1 &&
                  !StringRef(info.Codes.front()).getAsInteger(10, output);
    ties.push_back(isTied ? int(output) : -1);
  }
  return ties;
}

// "$3, $4}" up to the brace: the numbers.
static SmallVector<unsigned> operandList(StringRef text) {
  SmallVector<unsigned> numbers;
  for (StringRef item :
       split(text.take_until([](char c) { return c == '}'; }), ',')) {
    unsigned number;
    item = item.trim();
    if (item.consume_front("$") && !item.getAsInteger(10, number))
      numbers.push_back(number);
  }
  return numbers;
}

std::optional<AsyncProduct> lathe::matchProduct(const CallBase &call) {
  const InlineAsm *assembly = assemblyOf(call);
  if (!assembly)
    return std::nullopt;
  StringRef text = assembly->getAsmString();
  constexpr StringRef opcode = "wgmma.mma_async.sync.aligned.";
  size_t at = text.find(opcode);
  if (at == StringRef::npos)
    return std::nullopt;
  AsyncProduct product;
  product.call = &call;
  text = text.drop_front(at + opcode.size());
  product.shape = text.take_until([](char c) { return isSpace(c); });
  SmallVector<int> ties = tiesOf(*assembly);
  for (auto [i, tie] : enumerate(ties))
    if (tie >= 0)
      product.accumulators.push_back(call.getArgOperand(i));
  // After the accumulator's braces: a descriptor, or the registers of A.
  StringRef rest = text.split('{').second.split('}').second.ltrim(" ,\n\t");
  unsigned outputs = 0;
  for (const InlineAsm::ConstraintInfo &info : assembly->ParseConstraints())
    outputs += info.Type == InlineAsm::isOutput;
  if (rest.consume_front("{"))
    for (unsigned number : operandList(rest))
      if (number >= outputs && number - outputs < call.arg_size())
        product.a.push_back(call.getArgOperand(number - outputs));
  return product;
}

static GroupEffect effectOfAssembly(StringRef text) {
  GroupEffect effect;
  effect.fence = text.contains("wgmma.fence");
  effect.commit = text.contains("wgmma.commit_group");
  constexpr StringRef opcode = "wgmma.wait_group.sync.aligned";
  size_t at = text.find(opcode);
  if (at == StringRef::npos)
    return effect;
  StringRef rest = text.drop_front(at + opcode.size()).ltrim();
  uint64_t pending;
  // What is not a literal may be anything: it covers nothing for sure.
  if (!rest.consumeInteger(10, pending))
    effect.wait = pending;
  return effect;
}

GroupEffect lathe::groupEffect(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  if (!call)
    return {};
  if (const InlineAsm *assembly = assemblyOf(*call))
    return effectOfAssembly(assembly->getAsmString());
  GroupEffect effect;
  switch (call->getIntrinsicID()) {
  case Intrinsic::nvvm_wgmma_fence_sync_aligned:
    effect.fence = true;
    break;
  case Intrinsic::nvvm_wgmma_commit_group_sync_aligned:
    effect.commit = true;
    break;
  case Intrinsic::nvvm_wgmma_wait_group_sync_aligned:
    if (auto *pending = dyn_cast<ConstantInt>(call->getArgOperand(0)))
      effect.wait = pending->getZExtValue();
    break;
  default:
    break;
  }
  return effect;
}

Pins lathe::findPins(const Function &function) {
  Pins pins;
  for (const BasicBlock &block : function)
    for (const Instruction &instruction : block) {
      if (isa<FreezeInst>(instruction))
        pins[&instruction] = instruction.getOperand(0);
      auto *call = dyn_cast<CallBase>(&instruction);
      const InlineAsm *assembly = call ? assemblyOf(*call) : nullptr;
      if (!assembly || !assembly->getAsmString().empty())
        continue;
      DenseMap<unsigned, const Value *> inputs; // by output
      for (auto [i, tie] : enumerate(tiesOf(*assembly)))
        if (tie >= 0)
          inputs[tie] = call->getArgOperand(i);
      if (!call->getType()->isStructTy() && inputs.contains(0))
        pins[call] = inputs[0];
      for (const User *user : call->users())
        if (auto *part = dyn_cast<ExtractValueInst>(user))
          if (const Value *input = inputs.lookup(part->getIndices().front()))
            pins[part] = input;
    }
  return pins;
}
