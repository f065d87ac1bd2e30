//===- Launch.cpp - Clusters over host threads ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineState.h"

#include "llvm/Support/MathExtras.h"

#include <chrono>
#include <thread>

using namespace lathe::sim;

/// Numbers of the clusters that hold a block to run, in grid order.
static std::vector<uint64_t> clustersOf(const Launch &launch,
                                        const RunOptions &options) {
  const auto &grid = launch.grid, &shape = launch.cluster;
  std::vector<uint64_t> clusters;
  uint64_t width = grid[0] / shape[0], height = grid[1] / shape[1];
  if (options.blocks.empty()) {
    clusters.resize(width * height * (grid[2] / shape[2]));
    for (uint64_t i = 0; i < clusters.size(); ++i)
      clusters[i] = i;
    return clusters;
  }
  for (uint64_t block : options.blocks) {
    uint64_t x = block % grid[0], y = block / grid[0] % grid[1],
             z = block / grid[0] / grid[1];
    clusters.push_back((z / shape[2] * height + y / shape[1]) * width +
                       x / shape[0]);
  }
  llvm::sort(clusters);
  clusters.erase(std::unique(clusters.begin(), clusters.end()), clusters.end());
  return clusters;
}

LaunchState::LaunchState(const Program &program, const Launch &launch,
                         const RunOptions &options,
                         llvm::ArrayRef<void *> arguments)
    : program(program), launch(launch), options(options),
      arguments(arguments.begin(), arguments.end()),
      clusterBlocks(launch.cluster[0] * launch.cluster[1] * launch.cluster[2]),
      clusters(clustersOf(launch, options)),
      budget(std::min<uint64_t>(options.budget, uint64_t(1) << 62)),
      machines(std::clamp<uint64_t>(options.threads, 1, clusters.size())),
      sharedBytes(llvm::alignTo(program.staticShared,
                                std::max<uint64_t>(1, program.dynamicAlign)) +
                  launch.dynamicShared),
      memory(program, launch, arguments, options.checkOrder, machines > 1) {
  // Stacks and arenas share 4 GiB of addresses, each thread takes two of the
  // 65530 mappings that a process may have.
  constexpr uint64_t maxThreads = 24576, maxBlocks = 4096;
  uint64_t perCluster = uint64_t(clusterBlocks) * launch.block[0] *
                        launch.block[1] * launch.block[2];
  maxResident = std::max<uint64_t>(
      1,
      std::min(maxThreads / perCluster, maxBlocks / clusterBlocks) / machines);
  if (options.interleaving == Interleaving::Random) {
    uint64_t state = options.seed;
    for (uint64_t i = clusters.size(); i > 1; --i)
      std::swap(clusters[i - 1], clusters[nextRandom(state) % i]);
  }
}

RunReport lathe::sim::runProgram(const Program &program, const Launch &launch,
                                 const RunOptions &options,
                                 llvm::ArrayRef<void *> arguments) {
  auto begin = std::chrono::steady_clock::now();
  assert(launch.grid[0] % launch.cluster[0] == 0 &&
         launch.grid[1] % launch.cluster[1] == 0 &&
         launch.grid[2] % launch.cluster[2] == 0 &&
         "the grid is not made of whole clusters");
  LaunchState state(program, launch, options, arguments);
  RunReport report;
  if (state.clusters.empty())
    return report;

  std::vector<std::unique_ptr<Machine::State>> machines;
  for (unsigned i = 0; i < state.machines; ++i)
    machines.push_back(std::make_unique<Machine::State>(state));
  auto work = [](Machine::State &machine) {
    OverflowGuard guard;
    running = &machine;
    machine.run();
    running = nullptr;
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < state.machines; ++i)
    threads.emplace_back([&, i] { work(*machines[i]); });
  work(*machines[0]);
  for (std::thread &thread : threads)
    thread.join();

  llvm::SmallVector<const FaultLog *, 8> logs;
  llvm::SmallVector<const Statistics *, 8> statistics;
  for (auto &machine : machines) {
    const RunReport &part = machine->report;
    report.aborted |= part.aborted;
    report.blocksRun += part.blocksRun;
    report.instructions += part.instructions;
    report.barriers += part.barriers;
    report.collectives += part.collectives;
    report.switches += part.switches;
    logs.push_back(&machine->faults);
    statistics.push_back(&machine->statistics);
  }
  report.faults = FaultLog::merge(logs, state.lastPosition);
  report.unchecked = state.memory.unchecked();
  if (options.statistics)
    report.accesses = Statistics::merge(program, statistics);
  report.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return report;
}
