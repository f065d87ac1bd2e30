//===- CaseIndex.h - Which cases can serve a point --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A decision tree over the dims, built when a table is opened. A node splits
// its box at the cases' own bounds; a leaf keeps, in order, the cases that meet
// its box, with only those guards that the box does not imply, and stops at the
// first that always holds. So the answer is the first match in table order.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_RUNTIME_CASEINDEX_H
#define LATHE_LIB_RUNTIME_CASEINDEX_H

#include "lathe/Runtime/lathe_table.h"

#include <vector>

namespace lathe::runtime {

class CaseIndex {
public:
  struct Interval {
    int64_t lo, hi; ///< both included
  };

  /// Cases [first, first + count) in order of trial; `guards` is the table's
  /// section, `box` the declared range per dim.
  void build(const lathe_table_case *cases, uint32_t first, uint32_t count,
             const lathe_table_guard *guards, std::vector<Interval> box);

  /// `dims` must lie in the box. UINT32_MAX if no case applies.
  uint32_t find(const int64_t *dims, uint64_t alignment) const {
    uint32_t at = root;
    while (!(at & leafBit)) {
      const Node &node = nodes[at];
      at = children[node.firstChild +
                    countNotAbove(bounds.data() + node.firstBound,
                                  node.numBounds, dims[node.dim])];
    }
    const Leaf &leaf = leaves[at & ~leafBit];
    for (uint32_t i = leaf.first, end = leaf.first + leaf.count; i != end; ++i)
      if (holds(entries[i], dims, alignment))
        return entries[i].index;
    return UINT32_MAX;
  }

private:
  static constexpr uint32_t leafBit = 1u << 31;

  struct Guard {
    int64_t lo, hi;
    uint64_t mask;    ///< multiple - 1 if that is a power of two, else 0
    int64_t multiple; ///< checked by division if above 1
    uint32_t dim;
  };
  struct Entry {
    uint32_t index, firstGuard, numGuards, alignment;
  };
  struct Leaf {
    uint32_t first, count;
  };
  struct Node {
    uint32_t dim, firstBound, numBounds, firstChild;
  };
  struct Case {
    uint32_t index, alignment;
    std::vector<Interval> ranges; ///< per dim, within the box
    std::vector<Guard> multiples;
  };
  struct Split;

  /// How many of the ascending `bounds` are <= value.
  static uint32_t countNotAbove(const int64_t *bounds, uint32_t count,
                                int64_t value) {
    const int64_t *base = bounds;
    while (count > 1) {
      uint32_t half = count / 2;
      base += base[half - 1] <= value ? half : 0;
      count -= half;
    }
    return uint32_t(base - bounds) + (count == 1 && *base <= value);
  }

  bool holds(const Entry &entry, const int64_t *dims,
             uint64_t alignment) const {
    if (alignment < entry.alignment)
      return false;
    for (uint32_t i = entry.firstGuard, end = i + entry.numGuards; i != end;
         ++i) {
      const Guard &guard = guards[i];
      int64_t value = dims[guard.dim];
      if (value < guard.lo || value > guard.hi ||
          (uint64_t(value) & guard.mask) != 0)
        return false;
      if (guard.multiple > 1 && value % guard.multiple != 0)
        return false;
    }
    return true;
  }

  static void fit(Split &split, std::vector<int64_t> starts,
                  std::vector<int64_t> ends, uint64_t limit);
  static Split chooseSplit(const std::vector<Case> &cases,
                           const std::vector<uint32_t> &meeting,
                           const std::vector<Interval> &box, uint64_t budget);
  uint32_t grow(const std::vector<Case> &cases,
                const std::vector<uint32_t> &meeting,
                const std::vector<Interval> &box, uint64_t budget, int depth);
  uint32_t makeLeaf(const std::vector<Case> &cases,
                    const std::vector<uint32_t> &meeting,
                    const std::vector<Interval> &box);

  std::vector<Node> nodes;
  std::vector<int64_t> bounds;
  std::vector<uint32_t> children;
  std::vector<Leaf> leaves;
  std::vector<Entry> entries;
  std::vector<Guard> guards;
  uint32_t root = leafBit;
};

} // namespace lathe::runtime

#endif // LATHE_LIB_RUNTIME_CASEINDEX_H
