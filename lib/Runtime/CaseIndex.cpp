//===- CaseIndex.cpp - Which cases can serve a point ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaseIndex.h"

#include <algorithm>

using namespace lathe::runtime;

/// One way to cut a box: the starts of all intervals but the first.
struct CaseIndex::Split {
  uint32_t dim = 0;
  std::vector<int64_t> bounds;
  uint64_t total = 0; ///< cases over all intervals

  bool betterThan(const Split &other) const {
    return total * (other.bounds.size() + 1) <
           other.total * (bounds.size() + 1);
  }
};

static bool contains(const CaseIndex::Interval &a,
                     const CaseIndex::Interval &b) {
  return a.lo <= b.lo && b.hi <= a.hi;
}

static bool meets(const CaseIndex::Interval &a, const CaseIndex::Interval &b) {
  return a.lo <= b.hi && b.lo <= a.hi;
}

void CaseIndex::build(const lathe_table_case *rows, uint32_t first,
                      uint32_t count, const lathe_table_guard *section,
                      std::vector<Interval> box) {
  std::vector<Case> cases;
  std::vector<uint32_t> meeting;
  for (uint32_t i = 0; i < count; ++i) {
    const lathe_table_case &row = rows[first + i];
    Case entry{first + i, row.alignment, box, {}};
    bool possible = true;
    for (uint32_t g = 0; g < row.num_guards; ++g) {
      const lathe_table_guard &guard = section[row.first_guard + g];
      Interval &range = entry.ranges[guard.dim];
      range.lo = std::max(range.lo, guard.lo);
      range.hi = std::min(range.hi, guard.hi);
      possible &= range.lo <= range.hi;
      int64_t m = guard.multiple;
      if (m > 1 && (m & (m - 1)) == 0)
        entry.multiples.push_back(
            {INT64_MIN, INT64_MAX, uint64_t(m) - 1, 1, guard.dim});
      else if (m > 1)
        entry.multiples.push_back({INT64_MIN, INT64_MAX, 0, m, guard.dim});
    }
    cases.push_back(std::move(entry));
    if (possible)
      meeting.push_back(i);
  }
  // Bounds memory and time for tables whose boxes overlap in every dim: how
  // many cases all nodes together may list.
  uint64_t budget = uint64_t(count) * 96 + 4096;
  root = grow(cases, meeting, box, budget, 0);
}

uint32_t CaseIndex::makeLeaf(const std::vector<Case> &cases,
                             const std::vector<uint32_t> &meeting,
                             const std::vector<Interval> &box) {
  Leaf leaf{uint32_t(entries.size()), uint32_t(meeting.size())};
  for (uint32_t i : meeting) {
    Entry entry{cases[i].index, uint32_t(guards.size()), 0, cases[i].alignment};
    for (uint32_t d = 0; d < box.size(); ++d)
      if (!contains(cases[i].ranges[d], box[d]))
        guards.push_back(
            {cases[i].ranges[d].lo, cases[i].ranges[d].hi, 0, 1, d});
    for (const Guard &guard : cases[i].multiples) {
      const Interval &range = box[guard.dim];
      int64_t divisor = guard.mask ? int64_t(guard.mask) + 1 : guard.multiple;
      if (range.lo != range.hi || range.lo % divisor != 0)
        guards.push_back(guard);
    }
    entry.numGuards = uint32_t(guards.size()) - entry.firstGuard;
    entries.push_back(entry);
  }
  leaves.push_back(leaf);
  return uint32_t(leaves.size() - 1) | leafBit;
}

