//===- Barrier.h - Barriers of blocks and clusters, fences ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// barrier.cta (16 of them per block, by count of threads), barrier.cluster, and
// what fences make visible. Semantics over plain values, for intrinsics and for
// inline PTX alike.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_NVIDIA_BARRIER_H
#define LATHE_LIB_SIMULATE_NVIDIA_BARRIER_H

#include "../Machine.h"

#include <optional>

namespace lathe::sim {

/// `threads`: how many take part, a multiple of the warp size; absent: all
/// threads of the block that have not ended. `aligned`: all lanes of a warp
/// must be at this site.
void barrierSync(Thread &thread, const Site &site, uint64_t id,
                 std::optional<uint64_t> threads, bool aligned);
/// Does not wait.
void barrierArrive(Thread &thread, const Site &site, uint64_t id,
                   uint64_t threads, bool aligned);

enum class BarrierReduction { Count, And, Or };
/// The sync that also combines the predicates of its threads.
uint32_t barrierReduce(Thread &thread, const Site &site, uint64_t id,
                       std::optional<uint64_t> threads, bool aligned,
                       BarrierReduction reduction, bool predicate);

/// A relaxed arrival takes along only what fences covered before.
void clusterArrive(Thread &thread, const Site &site, bool relaxed,
                   bool aligned);
void clusterWait(Thread &thread, const Site &site, bool aligned);

enum class FenceScope { Block, Cluster, Device, System };
/// membar, fence.acq_rel, fence.sc.
void fence(Thread &thread, FenceScope scope);
/// fence.proxy.async of shared memory.
void fenceProxyAsync(Thread &thread);

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_NVIDIA_BARRIER_H
