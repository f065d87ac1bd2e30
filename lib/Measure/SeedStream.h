//===- SeedStream.h - Many seeds from one -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_MEASURE_SEEDSTREAM_H
#define LATHE_LIB_MEASURE_SEEDSTREAM_H

#include <cstdint>

namespace lathe::measure {

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
/// Generators, 2014).
class SeedStream {
public:
  explicit SeedStream(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t bits = state += 0x9E3779B97F4A7C15;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return bits ^ (bits >> 31);
  }

private:
  uint64_t state;
};

} // namespace lathe::measure

#endif // LATHE_LIB_MEASURE_SEEDSTREAM_H
