//===- TmaLoad.cpp - Bulk copies into shared memory -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Nvidia/Mbarrier.h"
#include "Tma.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lathe::sim;

namespace {
/// One block that a copy writes to.
struct Destination {
  uint64_t shared, mbarrier;
};

/// What the order checker needs to know about a copy in flight.
struct Flight {
  Knowledge known; ///< of the issuer, at the issue
  Epoch epoch;
  uint32_t lanesMet = 0;
  AsyncAccess access() const { return {epoch, Proxy::Async, &known, lanesMet}; }
};
} // namespace

static std::string hex(uint64_t value) { return "0x" + utohexstr(value, true); }

EncodedMap lathe::sim::readTensorMap(Thread &thread, const Site &site,
                                     uint64_t address, unsigned rank) {
  Machine &machine = Machine::current();
  const char *bytes = nullptr;
  for (auto [i, argument] : enumerate(machine.launch().arguments))
    if (argument.kind == Argument::Map &&
        reinterpret_cast<uint64_t>(machine.arguments()[i]) == address)
      bytes = static_cast<const char *>(machine.arguments()[i]);
  if (!bytes)
    bytes = machine.resolve(thread, address, 128);
  std::optional<EncodedMap> map;
  if (bytes)
    map = decodeTensorMap(bytes);
  if (!map)
    machine.abort(FaultKind::InvalidOperand, &thread, site,
                  "no tensor map at address " + hex(address));
  if (map->rank != rank)
    machine.abort(FaultKind::InvalidOperand, &thread, site,
                  "a tensor map of " + Twine(map->rank) +
                      " dimensions, expected " + Twine(rank));
  return *map;
}

static std::shared_ptr<Flight> startLoad(Thread &thread) {
  Machine &machine = Machine::current();
  auto flight = std::make_shared<Flight>();
  machine.release(*thread.warp, flight->known);
  flight->lanesMet = machine.lanesMet(thread);
  unsigned agent = machine.agentOf(*thread.block, AsyncUnit::TmaLoad, 0);
  flight->epoch = machine.tick(*thread.block, agent);
  return flight;
}

// The blocks of a multicast get the copy at the offsets of the issuer's own.
static SmallVector<Destination, 1>
destinations(Thread &thread, const Site &site, uint64_t shared,
             uint64_t mbarrier, std::optional<uint16_t> multicast) {
  Machine &machine = Machine::current();
  Block *block = machine.blockOf(shared),
        *barrierBlock = machine.blockOf(mbarrier);
  if (!block || !barrierBlock)
    machine.abort(FaultKind::InvalidOperand, &thread, site,
                  "a bulk copy to " + hex(shared) + " with mbarrier " +
                      hex(mbarrier) + ", expected shared addresses");
  SmallVector<Destination, 1> result;
  if (!multicast) {
    result.push_back({shared, mbarrier});
    return result;
  }
  ArrayRef<Block *> cluster = thread.block->cluster;
  if (*multicast == 0 || *multicast >> cluster.size())
    machine.abort(FaultKind::InvalidOperand, &thread, site,
                  "a multicast to blocks " + hex(*multicast) +
                      ", expected some of a cluster of " +
                      Twine(cluster.size()));
  auto base = [](Block *block) {
    return reinterpret_cast<uint64_t>(block->arena);
  };
  for (Block *other : cluster)
    if (*multicast >> other->rank & 1)
      result.push_back({shared - base(block) + base(other),
                        mbarrier - base(barrierBlock) + base(other)});
  return result;
}

static void complete(Thread &thread, const Site &site, const Flight &flight,
                     uint64_t mbarrier, uint64_t bytes) {
  Knowledge delivered;
  delivered.seen.raise(flight.epoch.agent, flight.epoch.clock);
  delivered.proxied.raise(flight.epoch.agent, flight.epoch.clock);
  mbarrierCompleteTxAsync(thread, site, mbarrier, bytes, delivered);
}

