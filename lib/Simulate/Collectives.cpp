//===- Collectives.cpp - Lanes, warps and warpgroups meet -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group lives on the stack of the lane that came first, which sleeps until
// the last one ran the body.
//
//===----------------------------------------------------------------------===//

#include "MachineState.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Compiler.h"

using namespace lathe::sim;

static std::string lanesText(uint64_t mask) {
  if (llvm::popcount(mask) == 1)
    return ("lane " + llvm::Twine(llvm::countr_zero(mask))).str();
  return ("lanes 0x" + llvm::Twine::utohexstr(mask)).str();
}

/// Whether two sites may be the same collective.
static bool sameInstruction(const Site &a, const Site &b) {
  return a.id == b.id || (a.name == b.name && a.assembly == b.assembly);
}

static void release(LaneGroup &group, Warp &warp, const Thread &self) {
  Machine &machine = *warp.block->machine;
  llvm::erase(warp.state->groups, &group);
  ++warp.state->syncs;
  ++machine.report().collectives;
  for (Thread *thread : warp.lanes)
    if ((group.calls.mask >> thread->lane & 1) && thread != &self)
      machine.wake(*thread);
}

/// Two groups that wait for each other's lanes never end.
static void checkMutual(LaneGroup &mine, Thread &thread) {
  for (LaneGroup *other : thread.warp->state->groups) {
    if (other == &mine || !(mine.mask & other->calls.mask) ||
        !(other->mask & mine.calls.mask))
      continue;
    thread.machine->abort(
        FaultKind::Divergence, &thread, *mine.site,
        lanesText(mine.calls.mask) + " of warp " +
            llvm::Twine(thread.warp->index) + " at '" + shortText(*mine.site) +
            "' for mask 0x" + llvm::Twine::utohexstr(mine.mask) + " and " +
            lanesText(other->calls.mask) + " at '" + shortText(*other->site) +
            "' for mask 0x" + llvm::Twine::utohexstr(other->mask) +
            " wait for each other");
  }
}

static void join(LaneGroup &group, Call &call) {
  group.calls.mask |= uint64_t(1) << call.thread.lane;
  group.calls.lane[call.thread.lane] = &call;
}

/// True: everybody is here, and the body ran.
static bool complete(LaneGroup &group, Thread &thread,
                     llvm::function_ref<void(LaneCalls &)> body) {
  Warp &warp = *thread.warp;
  if (group.calls.mask != (group.mask & warp.full() & ~warp.exited)) {
    checkMutual(group, thread);
    return false;
  }
  thread.machine->state->settlePending();
  body(group.calls);
  release(group, warp, thread);
  return true;
}

/// The group is made in a frame of its own: those who join need none.
LLVM_ATTRIBUTE_NOINLINE
static void open(Call &call, uint64_t mask, bool oneSite,
                 llvm::function_ref<void(LaneCalls &)> body) {
  LaneGroup group;
  group.site = &call.site;
  group.mask = mask;
  group.oneSite = oneSite;
  group.body = body;
  call.thread.warp->state->groups.push_back(&group);
  join(group, call);
  if (!complete(group, call.thread, body))
    call.thread.wait(call.site, call.site.name.c_str());
}

static void meet(Call &call, uint64_t mask, bool oneSite,
                 llvm::function_ref<void(LaneCalls &)> body) {
  uint64_t bit = uint64_t(1) << call.thread.lane;
  for (LaneGroup *group : call.thread.warp->state->groups) {
    if (group->mask != mask || group->oneSite != oneSite ||
        (group->calls.mask & bit) ||
        !(oneSite ? group->site == &call.site
                  : sameInstruction(*group->site, call.site)))
      continue;
    join(*group, call);
    group->body = body;
    if (!complete(*group, call.thread, body))
      call.thread.wait(call.site, call.site.name.c_str());
    return;
  }
  open(call, mask, oneSite, body);
}

void lathe::sim::meetLanes(Call &call, uint64_t mask,
                           llvm::function_ref<void(LaneCalls &)> body) {
  Thread &thread = call.thread;
  if (!(mask >> thread.lane & 1))
    thread.machine->abort(FaultKind::InvalidOperand, &thread, call.site,
                          "lane " + llvm::Twine(thread.lane) +
                              " executes the instruction but its mask is 0x" +
                              llvm::Twine::utohexstr(mask) +
                              ", expected its own bit to be set");
  meet(call, mask, /*oneSite=*/false, body);
}

