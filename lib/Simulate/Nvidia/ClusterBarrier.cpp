//===- ClusterBarrier.cpp - The barrier of a cluster ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Barrier.h"

#include "Mbarrier.h"

#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace lathe::sim {

namespace {

/// Kept by the block of rank 0.
struct ClusterBarrier {
  uint64_t phase = 0, arrived = 0, exited = 0; ///< threads
  Knowledge arriving, published;
  SmallVector<Thread *, 32> waiters;
  bool listens = false;
};

/// Of a warp: the phase that each lane arrived in, plus one; 0 after its wait.
struct ClusterLanes {
  std::array<uint64_t, 64> arrived = {};
};

void completeIfFull(Thread &thread, ClusterBarrier &barrier) {
  uint64_t live = 0;
  for (Block *block : thread.block->cluster)
    live += block->threads.size();
  live -= barrier.exited;
  if (barrier.arrived == 0 || barrier.arrived < live)
    return;
  ++barrier.phase;
  barrier.arrived = 0;
  barrier.published = std::move(barrier.arriving);
  barrier.arriving = Knowledge();
  for (Thread *waiter : barrier.waiters)
    thread.machine->wake(*waiter);
  barrier.waiters.clear();
  ++thread.machine->report().barriers;
}

void leave(Thread &thread) {
  auto &barrier = blockState<ClusterBarrier>(*thread.block->cluster[0]);
  ++barrier.exited;
  // Who arrived and ended without waiting no longer counts as arrived.
  uint64_t arrived = warpState<ClusterLanes>(*thread.warp).arrived[thread.lane];
  if (arrived == barrier.phase + 1)
    --barrier.arrived;
  completeIfFull(thread, barrier);
}

ClusterBarrier &barrierOf(Thread &thread) {
  auto &barrier = blockState<ClusterBarrier>(*thread.block->cluster[0]);
  if (barrier.listens)
    return barrier;
  barrier.listens = true;
  for (Block *block : thread.block->cluster) {
    for (const Warp *warp : block->warps)
      barrier.exited += popcount(warp->exited);
    thread.machine->onExit(*block, leave);
  }
  return barrier;
}

void requireConverged(Thread &thread, const Site &site) {
  Call call{thread, site, nullptr, nullptr};
  meetWarp(call, [](LaneCalls &) {});
}

} // namespace

void clusterArrive(Thread &thread, const Site &site, bool relaxed,
                   bool aligned) {
  if (aligned)
    requireConverged(thread, site);
  Machine &machine = *thread.machine;
  ClusterBarrier &barrier = barrierOf(thread);
  uint64_t &arrived =
      warpState<ClusterLanes>(*thread.warp).arrived[thread.lane];
  if (arrived)
    machine.abort(FaultKind::Barrier, &thread, site,
                  "the thread arrives at the cluster's barrier twice without "
                  "waiting for it");
  arrived = barrier.phase + 1;
  ++barrier.arrived;
  if (relaxed)
    barrier.arriving.join(fencedKnowledge(*thread.warp));
  else
    machine.release(*thread.warp, barrier.arriving);
  completeIfFull(thread, barrier);
}

void clusterWait(Thread &thread, const Site &site, bool aligned) {
  if (aligned)
    requireConverged(thread, site);
  Machine &machine = *thread.machine;
  ClusterBarrier &barrier = barrierOf(thread);
  uint64_t &arrived =
      warpState<ClusterLanes>(*thread.warp).arrived[thread.lane];
  if (!arrived)
    machine.abort(FaultKind::Barrier, &thread, site,
                  "the thread waits for the cluster's barrier without having "
                  "arrived");
  while (barrier.phase < arrived) {
    barrier.waiters.push_back(&thread);
    thread.wait(site, "cluster barrier");
  }
  arrived = 0;
  machine.acquire(*thread.warp, barrier.published);
}

} // namespace lathe::sim
