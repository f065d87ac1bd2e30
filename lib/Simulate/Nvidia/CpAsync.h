//===- CpAsync.h - Non-bulk asynchronous copies -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async: copies into shared memory that are over once their thread waited
// for the group. Semantics over plain values, for intrinsics and inline PTX.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_NVIDIA_CPASYNC_H
#define LATHE_LIB_SIMULATE_NVIDIA_CPASYNC_H

#include "../Machine.h"

#include <optional>

namespace lathe::sim {

/// Copies `sourceBytes` of `bytes` (4, 8 or 16), zeros for the rest.
void cpAsync(Thread &thread, const Site &site, uint64_t shared, uint64_t global,
             uint64_t bytes, uint64_t sourceBytes);
void cpAsyncCommit(Thread &thread, const Site &site);
/// Waits until at most `pending` of the latest groups are open; absent: for all
/// copies, committed or not.
void cpAsyncWait(Thread &thread, const Site &site,
                 std::optional<uint64_t> pending);
/// Arrives at the mbarrier when the thread's copies so far are over. Without
/// `noIncrement` the phase expects one arrival more.
void cpAsyncArrive(Thread &thread, const Site &site, uint64_t mbarrier,
                   bool noIncrement);

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_NVIDIA_CPASYNC_H