// Rows as they lie in shared memory without swizzle, one after the other.
static std::vector<char> gather(Thread &thread, const Site &site,
                                const EncodedMap &map,
                                const TensorCoordinates &at,
                                const AsyncAccess &access) {
  Machine &machine = Machine::current();
  std::vector<char> bytes(map.boxBytes());
  uint64_t fill = fillBits(map);
  if (fill)
    for (size_t i = 0; i < bytes.size(); i += map.elementBytes)
      std::memcpy(&bytes[i], &fill, map.elementBytes);
  forEachRow(map, at, [&](const BoxRow &row) {
    if (row.first == row.end)
      return;
    uint64_t size = uint64_t(row.end - row.first) * map.elementBytes;
    const char *from =
        machine.access(thread, site, row.global, size, map.elementBytes,
                       AccessKind::Read, access);
    std::memcpy(&bytes[row.index * map.rowBytes() +
                       uint64_t(row.first) * map.elementBytes],
                from, size);
  });
  return bytes;
}

static void scatter(Thread &thread, const Site &site, const EncodedMap &map,
                    uint64_t shared, ArrayRef<char> bytes,
                    const AsyncAccess &access) {
  Machine &machine = Machine::current();
  uint64_t rowBytes = map.rowBytes(), pitch = map.pitch();
  bool isDense = rowBytes == pitch;
  char *whole = nullptr;
  if (isDense)
    whole = machine.access(thread, site, shared, bytes.size(), 16,
                           AccessKind::Write, access);
  for (uint64_t row = 0, rows = map.rows(); row < rows; ++row)
    for (uint64_t piece = 0; piece < rowBytes; piece += 16) {
      uint64_t to = swizzle(shared + row * pitch + piece, map.swizzleLog2);
      char *where = isDense ? whole + (to - shared)
                            : machine.access(thread, site, to, 16, 16,
                                             AccessKind::Write, access);
      std::memcpy(where, &bytes[row * rowBytes + piece], 16);
    }
}

void lathe::sim::tensorLoad(Thread &thread, const Site &site, uint64_t shared,
                            uint64_t mbarrier, const EncodedMap &map,
                            const TensorCoordinates &at,
                            std::optional<uint16_t> multicast) {
  Machine &machine = Machine::current();
  if (shared % 128)
    machine.abort(FaultKind::Misaligned, &thread, site,
                  "a tensor copy to " + hex(shared) +
                      ", expected a multiple of 128");
  auto to = destinations(thread, site, shared, mbarrier, multicast);
  for (const Destination &destination : to)
    mbarrierCheck(thread, site, destination.mbarrier);
  std::shared_ptr<Flight> flight = startLoad(thread);
  auto run = [&thread, &site, map, at, to, flight] {
    AsyncAccess access = flight->access();
    std::vector<char> bytes = gather(thread, site, map, at, access);
    for (const Destination &destination : to) {
      scatter(thread, site, map, destination.shared, bytes, access);
      complete(thread, site, *flight, destination.mbarrier, map.boxBytes());
    }
  };
  machine.defer({&thread, &site, run});
}

void lathe::sim::bulkLoad(Thread &thread, const Site &site, uint64_t shared,
                          uint64_t mbarrier, uint64_t source, uint64_t bytes,
                          std::optional<uint16_t> multicast) {
  Machine &machine = Machine::current();
  if (bytes == 0 || bytes % 16)
    machine.abort(FaultKind::InvalidOperand, &thread, site,
                  "a bulk copy of " + Twine(bytes) +
                      " bytes, expected a positive multiple of 16");
  auto to = destinations(thread, site, shared, mbarrier, multicast);
  for (const Destination &destination : to)
    mbarrierCheck(thread, site, destination.mbarrier);
  std::shared_ptr<Flight> flight = startLoad(thread);
  auto run = [&thread, &site, source, bytes, to, flight] {
    Machine &machine = Machine::current();
    AsyncAccess access = flight->access();
    const char *from = machine.access(thread, site, source, bytes, 16,
                                      AccessKind::Read, access);
    for (const Destination &destination : to) {
      char *where = machine.access(thread, site, destination.shared, bytes, 16,
                                   AccessKind::Write, access);
      std::memmove(where, from, bytes);
      complete(thread, site, *flight, destination.mbarrier, bytes);
    }
  };
  machine.defer({&thread, &site, run});
}
