//===- Space.h - Kinds of addresses, blocks of a cluster --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_NVIDIA_SPACE_H
#define LATHE_LIB_SIMULATE_NVIDIA_SPACE_H

#include "../Machine.h"

namespace lathe::sim {

/// mapa: the address of the same variable in the block of that rank.
uint64_t mapAddress(Thread &thread, const Site &site, uint64_t address,
                    uint64_t rank);
/// getctarank.
uint32_t blockRank(Thread &thread, const Site &site, uint64_t address);

enum class Space { Constant, Global, Local, Shared, SharedCluster };
/// isspacep.
bool isInSpace(Thread &thread, Space space, uint64_t address);

/// setmaxnreg: a warp waits until the block has so many registers left. The
/// launch is taken to have given each thread as many as can be.
void setMaxRegisters(Thread &thread, const Site &site, uint64_t count);

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_NVIDIA_SPACE_H
