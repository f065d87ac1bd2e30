//===- Barrier.cpp - Barriers of a block, fences --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Barrier.h"

#include "Mbarrier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace lathe::sim {

namespace {

enum class Use { Plain, Count, And, Or };

/// On the stack of a thread that waits.
struct Waiter {
  Thread &thread;
  bool predicate = false;
  uint32_t result = 0;
  bool done = false;
};

struct BlockBarrier {
  bool open = false;
  Use use = Use::Plain;
  uint64_t expected = 0; ///< threads; 0: all of the block
  uint64_t arrived = 0;
  Knowledge arriving;
  SmallVector<Waiter *, 32> waiters;
};

/// Lanes of a warp that reached an aligned barrier before the others.
struct PartialWarp {
  const Site *site = nullptr;
  BlockBarrier *barrier = nullptr;
  uint64_t lanes = 0;
};

struct BlockBarriers {
  std::array<BlockBarrier, 16> barriers;
  std::vector<PartialWarp> partial; ///< by warp; empty before the first use
  uint64_t exited = 0;              ///< threads
};

const char *const waitReasons[16] = {
    "barrier 0",  "barrier 1",  "barrier 2",  "barrier 3",
    "barrier 4",  "barrier 5",  "barrier 6",  "barrier 7",
    "barrier 8",  "barrier 9",  "barrier 10", "barrier 11",
    "barrier 12", "barrier 13", "barrier 14", "barrier 15"};

uint64_t liveLanes(const Warp &warp) { return warp.full() & ~warp.exited; }

/// `runner`: the thread that calls; it does not wait yet.
void completeIfFull(BlockBarriers &barriers, BlockBarrier &barrier,
                    Thread &runner) {
  Block &block = *runner.block;
  uint64_t expected = barrier.expected ? barrier.expected
                                       : block.threads.size() - barriers.exited;
  if (!barrier.open || barrier.arrived == 0 || barrier.arrived < expected)
    return;
  Machine &machine = *block.machine;
  // Lanes that wait for the rest of their warp belong to the next round.
  SmallVector<Waiter *, 32> early, over;
  for (Waiter *waiter : barrier.waiters) {
    const PartialWarp &partial = barriers.partial[waiter->thread.warp->index];
    bool isEarly = partial.lanes && partial.barrier == &barrier;
    (isEarly ? early : over).push_back(waiter);
  }
  uint32_t result = uint32_t(
      count_if(over, [](const Waiter *waiter) { return waiter->predicate; }));
  if (barrier.use == Use::And)
    result = result == over.size();
  else if (barrier.use == Use::Or)
    result = result != 0;
  Warp *last = nullptr;
  for (Waiter *waiter : over) {
    Warp &warp = *waiter->thread.warp;
    if (&warp != last)
      machine.acquire(warp, barrier.arriving);
    last = &warp;
    waiter->result = result;
    waiter->done = true;
    if (&waiter->thread != &runner)
      machine.wake(waiter->thread);
  }
  barrier = BlockBarrier();
  barrier.waiters = std::move(early);
  ++machine.report().barriers;
}

/// Counts a whole warp, all of whose live lanes are here.
void arriveWarp(Warp &warp, BlockBarrier &barrier) {
  Machine &machine = *warp.block->machine;
  barrier.arrived +=
      barrier.expected ? machine.warpSize() : popcount(liveLanes(warp));
  machine.release(warp, barrier.arriving);
}

/// When a thread has ended: its warp, and barriers for all threads, wait for
/// one fewer.
void leave(Thread &thread) {
  auto &barriers = blockState<BlockBarriers>(*thread.block);
  ++barriers.exited;
  PartialWarp &partial = barriers.partial[thread.warp->index];
  if (partial.lanes && partial.lanes == liveLanes(*thread.warp)) {
    partial.lanes = 0;
    arriveWarp(*thread.warp, *partial.barrier);
    completeIfFull(barriers, *partial.barrier, thread);
  }
  for (BlockBarrier &barrier : barriers.barriers)
    if (barrier.open && !barrier.expected)
      completeIfFull(barriers, barrier, thread);
}

BlockBarriers &barriersOf(Thread &thread) {
  Block &block = *thread.block;
  auto &barriers = blockState<BlockBarriers>(block);
  if (!barriers.partial.empty())
    return barriers;
  barriers.partial.resize(block.warps.size());
  for (const Warp *warp : block.warps)
    barriers.exited += popcount(warp->exited);
  block.machine->onExit(block, leave);
  return barriers;
}

/// Opens the barrier or joins it.
BlockBarrier &join(Thread &thread, BlockBarriers &barriers, const Site &site,
                   uint64_t id, std::optional<uint64_t> threads, Use use) {
  Machine &machine = *thread.machine;
  Block &block = *thread.block;
  unsigned warpSize = machine.warpSize();
  if (id >= 16)
    machine.abort(FaultKind::InvalidOperand, &thread, site,
                  "barrier is " + Twine(id) + ", expected 0 to 15");
  uint64_t most = block.warps.size() * warpSize;
  if (threads && (*threads == 0 || *threads % warpSize || *threads > most))
    machine.abort(FaultKind::InvalidOperand, &thread, site,
                  "barrier " + Twine(id) + " is for " + Twine(*threads) +
                      " threads, expected a multiple of " + Twine(warpSize) +
                      " up to the block's " + Twine(most));
  BlockBarrier &barrier = barriers.barriers[id];
  uint64_t expected = threads.value_or(0);
  if (!barrier.open) {
    barrier.open = true;
    barrier.expected = expected;
    barrier.use = use;
  }
  if (barrier.expected != expected)
    machine.abort(
        FaultKind::Divergence, &thread, site,
        "barrier " + Twine(id) + " is joined for " +
            (threads ? Twine(expected) : Twine("all")) +
            " threads, but was opened for " +
            (barrier.expected ? Twine(barrier.expected) : Twine("all")));
  if (barrier.use != use)
    machine.abort(FaultKind::Divergence, &thread, site,
                  "barrier " + Twine(id) +
                      " mixes a reduction with another operation");
  return barrier;
}

void arriveAligned(Thread &thread, BlockBarriers &barriers, const Site &site,
                   uint64_t id, BlockBarrier &barrier) {
  Warp &warp = *thread.warp;
  PartialWarp &partial = barriers.partial[warp.index];
  if (!partial.lanes) {
    partial.site = &site;
    partial.barrier = &barrier;
  }
  if (partial.site != &site)
    thread.machine->abort(
        FaultKind::Divergence, &thread, site,
        "lane " + Twine(thread.lane) + " is at an aligned barrier (" +
            Twine(id) + ") while other lanes of warp " + Twine(warp.index) +
            " are at '" + partial.site->text + "'");
  partial.lanes |= uint64_t(1) << thread.lane;
  if (partial.lanes != liveLanes(warp))
    return;
  partial.lanes = 0;
  arriveWarp(warp, barrier);
}

uint32_t synchronize(Thread &thread, const Site &site, uint64_t id,
                     std::optional<uint64_t> threads, bool aligned, Use use,
                     bool predicate) {
  BlockBarriers &barriers = barriersOf(thread);
  BlockBarrier &barrier = join(thread, barriers, site, id, threads, use);
  Waiter mine{thread, predicate};
  barrier.waiters.push_back(&mine);
  if (aligned) {
    arriveAligned(thread, barriers, site, id, barrier);
  } else {
    ++barrier.arrived;
    thread.machine->release(*thread.warp, barrier.arriving);
  }
  completeIfFull(barriers, barrier, thread);
  while (!mine.done)
    thread.wait(site, waitReasons[id]);
  return mine.result;
}

} // namespace

