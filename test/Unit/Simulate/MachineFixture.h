//===- MachineFixture.h - Kernels written in C++ ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine runs a std::function per thread in place of compiled code. Each
// instruction that a test names is a site of its own.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TEST_UNIT_SIMULATE_MACHINEFIXTURE_H
#define LATHE_TEST_UNIT_SIMULATE_MACHINEFIXTURE_H

#include "Simulate/MachineState.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace lathe::sim::test {

using Body = std::function<void(Thread &)>;

class MachineTest : public ::testing::Test {
protected:
  MachineTest() {
    current = this;
    program.entry = [](void **) { current->body(*running->running); };
  }
  ~MachineTest() override { current = nullptr; }

  /// Runs `kernel` on every thread.
  RunReport run(Body kernel) {
    body = std::move(kernel);
    program.instructions.resize(program.sites.size());
    return runProgram(program, launch, options, {});
  }
  void shape(unsigned grid, unsigned block) {
    launch.grid = {grid, 1, 1};
    launch.block = {block, 1, 1};
  }
  /// A site, to be made before the run.
  uint32_t site(const char *name, const char *assembly = "") {
    Site made;
    made.id = program.sites.size();
    made.name = made.text = name;
    made.assembly = assembly;
    program.sites.push_back(made);
    return made.id;
  }
  Buffer &buffer(const char *name, void *data, uint64_t bytes) {
    Buffer made;
    made.name = name;
    made.data = static_cast<char *>(data);
    made.bytes = bytes;
    launch.buffers.push_back(made);
    return launch.buffers.back();
  }

  Call callOf(Thread &thread, uint32_t id, void *out = nullptr,
              const void *in = nullptr) {
    return {thread, program.sites[id], static_cast<char *>(out),
            static_cast<const char *>(in)};
  }
  template <typename T> T load(uint32_t id, const void *from) {
    uint64_t address = reinterpret_cast<uint64_t>(from);
    lathe_sim_access(id, address, sizeof(T), sizeof(T),
                     unsigned(AccessKind::Read));
    return *reinterpret_cast<const T *>(address);
  }
  template <typename T> void store(uint32_t id, void *to, T value) {
    lathe_sim_access(id, reinterpret_cast<uint64_t>(to), sizeof(T), sizeof(T),
                     unsigned(AccessKind::Write));
    *static_cast<T *>(to) = value;
  }
  template <typename T>
  T atomicAdd(uint32_t id, T *to, T value, uint32_t order = 0) {
    lathe_sim_access(id, reinterpret_cast<uint64_t>(to), sizeof(T), sizeof(T),
                     unsigned(AccessKind::Atomic) | order);
    return __atomic_fetch_add(to, value, __ATOMIC_SEQ_CST);
  }
  template <typename T> T atomicLoad(uint32_t id, T *from) {
    lathe_sim_access(id, reinterpret_cast<uint64_t>(from), sizeof(T), sizeof(T),
                     unsigned(AccessKind::AtomicRead));
    return __atomic_load_n(from, __ATOMIC_SEQ_CST);
  }
  template <typename T = uint32_t> T *shared(Thread &thread, unsigned index) {
    return reinterpret_cast<T *>(thread.block->arena) + index;
  }
  /// All threads of the block.
  void barrier(Thread &thread, uint32_t id) {
    struct State {
      unsigned arrived = 0;
      Knowledge known;
      std::vector<Thread *> waiters;
    };
    State &state = blockState<State>(*thread.block);
    Machine &machine = *thread.machine;
    machine.release(*thread.warp, state.known);
    if (++state.arrived < thread.block->threads.size()) {
      state.waiters.push_back(&thread);
      thread.wait(program.sites[id], "barrier 0");
      return;
    }
    for (Warp *warp : thread.block->warps)
      machine.acquire(*warp, state.known);
    std::vector<Thread *> waiters;
    waiters.swap(state.waiters);
    state.arrived = 0;
    state.known = Knowledge();
    for (Thread *waiter : waiters)
      machine.wake(*waiter);
  }
  /// Orders the lanes of a warp.
  void syncWarp(Thread &thread, uint32_t id) {
    Call call = callOf(thread, id);
    meetLanes(call, ~uint64_t(0), [](LaneCalls &) {});
  }

  Program program;
  Launch launch;
  RunOptions options;
  Body body;

private:
  static inline MachineTest *current = nullptr;
};

/// "kind: message" of each fault.
inline std::vector<std::string> faultsOf(const RunReport &report) {
  std::vector<std::string> all;
  for (const Fault &fault : report.faults)
    all.push_back((faultKindName(fault.kind) + ": " + fault.message).str());
  return all;
}

} // namespace lathe::sim::test

#endif // LATHE_TEST_UNIT_SIMULATE_MACHINEFIXTURE_H
