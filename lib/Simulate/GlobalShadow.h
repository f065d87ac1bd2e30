//===- GlobalShadow.h - Order of accesses to global memory ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Per piece of a buffer: the last write and two reads since. Pieces have 16
// bytes until warps share one; then their page is cut finer. Known holes: lanes
// of a warp count as ordered; of many unordered readers two are kept.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_GLOBALSHADOW_H
#define LATHE_LIB_SIMULATE_GLOBALSHADOW_H

#include "Machine.h"

#include "llvm/ADT/DenseMap.h"

#include <atomic>
#include <mutex>

namespace lathe::sim {

struct GlobalRecord {
  static constexpr uint16_t atomicFlag = 0x8000;

  uint32_t cluster = 0, clock = 0, site = 0;
  uint16_t agent = 0; ///< plus atomicFlag
  uint16_t mask = 0;  ///< bytes of the piece; none: no access

  bool sameEvent(const GlobalRecord &other) const {
    return cluster == other.cluster && clock == other.clock &&
           agent == other.agent;
  }
};

struct GlobalAccess {
  GlobalRecord record; ///< mask unused
  AccessKind kind = AccessKind::Read;
  const Knowledge *known = nullptr;
};

struct GlobalFinding {
  bool conflict = false;
  uint64_t offset = 0; ///< in the buffer
  bool otherWrote = false;
  GlobalRecord other;
};

class GlobalShadow {
public:
  GlobalShadow(uint64_t begin, uint64_t bytes, bool locked);
  ~GlobalShadow();
  GlobalFinding access(const GlobalAccess &access, uint64_t offset,
                       uint64_t bytes);
  /// Bytes of pages that found no memory.
  uint64_t unchecked() const { return missed; }

  static constexpr uint64_t pageBytes = 4096;

private:
  struct Cell {
    GlobalRecord write, reads[2];
  };
  struct Page {
    std::atomic_flag busy = ATOMIC_FLAG_INIT;
    unsigned shift = 4; ///< log2 of a piece's bytes
    std::vector<Cell> cells;
  };
  Page *pageOf(uint64_t index);
  bool refine(Page &page);
  bool enter(Cell &cell, const GlobalAccess &access, uint16_t mask,
             unsigned granule, uint64_t offset, GlobalFinding &finding);

  std::atomic<Page *> *pages = nullptr;
  std::vector<Page *> made;
  std::mutex mutex; ///< of `made`
  uint64_t numPages = 0;
  uint64_t skew; ///< of the buffer's start in 16 bytes
  bool locked;
  std::atomic<uint64_t> missed{0};
};

/// What was published through locations of memory, by address.
class LocationClocks {
public:
  /// What an atomic read of the address learns; false: nothing.
  bool acquire(uint64_t address, uint32_t cluster, Knowledge &into);
  /// Publishes `clock` of agents of the cluster, and what they know of others.
  void release(uint64_t address, uint32_t cluster, const VectorClock &clock,
               const ForeignKnowledge &foreign);

private:
  std::atomic<bool> used{false};
  std::mutex mutex;
  llvm::DenseMap<uint64_t, ForeignKnowledge> known;
};

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_GLOBALSHADOW_H
