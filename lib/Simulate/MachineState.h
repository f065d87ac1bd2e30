//===- MachineState.h - What the machine keeps ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the files that make up the machine; instructions see Machine.h.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_MACHINESTATE_H
#define LATHE_LIB_SIMULATE_MACHINESTATE_H

#include "Faults.h"
#include "GlobalMemory.h"
#include "LowMemory.h"
#include "Machine.h"
#include "Program.h"
#include "ReadyQueue.h"
#include "SharedShadow.h"
#include "Statistics.h"

#include <boost/context/detail/fcontext.hpp>

#include <atomic>
#include <deque>
#include <map>
#include <mutex>

namespace lathe::sim {

namespace fiber = boost::context::detail;

//===----------------------------------------------------------------------===//
// Per thread, warp, block
//===----------------------------------------------------------------------===//

/// A local variable whose bytes are tracked.
struct Local {
  uint64_t address, bytes;
  std::vector<bool> holdsValue;
};

struct Thread::State {
  fiber::fcontext_t context = nullptr;
  Stack stack;
  bool blocked = false, ended = false, yielded = false;
  // What it waits for.
  const Site *site = nullptr;
  const char *reason = nullptr;
  uint64_t address = 0;
  std::vector<Local> locals;
};

/// Lanes that wait for others at a collective.
struct LaneGroup {
  const Site *site = nullptr;
  uint64_t mask = 0;    ///< lanes that are to come
  bool oneSite = false; ///< of meetWarp
  LaneCalls calls;      ///< `mask` of it: lanes that are here
  /// Of a lane that is here; run when a missing lane exits.
  llvm::function_ref<void(LaneCalls &)> body;
};

/// Lanes of a wave at one site, and what to run once no more can come.
struct ActiveGroup {
  const Site *site = nullptr;
  LaneCalls calls;
  llvm::function_ref<void(LaneCalls &)> body;
};

using OwnedState = std::unique_ptr<void, void (*)(void *)>;
using StateTable = llvm::SmallVector<std::pair<const void *, OwnedState>, 4>;

struct Warp::State {
  uint32_t clock = 0; ///< of what the warp does now
  uint32_t syncs = 0; ///< times that its lanes were ordered
  llvm::SmallVector<LaneWait, 0> waits;
  unsigned runnable = 0;
  llvm::SmallVector<LaneGroup *, 2> groups;
  llvm::SmallVector<ActiveGroup, 2> active;
  StateTable table;
};

struct WarpgroupMeeting {
  const Site *site = nullptr;
  unsigned arrived = 0;
  llvm::SmallVector<Call *, 128> calls;
};

struct Cluster;

struct Block::State {
  Cluster *owner = nullptr;
  SharedShadow shadow;
  llvm::SmallVector<WarpgroupMeeting, 4> warpgroups;
  std::deque<AsyncOperation> inFlight;
  std::vector<std::function<void(Thread &)>> exitListeners;
  StateTable table;

  /// The last access of each agent of other blocks to this one's memory, which
  /// goes with its last thread, and what threads that ended knew of.
  struct Visit {
    Epoch epoch;
    Thread *thread;
    uint32_t site;
    uint64_t offset;
  };
  std::vector<Visit> visits;
  Knowledge atEnd;
};

/// The blocks that live together and share an order; reused for the next ones.
struct Cluster {
  uint64_t position = 0; ///< in the order of the launch's clusters
  uint32_t number = 0;   ///< of the cluster, for clocks of others
  unsigned alive = 0;    ///< threads
  uint32_t base = 0;     ///< clocks up to here are of earlier tenants
  uint32_t latest = 0;   ///< clock in use
  unsigned cursor = 0;   ///< of the ring of TMA agents
  bool wakesOthers = false;
  char *arenas = nullptr;

  std::vector<Block> blocks;
  std::vector<Warp> warps;
  std::vector<Thread> threads;
  std::vector<Block *> blockPointers;
  std::vector<Warp *> warpPointers;
  std::vector<Thread *> threadPointers;
  std::vector<Block::State> blockStates;
  std::vector<Warp::State> warpStates;
  std::vector<Thread::State> threadStates;

  /// Units get agents as they are first used.
  struct Unit {
    unsigned rank;
    AsyncUnit unit;
    unsigned index, slot;
  };
  std::vector<Unit> units; ///< agents beyond the warps
  std::vector<uint32_t> unitClocks;

