//===- Machine.h - Threads, blocks and the order among them -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What instructions see of the machine that runs them. One machine per host
// thread; a handler runs on the fiber of the thread that calls it.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_MACHINE_H
#define LATHE_LIB_SIMULATE_MACHINE_H

#include "Instruction.h"
#include "lathe/Simulate/Simulator.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace lathe::sim {

class Block;
class Machine;
class Program;
class Warp;

inline constexpr uint64_t arenaBytes = 256 * 1024;

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
};

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Happens-before: the accesses, by agent, that are known to be over.
/// Agents of a block (of a cluster: of all its blocks): warps, then units whose
/// accesses a warp knows to be over only after it waited for them.
class VectorClock {
public:
  uint32_t at(unsigned agent) const {
    return agent < clocks.size() ? clocks[agent] : 0;
  }
  unsigned size() const { return clocks.size(); }
  void raise(unsigned agent, uint32_t clock) {
    if (clocks.size() <= agent)
      clocks.resize(agent + 1);
    clocks[agent] = std::max(clocks[agent], clock);
  }
  void join(const VectorClock &other) {
    if (clocks.size() < other.clocks.size())
      clocks.resize(other.clocks.size());
    for (size_t i = 0; i < other.clocks.size(); ++i)
      clocks[i] = std::max(clocks[i], other.clocks[i]);
  }

  /// Keeps what both know.
  void meet(const VectorClock &other) {
    for (size_t i = 0; i < clocks.size(); ++i)
      clocks[i] = std::min(clocks[i], other.at(i));
  }

private:
  llvm::SmallVector<uint32_t, 0> clocks;
};

/// Accesses of other clusters that are known to be over: clocks by agent of
/// the grid, in ascending order. Shared and never changed once made.
struct ForeignClocks {
  struct Entry {
    uint64_t agent; ///< number of the cluster << 16 | agent in it
    uint32_t clock;
  };
  std::vector<Entry> entries;
  uint32_t at(uint64_t agent) const;
};
using ForeignKnowledge = std::shared_ptr<const ForeignClocks>;
ForeignKnowledge joined(const ForeignKnowledge &a, const ForeignKnowledge &b);

/// What a warp, a barrier or an operation in flight knows. `proxied`: the part
/// of `seen` that a fence has made visible to the asynchronous proxy; `fenced`:
/// the part that a fence has made visible to other blocks.
struct Knowledge {
  VectorClock seen, proxied, fenced;
  ForeignKnowledge foreign;
  void join(const Knowledge &other) {
    seen.join(other.seen);
    proxied.join(other.proxied);
    fenced.join(other.fenced);
    if (other.foreign && other.foreign != foreign)
      foreign = joined(foreign, other.foreign);
  }
  /// Keeps what both know of shared memory.
  void meet(const Knowledge &other) {
    seen.meet(other.seen);
    proxied.meet(other.proxied);
  }
};

/// One point in an agent's history.
struct Epoch {
  uint32_t agent = 0, clock = 0;
};

enum class AsyncUnit {
  TmaLoad,  ///< per block: bulk copies into shared memory
  TmaStore, ///< per warp: bulk reads of shared memory
  Wgmma,    ///< per warpgroup: operand reads
  CpAsync,  ///< per warp: non-bulk copies into shared memory
  LdsDma    ///< per wave: AMD loads straight into LDS
};

enum class AccessKind {
  Read,
  Write,
  Atomic,      ///< read-modify-write
  AtomicRead,  ///< atomic or volatile load
  AtomicWrite, ///< atomic or volatile store
};
inline bool isAtomic(AccessKind kind) { return kind >= AccessKind::Atomic; }
inline bool isRead(AccessKind kind) {
  return kind == AccessKind::Read || kind == AccessKind::Atomic ||
         kind == AccessKind::AtomicRead;
}
inline bool isWrite(AccessKind kind) {
  return kind == AccessKind::Write || kind == AccessKind::Atomic ||
         kind == AccessKind::AtomicWrite;
}
enum class Proxy { Generic, Async };

/// An access by a unit that is not a thread. `known` is what was over when the
/// operation was issued: taken by Machine::release.
struct AsyncAccess {
  Epoch epoch;
  Proxy proxy = Proxy::Async;
  const Knowledge *known = nullptr;
  /// Machine::lanesMet at the issue, if one lane issues for itself.
  std::optional<uint32_t> lanesMet = std::nullopt;
};

