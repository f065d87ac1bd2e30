//===- SharedShadow.cpp - Who touched shared memory last ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedShadow.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace lathe::sim;

void SharedShadow::reset(uint32_t bytes, unsigned granule, uint32_t newBase) {
  unsigned newShift = llvm::Log2_32(granule);
  if (newShift != shift)
    clear();
  shift = newShift;
  base = newBase;
  size_t count = (uint64_t(bytes) + lineBytes - 1) / lineBytes;
  if (lines.size() < count)
    lines.resize(count);
  if (parts.size() < count * lineBytes >> shift)
    parts.resize(count * lineBytes >> shift);
  isUniform.assign(count, 1);
  overflow.clear();
  freeOverflow.clear();
}

void SharedShadow::clear() {
  std::fill(lines.begin(), lines.end(), Cell());
  std::fill(parts.begin(), parts.end(), Cell());
}

/// Whether another lane of the warp did `other`, or waited for it, since the
/// lanes met the last time.
bool SharedShadow::needsMeeting(const SharedRecord &other,
                                const SharedAccess &access) {
  const SharedRecord &mine = access.record;
  if (other.lane == mine.lane)
    return false;
  if (other.agent == access.issuer)
    return other.syncs == mine.syncs;
  for (const LaneWait &wait : access.waits)
    if (wait.agent == other.agent && wait.lane == other.lane)
      return wait.syncs == mine.syncs && wait.before < other.clock &&
             other.clock <= wait.upTo;
  return false;
}

void SharedShadow::check(const SharedRecord &other, bool otherWrote,
                         const SharedAccess &access, uint32_t offset,
                         SharedFinding &finding) const {
  const SharedRecord &mine = access.record;
  if (finding.conflict != SharedFinding::None || other.clock <= base ||
      (mine.flags & other.flags & SharedRecord::Atomic))
    return;
  if (other.agent == mine.agent) {
    if (access.isUnit ? other.clock == mine.clock
                      : access.lanesOrdered || other.lane == mine.lane ||
                            other.syncs != mine.syncs)
      return;
    if (!access.isUnit) {
      finding.conflict = SharedFinding::Unordered;
      finding.conflictOffset = offset;
      finding.otherWrote = otherWrote;
      finding.other = other;
      return;
    }
  }
  // A write of the generic proxy reaches the asynchronous one by a fence. For
  // reads that are over, order is enough.
  bool needsFence = otherWrote && (mine.flags & SharedRecord::AsyncProxy) &&
                    !(other.flags & SharedRecord::AsyncProxy);
  if (access.known->seen.at(other.agent) < other.clock ||
      needsMeeting(other, access))
    finding.conflict = SharedFinding::Unordered;
  else if (needsFence && access.known->proxied.at(other.agent) < other.clock)
    finding.conflict = SharedFinding::Unfenced;
  else
    return;
  finding.conflictOffset = offset;
  finding.otherWrote = otherWrote;
  finding.other = other;
}

/// Whether later writes that are ordered after `access` are ordered after
/// `old` as well; then `old` becomes it.
bool SharedShadow::replaces(SharedRecord &old,
                            const SharedAccess &access) const {
  const SharedRecord &mine = access.record;
  if (old.clock > base) {
    if (old.agent == mine.agent) {
      bool otherLane =
          !access.isUnit && old.lane != mine.lane && old.syncs == mine.syncs;
      old = mine;
      if (otherLane)
        old.lane = SharedRecord::manyLanes;
      return true;
    }
    if (access.known->seen.at(old.agent) < old.clock)
      return false;
  }
  old = mine;
  return true;
}

void SharedShadow::remember(Cell &cell, const SharedAccess &access) {
  SharedRecord &last = cell.reads[2];
  if (last.clock > base && (last.flags & SharedRecord::Overflow)) {
    for (SharedRecord &old : overflow[last.site])
      if (replaces(old, access))
        return;
    overflow[last.site].push_back(access.record);
    return;
  }
  for (SharedRecord &old : cell.reads)
    if (replaces(old, access))
      return;
  uint32_t slot;
  if (freeOverflow.empty()) {
    slot = overflow.size();
    overflow.emplace_back();
  } else {
    slot = freeOverflow.back();
    freeOverflow.pop_back();
  }
  overflow[slot].assign(cell.reads, cell.reads + 3);
  overflow[slot].push_back(access.record);
  // The first one stays in place too: it serves the fast path alone.
  last = SharedRecord();
  last.clock = cell.reads[0].clock;
  last.flags = SharedRecord::Overflow;
  last.site = slot;
}

