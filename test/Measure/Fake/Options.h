//===- Options.h - What LATHE_FAKE_CUDA says --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TEST_MEASURE_FAKE_OPTIONS_H
#define LATHE_TEST_MEASURE_FAKE_OPTIONS_H

#include <cstdint>
#include <string>
#include <vector>

namespace fake {

/// README.md describes them.
struct Options {
  int devices = 1, arch = 90, driver = 13000;
  uint64_t l2Bytes = 1 << 20, memoryBytes = uint64_t(2) << 30;
  uint64_t seed = 1;
  double jitter = 0.002, clockScale = 1;
  unsigned throttle = 0;
  bool nvml = true, cupti = true, graphs = true, fast = false;
  std::string lost, log;
  std::vector<int> visible; ///< physical ordinals
};

/// Ends the process if an option is unknown: a test that misspells one must not
/// pass.
const Options &options();

} // namespace fake

#endif // LATHE_TEST_MEASURE_FAKE_OPTIONS_H