/// Bytes that an operation reads or writes, among others.
struct Piece {
  uint64_t address, bytes;
};

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// One thread of the kernel: a fiber. Fields are set by the machine.
class Thread {
public:
  Machine *machine = nullptr;
  Block *block = nullptr;
  Warp *warp = nullptr;
  uint32_t index = 0; ///< linear, in the block
  uint32_t lane = 0;  ///< in the warp or wave
  Dim3 id;

  /// Gives the processor away until somebody calls Machine::wake. `reason` and
  /// `address` name what is awaited, for reports of a deadlock; the text must
  /// outlive the wait.
  void wait(const Site &site, const char *reason, uint64_t address = 0);
  /// Lets others run first: for loops that poll.
  void yield(const Site &site);
  /// Ends this thread (exit, s_endpgm).
  [[noreturn]] void exit();

  struct State;
  State *state = nullptr; ///< the machine's own
};

class Warp {
public:
  Block *block = nullptr;
  uint32_t index = 0;             ///< in the block
  llvm::ArrayRef<Thread *> lanes; ///< as many as the last warp has
  uint64_t exited = 0;            ///< lanes that ended
  Knowledge knowledge;
  uint32_t agent = 0;
  /// Bits of the lanes that exist.
  uint64_t full() const {
    return lanes.size() >= 64 ? ~uint64_t(0)
                              : (uint64_t(1) << lanes.size()) - 1;
  }

  struct State;
  State *state = nullptr;
};

class Block {
public:
  Machine *machine = nullptr;
  Dim3 id; ///< in the grid
  uint64_t linear = 0;
  uint32_t rank = 0;               ///< in the cluster
  llvm::ArrayRef<Block *> cluster; ///< all blocks of it, by rank
  llvm::ArrayRef<Warp *> warps;
  llvm::ArrayRef<Thread *> threads;
  char *arena = nullptr; ///< shared memory, arenaBytes of it, in the low 4 GiB
  uint32_t sharedBytes = 0; ///< static and dynamic

  struct State;
  State *state = nullptr;
};

/// State that instructions keep per block or warp (barrier tables, groups in
/// flight), made on first use and gone with its owner.
template <typename T> T &blockState(Block &block);
template <typename T> T &warpState(Warp &warp);
void *stateOf(Block &block, const void *key, void *(*make)(),
              void (*destroy)(void *));
void *stateOf(Warp &warp, const void *key, void *(*make)(),
              void (*destroy)(void *));

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// The calls of lanes that meet, by lane; null where a lane does not take part.
struct LaneCalls {
  uint64_t mask = 0;
  std::array<Call *, 64> lane = {};
};

/// Meets the lanes of `mask` at instructions of the same name (`sync` ones may
/// be different sites); the last to arrive runs `body` once for all. Lanes that
/// exited or do not exist are not waited for (PTX ISA: "all non-exited threads
/// corresponding to membermask") and have no call. Ends the launch if lanes
/// wait for each other at different collectives. Orders memory among the lanes.
void meetLanes(Call &call, uint64_t mask,
               llvm::function_ref<void(LaneCalls &)> body);

/// The same for instructions that must be executed by all existing lanes of the
/// warp at one site (`.aligned`); a lane that exited is a fault.
void meetWarp(Call &call, llvm::function_ref<void(LaneCalls &)> body);

/// Meets the lanes of the wave that are active at this site: all that get here
/// before the wave has nothing else to run. Orders nothing.
void meetActive(Call &call, llvm::function_ref<void(LaneCalls &)> body);

/// Meets the four warps of the caller's warpgroup at one site.
void meetWarpgroup(Call &call,
                   llvm::function_ref<void(llvm::ArrayRef<Call *> calls)> body);

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

/// An operation in flight: runs when the machine's policy says so.
struct AsyncOperation {
  Thread *issuer = nullptr;
  const Site *site = nullptr;
  /// Must not wait. Runs on the scheduler.
  std::function<void()> run;
};

class Machine {
public:
  /// The machine of this host thread.
  static Machine &current();

  const Program &program() const;
  const Launch &launch() const;
  /// One pointer to each parameter's bytes.
  void **arguments() const;
  const RunOptions &options() const;
  bool isAmd() const;
  unsigned warpSize() const;
  Dim3 gridDim() const;
  Dim3 blockDim() const;
  Dim3 clusterDim() const;
  /// Draws that depend on the seed alone.
  uint64_t random();
  /// Simulated nanoseconds, monotone: for clocks and timers.
  uint64_t time();

  void wake(Thread &thread);
  /// Calls `notify` whenever a thread of the block has ended, after
  /// Warp::exited says so; not while the launch is being aborted.
  void onExit(Block &block, std::function<void(Thread &)> notify);

