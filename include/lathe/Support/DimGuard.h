//===- DimGuard.h - What a kernel asks of one dim ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_SUPPORT_DIMGUARD_H
#define LATHE_SUPPORT_DIMGUARD_H

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace lathe {

/// Closed interval and divisor on one dim: lo <= d <= hi and d mod multiple
/// == 0. Guards are nothing else, so overlap and coverage are decidable.
struct DimGuard {
  std::string dim;
  int64_t lo = 0, hi = INT64_MAX, multiple = 1;
};

/// `dim` within those of `guards` that are on the same dim.
inline DimGuard narrowedBy(DimGuard dim, const std::vector<DimGuard> &guards) {
  for (const DimGuard &guard : guards)
    if (guard.dim == dim.dim) {
      dim.lo = std::max(dim.lo, guard.lo);
      dim.hi = std::min(dim.hi, guard.hi);
      dim.multiple = std::lcm(dim.multiple, guard.multiple);
    }
  return dim;
}

} // namespace lathe

#endif // LATHE_SUPPORT_DIMGUARD_H
