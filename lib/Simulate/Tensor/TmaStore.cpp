//===- TmaStore.cpp - Bulk copies out of shared memory --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tma.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <deque>

using namespace llvm;
using namespace lathe::sim;

static constexpr uint64_t chunkBytes = 16; ///< that TMA and swizzles move

namespace {
/// A store of one thread.
struct Store {
  const Site *site = nullptr;
  Knowledge known;
  Epoch epoch;
  uint32_t lanesMet = 0;
  bool landed = false;
  AsyncAccess access() const { return {epoch, Proxy::Async, &known, lanesMet}; }
};
using Group = std::vector<std::shared_ptr<Store>>;

/// Bulk groups belong to the thread that commits them.
struct ThreadGroups {
  Group open;
  std::deque<Group> committed;
};
struct BulkGroups {
  bool isWatched = false;
  DenseMap<uint32_t, ThreadGroups> byThread;
};
} // namespace

// cp.reduce.async.bulk knows pairs that atom does not: minima of halves.
bool lathe::sim::isBulkReduction(AtomicOp op, AtomicType type) {
  bool isHalf = type == AtomicType::F16 || type == AtomicType::BF16;
  bool isFloat = isHalf || type == AtomicType::F32 || type == AtomicType::F64;
  switch (op) {
  case AtomicOp::Add:
    return true;
  case AtomicOp::Min:
  case AtomicOp::Max:
    return isHalf || !isFloat;
  case AtomicOp::Increment:
  case AtomicOp::Decrement:
    return type == AtomicType::U32;
  case AtomicOp::And:
  case AtomicOp::Or:
  case AtomicOp::Xor:
    return !isFloat;
  case AtomicOp::Exchange:
  case AtomicOp::CompareExchange:
    return false;
  }
  llvm_unreachable("every operation returns");
}

static std::optional<AtomicType> reductionType(const EncodedMap &map,
                                               AtomicOp op) {
  std::optional<AtomicType> type;
  switch (map.kind) {
  case ElementKind::Unsigned:
    if (map.elementBytes >= 4)
      type = map.elementBytes == 4 ? AtomicType::U32 : AtomicType::U64;
    break;
  case ElementKind::Signed:
    type = map.elementBytes == 4 ? AtomicType::S32 : AtomicType::S64;
    break;
  case ElementKind::Float:
    type = map.elementBytes == 2   ? AtomicType::F16
           : map.elementBytes == 4 ? AtomicType::F32
                                   : AtomicType::F64;
    break;
  case ElementKind::BFloat:
    type = AtomicType::BF16;
    break;
  case ElementKind::Float8:
    break;
  }
  return type && isBulkReduction(op, *type) ? type : std::nullopt;
}

static ThreadGroups &groupsOf(Thread &thread) {
  return blockState<BulkGroups>(*thread.block).byThread[thread.index];
}

// The block's shared memory may be another's once its threads have ended.
static void checkEnded(Thread &thread) {
  ThreadGroups &groups = groupsOf(thread);
  const Store *pending = nullptr;
  for (const Group &group : groups.committed)
    if (!group.empty())
      pending = group.front().get();
  if (!groups.open.empty())
    pending = groups.open.front().get();
  if (pending)
    Machine::current().fault(
        FaultKind::AsyncHazard, &thread, *pending->site,
        "the thread ends while its bulk copy may still read shared memory, "
        "expected cp.async.bulk.wait_group before");
}

static std::shared_ptr<Store> startStore(Thread &thread, const Site &site,
                                         uint64_t shared, unsigned align) {
  Machine &machine = Machine::current();
  if (machine.blockOf(shared) != thread.block || shared % align)
    machine.abort(machine.blockOf(shared) ? FaultKind::Misaligned
                                          : FaultKind::InvalidOperand,
                  &thread, site,
                  "a bulk copy from 0x" + utohexstr(shared, true) +
                      ", expected a multiple of " + Twine(align) +
                      " in the block's shared memory");
  auto &groups = blockState<BulkGroups>(*thread.block);
  if (!groups.isWatched)
    machine.onExit(*thread.block, checkEnded);
  groups.isWatched = true;
  auto store = std::make_shared<Store>();
  store->site = &site;
  machine.release(*thread.warp, store->known);
  store->lanesMet = machine.lanesMet(thread);
  unsigned agent =
      machine.agentOf(*thread.block, AsyncUnit::TmaStore, thread.warp->index);
  store->epoch = machine.tick(*thread.block, agent);
  groupsOf(thread).open.push_back(store);
  return store;
}

