//===- Order.cpp - Clocks of agents and what orders them ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineState.h"

using namespace lathe::sim;

unsigned Machine::agentOf(Block &block, AsyncUnit unit, unsigned index) {
  return block.state->owner->agentOf(block.rank, unit, index);
}

Epoch Machine::tick(Block &block, unsigned agent) {
  Cluster &cluster = *block.state->owner;
  uint32_t &clock = cluster.unitClocks[agent - cluster.warps.size()];
  ++clock;
  cluster.latest = std::max(cluster.latest, clock);
  return {agent, clock};
}

Epoch Machine::numbered(Block &block, unsigned agent, uint32_t number) {
  Cluster &cluster = *block.state->owner;
  uint32_t clock = cluster.base + number;
  cluster.latest = std::max(cluster.latest, clock);
  return {agent, clock};
}

void Machine::tick(Warp &warp) {
  Cluster &cluster = *warp.block->state->owner;
  uint32_t clock = ++warp.state->clock;
  cluster.latest = std::max(cluster.latest, clock);
  warp.knowledge.seen.raise(warp.agent, clock);
}

void Machine::release(Warp &warp, Knowledge &into) {
  into.join(warp.knowledge);
  tick(warp);
}

void Machine::acquire(Warp &warp, const Knowledge &from) {
  warp.knowledge.join(from);
  ++warp.state->syncs;
}

void Machine::finished(Thread &thread, Epoch epoch) {
  finished(*thread.warp, epoch);
  Warp::State &warp = *thread.warp->state;
  auto *wait = llvm::find_if(warp.waits, [&](const LaneWait &wait) {
    return wait.agent == epoch.agent && wait.lane == thread.lane;
  });
  if (wait == warp.waits.end()) {
    warp.waits.emplace_back();
    wait = &warp.waits.back();
    wait->agent = epoch.agent;
    wait->lane = thread.lane;
  }
  if (wait->syncs != warp.syncs)
    wait->before = wait->upTo;
  wait->syncs = warp.syncs;
  wait->upTo = std::max(wait->upTo, epoch.clock);
}

uint32_t Machine::lanesMet(const Thread &thread) const {
  return thread.warp->state->syncs;
}

void Machine::fenceProxy(Warp &warp) {
  warp.knowledge.proxied.join(warp.knowledge.seen);
  tick(warp);
}

void Machine::fenceGlobal(Thread &thread) {
  Warp &warp = *thread.warp;
  warp.knowledge.fenced.join(warp.knowledge.seen);
  tick(warp);
}

void Machine::acquireAt(Thread &thread, uint64_t address) {
  Warp &warp = *thread.warp;
  if (state->shared.locations.acquire(
          address, thread.block->state->owner->number, warp.knowledge))
    ++warp.state->syncs;
}

void Machine::releaseAt(Thread &thread, uint64_t address) {
  Warp &warp = *thread.warp;
  state->shared.locations.release(address, thread.block->state->owner->number,
                                  warp.knowledge.seen, warp.knowledge.foreign);
  tick(warp);
}

void Machine::State::releaseFenced(Thread &thread, uint64_t address) {
  const Knowledge &known = thread.warp->knowledge;
  if (known.fenced.size())
    shared.locations.release(address, thread.block->state->owner->number,
                             known.fenced, known.foreign);
}