void lathe::sim::meetWarp(Call &call,
                          llvm::function_ref<void(LaneCalls &)> body) {
  Thread &thread = call.thread;
  Warp &warp = *thread.warp;
  if (warp.exited)
    thread.machine->abort(FaultKind::Divergence, &thread, call.site,
                          lanesText(warp.exited) + " of warp " +
                              llvm::Twine(warp.index) +
                              " exited, expected all lanes of the warp at '" +
                              shortText(call.site) + "'");
  meet(call, warp.full(), /*oneSite=*/true, body);
}

void lathe::sim::laneExited(Thread &thread) {
  Warp &warp = *thread.warp;
  uint64_t bit = uint64_t(1) << thread.lane;
  llvm::SmallVector<LaneGroup *, 2> groups(warp.state->groups);
  for (LaneGroup *group : groups) {
    if (!(group->mask & bit))
      continue;
    if (group->oneSite)
      thread.machine->abort(FaultKind::Divergence, &thread, *group->site,
                            "lane " + llvm::Twine(thread.lane) + " of warp " +
                                llvm::Twine(warp.index) + " exits while " +
                                lanesText(group->calls.mask) +
                                " of its warp waits for it at '" +
                                shortText(*group->site) + "'");
    if (group->calls.mask != (group->mask & warp.full() & ~warp.exited))
      continue;
    group->body(group->calls);
    release(*group, warp, thread);
  }
}

//===----------------------------------------------------------------------===//
// Waves
//===----------------------------------------------------------------------===//

void lathe::sim::meetActive(Call &call,
                            llvm::function_ref<void(LaneCalls &)> body) {
  Thread &thread = call.thread;
  auto &active = thread.warp->state->active;
  auto it = llvm::find_if(active, [&](const ActiveGroup &group) {
    return group.site == &call.site;
  });
  if (it == active.end()) {
    active.emplace_back();
    it = std::prev(active.end());
    it->site = &call.site;
    it->body = body;
  }
  it->calls.mask |= uint64_t(1) << thread.lane;
  it->calls.lane[thread.lane] = &call;
  thread.wait(call.site, call.site.name.c_str());
}

void lathe::sim::resolveActive(Warp &warp) {
  auto &active = warp.state->active;
  auto it =
      llvm::min_element(active, [](const ActiveGroup &a, const ActiveGroup &b) {
        return a.site->id < b.site->id;
      });
  ActiveGroup group = *it;
  active.erase(it);
  Machine &machine = *warp.block->machine;
  ++machine.report().collectives;
  group.body(group.calls);
  for (Thread *thread : warp.lanes)
    if (group.calls.mask >> thread->lane & 1)
      machine.wake(*thread);
}

//===----------------------------------------------------------------------===//
// Warpgroups
//===----------------------------------------------------------------------===//

void lathe::sim::meetWarpgroup(
    Call &call, llvm::function_ref<void(llvm::ArrayRef<Call *>)> body) {
  Thread &thread = call.thread;
  Block &block = *thread.block;
  Machine &machine = *thread.machine;
  unsigned number = thread.warp->index / 4;
  if (block.threads.size() < (number + 1) * 128)
    machine.abort(FaultKind::Divergence, &thread, call.site,
                  "warpgroup " + llvm::Twine(number) + " has " +
                      llvm::Twine(block.threads.size() - number * 128) +
                      " threads, expected 128");
  WarpgroupMeeting &meeting = block.state->warpgroups[number];
  if (meeting.arrived && meeting.site != &call.site)
    machine.abort(FaultKind::Divergence, &thread, call.site,
                  "warp " + llvm::Twine(thread.warp->index) + " is at '" +
                      shortText(call.site) +
                      "' while others of its warpgroup wait at '" +
                      shortText(*meeting.site) + "'");
  meeting.site = &call.site;
  meeting.calls.resize(128);
  meeting.calls[thread.index - number * 128] = &call;
  if (++meeting.arrived < 128) {
    thread.wait(call.site, call.site.name.c_str());
    return;
  }
  machine.state->settlePending();
  body(meeting.calls);
  meeting.arrived = 0;
  ++machine.report().collectives;
  for (unsigned w = number * 4; w < number * 4 + 4; ++w)
    ++block.warps[w]->state->syncs;
  for (Call *each : meeting.calls)
    if (each != &call)
      machine.wake(each->thread);
}
