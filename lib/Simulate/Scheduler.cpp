//===- Scheduler.cpp - Fibers take turns ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fiber that stops picks its successor itself and jumps there. The host
// thread's own stack starts and ends clusters, and gets back control when a
// cluster is over, when nobody can run, or when the launch is aborted; then
// fibers are left as they are, as nothing can be unwound through compiled code.
//
//===----------------------------------------------------------------------===//

#include "MachineState.h"

#include "llvm/Support/ErrorHandling.h"

using namespace lathe::sim;

__thread Machine::State *lathe::sim::running = nullptr;

//===----------------------------------------------------------------------===//
// Switching
//===----------------------------------------------------------------------===//

/// Runs `to`; comes back when somebody jumps to `*save`.
static void jump(fiber::fcontext_t &save, fiber::fcontext_t to) {
  fiber::transfer_t from = fiber::jump_fcontext(to, &save);
  *static_cast<fiber::fcontext_t *>(from.data) = from.fctx;
}

static void fiberMain(fiber::transfer_t from) {
  *static_cast<fiber::fcontext_t *>(from.data) = from.fctx;
  LaunchState &launch = running->shared;
  launch.program.entry(launch.arguments.data());
  running->running->exit();
}

void lathe::sim::startFiber(Thread &thread) {
  Stack stack = thread.state->stack;
  thread.state->context =
      fiber::make_fcontext(stack.high, stack.high - stack.low, fiberMain);
}

void Machine::State::toMain(Stop why, Thread &from) {
  stop = why;
  jump(from.state->context, main);
}

void Machine::State::schedule(Thread &from) {
  for (;;) {
    // Copies in flight may land before the next instruction of anybody.
    if (inFlight && shared.options.asyncTiming == AsyncTiming::Random &&
        machine.random() % 8 == 0)
      runOneInFlight();
    if (!ready.empty()) {
      Thread *next = shared.options.interleaving == Interleaving::Random &&
                             ready.size() > 1
                         ? ready.pop(machine.random() % ready.size())
                         : ready.pop();
      if (!next->state->yielded)
        idleYields = 0;
      next->state->yielded = false;
      running = next;
      if (next == &from)
        return;
      ++report.switches;
      jump(from.state->context, next->state->context);
      return;
    }
    if (runOneInFlight())
      continue;
    toMain(Stop::Idle, from);
    return;
  }
}

void Machine::State::block(Thread &thread) {
  thread.state->blocked = true;
  Warp::State &warp = *thread.warp->state;
  if (--warp.runnable == 0 && !warp.active.empty())
    resolveActive(*thread.warp);
  schedule(thread);
}

void Thread::wait(const Site &site, const char *reason, uint64_t address) {
  state->site = &site;
  state->reason = reason;
  state->address = address;
  machine->state->settlePending();
  machine->state->block(*this);
}

void Thread::yield(const Site &site) {
  Machine::State &m = *machine->state;
  state->site = &site;
  m.settlePending();
  // All that can run were asked in vain: what they poll for has to come from
  // copies in flight or from blocks that do not run yet.
  if (++m.idleYields > 8 * (m.ready.size() + 1)) {
    m.idleYields = 0;
    if (!m.runOneInFlight()) {
      m.ready.push(this);
      state->yielded = true;
      m.toMain(Machine::State::Stop::Polling, *this);
      return;
    }
  }
  if (m.ready.empty())
    return;
  state->yielded = true;
  m.ready.push(this);
  m.schedule(*this);
}

void Machine::State::warpEnded(Warp &warp) {
  Block &block = *warp.block;
  Block::State &state = *block.state;
  if (block.cluster.size() == 1 || !shared.options.checkOrder)
    return;
  state.atEnd.join(warp.knowledge);
  if (!llvm::all_of(block.warps, [](const Warp *each) {
        return each->exited == each->full();
      }))
    return;
  for (const Block::State::Visit &visit : state.visits)
    if (state.atEnd.seen.at(visit.epoch.agent) < visit.epoch.clock)
      machine.fault(FaultKind::SharedRace, visit.thread,
                    shared.program.sites[visit.site],
                    "access to shared+" + llvm::Twine(visit.offset) +
                        " of cluster rank " + llvm::Twine(block.rank) +
                        " is not ordered before the end of that block");
}

