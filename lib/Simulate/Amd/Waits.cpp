//===- Waits.cpp - Barriers, waits and hints of AMD waves -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Waits.h"
#include "LdsDma.h"
#include "Site.h"

using namespace lathe::sim;
using namespace lathe::sim::amd;

namespace {

//===----------------------------------------------------------------------===//
// S_BARRIER
//===----------------------------------------------------------------------===//

struct WorkgroupBarrier {
  struct Arrival {
    uint64_t lanes = 0;
    const Site *site = nullptr;
  };
  llvm::SmallVector<Arrival, 16> waves;
  llvm::SmallVector<Thread *, 0> waiting;
  Knowledge known;
  uint64_t generation = 0;
  bool prepared = false;

  void arrive(Call &call);
  /// Ends the phase if every live thread has arrived.
  bool complete(Block &block);
};

void WorkgroupBarrier::arrive(Call &call) {
  Thread &thread = call.thread;
  Arrival &wave = waves[thread.warp->index];
  if (!wave.site)
    wave.site = &call.site;
  if (wave.site != &call.site)
    thread.machine->abort(
        FaultKind::Divergence, &thread, call.site,
        "wave " + llvm::Twine(thread.warp->index) +
            " is at two barriers at once, the other: " + wave.site->text);
  wave.lanes |= uint64_t(1) << thread.lane;
}

// Waves that ended are not waited for (MI300 ISA guide, S_BARRIER). A wave of
// which only a part arrives has diverged: the hardware would not notice, and
// lanes that did not come are not ordered.
bool WorkgroupBarrier::complete(Block &block) {
  for (Warp *wave : block.warps)
    if (liveLanes(*wave) & ~waves[wave->index].lanes)
      return false;
  if (waiting.empty())
    return false;
  known = {};
  for (Warp *wave : block.warps) {
    const Arrival &arrival = waves[wave->index];
    if (!arrival.lanes)
      continue;
    if (arrival.lanes != wave->full())
      block.machine->fault(FaultKind::Divergence,
                           wave->lanes[__builtin_ctzll(arrival.lanes)],
                           *arrival.site,
                           llvm::Twine(__builtin_popcountll(arrival.lanes)) +
                               " of the " + llvm::Twine(wave->lanes.size()) +
                               " lanes of wave " + llvm::Twine(wave->index) +
                               " reach the barrier, the others have ended");
    block.machine->release(*wave, known);
  }
  for (Warp *wave : block.warps)
    if (waves[wave->index].lanes)
      block.machine->acquire(*wave, known);
  waves.assign(block.warps.size(), {});
  ++generation;
  ++block.machine->report().barriers;
  llvm::SmallVector<Thread *, 0> released;
  released.swap(waiting);
  for (Thread *thread : released)
    block.machine->wake(*thread);
  return true;
}

} // namespace

void amd::runBarrier(Call &call) {
  Thread &thread = call.thread;
  Block &block = *thread.block;
  auto &barrier = blockState<WorkgroupBarrier>(block);
  if (!barrier.prepared) {
    barrier.prepared = true;
    barrier.waves.resize(block.warps.size());
    block.machine->onExit(
        block, [&barrier, &block](Thread &) { barrier.complete(block); });
  }
  uint64_t generation = barrier.generation;
  barrier.arrive(call);
  barrier.waiting.push_back(&thread);
  barrier.complete(block);
  while (barrier.generation == generation)
    thread.wait(call.site, "s_barrier");
}

void amd::meetWave(Call &call) {
  meetActive(call, [](LaneCalls &) {});
}

//===----------------------------------------------------------------------===//
// Waits and hints
//===----------------------------------------------------------------------===//

static void runWaitCount(Call &call) {
  waitForLdsDma(call, vectorCount(call.site.operands[0].constant));
}

static void runSleep(Call &call) { call.thread.yield(call.site); }

// Scheduling, priorities and caches change no value: memory is coherent here,
// and order comes from fences and barriers alone.
static void runHint(Call &) {}

void lathe::sim::addAmdWaits(InstructionSet &set) {
  set.add("llvm.amdgcn.s.barrier", runBarrier);
  set.add("llvm.amdgcn.s.waitcnt", runWaitCount);
  // Lanes of a wave run in lockstep on hardware; here they meet.
  set.add("llvm.amdgcn.wave.barrier", meetWave);
  set.add("llvm.amdgcn.s.sleep", runSleep);
  for (const char *hint :
       {"sched.barrier", "sched.group.barrier", "iglp.opt", "s.setprio",
        "s.nop", "s.incperflevel", "s.decperflevel", "s.dcache.inv",
        "s.dcache.inv.vol", "s.dcache.wb", "s.dcache.wb.vol", "buffer.wbinvl1",
        "buffer.wbinvl1.vol"})
    set.add(("llvm.amdgcn." + llvm::Twine(hint)).str(), runHint);
}
