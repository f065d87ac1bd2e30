//===- Seed.h - Random bits from the system, and their text -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_MEASURE_SEED_H
#define LATHE_MEASURE_SEED_H

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
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

/// As users read seeds and give them back: 16 hexadecimal digits.
inline std::string seedText(uint64_t seed) {
  char text[20];
  snprintf(text, sizeof(text), "%016llx", (unsigned long long)seed);
  return text;
}

} // namespace lathe::measure

#endif // LATHE_MEASURE_SEED_H