/// Counts the cases per interval, with only every second, fourth, ... bound
/// until the sum fits. No bounds are left if none does.
void CaseIndex::fit(Split &split, std::vector<int64_t> starts,
                    std::vector<int64_t> ends, uint64_t limit) {
  std::sort(starts.begin(), starts.end());
  std::sort(ends.begin(), ends.end());
  for (;;) {
    size_t s = 0, e = 0;
    split.total = 0;
    for (size_t b = 0; b <= split.bounds.size(); ++b) {
      bool last = b == split.bounds.size();
      // Those that start before the interval's end and end after its start.
      while (s < starts.size() && (last || starts[s] < split.bounds[b]))
        ++s;
      while (b > 0 && e < ends.size() && ends[e] <= split.bounds[b - 1])
        ++e;
      split.total += s - e;
    }
    if (split.total <= limit)
      return;
    std::vector<int64_t> half;
    for (size_t b = 1; b < split.bounds.size(); b += 2)
      half.push_back(split.bounds[b]);
    split.bounds = std::move(half);
    if (split.bounds.empty())
      return;
  }
}

CaseIndex::Split CaseIndex::chooseSplit(const std::vector<Case> &cases,
                                        const std::vector<uint32_t> &meeting,
                                        const std::vector<Interval> &box,
                                        uint64_t budget) {
  Split best;
  best.total = meeting.size();
  for (uint32_t d = 0; d < box.size(); ++d) {
    Split split;
    split.dim = d;
    std::vector<int64_t> starts, ends; // first value of, first value after
    for (uint32_t i : meeting) {
      Interval range = cases[i].ranges[d];
      starts.push_back(std::max(range.lo, box[d].lo));
      if (starts.back() > box[d].lo)
        split.bounds.push_back(starts.back());
      if (range.hi < box[d].hi) {
        ends.push_back(range.hi + 1);
        split.bounds.push_back(range.hi + 1);
      }
    }
    std::sort(split.bounds.begin(), split.bounds.end());
    split.bounds.erase(std::unique(split.bounds.begin(), split.bounds.end()),
                       split.bounds.end());
    // One node may spend so much that three levels below it can, too.
    uint64_t limit = std::min<uint64_t>(budget, 8 * meeting.size() + 16);
    fit(split, std::move(starts), std::move(ends), limit);
    if (!split.bounds.empty() && split.betterThan(best))
      best = std::move(split);
  }
  return best;
}

uint32_t CaseIndex::grow(const std::vector<Case> &cases,
                         const std::vector<uint32_t> &meeting,
                         const std::vector<Interval> &box, uint64_t budget,
                         int depth) {
  if (meeting.size() <= 1 || depth == 16)
    return makeLeaf(cases, meeting, box);
  Split best = chooseSplit(cases, meeting, box, budget);
  if (best.bounds.empty())
    return makeLeaf(cases, meeting, box);

  uint32_t id = uint32_t(nodes.size());
  uint32_t numBounds = uint32_t(best.bounds.size());
  nodes.push_back({best.dim, uint32_t(bounds.size()), numBounds,
                   uint32_t(children.size())});
  bounds.insert(bounds.end(), best.bounds.begin(), best.bounds.end());
  uint32_t firstChild = uint32_t(children.size());
  children.resize(children.size() + numBounds + 1);
  uint64_t rest = budget - best.total;
  for (uint32_t b = 0; b <= numBounds; ++b) {
    std::vector<Interval> part = box;
    if (b > 0)
      part[best.dim].lo = best.bounds[b - 1];
    if (b < numBounds)
      part[best.dim].hi = best.bounds[b] - 1;
    std::vector<uint32_t> inside;
    for (uint32_t i : meeting) {
      if (!meets(cases[i].ranges[best.dim], part[best.dim]))
        continue;
      inside.push_back(i);
      bool always = cases[i].multiples.empty() && cases[i].alignment <= 1;
      for (uint32_t d = 0; always && d < part.size(); ++d)
        always = contains(cases[i].ranges[d], part[d]);
      if (always)
        break;
    }
    uint64_t share = rest * inside.size() / best.total;
    uint32_t child = grow(cases, inside, part, share, depth + 1);
    children[firstChild + b] = child;
  }
  return id;
}
