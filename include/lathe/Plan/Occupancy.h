//===- Occupancy.h - Blocks that share a multiprocessor ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PLAN_OCCUPANCY_H
#define LATHE_PLAN_OCCUPANCY_H

#include "lathe/Ingest/Model.h"

#include <initializer_list>

namespace lathe {

/// What the binary of a compiled kernel says.
struct CompiledFigures {
  int64_t registers = 0, spillBytes = 0, sharedBytes = 0;
};

/// How many blocks fit one multiprocessor, and what stops the next one.
struct Occupancy {
  int64_t blocksPerSm = 0; ///< 0: not even one
  llvm::StringRef limiter; ///< threads, registers, shared memory or blocks
};

/// Of blocks with `threads` threads of `registers` registers each, and
/// `sharedBytes` of shared memory.
Occupancy occupancyOf(const Hardware &hardware, int64_t threads,
                      int64_t registers, int64_t sharedBytes);

/// What takes all of `terms` at once takes: the largest, and somewhat more
/// where others are close; 2^`squarings` is the order of the norm. Exactly
/// rounded operations alone, so that plans are the same on every machine.
double overlapped(std::initializer_list<double> terms, unsigned squarings);

} // namespace lathe

#endif // LATHE_PLAN_OCCUPANCY_H
