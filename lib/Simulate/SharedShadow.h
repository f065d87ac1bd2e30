//===- SharedShadow.h - Who touched shared memory last ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Per granule, or 16 bytes at once: the last write and the reads since, each
// with its point in an agent's history (FastTrack: Flanagan and Freund, PLDI
// 2009). Known hole: of several atomics without order among each other only the
// last is kept.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_SHAREDSHADOW_H
#define LATHE_LIB_SIMULATE_SHAREDSHADOW_H

#include "Machine.h"

namespace lathe::sim {

struct SharedRecord {
  enum Flag : uint8_t { Atomic = 1, AsyncProxy = 2, Overflow = 4 };
  static constexpr uint8_t manyLanes = 255;

  uint32_t clock = 0; ///< not above the base: no access
  uint32_t syncs = 0; ///< of the warp: its lanes are ordered between two
  uint32_t site = 0;
  uint16_t agent = 0;
  uint8_t lane = 0;
  uint8_t flags = 0;
};

/// One lane's waits for a unit of its warp. Its other lanes are ordered after
/// what was over `before` they met the last time.
struct LaneWait {
  uint16_t agent = 0; ///< the unit
  uint8_t lane = 0;
  uint32_t syncs = 0; ///< of the warp, at the last wait
  uint32_t before = 0, upTo = 0;
};

/// One access and what its agent knows.
struct SharedAccess {
  static constexpr uint16_t noWarp = UINT16_MAX;

  SharedRecord record;
  AccessKind kind = AccessKind::Read;
  const Knowledge *known = nullptr;
  bool isUnit = false;       ///< not a thread
  bool lanesOrdered = false; ///< lanes of the warp run in lockstep
  /// Of the lane that issued a unit's access, if it was one lane alone: its
  /// lane and syncs are those of the record.
  uint16_t issuer = noWarp;
  llvm::ArrayRef<LaneWait> waits; ///< of the warp
};

/// What was wrong, the first of its kind in the access.
struct SharedFinding {
  bool uninitialized = false;
  uint32_t uninitializedOffset = 0;
  enum Conflict { None, Unordered, Unfenced } conflict = None;
  uint32_t conflictOffset = 0;
  bool otherWrote = false;
  SharedRecord other;
};

class SharedShadow {
public:
  /// For `bytes` of shared memory; records at or below `base` count as none.
  void reset(uint32_t bytes, unsigned granule, uint32_t base);
  /// Forgets everything, so that clocks can begin at 0 again.
  void clear();
  class Memo;
  /// `memo`, if any: of earlier calls with an equal `access`.
  SharedFinding access(const SharedAccess &access, uint32_t offset,
                       uint64_t bytes, Memo *memo = nullptr);
  /// Whether the same agent's last access was the same one: nothing to do.
  bool repeats(const SharedRecord &mine, bool isWrite, uint32_t offset,
               uint64_t bytes) const {
    for (uint64_t at = offset, end = offset + bytes; at < end;) {
      bool isOne = isUniform[at / lineBytes];
      const Cell &cell = isOne ? lines[at / lineBytes] : parts[at >> shift];
      if (!repeats(cell, mine, isWrite))
        return false;
      unsigned step = isOne ? lineBytes : 1u << shift;
      at = (at / step + 1) * step;
    }
    return true;
  }

private:
  struct Cell {
    SharedRecord write, reads[3];
  };
  bool repeats(const Cell &cell, const SharedRecord &mine, bool isWrite) const {
    const SharedRecord &old = isWrite ? cell.write : cell.reads[0];
    if (old.clock != mine.clock || old.syncs != mine.syncs ||
        old.agent != mine.agent || old.flags != mine.flags)
      return false;
    // Between two equal reads there was no write: it would have cleared them.
    return isWrite
               ? old.lane == mine.lane && cell.reads[0].clock <= base
               : old.lane == mine.lane || old.lane == SharedRecord::manyLanes;
  }
  void split(size_t line);
  void read(Cell &cell, const SharedAccess &access, uint32_t offset,
            SharedFinding &finding);
  void write(Cell &cell, const SharedAccess &access, uint32_t offset,
             SharedFinding &finding);
  void check(const SharedRecord &other, bool otherWrote,
             const SharedAccess &access, uint32_t offset,
             SharedFinding &finding) const;
  static bool needsMeeting(const SharedRecord &other,
                           const SharedAccess &access);
  void remember(Cell &cell, const SharedAccess &access);
  bool replaces(SharedRecord &old, const SharedAccess &access) const;

  /// Most instructions touch 16 bytes, at 16 bytes.
  static constexpr unsigned lineBytes = 16;
  static bool isSame(const Cell &a, const Cell &b);
  static bool hasOverflow(const Cell &cell) {
    return cell.reads[2].flags & SharedRecord::Overflow;
  }
  std::vector<Cell> lines;
  std::vector<Cell> parts; ///< by granule
  /// By line: all of its granules had the same accesses, those of `lines`.
  std::vector<uint8_t> isUniform;
  std::vector<std::vector<SharedRecord>> overflow;
  std::vector<uint32_t> freeOverflow;
  uint32_t base = 0;
  unsigned shift = 2;
};

/// The last cell that an access changed: most of its cells are alike.
class SharedShadow::Memo {
  friend class SharedShadow;
  Cell before, after;
  bool isSet = false;
};

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_SHAREDSHADOW_H
