//===- Occupancy.cpp - Blocks that share a multiprocessor -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/Occupancy.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace lathe;

Occupancy lathe::occupancyOf(const Hardware &hw, int64_t threads,
                             int64_t registers, int64_t sharedBytes) {
  int64_t wave = std::max<int64_t>(hw.warpSize, 1);
  // Beyond any hardware, and far from overflow.
  constexpr int64_t most = 1 << 24;
  threads = std::clamp<int64_t>(threads, 1, most);
  registers = std::min(registers, most);
  int64_t perBlock = int64_t(llvm::alignTo(registers, 8)) * wave *
                     int64_t(llvm::divideCeil(threads, wave));
  bool tooWide =
      hw.maxRegistersPerThread && registers > hw.maxRegistersPerThread;
  Occupancy limits[] = {
      {hw.blocksPerSm, "blocks"},
      {threads > hw.maxThreadsPerBlock ? 0 : hw.threadsPerSm / threads,
       "threads"},
      {hw.registersPerSm == 0 || registers <= 0 ? INT64_MAX
       : tooWide                                ? 0
                                                : hw.registersPerSm / perBlock,
       "registers"},
      {sharedBytes == 0                  ? INT64_MAX
       : sharedBytes > hw.sharedPerBlock ? 0
                                         : hw.sharedPerSm / sharedBytes,
       "shared memory"}};
  Occupancy least{INT64_MAX, ""};
  for (const Occupancy &limit : limits)
    if (limit.blocksPerSm < least.blocksPerSm)
      least = limit;
  return least;
}

double lathe::overlapped(std::initializer_list<double> terms,
                         unsigned squarings) {
  double sum = 0;
  for (double term : terms) {
    for (unsigned i = 0; i < squarings; ++i)
      term *= term;
    sum += term;
  }
  for (unsigned i = 0; i < squarings; ++i)
    sum = std::sqrt(sum);
  return sum;
}
