//===- Mbarrier.h - Transaction barriers in shared memory -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mbarrier object of PTX: a count of arrivals and of bytes, by phase. Its
// state is kept beside the memory; the memory holds a mark, so that a store
// over a barrier is noticed. Addresses are 64-bit generic or 32-bit shared
// ones, of the caller's block or of another one of its cluster.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_NVIDIA_MBARRIER_H
#define LATHE_LIB_SIMULATE_NVIDIA_MBARRIER_H

#include "../Machine.h"

#include <optional>
#include <string>

namespace lathe::sim {

/// Largest count of arrivals and largest count of bytes (PTX ISA, mbarrier).
inline constexpr uint32_t mbarrierMax = (1u << 20) - 1;

void mbarrierInit(Thread &thread, const Site &site, uint64_t address,
                  uint64_t count);
void mbarrierInvalidate(Thread &thread, const Site &site, uint64_t address);

struct Arrival {
  uint32_t count = 1;
  uint32_t expectTx = 0; ///< bytes, added before the arrival
  bool drop = false;     ///< later phases expect `count` fewer
  /// `.noComplete`: completing the phase with it is a fault.
  bool noComplete = false;
};

/// Returns the state before the arrival, as the instruction does. Faults:
/// Barrier (over-arrival, no barrier there).
uint64_t mbarrierArrive(Thread &thread, const Site &site, uint64_t address,
                        const Arrival &arrival = {});
/// An arrival made by an operation in flight: `delivered` is what those learn
/// who wait for the phase. Does not touch the issuer's knowledge. May run on
/// the scheduler.
void mbarrierArriveAsync(Thread &issuer, const Site &site, uint64_t address,
                         uint32_t count, const Knowledge &delivered);

/// The running phase expects `count` arrivals more.
void mbarrierExpectArrivals(Thread &thread, const Site &site, uint64_t address,
                            uint32_t count);
void mbarrierExpectTx(Thread &thread, const Site &site, uint64_t address,
                      uint64_t bytes);
/// complete_tx as the instruction.
void mbarrierCompleteTx(Thread &thread, const Site &site, uint64_t address,
                        uint64_t bytes);
/// `bytes` of an operation in flight have landed; may run on the scheduler.
/// Raise the epochs of the landed accesses in both clocks of `delivered`.
void mbarrierCompleteTxAsync(Thread &issuer, const Site &site, uint64_t address,
                             uint64_t bytes, const Knowledge &delivered);
/// For the issue of an operation that will complete on the barrier: faults now,
/// with the issuer's view, if there is no barrier or its initialization is not
/// ordered before.
void mbarrierCheck(Thread &thread, const Site &site, uint64_t address);

/// test_wait: whether the phase is over. If not, lets others run first.
bool mbarrierTestParity(Thread &thread, const Site &site, uint64_t address,
                        uint64_t parity);
bool mbarrierTestState(Thread &thread, const Site &site, uint64_t address,
                       uint64_t state);
/// try_wait: suspends the thread until the phase is over. The time limit of the
/// instruction is taken as endless: who would wait for ever is in a deadlock.
void mbarrierWaitParity(Thread &thread, const Site &site, uint64_t address,
                        uint64_t parity);
void mbarrierWaitState(Thread &thread, const Site &site, uint64_t address,
                       uint64_t state);

/// Arrivals that were missing when `state` was returned.
uint32_t mbarrierPendingCount(uint64_t state);

/// What the barrier still waits for, for reports: "phase 3 lacks 1 of 2
/// arrivals and 4096 bytes". Empty if there is none at the address.
std::string describeMbarrier(Machine &machine, uint64_t address);
/// All have arrived and only bytes are missing.
bool lacksBytesAlone(Machine &machine, uint64_t address);

/// fence.mbarrier_init.release.cluster and stronger fences: what the warp did
/// so far goes along with a later relaxed arrival at the cluster's barrier.
void fenceForRelaxed(Warp &warp);
/// What such fences have covered.
const Knowledge &fencedKnowledge(Warp &warp);

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_NVIDIA_MBARRIER_H
