//===- Mbarrier.cpp - Transaction barriers in shared memory ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mbarrier.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace lathe::sim {

namespace {

struct Mbarrier {
  uint32_t expected = 0, pending = 0;
  int64_t tx = 0; ///< bytes expected and not arrived
  uint64_t phase = 0;
  Knowledge arriving, published;
  Epoch made; ///< of the initialization, by its warp
  SmallVector<Thread *, 4> waiters;
  /// By the agent of a warp: the phase up to which it knows what was published.
  SmallVector<uint64_t, 0> acquired;
};

/// Of one block, by address.
struct Table {
  DenseMap<uint64_t, std::unique_ptr<Mbarrier>> barriers;
};

constexpr uint64_t mark = 0x726569727261626dull; // what the memory holds
constexpr unsigned objectBytes = 8;

struct Fenced {
  Knowledge known;
};

std::string nameOf(Machine &machine, uint64_t address) {
  Block *block = machine.blockOf(address);
  if (!block)
    return formatv("{0:x}", address);
  uint64_t offset = address - reinterpret_cast<uint64_t>(block->arena);
  if (block->cluster.size() > 1)
    return formatv("shared+{0:x} of cluster rank {1}", offset, block->rank);
  return formatv("shared+{0:x}", offset);
}

Mbarrier *lookUp(Machine &machine, uint64_t address) {
  Block *block = machine.blockOf(address);
  if (!block)
    return nullptr;
  auto &barriers = blockState<Table>(*block).barriers;
  auto it = barriers.find(address);
  return it == barriers.end() ? nullptr : it->second.get();
}

void requireShared(Thread &thread, const Site &site, uint64_t address) {
  Machine &machine = *thread.machine;
  if (!machine.blockOf(address))
    machine.abort(FaultKind::InvalidOperand, &thread, site,
                  "an mbarrier lies in shared memory, found address " +
                      nameOf(machine, address));
}

Mbarrier &intact(Thread &thread, const Site &site, uint64_t address,
                 const char *bytes) {
  Machine &machine = *thread.machine;
  Mbarrier *barrier = lookUp(machine, address);
  if (!barrier)
    machine.abort(FaultKind::Barrier, &thread, site,
                  "no mbarrier was initialized at " + nameOf(machine, address));
  uint64_t found;
  std::memcpy(&found, bytes, objectBytes);
  if (found != mark)
    machine.abort(FaultKind::Barrier, &thread, site,
                  "the mbarrier at " + nameOf(machine, address) +
                      " was overwritten");
  return *barrier;
}

/// Later atomic accesses hide the initialization from the shadow.
void checkOrdered(Thread &thread, const Site &site, uint64_t address,
                  const Mbarrier &barrier) {
  const Warp &warp = *thread.warp;
  if (warp.agent == barrier.made.agent ||
      warp.knowledge.seen.at(barrier.made.agent) >= barrier.made.clock)
    return;
  thread.machine->fault(FaultKind::SharedRace, &thread, site,
                        "use of the mbarrier at " +
                            nameOf(*thread.machine, address) +
                            " is not ordered after its initialization");
}

/// The barrier, with the access in the shadow.
Mbarrier &use(Thread &thread, const Site &site, uint64_t address) {
  requireShared(thread, site, address);
  char *bytes = thread.machine->access(thread, site, address, objectBytes,
                                       objectBytes, AccessKind::Atomic);
  Mbarrier &barrier = intact(thread, site, address, bytes);
  checkOrdered(thread, site, address, barrier);
  return barrier;
}

/// The barrier of an operation in flight, whose issue was checked.
Mbarrier &useAsync(Thread &issuer, const Site &site, uint64_t address) {
  requireShared(issuer, site, address);
  Machine &machine = *issuer.machine;
  char *bytes = machine.resolve(issuer, address, objectBytes);
  if (!bytes)
    machine.abort(FaultKind::OutOfBounds, &issuer, site,
                  "no shared memory for an mbarrier at " +
                      nameOf(machine, address));
  return intact(issuer, site, address, bytes);
}

void settle(Thread &thread, const Site &site, uint64_t address,
            Mbarrier &barrier) {
  Machine &machine = *thread.machine;
  if (barrier.pending)
    return;
  if (barrier.tx < 0)
    machine.fault(FaultKind::TransactionMismatch, &thread, site,
                  "all arrived at the mbarrier at " + nameOf(machine, address) +
                      ", but " + Twine(-barrier.tx) +
                      " bytes more than expected");
  if (barrier.tx)
    return;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  barrier.published.join(barrier.arriving);
  for (Thread *waiter : barrier.waiters)
    machine.wake(*waiter);
  barrier.waiters.clear();
}

void addTx(Thread &thread, const Site &site, uint64_t address,
           Mbarrier &barrier, int64_t bytes) {
  barrier.tx += bytes;
  if (std::abs(barrier.tx) > int64_t(mbarrierMax))
    thread.machine->fault(FaultKind::TransactionMismatch, &thread, site,
                          "transaction count of the mbarrier at " +
                              nameOf(*thread.machine, address) + " is " +
                              Twine(barrier.tx) + ", expected at most " +
                              Twine(mbarrierMax) + " either way");
}

/// False if there are not so many arrivals left.
bool arrive(Thread &thread, const Site &site, uint64_t address,
            Mbarrier &barrier, uint32_t count) {
  Machine &machine = *thread.machine;
  if (count <= barrier.pending) {
    barrier.pending -= count;
    return true;
  }
  machine.fault(FaultKind::Barrier, &thread, site,
                "over-arrival at the mbarrier at " + nameOf(machine, address) +
                    ": " + Twine(count) + " arrive, phase " +
                    Twine(barrier.phase) + " lacks " + Twine(barrier.pending) +
                    " of " + Twine(barrier.expected));
  return false;
}

void acquire(Thread &thread, Mbarrier &barrier) {
  Warp &warp = *thread.warp;
  if (barrier.acquired.size() <= warp.agent)
    barrier.acquired.resize(warp.agent + 1);
  uint64_t &phase = barrier.acquired[warp.agent];
  if (phase == barrier.phase)
    return;
  phase = barrier.phase;
  thread.machine->acquire(warp, barrier.published);
}

uint64_t checkedParity(Thread &thread, const Site &site, uint64_t parity) {
  if (parity > 1)
    thread.machine->fault(FaultKind::InvalidOperand, &thread, site,
                          "phase parity is " + Twine(parity) +
                              ", expected 0 or 1");
  return parity & 1;
}

/// Whether the phase that returned `state` is over.
bool isOver(Thread &thread, const Site &site, uint64_t address,
            const Mbarrier &barrier, uint64_t state) {
  uint32_t phase = state >> 32, now = uint32_t(barrier.phase);
  if (phase != now && phase + 1 != now)
    thread.machine->fault(
        FaultKind::Barrier, &thread, site,
        "state of phase " + Twine(phase) + ", but the mbarrier at " +
            nameOf(*thread.machine, address) + " is in phase " + Twine(now));
  return phase != now;
}

template <typename Done>
void waitUntil(Thread &thread, const Site &site, uint64_t address,
               Mbarrier &barrier, Done done) {
  while (!done()) {
    barrier.waiters.push_back(&thread);
    thread.wait(site, "mbarrier wait", address);
  }
  acquire(thread, barrier);
}

} // namespace

