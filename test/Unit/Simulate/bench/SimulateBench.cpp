//===- SimulateBench.cpp - What the machine costs -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// items_per_second: switches, shuffles (of a thread), accesses, products, or
// threads. A run's set-up is part of it and spread over many items.
//
//===----------------------------------------------------------------------===//

#include "Simulate/MachineState.h"
#include "Simulate/Tensor/Wgmma.h"

#include <benchmark/benchmark.h>

using namespace lathe::sim;

namespace {

void (*body)(Thread &);
uint32_t globalWords[1 << 16];

struct Bench {
  Bench(benchmark::State &state, void (*kernel)(Thread &)) : state(state) {
    body = kernel;
    program.entry = [](void **) { body(*running->running); };
    for (const char *name : {"store", "load", "collective"}) {
      Site site;
      site.id = program.sites.size();
      site.name = site.text = name;
      program.sites.push_back(site);
    }
    program.instructions.resize(program.sites.size());
    launch.block = {256, 1, 1};
    launch.dynamicShared = 64 * 1024;
    Buffer buffer;
    buffer.name = "y";
    buffer.data = reinterpret_cast<char *>(globalWords);
    buffer.bytes = sizeof(globalWords);
    launch.buffers.push_back(buffer);
  }
  void run(uint64_t items) {
    uint64_t switches = 0;
    for (auto _ : state) {
      RunReport report = runProgram(program, launch, options, {});
      switches += report.switches;
      if (!report.ok())
        state.SkipWithError("the kernel has faults");
    }
    state.SetItemsProcessed(items ? items * state.iterations() : switches);
  }
  benchmark::State &state;
  Program program;
  Launch launch;
  RunOptions options;
};

constexpr unsigned rounds = 1000;
constexpr uint64_t perRun = uint64_t(rounds) * 256;

uint32_t *sharedWord(Thread &thread, unsigned index) {
  return reinterpret_cast<uint32_t *>(thread.block->arena) + index;
}

void access(uint32_t site, const void *address, uint32_t bytes,
            AccessKind kind) {
  lathe_sim_access(site, reinterpret_cast<uint64_t>(address), bytes, bytes,
                   unsigned(kind));
}

void Switch(benchmark::State &state) {
  Bench bench(state, [](Thread &thread) {
    for (unsigned i = 0; i < rounds; ++i)
      lathe_sim_yield(1);
  });
  bench.run(0);
}
BENCHMARK(Switch);

void Shuffle(benchmark::State &state) {
  Bench bench(state, [](Thread &thread) {
    const Site &site = thread.machine->program().sites[2];
    for (unsigned i = 0; i < rounds; ++i) {
      uint32_t in = thread.lane, out = 0;
      Call call{thread, site, reinterpret_cast<char *>(&out),
                reinterpret_cast<const char *>(&in)};
      meetLanes(call, 0xFFFFFFFF, [](LaneCalls &calls) {
        for (unsigned lane = 0; lane < 32; ++lane)
          std::memcpy(calls.lane[lane]->out, calls.lane[lane ^ 1]->in, 4);
      });
      benchmark::DoNotOptimize(out);
    }
  });
  bench.run(perRun);
}
BENCHMARK(Shuffle);

/// Argument: whether the order is checked.
template <unsigned bytes> void SharedLoad(benchmark::State &state) {
  Bench bench(state, [](Thread &thread) {
    for (unsigned i = 0; i < 4; ++i)
      access(0, sharedWord(thread, (i * 256 + thread.index) * (bytes / 4)),
             bytes, AccessKind::Write);
    for (unsigned i = 0; i < rounds; ++i)
      access(1, sharedWord(thread, (i % 4 * 256 + thread.index) * (bytes / 4)),
             bytes, AccessKind::Read);
  });
  bench.options.checkOrder = state.range(0);
  bench.run(perRun);
}
BENCHMARK(SharedLoad<4>)->Arg(0)->Arg(1);
BENCHMARK(SharedLoad<16>)->Arg(0)->Arg(1);

void GlobalStore(benchmark::State &state) {
  Bench bench(state, [](Thread &thread) {
    for (unsigned i = 0; i < rounds; ++i)
      access(0, globalWords + (i % 64 * 256 + thread.index) * 4, 16,
             AccessKind::Write);
  });
  bench.options.checkOrder = state.range(0);
  bench.run(perRun);
}
BENCHMARK(GlobalStore)->Arg(0)->Arg(1);

/// One warpgroup's share of a GEMM, 64 x 256 x 64 in bf16 per step. Items:
/// products of depth 16.
void Wgmma(benchmark::State &state) {
  constexpr unsigned operandBytes = (64 + 256) * 128;
  Bench bench(state, [](Thread &thread) {
    const Site &site = thread.machine->program().sites[2];
    float sums[128] = {};
    Call call{thread, site, reinterpret_cast<char *>(sums), nullptr};
    for (unsigned at = thread.index * 16; at < operandBytes; at += 128 * 16) {
      access(0, thread.block->arena + at, 16, AccessKind::Write);
      std::memset(thread.block->arena + at, 0, 16);
    }
    meetWarpgroup(call, [](llvm::ArrayRef<Call *> calls) {
      Machine &machine = Machine::current();
      Knowledge all;
      for (Warp *warp : calls.front()->thread.block->warps) {
        machine.fenceProxy(*warp);
        machine.release(*warp, all);
      }
      for (Warp *warp : calls.front()->thread.block->warps)
        machine.acquire(*warp, all);
    });
    for (unsigned step = 0; step < rounds / 10; ++step) {
      wgmmaFence(thread);
      for (unsigned k = 0; k < 4; ++k)
        meetWarpgroup(call, [k](llvm::ArrayRef<Call *> calls) {
          // SBO 1024, swizzled by 128 bytes; 32 bytes along K.
          uint64_t layout = uint64_t(1) << 62 | uint64_t(64) << 32 | 2 * k;
          std::array<WgmmaLane, 128> lanes;
          for (unsigned i = 0; i < 128; ++i) {
            lanes[i].accumulator = calls[i]->out;
            lanes[i].descriptorA = layout;
            lanes[i].descriptorB = layout | 64 * 128 / 16;
          }
          WgmmaKind kind;
          kind.n = 256;
          issueWgmma(calls, kind, lanes);
        });
      wgmmaCommit(thread);
      wgmmaWait(thread, 0);
    }
    benchmark::DoNotOptimize(sums);
  });
  bench.launch.block = {128, 1, 1};
  bench.options.checkOrder = state.range(0);
  bench.run(rounds / 10 * 4);
}
BENCHMARK(Wgmma)->Arg(0)->Arg(1);

/// Threads that do nothing: what a block costs.
void EmptyBlocks(benchmark::State &state) {
  Bench bench(state, [](Thread &) {});
  bench.launch.grid = {64, 1, 1};
  bench.run(64 * 256);
}
BENCHMARK(EmptyBlocks);

} // namespace

BENCHMARK_MAIN();
