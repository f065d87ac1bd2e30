//===- Buckets.h - Cuts one dim into intervals of kernels -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_RANK_BUCKETS_H
#define LATHE_RANK_BUCKETS_H

#include "lathe/Rank/MeasuredTimes.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace lathe {

/// Which of some kernels should serve which part of [lo, hi].
struct BucketQuestion {
  int64_t lo = 0, hi = 0;
  /// Only multiples of this are looked at, and become cases.
  int64_t multiple = 1;
  /// Values that must be judged: the histogram's.
  std::vector<int64_t> hot;
  /// In order of preference among equals.
  std::vector<std::string> kernels;
  /// Time of kernel k at value v; infinite where it may not run.
  llvm::function_ref<KernelTime(size_t k, int64_t v)> time;
  double tolerance = 0.01;

  void print(llvm::raw_ostream &os) const;
};

struct BucketInterval {
  size_t kernel = 0;
  int64_t lo = 0, hi = 0;
};

/// Disjoint, ascending. Within an interval its kernel is as fast as the best,
/// or a tie with it, at both ends, every hot value and log-spaced values
/// between. Where no kernel may run there is a gap.
struct BucketAnswer {
  std::vector<BucketInterval> intervals;

  void print(llvm::raw_ostream &os, const BucketQuestion &question) const;
};

BucketAnswer cutBuckets(const BucketQuestion &question);

} // namespace lathe

#endif // LATHE_RANK_BUCKETS_H
