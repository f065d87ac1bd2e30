//===- Machine.cpp - Threads, blocks and the order among them -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineState.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

using namespace lathe::sim;

uint64_t lathe::sim::nextRandom(uint64_t &state) {
  uint64_t value = state += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

Machine::State::State(LaunchState &launch)
    : shared(launch), arenaOwner((uint64_t(1) << 32) / arenaBytes) {
  machine.state = this;
}

Machine::State::~State() {
  for (auto *clusters : {&live, &spare})
    for (auto &cluster : *clusters) {
      for (Thread::State &fiber : cluster->threadStates)
        giveStack(fiber.stack);
      giveArenas(cluster->arenas, cluster->blocks.size());
    }
}

Machine &Machine::current() { return running->machine; }
const Program &Machine::program() const { return state->shared.program; }
const Launch &Machine::launch() const { return state->shared.launch; }
void **Machine::arguments() const { return state->shared.arguments.data(); }
const RunOptions &Machine::options() const { return state->shared.options; }
bool Machine::isAmd() const { return program().isAmd; }
unsigned Machine::warpSize() const { return program().warpSize; }
RunReport &Machine::report() { return state->report; }

static Dim3 toDim(const std::array<uint32_t, 3> &a) {
  return {a[0], a[1], a[2]};
}
Dim3 Machine::gridDim() const { return toDim(launch().grid); }
Dim3 Machine::blockDim() const { return toDim(launch().block); }
Dim3 Machine::clusterDim() const { return toDim(launch().cluster); }

uint64_t Machine::random() { return nextRandom(state->rng); }

void Machine::State::seed(uint64_t position) {
  uint64_t number = shared.clusters[position];
  rng = shared.options.seed ^ nextRandom(number);
}

uint64_t Machine::time() {
  // One instruction takes a nanosecond; a poll of the clock some more.
  state->ticks += 32;
  return state->ticks + state->report.instructions;
}

void Machine::fault(FaultKind kind, const Thread *thread, const Site &site,
                    const llvm::Twine &message) {
  state->faults.add(kind, thread, site, message);
}

void Machine::abort(FaultKind kind, const Thread *thread, const Site &site,
                    const llvm::Twine &message) {
  fault(kind, thread, site, message);
  Thread &fiber = *state->running;
  if (thread)
    state->running = const_cast<Thread *>(thread);
  state->toMain(State::Stop::Aborted, fiber);
  llvm_unreachable("an aborted launch was resumed");
}

//===----------------------------------------------------------------------===//
// What compiled code calls
//===----------------------------------------------------------------------===//

void lathe::sim::lathe_sim_call(uint32_t siteId, void *out, const void *in) {
  Machine::State &state = *running;
  state.settlePending();
  const Program &program = state.shared.program;
  Call call{*state.running, program.sites[siteId], static_cast<char *>(out),
            static_cast<const char *>(in)};
  program.instructions[siteId]->run(call);
}

void Machine::State::takeBudget(uint32_t count) {
  // Taken from the launch in pieces, so that host threads rarely meet.
  constexpr int64_t piece = int64_t(1) << 20;
  if (shared.budget.fetch_sub(piece) <= 0) {
    // A loop without an instruction that waits has no site.
    static const Site nowhere = [] {
      Site site;
      site.id = ~0u;
      site.name = "the instruction budget";
      return site;
    }();
    std::string message = ("the launch did not end within " +
                           llvm::Twine(shared.options.budget) + " instructions")
                              .str();
    Waiters waiters;
    std::string text = describeWaiters(waiters);
    if (waiters.first)
      message += "; " + text;
    const Site *last = running->state->site;
    machine.abort(FaultKind::Timeout, running, last ? *last : nowhere, message);
  }
  instructionsLeft += std::max<int64_t>(piece, count);
}

void lathe::sim::lathe_sim_count(uint32_t count) {
  Machine::State &state = *running;
  state.settlePending();
  state.report.instructions += count;
  if ((state.instructionsLeft -= count) < 0)
    state.takeBudget(count);
}

void lathe::sim::lathe_sim_yield(uint32_t site) {
  Thread &thread = *running->running;
  thread.yield(running->shared.program.sites[site]);
}

void lathe::sim::lathe_sim_fence(uint32_t site) {
  Thread &thread = *running->running;
  thread.machine->fenceGlobal(thread);
}

uint64_t lathe::sim::lathe_sim_arena(void) {
  return reinterpret_cast<uint64_t>(running->running->block->arena);
}

void lathe::sim::lathe_sim_local(uint64_t address, uint64_t bytes) {
  std::vector<Local> &locals = running->running->state->locals;
  for (Local &local : locals)
    if (local.address == address && local.bytes == bytes) {
      local.holdsValue.assign(bytes, false);
      return;
    }
  // A variable of an earlier call may have lain here.
  llvm::erase_if(locals, [&](const Local &local) {
    return local.address < address + bytes &&
           address < local.address + local.bytes;
  });
  locals.push_back({address, bytes, std::vector<bool>(bytes)});
}

void lathe::sim::lathe_sim_trap(uint32_t siteId) {
  Machine::State &state = *running;
  const Site &site = state.shared.program.sites[siteId];
  state.machine.abort(FaultKind::Trap, state.running, site,
                      "the kernel reached '" + shortText(site) + "'");
}
