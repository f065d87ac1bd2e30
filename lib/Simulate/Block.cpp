//===- Block.cpp - Clusters, blocks, warps and threads --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineState.h"

#include "llvm/ADT/Twine.h"

#include <cstring>

using namespace lathe::sim;

namespace {

Dim3 delinearize(uint64_t linear, const std::array<uint32_t, 3> &shape) {
  Dim3 at;
  at.x = linear % shape[0];
  at.y = linear / shape[0] % shape[1];
  at.z = linear / shape[0] / shape[1];
  return at;
}

/// Everything but the place in the grid, which changes with each tenant.
std::unique_ptr<Cluster> makeCluster(Machine::State &state) {
  const Launch &launch = state.shared.launch;
  auto cluster = std::make_unique<Cluster>();
  unsigned numBlocks = state.shared.clusterBlocks;
  unsigned perBlock = launch.block[0] * launch.block[1] * launch.block[2];
  unsigned warpSize = state.shared.program.warpSize;
  unsigned warpsPerBlock = (perBlock + warpSize - 1) / warpSize;
  Cluster &c = *cluster;
  c.blocks.resize(numBlocks);
  c.blockStates = std::vector<Block::State>(numBlocks);
  c.warps.resize(numBlocks * warpsPerBlock);
  c.warpStates = std::vector<Warp::State>(c.warps.size());
  c.threads.resize(size_t(numBlocks) * perBlock);
  c.threadStates = std::vector<Thread::State>(c.threads.size());
  for (Block &block : c.blocks)
    c.blockPointers.push_back(&block);
  for (Warp &warp : c.warps)
    c.warpPointers.push_back(&warp);
  for (Thread &thread : c.threads)
    c.threadPointers.push_back(&thread);
  c.arenas = takeArenas(numBlocks);

  for (unsigned rank = 0; rank < numBlocks; ++rank) {
    Block &block = c.blocks[rank];
    block.machine = &state.machine;
    block.rank = rank;
    block.cluster = c.blockPointers;
    block.arena = c.arenas + rank * arenaBytes;
    block.sharedBytes = state.shared.sharedBytes;
    block.warps = llvm::ArrayRef(c.warpPointers)
                      .slice(rank * warpsPerBlock, warpsPerBlock);
    block.threads =
        llvm::ArrayRef(c.threadPointers).slice(rank * perBlock, perBlock);
    block.state = &c.blockStates[rank];
    block.state->owner = cluster.get();
    block.state->warpgroups.resize((warpsPerBlock + 3) / 4);
    for (unsigned w = 0; w < warpsPerBlock; ++w) {
      Warp &warp = *block.warps[w];
      warp.block = &block;
      warp.index = w;
      warp.agent = rank * warpsPerBlock + w;
      warp.lanes = block.threads.slice(
          w * warpSize, std::min(warpSize, perBlock - w * warpSize));
      warp.state = &c.warpStates[rank * warpsPerBlock + w];
    }
    for (unsigned t = 0; t < perBlock; ++t) {
      Thread &thread = *block.threads[t];
      thread.machine = &state.machine;
      thread.block = &block;
      thread.index = t;
      thread.id = delinearize(t, launch.block);
      thread.warp = block.warps[t / warpSize];
      thread.lane = t % warpSize;
      thread.state = &c.threadStates[size_t(rank) * perBlock + t];
      thread.state->stack = takeStack();
    }
  }
  return cluster;
}

} // namespace

void Machine::State::start(uint64_t position) {
  std::unique_ptr<Cluster> cluster;
  if (spare.empty()) {
    cluster = makeCluster(*this);
  } else {
    cluster = std::move(spare.back());
    spare.pop_back();
  }
  Cluster &c = *cluster;
  const Launch &launch = shared.launch;
  const std::array<uint32_t, 3> &shape = launch.cluster;
  std::array<uint32_t, 3> inClusters = {launch.grid[0] / shape[0],
                                        launch.grid[1] / shape[1],
                                        launch.grid[2] / shape[2]};
  if (live.empty())
    seed(position);
  c.position = position;
  c.number = shared.clusters[position];
  c.alive = c.threads.size();
  c.cursor = 0;
  c.units.clear();
  c.unitClocks.clear();
  Dim3 at = delinearize(c.number, inClusters);

  // Half of the clocks are left for one tenant.
  if (c.latest > uint32_t(1) << 31) {
    for (Block::State &block : c.blockStates)
      block.shadow.clear();
    c.latest = 0;
  }
  c.base = c.latest;
  c.latest = c.base + 1;

  for (Block &block : c.blocks) {
    Dim3 inside = delinearize(block.rank, shape);
    block.id = {at.x * shape[0] + inside.x, at.y * shape[1] + inside.y,
                at.z * shape[2] + inside.z};
    block.linear =
        (uint64_t(block.id.z) * launch.grid[1] + block.id.y) * launch.grid[0] +
        block.id.x;
    std::memset(block.arena, 0xFF, block.sharedBytes);
    if (shared.options.checkOrder)
      block.state->shadow.reset(block.sharedBytes, shared.program.granule,
                                c.base);
    block.state->table.clear();
    block.state->exitListeners.clear();
    block.state->visits.clear();
    block.state->atEnd = Knowledge();
    for (WarpgroupMeeting &meeting : block.state->warpgroups)
      meeting = WarpgroupMeeting();
    arenaOwner[reinterpret_cast<uint64_t>(block.arena) / arenaBytes] = &block;
    for (Warp *warp : block.warps) {
      warp->exited = 0;
      warp->knowledge = Knowledge();
      *warp->state = Warp::State();
      warp->state->clock = c.base + 1;
      warp->state->runnable = warp->lanes.size();
      warp->knowledge.seen.raise(warp->agent, warp->state->clock);
    }
    for (Thread *thread : block.threads) {
      Thread::State &fiber = *thread->state;
      fiber.blocked = fiber.ended = fiber.yielded = false;
      fiber.site = nullptr;
      fiber.locals.clear();
      startFiber(*thread);
      ready.push(thread);
    }
  }
  report.blocksRun += c.blocks.size();
  live.push_back(std::move(cluster));
}