void mbarrierInit(Thread &thread, const Site &site, uint64_t address,
                  uint64_t count) {
  Machine &machine = *thread.machine;
  requireShared(thread, site, address);
  if (count == 0 || count > mbarrierMax)
    machine.abort(FaultKind::InvalidOperand, &thread, site,
                  "arrival count is " + Twine(count) + ", expected 1 to " +
                      Twine(mbarrierMax));
  char *bytes = machine.access(thread, site, address, objectBytes, objectBytes,
                               AccessKind::Write);
  uint64_t found;
  std::memcpy(&found, bytes, objectBytes);
  if (lookUp(machine, address) && found == mark)
    machine.abort(FaultKind::Barrier, &thread, site,
                  "the mbarrier at " + nameOf(machine, address) +
                      " is initialized again without mbarrier.inval");
  auto barrier = std::make_unique<Mbarrier>();
  barrier->expected = barrier->pending = uint32_t(count);
  Knowledge now;
  machine.release(*thread.warp, now);
  barrier->made = {thread.warp->agent, now.seen.at(thread.warp->agent)};
  blockState<Table>(*machine.blockOf(address)).barriers[address] =
      std::move(barrier);
  std::memcpy(bytes, &mark, objectBytes);
}

void mbarrierInvalidate(Thread &thread, const Site &site, uint64_t address) {
  Machine &machine = *thread.machine;
  Mbarrier &barrier = use(thread, site, address);
  if (!barrier.waiters.empty())
    machine.abort(FaultKind::Barrier, &thread, site,
                  "the mbarrier at " + nameOf(machine, address) +
                      " is invalidated while " + Twine(barrier.waiters.size()) +
                      " threads wait");
  char *bytes = machine.access(thread, site, address, objectBytes, objectBytes,
                               AccessKind::Write);
  std::memset(bytes, 0xff, objectBytes);
  blockState<Table>(*machine.blockOf(address)).barriers.erase(address);
}

