//===- Space.cpp - Kinds of addresses, blocks of a cluster ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Space.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace lathe::sim {

namespace {

constexpr uint32_t registersOfBlock = 65536, registersOfThread = 255;

struct Registers {
  std::vector<uint32_t> perThread; ///< by warp; empty before the first change
  uint32_t free = 0;
  SmallVector<Thread *, 8> waiters;
};

Block &sharedBlock(Thread &thread, const Site &site, uint64_t address) {
  Block *block = thread.machine->blockOf(address);
  if (!block)
    thread.machine->abort(
        FaultKind::InvalidOperand, &thread, site,
        formatv("expected an address of shared memory, found {0:x}", address)
            .str());
  return *block;
}

/// At a launch each thread has the same number, a multiple of 8.
void begin(Block &block, Registers &registers) {
  uint32_t warps = block.warps.size();
  uint32_t each = std::min(registersOfBlock / (warps * 32), registersOfThread);
  each = each / 8 * 8;
  registers.perThread.assign(warps, each);
  registers.free = 0;
}

} // namespace

uint64_t mapAddress(Thread &thread, const Site &site, uint64_t address,
                    uint64_t rank) {
  Block &block = sharedBlock(thread, site, address);
  ArrayRef<Block *> cluster = thread.block->cluster;
  if (rank >= cluster.size())
    thread.machine->abort(FaultKind::InvalidOperand, &thread, site,
                          "cluster rank is " + Twine(rank) +
                              ", the cluster has " + Twine(cluster.size()) +
                              " blocks");
  return reinterpret_cast<uint64_t>(cluster[rank]->arena) + address -
         reinterpret_cast<uint64_t>(block.arena);
}

uint32_t blockRank(Thread &thread, const Site &site, uint64_t address) {
  return sharedBlock(thread, site, address).rank;
}

bool isInSpace(Thread &thread, Space space, uint64_t address) {
  Machine &machine = *thread.machine;
  Block *owner = machine.blockOf(address);
  // Of what is no arena, only the stacks of threads lie in the low 4 GiB.
  bool local = !owner && address < uint64_t(1) << 32 &&
               machine.resolve(thread, address, 1);
  switch (space) {
  case Space::Constant:
    return false;
  case Space::Global:
    return !owner && !local;
  case Space::Local:
    return local;
  case Space::Shared:
    return owner == thread.block;
  case Space::SharedCluster:
    return owner && is_contained(thread.block->cluster, owner);
  }
  return false;
}

void setMaxRegisters(Thread &thread, const Site &site, uint64_t count) {
  Machine &machine = *thread.machine;
  if (count < 24 || count > 256 || count % 8)
    machine.abort(FaultKind::InvalidOperand, &thread, site,
                  "register count is " + Twine(count) +
                      ", expected a multiple of 8 from 24 to 256");
  Block &block = *thread.block;
  Registers &registers = blockState<Registers>(block);
  Call call{thread, site, nullptr, nullptr};
  meetWarp(call, [](LaneCalls &) {});
  if (registers.perThread.empty())
    begin(block, registers);
  uint32_t &held = registers.perThread[thread.warp->index];
  while (held < count && count - held > registers.free) {
    registers.waiters.push_back(&thread);
    thread.wait(site, "registers of setmaxnreg");
  }
  // The first lane to get here takes or gives for the warp.
  registers.free += held;
  registers.free -= uint32_t(count);
  held = uint32_t(count);
  for (Thread *waiter : registers.waiters)
    machine.wake(*waiter);
  registers.waiters.clear();
}

} // namespace lathe::sim
