//===- Waits.h - Barriers of AMD waves --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_AMD_WAITS_H
#define LATHE_LIB_SIMULATE_AMD_WAITS_H

#include "../Instruction.h"

namespace lathe::sim::amd {

/// S_BARRIER: returns when every thread of the block that has not ended is
/// there.
void runBarrier(Call &call);

/// Returns when the active lanes of the wave are there.
void meetWave(Call &call);

} // namespace lathe::sim::amd

#endif // LATHE_LIB_SIMULATE_AMD_WAITS_H