uint64_t mbarrierArrive(Thread &thread, const Site &site, uint64_t address,
                        const Arrival &arrival) {
  Machine &machine = *thread.machine;
  Mbarrier &barrier = use(thread, site, address);
  uint64_t state = barrier.phase << 32 | barrier.pending;
  if (arrival.count == 0 || arrival.count > mbarrierMax)
    machine.fault(FaultKind::InvalidOperand, &thread, site,
                  "arrival count is " + Twine(arrival.count) +
                      ", expected 1 to " + Twine(mbarrierMax));
  if (arrival.noComplete && arrival.count == barrier.pending &&
      barrier.tx + int64_t(arrival.expectTx) == 0)
    machine.fault(FaultKind::Barrier, &thread, site,
                  "a .noComplete arrival completes phase " +
                      Twine(barrier.phase) + " of the mbarrier at " +
                      nameOf(machine, address));
  if (arrival.expectTx)
    addTx(thread, site, address, barrier, arrival.expectTx);
  machine.release(*thread.warp, barrier.arriving);
  if (!arrive(thread, site, address, barrier, arrival.count))
    return state;
  if (arrival.drop)
    barrier.expected -= std::min(arrival.count, barrier.expected);
  settle(thread, site, address, barrier);
  return state;
}

void mbarrierArriveAsync(Thread &issuer, const Site &site, uint64_t address,
                         uint32_t count, const Knowledge &delivered) {
  Mbarrier &barrier = useAsync(issuer, site, address);
  barrier.arriving.join(delivered);
  if (arrive(issuer, site, address, barrier, count))
    settle(issuer, site, address, barrier);
}

void mbarrierExpectTx(Thread &thread, const Site &site, uint64_t address,
                      uint64_t bytes) {
  Mbarrier &barrier = use(thread, site, address);
  addTx(thread, site, address, barrier, int64_t(uint32_t(bytes)));
}

void mbarrierExpectArrivals(Thread &thread, const Site &site, uint64_t address,
                            uint32_t count) {
  use(thread, site, address).pending += count;
}

void mbarrierCompleteTx(Thread &thread, const Site &site, uint64_t address,
                        uint64_t bytes) {
  Mbarrier &barrier = use(thread, site, address);
  addTx(thread, site, address, barrier, -int64_t(uint32_t(bytes)));
  settle(thread, site, address, barrier);
}

void mbarrierCompleteTxAsync(Thread &issuer, const Site &site, uint64_t address,
                             uint64_t bytes, const Knowledge &delivered) {
  Mbarrier &barrier = useAsync(issuer, site, address);
  barrier.arriving.join(delivered);
  addTx(issuer, site, address, barrier, -int64_t(bytes));
  settle(issuer, site, address, barrier);
}

void mbarrierCheck(Thread &thread, const Site &site, uint64_t address) {
  use(thread, site, address);
}

bool mbarrierTestParity(Thread &thread, const Site &site, uint64_t address,
                        uint64_t parity) {
  Mbarrier &barrier = use(thread, site, address);
  parity = checkedParity(thread, site, parity);
  if ((barrier.phase & 1) == parity) {
    thread.yield(site);
    return false;
  }
  acquire(thread, barrier);
  return true;
}

bool mbarrierTestState(Thread &thread, const Site &site, uint64_t address,
                       uint64_t state) {
  Mbarrier &barrier = use(thread, site, address);
  if (!isOver(thread, site, address, barrier, state)) {
    thread.yield(site);
    return false;
  }
  acquire(thread, barrier);
  return true;
}

void mbarrierWaitParity(Thread &thread, const Site &site, uint64_t address,
                        uint64_t parity) {
  Mbarrier &barrier = use(thread, site, address);
  parity = checkedParity(thread, site, parity);
  waitUntil(thread, site, address, barrier,
            [&] { return (barrier.phase & 1) != parity; });
}

void mbarrierWaitState(Thread &thread, const Site &site, uint64_t address,
                       uint64_t state) {
  Mbarrier &barrier = use(thread, site, address);
  waitUntil(thread, site, address, barrier,
            [&] { return isOver(thread, site, address, barrier, state); });
}

uint32_t mbarrierPendingCount(uint64_t state) { return uint32_t(state); }

std::string describeMbarrier(Machine &machine, uint64_t address) {
  const Mbarrier *barrier = lookUp(machine, address);
  if (!barrier)
    return "";
  std::string text =
      formatv("phase {0} lacks {1} of {2} arrivals", barrier->phase,
              barrier->pending, barrier->expected);
  if (barrier->tx > 0)
    text += formatv(" and {0} bytes", barrier->tx);
  else if (barrier->tx < 0)
    text += formatv(" and got {0} bytes too many", -barrier->tx);
  return text;
}

bool lacksBytesAlone(Machine &machine, uint64_t address) {
  const Mbarrier *barrier = lookUp(machine, address);
  return barrier && !barrier->pending && barrier->tx;
}

void fenceForRelaxed(Warp &warp) {
  warp.block->machine->release(warp, warpState<Fenced>(warp).known);
}

const Knowledge &fencedKnowledge(Warp &warp) {
  return warpState<Fenced>(warp).known;
}

} // namespace lathe::sim