void SharedShadow::read(Cell &cell, const SharedAccess &access, uint32_t offset,
                        SharedFinding &finding) {
  if (cell.write.clock > base) {
    check(cell.write, true, access, offset, finding);
  } else if (!finding.uninitialized) {
    finding.uninitialized = true;
    finding.uninitializedOffset = offset;
  }
  remember(cell, access);
}

void SharedShadow::write(Cell &cell, const SharedAccess &access,
                         uint32_t offset, SharedFinding &finding) {
  if (access.kind == AccessKind::Atomic && cell.write.clock <= base &&
      !finding.uninitialized) {
    finding.uninitialized = true;
    finding.uninitializedOffset = offset;
  }
  // Reads first: two stores of one value may be forgiven.
  SharedRecord &last = cell.reads[2];
  if (last.clock > base && (last.flags & SharedRecord::Overflow)) {
    for (const SharedRecord &other : overflow[last.site])
      check(other, false, access, offset, finding);
    freeOverflow.push_back(last.site);
  } else {
    for (const SharedRecord &other : cell.reads)
      check(other, false, access, offset, finding);
  }
  check(cell.write, true, access, offset, finding);
  for (SharedRecord &other : cell.reads)
    other = SharedRecord();
  cell.write = access.record;
}

/// Gives each granule of the line its own cell.
void SharedShadow::split(size_t line) {
  size_t first = line * lineBytes >> shift, count = lineBytes >> shift;
  isUniform[line] = 0;
  for (size_t i = first; i < first + count; ++i) {
    parts[i] = lines[line];
    SharedRecord &last = parts[i].reads[2];
    if (i == first || last.clock <= base ||
        !(last.flags & SharedRecord::Overflow))
      continue;
    std::vector<SharedRecord> copy = overflow[last.site];
    last.site = overflow.size();
    overflow.push_back(std::move(copy));
  }
}

inline bool SharedShadow::isSame(const Cell &a, const Cell &b) {
  static_assert(sizeof(Cell) == 4 * 16, "cells are compared by their bytes");
  using Bits __attribute__((vector_size(16))) = uint64_t;
  Bits left[4], right[4];
  std::memcpy(left, &a, sizeof(Cell));
  std::memcpy(right, &b, sizeof(Cell));
  Bits differ = {};
  for (unsigned i = 0; i < 4; ++i)
    differ |= left[i] ^ right[i];
  return (differ[0] | differ[1]) == 0;
}

SharedFinding SharedShadow::access(const SharedAccess &access, uint32_t offset,
                                   uint64_t bytes, Memo *memo) {
  SharedFinding finding;
  bool isStore = isWrite(access.kind);
  Memo own;
  if (!memo)
    memo = &own;
  auto touch = [&](Cell &cell, uint32_t at) {
    if (repeats(cell, access.record, isStore))
      return;
    if (memo->isSet && isSame(cell, memo->before)) {
      cell = memo->after;
      return;
    }
    memo->before = cell;
    if (isStore)
      write(cell, access, at, finding);
    else
      read(cell, access, at, finding);
    memo->after = cell;
    // Each cell has an overflow of its own.
    memo->isSet = !hasOverflow(memo->before) && !hasOverflow(cell);
  };
  uint64_t end = offset + bytes;
  for (uint64_t at = offset; at < end;) {
    size_t line = at / lineBytes;
    uint64_t lineEnd = std::min<uint64_t>(end, (line + 1) * lineBytes);
    bool isWhole = lineEnd - at == lineBytes || 1u << shift == lineBytes;
    if (isWhole && isUniform[line]) {
      touch(lines[line], at);
    } else {
      if (isUniform[line])
        split(line);
      for (size_t i = at >> shift; i <= (lineEnd - 1) >> shift; ++i)
        touch(parts[i], i << shift);
      if (isWhole && isStore) {
        // The write left the same in every part.
        lines[line] = parts[at >> shift];
        isUniform[line] = 1;
      }
    }
    at = lineEnd;
  }
  return finding;
}
