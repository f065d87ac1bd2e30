//===- InstructionSet.cpp - All that the simulator knows ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instruction.h"

using namespace lathe::sim;

void InstructionSet::add(llvm::StringRef name, Instruction instruction) {
  [[maybe_unused]] bool isNew =
      instructions.try_emplace(name, std::move(instruction)).second;
  assert(isNew && "two handlers for one instruction");
}

const Instruction *InstructionSet::find(llvm::StringRef name) const {
  auto it = instructions.find(name);
  return it == instructions.end() ? nullptr : &it->second;
}

// Each file of instructions adds its line here.
const InstructionSet &InstructionSet::get() {
  static const InstructionSet set = [] {
    InstructionSet all;
    addApproximateMath(all);
    addWarpInstructions(all);
    addBarriers(all);
    addMbarriers(all);
    addCpAsync(all);
    addClusters(all);
    addNvidiaAtomics(all);
    addSpecialRegisters(all);
    addNvidiaArithmetic(all);
    addNvidiaConversions(all);
    addNvidiaFloats(all);
    addNvidiaScalars(all);
    addPtx(all);
    addTma(all);
    addWgmma(all);
    addMma(all);
    addMatrixMoves(all);
    addAmdRegisters(all);
    addAmdWaits(all);
    addAmdBallot(all);
    addAmdCrossLane(all);
    addAmdBuffers(all);
    addAmdBufferAtomics(all);
    addAmdLdsDma(all);
    addAmdMfma(all);
    addAmdIntegers(all);
    addAmdMath(all);
    addAmdConversions(all);
    addAmdAssembly(all);
    return all;
  }();
  return set;
}
