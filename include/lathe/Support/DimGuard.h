//===- DimGuard.h - What a kernel asks of one dim ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_SUPPORT_DIMGUARD_H
#define LATHE_SUPPORT_DIMGUARD_H

#include <cstdint>
#include <string>

namespace lathe {

/// Closed interval and divisor on one dim: lo <= d <= hi and d mod multiple
/// == 0. Guards are nothing else, so overlap and coverage are decidable.
struct DimGuard {
  std::string dim;
  int64_t lo = 0, hi = INT64_MAX, multiple = 1;
};

} // namespace lathe

#endif // LATHE_SUPPORT_DIMGUARD_H
