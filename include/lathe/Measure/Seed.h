//===- Seed.h - Random bits from the system ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_MEASURE_SEED_H
#define LATHE_MEASURE_SEED_H

#include <cstdint>
#include <stdexcept>
#include <sys/random.h>

namespace lathe::measure {

/// Not std::random_device: a static libstdc++ would ask for the C library that
/// it was built with.
inline uint64_t randomSeed() {
  uint64_t seed = 0;
  if (getrandom(&seed, sizeof(seed), 0) != ssize_t(sizeof(seed)))
    throw std::runtime_error("the system gives no random bytes");
  return seed;
}

} // namespace lathe::measure

#endif // LATHE_MEASURE_SEED_H
