//===- CpAsync.cpp - Non-bulk asynchronous copies -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses enter the shadow when a copy is issued; the bytes move then, or when
// somebody waits for them. The clock of the unit of a warp is the number of the
// group, so that lanes at different groups do not cover each other.
//
//===----------------------------------------------------------------------===//

#include "CpAsync.h"

#include "Mbarrier.h"
#include "Register.h"

#include "llvm/ADT/Twine.h"

#include <deque>

using namespace llvm;

namespace lathe::sim {

namespace {

struct Copy {
  char *to;
  const char *from; ///< null: zeros alone
  uint32_t bytes, sourceBytes;
};

/// Copies of one thread.
struct LaneCopies {
  uint32_t group = 1;                            ///< number of the open group
  std::deque<std::pair<uint32_t, Copy>> waiting; ///< by group, ascending
};

struct WarpCopies {
  std::array<LaneCopies, 32> lanes;
  /// What was over when the latest copies were issued.
  Knowledge issued;
};

LaneCopies &copiesOf(Thread &thread) {
  return warpState<WarpCopies>(*thread.warp).lanes[thread.lane];
}

void perform(const Copy &copy) {
  if (copy.sourceBytes)
    std::memcpy(copy.to, copy.from, copy.sourceBytes);
  std::memset(copy.to + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
}

void performUpTo(LaneCopies &copies, uint32_t group) {
  while (!copies.waiting.empty() && copies.waiting.front().first <= group) {
    perform(copies.waiting.front().second);
    copies.waiting.pop_front();
  }
}

Epoch epochOf(Thread &thread, uint32_t group) {
  Machine &machine = *thread.machine;
  return machine.numbered(
      *thread.block,
      machine.agentOf(*thread.block, AsyncUnit::CpAsync, thread.warp->index),
      group);
}

} // namespace

void cpAsync(Thread &thread, const Site &site, uint64_t shared, uint64_t global,
             uint64_t bytes, uint64_t sourceBytes) {
  Machine &machine = *thread.machine;
  if (bytes != 4 && bytes != 8 && bytes != 16)
    machine.abort(FaultKind::InvalidOperand, &thread, site,
                  "cp.async of " + Twine(bytes) +
                      " bytes, expected 4, 8 or 16");
  if (sourceBytes > bytes)
    machine.abort(FaultKind::InvalidOperand, &thread, site,
                  "cp.async reads " + Twine(sourceBytes) +
                      " bytes, expected at most " + Twine(bytes));
  if (!machine.isShared(shared))
    machine.abort(FaultKind::InvalidOperand, &thread, site,
                  "the destination of cp.async is not in shared memory");
  if (global % bytes)
    machine.abort(FaultKind::Misaligned, &thread, site,
                  "the source of cp.async is not aligned to its " +
                      Twine(bytes) + " bytes");
  LaneCopies &copies = copiesOf(thread);
  Copy copy{nullptr, nullptr, uint32_t(bytes), uint32_t(sourceBytes)};
  if (sourceBytes)
    copy.from =
        machine.access(thread, site, global, sourceBytes, 1, AccessKind::Read);
  AsyncAccess access;
  access.epoch = epochOf(thread, copies.group);
  access.proxy = Proxy::Generic;
  Knowledge &issued = warpState<WarpCopies>(*thread.warp).issued;
  machine.release(*thread.warp, issued);
  access.known = &issued;
  access.lanesMet = machine.lanesMet(thread);
  copy.to = machine.access(thread, site, shared, bytes, bytes,
                           AccessKind::Write, access);
  AsyncTiming timing = machine.options().asyncTiming;
  bool now = timing == AsyncTiming::Immediate ||
             (timing == AsyncTiming::Random && machine.random() % 2);
  if (now)
    perform(copy);
  else
    copies.waiting.push_back({copies.group, copy});
}

void cpAsyncCommit(Thread &thread, const Site &) { ++copiesOf(thread).group; }

void cpAsyncWait(Thread &thread, const Site &,
                 std::optional<uint64_t> pending) {
  LaneCopies &copies = copiesOf(thread);
  uint32_t over = copies.group;
  if (pending) {
    uint64_t committed = copies.group - 1;
    over = uint32_t(committed - std::min(committed, *pending));
  } else {
    ++copies.group; // what comes later is not part of it
  }
  performUpTo(copies, over);
  if (over)
    thread.machine->finished(thread, epochOf(thread, over));
}

void cpAsyncArrive(Thread &thread, const Site &site, uint64_t mbarrier,
                   bool noIncrement) {
  mbarrierCheck(thread, site, mbarrier);
  if (!noIncrement)
    mbarrierExpectArrivals(thread, site, mbarrier, 1);
  LaneCopies &copies = copiesOf(thread);
  uint32_t over = copies.group++;
  // The copies alone: what the thread itself did is not released.
  auto delivered = std::make_shared<Knowledge>();
  Epoch epoch = epochOf(thread, over);
  delivered->seen.raise(epoch.agent, epoch.clock);
  thread.machine->defer({&thread, &site, [=, &thread, &site, &copies] {
                           performUpTo(copies, over);
                           mbarrierArriveAsync(thread, site, mbarrier, 1,
                                               *delivered);
                         }});
}

namespace {

struct CopyInfo {
  uint32_t bytes;
};

void runCopy(Call &call) {
  uint64_t bytes = infoOf<CopyInfo>(call).bytes;
  uint64_t sourceBytes =
      call.site.operands.size() > 2 ? call.integer(2) : bytes;
  cpAsync(call.thread, call.site, call.integer(0), call.integer(1), bytes,
          sourceBytes);
}

void runCommit(Call &call) { cpAsyncCommit(call.thread, call.site); }

void runWait(Call &call) {
  cpAsyncWait(call.thread, call.site, call.integer(0));
}

void runWaitAll(Call &call) {
  cpAsyncWait(call.thread, call.site, std::nullopt);
}

template <bool noIncrement> void runArrive(Call &call) {
  cpAsyncArrive(call.thread, call.site, call.integer(0), noIncrement);
}

} // namespace

void addCpAsync(InstructionSet &set) {
  for (StringRef suffix : {"", ".s"}) {
    for (uint32_t bytes : {4, 8, 16})
      addNvvm(set, "cp.async.ca.shared.global." + Twine(bytes) + suffix,
              runCopy, CopyInfo{bytes});
    addNvvm(set, "cp.async.cg.shared.global.16" + suffix, runCopy,
            CopyInfo{16});
  }
  addNvvm(set, "cp.async.commit.group", runCommit);
  addNvvm(set, "cp.async.wait.group", runWait);
  addNvvm(set, "cp.async.wait.all", runWaitAll);
  for (StringRef space : {"", ".shared"}) {
    addNvvm(set, "cp.async.mbarrier.arrive" + space, runArrive<false>);
    addNvvm(set, "cp.async.mbarrier.arrive.noinc" + space, runArrive<true>);
  }
}

} // namespace lathe::sim