static void putBytes(Thread &thread, const Site &site, uint64_t global,
                     const char *from, uint64_t bytes, uint64_t align,
                     const std::optional<BulkReduction> &reduction,
                     const AsyncAccess &access) {
  Machine &machine = Machine::current();
  char *to = machine.access(thread, site, global, bytes, align,
                            reduction ? AccessKind::Atomic : AccessKind::Write,
                            access);
  if (!reduction) {
    std::memcpy(to, from, bytes);
    return;
  }
  unsigned size = atomicBytes(reduction->type);
  for (uint64_t at = 0; at < bytes; at += size) {
    uint64_t operand = 0;
    std::memcpy(&operand, from + at, size);
    atomicReplace(to + at, reduction->op, reduction->type, operand, 0, true);
  }
}

/// An H200 clips the rows of a store at chunks of shared memory: what is beyond
/// the tensor in the last one is written as zeros. Returns the bytes written.
static uint64_t clearChunkAfter(char *row, uint64_t size) {
  uint64_t written = alignTo(size, chunkBytes);
  std::memset(row + size, 0, written - size);
  return written;
}

void lathe::sim::tensorStore(Thread &thread, const Site &site, uint64_t shared,
                             const EncodedMap &map, const TensorCoordinates &at,
                             std::optional<AtomicOp> op) {
  Machine &machine = Machine::current();
  std::optional<BulkReduction> reduction;
  if (op) {
    std::optional<AtomicType> type = reductionType(map, *op);
    if (!type)
      machine.abort(FaultKind::InvalidOperand, &thread, site,
                    "a reduction that elements of the tensor map do not have");
    reduction = BulkReduction{*op, *type};
  }
  // Loads clip there; an H200 takes such a store for an illegal instruction.
  for (unsigned dim = 0; dim < map.rank; ++dim)
    if (at[dim] < 0)
      machine.abort(FaultKind::InvalidOperand, &thread, site,
                    "a tensor store at coordinate " + Twine(at[dim]) +
                        " of dimension " + Twine(dim) +
                        ", expected none below 0");
  std::shared_ptr<Store> store = startStore(thread, site, shared, 128);
  auto run = [&thread, &site, shared, map, at, store, reduction] {
    Machine &machine = Machine::current();
    AsyncAccess access = store->access();
    uint64_t rowBytes = map.rowBytes(), pitch = map.pitch();
    std::vector<char> bytes(map.boxBytes());
    for (uint64_t row = 0, rows = map.rows(); row < rows; ++row)
      for (uint64_t piece = 0; piece < rowBytes; piece += chunkBytes) {
        uint64_t from = swizzle(shared + row * pitch + piece, map.swizzleLog2);
        std::memcpy(&bytes[row * rowBytes + piece],
                    machine.access(thread, site, from, chunkBytes, chunkBytes,
                                   AccessKind::Read, access),
                    chunkBytes);
      }
    forEachRow(map, at, [&](const BoxRow &row) {
      if (row.first == row.end)
        return;
      assert(row.first == 0 && "no coordinate is negative");
      char *from = &bytes[row.index * rowBytes];
      uint64_t size = uint64_t(row.end) * map.elementBytes;
      if (!reduction)
        size = clearChunkAfter(from, size);
      putBytes(thread, site, row.global, from, size, map.elementBytes,
               reduction, access);
    });
    store->landed = true;
  };
  machine.defer({&thread, &site, run});
}

void lathe::sim::bulkStore(Thread &thread, const Site &site, uint64_t global,
                           uint64_t shared, uint64_t bytes,
                           std::optional<BulkReduction> reduction) {
  Machine &machine = Machine::current();
  if (bytes == 0 || bytes % 16)
    machine.abort(FaultKind::InvalidOperand, &thread, site,
                  "a bulk copy of " + Twine(bytes) +
                      " bytes, expected a positive multiple of 16");
  std::shared_ptr<Store> store = startStore(thread, site, shared, 16);
  auto run = [&thread, &site, global, shared, bytes, store, reduction] {
    AsyncAccess access = store->access();
    const char *from = Machine::current().access(thread, site, shared, bytes,
                                                 16, AccessKind::Read, access);
    putBytes(thread, site, global, from, bytes, 16, reduction, access);
    store->landed = true;
  };
  machine.defer({&thread, &site, run});
}

void lathe::sim::bulkCommit(Thread &thread, const Site &) {
  ThreadGroups &groups = groupsOf(thread);
  groups.committed.push_back(std::move(groups.open));
  groups.open.clear();
}

// Source reads and destination writes of a store end together here, so that
// waiting for the reads alone says the same.
void lathe::sim::bulkWait(Thread &thread, const Site &, uint64_t pending,
                          bool) {
  Machine &machine = Machine::current();
  ThreadGroups &groups = groupsOf(thread);
  while (groups.committed.size() > pending) {
    Group done = std::move(groups.committed.front());
    groups.committed.pop_front();
    for (const std::shared_ptr<Store> &store : done) {
      if (!store->landed)
        machine.drain(*thread.block);
      machine.finished(thread, store->epoch);
    }
  }
}