  unsigned agentOf(unsigned rank, AsyncUnit unit, unsigned index);
  std::string agentName(unsigned agent) const;
};

//===----------------------------------------------------------------------===//
// The launch, shared by the machines that run it
//===----------------------------------------------------------------------===//

struct LaunchState {
  LaunchState(const Program &program, const Launch &launch,
              const RunOptions &options, llvm::ArrayRef<void *> arguments);

  const Program &program;
  const Launch &launch;
  const RunOptions &options;
  std::vector<void *> arguments;
  unsigned clusterBlocks;
  std::vector<uint64_t> clusters; ///< numbers, in the order of their run
  std::atomic<uint64_t> next{0};  ///< position in `clusters`
  /// Position of the first cluster that ended the launch.
  std::atomic<uint64_t> lastPosition{~uint64_t(0)};
  std::atomic<int64_t> budget;
  unsigned machines;
  unsigned maxResident; ///< clusters of one machine
  uint32_t sharedBytes;

  GlobalMemory memory;
  LocationClocks locations;
};

struct Machine::State {
  explicit State(LaunchState &launch);
  ~State();

  LaunchState &shared;
  Machine machine;
  Thread *running = nullptr;
  ReadyQueue ready;
  uint64_t rng = 0;
  int64_t instructionsLeft = 0; ///< of the chunk taken from the budget
  uint64_t ticks = 0;
  uint64_t idleYields = 0;  ///< since anybody did something else than poll
  unsigned inFlight = 0;    ///< deferred operations
  Region *recent = nullptr; ///< where the last access to global memory was
  fiber::fcontext_t main = nullptr;
  enum class Stop { None, Finished, Idle, Polling, Aborted };
  Stop stop = Stop::None;

  std::vector<std::unique_ptr<Cluster>> live, spare;
  std::vector<Block *> arenaOwner; ///< by address >> 18
  /// Constants of instructions, and their bytes.
  std::map<std::string, std::pair<Region, std::unique_ptr<char[]>>> constants;
  FaultLog faults;
  RunReport report;
  Statistics statistics;
  /// Stores of an equal value twice are no race: decided after the store.
  struct PendingStore {
    const char *bytes = nullptr;
    uint32_t size = 0;
    char before[64];
    FaultKind kind;
    Thread *thread;
    const Site *site;
    std::function<std::string()> text;
  } pending;

  void run();
  void start(uint64_t position);
  void finish(Cluster &cluster);
  void deadlock();
  /// Counts an access; true: the lane is far ahead of its warp.
  bool countAccess(const Thread &thread, const Site &site, uint64_t address,
                   uint64_t bytes);
  struct Waiters {
    Thread *first = nullptr;
    bool lackBytes = false; ///< an mbarrier waits for copies alone
  };
  /// "2 threads wait: 1 x barrier 0, ...".
  std::string describeWaiters(Waiters &waiters);
  /// Gives the processor to the next fiber; on the caller's stack.
  void schedule(Thread &from);
  void block(Thread &thread);
  void toMain(Stop why, Thread &from);
  bool runOneInFlight();
  void takeBudget(uint32_t count);
  /// Draws of a cluster do not depend on the clusters before it.
  void seed(uint64_t position);
  /// What an atomic write publishes if it is not a release itself.
  void releaseFenced(Thread &thread, uint64_t address);
  /// The buffer, variable or constant that holds the bytes, or null.
  Region *findRegion(uint64_t address, uint64_t bytes);
  /// "shared+0x40", "'x'+12".
  std::string describe(uint64_t address);
  /// Whether others may still use the memory of a block whose last thread ends.
  void warpEnded(Warp &warp);
  void settlePending() {
    if (pending.bytes)
      decidePending();
  }
  void decidePending();
};

/// SplitMix64: a draw from `state`, which advances.
uint64_t nextRandom(uint64_t &state);
/// Sets a thread up to begin the kernel.
void startFiber(Thread &thread);
/// Runs what the earliest site's lanes of a wave wait for.
void resolveActive(Warp &warp);
/// A lane ended: collectives that expected it go on or fail.
void laneExited(Thread &thread);

/// The machine of this host thread; null outside of a run. Not thread_local:
/// that would ask at every use whether it is initialized.
extern __thread Machine::State *running;

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_MACHINESTATE_H
