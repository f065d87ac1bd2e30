//===- Registers.cpp - What an AMD wave is told at its start --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Program.h"
#include "Site.h"

using namespace lathe::sim;
using namespace lathe::sim::amd;

namespace {

//===----------------------------------------------------------------------===//
// Hidden arguments
//===----------------------------------------------------------------------===//

/// The start of the implicit arguments (AMDGPU usage, code object 5); reading
/// what lies beyond is out of bounds.
struct HiddenArguments {
  uint32_t blockCount[3];
  uint16_t groupSize[3];
  uint16_t remainder[3]; ///< threads of a last, partial block
};
static_assert(sizeof(HiddenArguments) == 24);

/// The start of an HSA kernel dispatch packet.
struct DispatchPacket {
  uint16_t header, setup;
  uint16_t groupSize[3];
  uint16_t reserved;
  uint32_t gridSize[3]; ///< in threads
};
static_assert(sizeof(DispatchPacket) == 24);

void runImplicitArguments(Call &call) {
  Machine &machine = *call.thread.machine;
  Dim3 grid = machine.gridDim(), block = machine.blockDim();
  HiddenArguments hidden = {
      {grid.x, grid.y, grid.z},
      {uint16_t(block.x), uint16_t(block.y), uint16_t(block.z)},
      {0, 0, 0}};
  call.setInteger(
      machine.constant("hidden arguments", &hidden, sizeof(hidden)));
}

void runDispatchPacket(Call &call) {
  Machine &machine = *call.thread.machine;
  Dim3 grid = machine.gridDim(), block = machine.blockDim();
  DispatchPacket packet = {};
  packet.setup = 3; // dimensions
  packet.groupSize[0] = uint16_t(block.x);
  packet.groupSize[1] = uint16_t(block.y);
  packet.groupSize[2] = uint16_t(block.z);
  packet.gridSize[0] = grid.x * block.x;
  packet.gridSize[1] = grid.y * block.y;
  packet.gridSize[2] = grid.z * block.z;
  call.setInteger(machine.constant("dispatch packet", &packet, sizeof(packet)));
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

template <uint32_t Dim3::*axis> void runWorkitemId(Call &call) {
  call.setInteger(call.thread.id.*axis);
}
template <uint32_t Dim3::*axis> void runWorkgroupId(Call &call) {
  call.setInteger(call.thread.block->id.*axis);
}

void runWavefrontSize(Call &call) {
  call.setInteger(call.thread.machine->warpSize());
}

void runStaticSize(Call &call) {
  call.setInteger(call.thread.machine->program().staticShared);
}

void runTime(Call &call) { call.setInteger(call.thread.machine->time()); }

void runIsShared(Call &call) {
  call.setInteger(call.thread.machine->isShared(call.integer(0)));
}

// Blocks go round robin to the eight accelerator dies of an MI300X (MI300 ISA
// guide, HW_REG_XCC_ID; AMD CDNA 3 white paper).
void runGetRegister(Call &call) {
  constexpr unsigned dies = 8;
  uint64_t operand = call.site.operands[0].constant;
  unsigned offset = (operand >> 6) & 31, size = ((operand >> 11) & 31) + 1;
  uint64_t value = (call.thread.block->linear % dies) >> offset;
  call.setInteger(value & ((uint64_t(1) << size) - 1));
}

Prepared prepareGetRegister(const Site &site) {
  constexpr unsigned xccId = 20;
  unsigned id = site.operands[0].constant & 63;
  if (id != xccId || site.arch == "gfx90a")
    return llvm::createStringError("hardware register %u", id);
  return nullptr;
}

void runEnd(Call &call) { call.thread.exit(); }

} // namespace

void lathe::sim::addAmdRegisters(InstructionSet &set) {
  set.add("llvm.amdgcn.workitem.id.x", runWorkitemId<&Dim3::x>);
  set.add("llvm.amdgcn.workitem.id.y", runWorkitemId<&Dim3::y>);
  set.add("llvm.amdgcn.workitem.id.z", runWorkitemId<&Dim3::z>);
  set.add("llvm.amdgcn.workgroup.id.x", runWorkgroupId<&Dim3::x>);
  set.add("llvm.amdgcn.workgroup.id.y", runWorkgroupId<&Dim3::y>);
  set.add("llvm.amdgcn.workgroup.id.z", runWorkgroupId<&Dim3::z>);
  set.add("llvm.amdgcn.implicitarg.ptr", runImplicitArguments);
  set.add("llvm.amdgcn.dispatch.ptr", runDispatchPacket);
  set.add("llvm.amdgcn.wavefrontsize", runWavefrontSize);
  set.add("llvm.amdgcn.groupstaticsize", runStaticSize);
  set.add("llvm.amdgcn.s.memtime", runTime);
  set.add("llvm.amdgcn.s.memrealtime", runTime);
  set.add("llvm.amdgcn.is.shared", runIsShared);
  set.add("llvm.amdgcn.s.getreg", {runGetRegister, prepareGetRegister});
  set.add("llvm.amdgcn.endpgm", runEnd);
}
