//===- Candidate.h - One kernel that could be built -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PLAN_CANDIDATE_H
#define LATHE_PLAN_CANDIDATE_H

#include "lathe/Support/DimGuard.h"
#include "lathe/Support/Expr.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lathe {

/// template x schedule x binding x target. Names the same kernel everywhere.
struct Candidate {
  std::string op;           ///< operator name
  std::string templateName; ///< rows, columns, ...
  std::string arch;         ///< sm_90a, gfx942, ...
  /// Dims fixed at compile time, options (by index); sorted by name.
  std::map<std::string, int64_t, std::less<>> constants;
  std::map<std::string, int64_t, std::less<>> schedule;
  std::map<std::string, std::string, std::less<>> dtypes;
  /// Divisors known of run-time dims (from the guards), e.g. XS -> 8.
  std::map<std::string, int64_t, std::less<>> multiples;
  int64_t alignment = 1; ///< bytes every operand's base must be aligned to

  /// The schedule's value of parameter `name`.
  int64_t parameter(llvm::StringRef name, int64_t otherwise) const {
    auto found = schedule.find(name);
    return found == schedule.end() ? otherwise : found->second;
  }
  bool persistent() const { return parameter("PERSISTENT", 0) != 0; }
  /// Blocks of a cluster.
  int64_t cluster() const {
    return std::max<int64_t>(parameter("CLUSTER", 1), 1);
  }
  /// So many blocks or less, but at least one cluster, and whole ones.
  int64_t wholeClusters(int64_t blocks) const {
    return std::max<int64_t>(blocks / cluster(), 1) * cluster();
  }
};

/// <op>.<template>.<arch>[.k_v]*: mints and parses; also a legal symbol with
/// '.' replaced by "__". The only place that spells kernel names.
std::string mintKernelName(const Candidate &candidate);
llvm::Expected<Candidate> parseKernelName(llvm::StringRef name);

} // namespace lathe

#endif // LATHE_PLAN_CANDIDATE_H