void Machine::State::finish(Cluster &cluster) {
  for (Block &block : cluster.blocks) {
    arenaOwner[reinterpret_cast<uint64_t>(block.arena) / arenaBytes] = nullptr;
    block.state->table.clear();
    for (Warp *warp : block.warps) {
      if (shared.options.statistics)
        statistics.finish(*warp);
      warp->state->table.clear();
    }
  }
  auto it = std::find_if(live.begin(), live.end(),
                         [&](auto &each) { return each.get() == &cluster; });
  spare.push_back(std::move(*it));
  live.erase(it);
}

//===----------------------------------------------------------------------===//
// State of instructions
//===----------------------------------------------------------------------===//

static void *stateIn(StateTable &table, const void *key, void *(*make)(),
                     void (*destroy)(void *)) {
  for (auto &[owner, state] : table)
    if (owner == key)
      return state.get();
  table.emplace_back(key, OwnedState(make(), destroy));
  return table.back().second.get();
}

void *lathe::sim::stateOf(Block &block, const void *key, void *(*make)(),
                          void (*destroy)(void *)) {
  return stateIn(block.state->table, key, make, destroy);
}

void *lathe::sim::stateOf(Warp &warp, const void *key, void *(*make)(),
                          void (*destroy)(void *)) {
  return stateIn(warp.state->table, key, make, destroy);
}

//===----------------------------------------------------------------------===//
// Agents
//===----------------------------------------------------------------------===//

unsigned Cluster::agentOf(unsigned rank, AsyncUnit unit, unsigned index) {
  // Longer than any pipeline of loads: a slot is taken again long after its
  // last load was waited for.
  constexpr unsigned ringSlots = 32;
  unsigned slot = unit == AsyncUnit::TmaLoad ? cursor++ % ringSlots : 0;
  for (unsigned i = 0; i < units.size(); ++i) {
    const Unit &known = units[i];
    if (known.rank == rank && known.unit == unit && known.index == index &&
        known.slot == slot)
      return warps.size() + i;
  }
  units.push_back({rank, unit, index, slot});
  unitClocks.push_back(base);
  return warps.size() + units.size() - 1;
}

std::string Cluster::agentName(unsigned agent) const {
  unsigned warpsPerBlock = warps.size() / blocks.size();
  bool isAmd = blocks[0].machine->isAmd();
  std::string name;
  unsigned rank;
  if (agent < warps.size()) {
    rank = agent / warpsPerBlock;
    name = ((isAmd ? "wave " : "warp ") + llvm::Twine(agent % warpsPerBlock))
               .str();
  } else {
    const Unit &unit = units[agent - warps.size()];
    rank = unit.rank;
    switch (unit.unit) {
    case AsyncUnit::TmaLoad:
      name = "TMA load";
      break;
    case AsyncUnit::TmaStore:
      name = ("TMA store of warp " + llvm::Twine(unit.index)).str();
      break;
    case AsyncUnit::Wgmma:
      name = ("wgmma of warpgroup " + llvm::Twine(unit.index)).str();
      break;
    case AsyncUnit::CpAsync:
      name = ("cp.async of warp " + llvm::Twine(unit.index)).str();
      break;
    case AsyncUnit::LdsDma:
      name = ("LDS load of wave " + llvm::Twine(unit.index)).str();
      break;
    }
  }
  if (blocks.size() > 1)
    name += (" of block rank " + llvm::Twine(rank)).str();
  return name;
}