void barrierSync(Thread &thread, const Site &site, uint64_t id,
                 std::optional<uint64_t> threads, bool aligned) {
  synchronize(thread, site, id, threads, aligned, Use::Plain, false);
}

uint32_t barrierReduce(Thread &thread, const Site &site, uint64_t id,
                       std::optional<uint64_t> threads, bool aligned,
                       BarrierReduction reduction, bool predicate) {
  Use use = reduction == BarrierReduction::Count ? Use::Count
            : reduction == BarrierReduction::And ? Use::And
                                                 : Use::Or;
  return synchronize(thread, site, id, threads, aligned, use, predicate);
}

void barrierArrive(Thread &thread, const Site &site, uint64_t id,
                   uint64_t threads, bool aligned) {
  BlockBarriers &barriers = barriersOf(thread);
  if (!aligned) {
    BlockBarrier &barrier =
        join(thread, barriers, site, id, threads, Use::Plain);
    ++barrier.arrived;
    thread.machine->release(*thread.warp, barrier.arriving);
    completeIfFull(barriers, barrier, thread);
    return;
  }
  struct Operands {
    uint64_t id, threads;
  } mine = {id, threads};
  Call call{thread, site, nullptr, reinterpret_cast<const char *>(&mine)};
  meetWarp(call, [&](LaneCalls &calls) {
    for (uint64_t rest = calls.mask; rest; rest &= rest - 1) {
      auto &other = *reinterpret_cast<const Operands *>(
          calls.lane[countr_zero(rest)]->in);
      if (other.id != id || other.threads != threads)
        thread.machine->abort(FaultKind::Divergence, &thread, site,
                              "lanes of warp " + Twine(thread.warp->index) +
                                  " arrive at barriers " + Twine(id) + " and " +
                                  Twine(other.id));
    }
    BlockBarrier &barrier =
        join(thread, barriers, site, id, threads, Use::Plain);
    arriveWarp(*thread.warp, barrier);
    completeIfFull(barriers, barrier, thread);
  });
}

void fence(Thread &thread, FenceScope scope) {
  if (scope == FenceScope::Block)
    return;
  thread.machine->fenceGlobal(thread);
  fenceForRelaxed(*thread.warp);
}

void fenceProxyAsync(Thread &thread) {
  thread.machine->fenceProxy(*thread.warp);
}

} // namespace lathe::sim