  /// Queues an operation, or runs it now, by RunOptions::asyncTiming.
  void defer(AsyncOperation operation);
  /// Runs what `block` has in flight, so that a wait can end.
  void drain(Block &block);

  //--- faults ---------------------------------------------------------------
  /// Records a fault; the thread goes on.
  void fault(FaultKind kind, const Thread *thread, const Site &site,
             const llvm::Twine &message);
  /// Records a fault and ends the launch.
  [[noreturn]] void abort(FaultKind kind, const Thread *thread,
                          const Site &site, const llvm::Twine &message);

  //--- memory ---------------------------------------------------------------
  /// Checks one thread's access and enters it into the shadow. Returns where
  /// the bytes are; aborts the launch if they are nowhere. `align` in bytes.
  char *access(Thread &thread, const Site &site, uint64_t address,
               uint64_t bytes, uint64_t align, AccessKind kind);
  /// The same for a unit that is not a thread.
  char *access(Thread &issuer, const Site &site, uint64_t address,
               uint64_t bytes, uint64_t align, AccessKind kind,
               const AsyncAccess &async);
  /// The same for many pieces at once. `known` may not change meanwhile.
  void access(Thread &issuer, const Site &site, llvm::ArrayRef<Piece> pieces,
              uint64_t align, AccessKind kind, const AsyncAccess &async);
  /// Without an entry in the shadow: bounds only; null if the bytes are in no
  /// memory that the launch may touch.
  char *resolve(const Thread &thread, uint64_t address, uint64_t bytes);

  /// Keeps a copy of bytes that kernels may read until the launch ends (hidden
  /// arguments) and returns its address; for a name that is known, the address
  /// of the copy that it has. `name` is for reports, too.
  uint64_t constant(llvm::StringRef name, const void *data, uint64_t bytes);

  /// Whether the bytes lie in a shared arena, and whose.
  Block *blockOf(uint64_t address);
  /// Arena address of a 32-bit shared address or a generic pointer.
  bool isShared(uint64_t address) { return blockOf(address) != nullptr; }

  //--- order ----------------------------------------------------------------
  /// The number of a unit's agent; `index`: warp or warpgroup. TMA loads end in
  /// any order, so each call for TmaLoad returns the next agent of a ring.
  unsigned agentOf(Block &block, AsyncUnit unit, unsigned index);
  /// A new point in the unit's history.
  Epoch tick(Block &block, unsigned agent);
  /// The point of that number, from 1, for units that count on their own.
  Epoch numbered(Block &block, unsigned agent, uint32_t number);
  /// A new point in the warp's history: what it did so far is before it. Call
  /// after its knowledge was released into something.
  void tick(Warp &warp);
  /// release: `into` learns what the warp knows and did; the warp ticks.
  void release(Warp &warp, Knowledge &into);
  /// acquire: the warp learns what `from` knows, and its lanes what each other
  /// did.
  void acquire(Warp &warp, const Knowledge &from);
  /// The warp learns that the unit's accesses up to `epoch` are over.
  void finished(Warp &warp, Epoch epoch) {
    warp.knowledge.seen.raise(epoch.agent, epoch.clock);
  }
  /// The same for what this lane alone waited for: others have to meet it.
  void finished(Thread &thread, Epoch epoch);
  /// How often the lanes of the thread's warp were ordered.
  uint32_t lanesMet(const Thread &thread) const;
  /// fence.proxy.async: what the warp has seen and did becomes visible to the
  /// asynchronous proxy.
  void fenceProxy(Warp &warp);

  /// A fence: what the thread wrote to global memory is ordered before what
  /// others read after they saw a later atomic or volatile write of it.
  void fenceGlobal(Thread &thread);
  /// The access of `address` by the thread has .acquire or .release semantics.
  /// Atomic accesses always acquire; without a fence they release nothing.
  void acquireAt(Thread &thread, uint64_t address);
  void releaseAt(Thread &thread, uint64_t address);

  //--- counters -------------------------------------------------------------
  RunReport &report();

  struct State;
  State *state = nullptr;
};

//===----------------------------------------------------------------------===//

template <typename T> T &blockState(Block &block) {
  static const char key = 0;
  return *static_cast<T *>(stateOf(
      block, &key, []() -> void * { return new T(); },
      [](void *state) { delete static_cast<T *>(state); }));
}

template <typename T> T &warpState(Warp &warp) {
  static const char key = 0;
  return *static_cast<T *>(stateOf(
      warp, &key, []() -> void * { return new T(); },
      [](void *state) { delete static_cast<T *>(state); }));
}

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_MACHINE_H