void Thread::exit() {
  Machine::State &m = *machine->state;
  m.settlePending();
  state->ended = true;
  warp->exited |= uint64_t(1) << lane;
  laneExited(*this);
  for (const auto &notify : block->state->exitListeners)
    notify(*this);
  if (warp->exited == warp->full())
    m.warpEnded(*warp);
  Warp::State &w = *warp->state;
  if (--w.runnable == 0 && !w.active.empty())
    resolveActive(*warp);
  if (--block->state->owner->alive == 0) {
    for (Block *each : block->cluster)
      machine->drain(*each);
    m.toMain(Machine::State::Stop::Finished, *this);
  } else {
    m.schedule(*this);
  }
  llvm_unreachable("a thread that ended was resumed");
}

void Machine::wake(Thread &thread) {
  Thread::State &fiber = *thread.state;
  if (!fiber.blocked)
    return;
  fiber.blocked = false;
  fiber.reason = nullptr;
  ++thread.warp->state->runnable;
  state->ready.push(&thread);
}

void Machine::onExit(Block &block, std::function<void(Thread &)> notify) {
  block.state->exitListeners.push_back(std::move(notify));
}

//===----------------------------------------------------------------------===//
// Operations in flight
//===----------------------------------------------------------------------===//

void Machine::defer(AsyncOperation operation) {
  AsyncTiming timing = options().asyncTiming;
  if (timing == AsyncTiming::Immediate ||
      (timing == AsyncTiming::Random && random() % 2)) {
    operation.run();
    return;
  }
  operation.issuer->block->state->inFlight.push_back(std::move(operation));
  ++state->inFlight;
}

static void runFrom(Machine::State &m, std::deque<AsyncOperation> &queue) {
  bool any = m.shared.options.asyncTiming == AsyncTiming::Random;
  auto it = queue.begin() + (any ? m.machine.random() % queue.size() : 0);
  AsyncOperation operation = std::move(*it);
  queue.erase(it);
  --m.inFlight;
  operation.run();
}

bool Machine::State::runOneInFlight() {
  if (!inFlight)
    return false;
  for (auto &cluster : live)
    for (Block::State &block : cluster->blockStates)
      if (!block.inFlight.empty()) {
        runFrom(*this, block.inFlight);
        return true;
      }
  return false;
}

void Machine::drain(Block &block) {
  while (!block.state->inFlight.empty())
    runFrom(*state, block.state->inFlight);
}

//===----------------------------------------------------------------------===//
// The host thread's side
//===----------------------------------------------------------------------===//

void Machine::State::run() {
  auto claim = [&] {
    if (live.size() >= shared.maxResident)
      return false;
    uint64_t position = shared.next++;
    if (position >= shared.clusters.size() ||
        position > shared.lastPosition.load())
      return false;
    start(position);
    return true;
  };
  while (!live.empty() || claim()) {
    stop = Stop::None;
    if (!ready.empty()) {
      bool any = shared.options.interleaving == Interleaving::Random;
      running = ready.pop(any ? machine.random() % ready.size() : 0);
      running->state->yielded = false;
      ++report.switches;
      jump(main, running->state->context);
      settlePending();
    } else {
      stop = Stop::Idle;
    }
    switch (stop) {
    case Stop::None:
      llvm_unreachable("the machine stopped for no reason");
    case Stop::Finished:
      finish(*running->block->state->owner);
      break;
    case Stop::Polling:
      claim();
      break;
    case Stop::Idle:
      if (ready.empty() && !claim())
        deadlock();
      break;
    case Stop::Aborted:
      break;
    }
    if (stop == Stop::Aborted) {
      uint64_t position = running->block->state->owner->position;
      uint64_t last = shared.lastPosition;
      while (position < last &&
             !shared.lastPosition.compare_exchange_weak(last, position))
        ;
      report.aborted = true;
      return;
    }
  }
}
