//===- GlobalMemory.cpp - Buffers and who touched them --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalMemory.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

#include <sys/mman.h>

using namespace lathe::sim;

void ByteMap::set(uint64_t offset, uint64_t count) {
  while (count) {
    unsigned bit = offset % 8;
    unsigned here = std::min<uint64_t>(8 - bit, count);
    uint8_t mask = ((1u << here) - 1) << bit;
    uint8_t *byte = bits + offset / 8;
    if ((__atomic_load_n(byte, __ATOMIC_RELAXED) & mask) != mask)
      __atomic_fetch_or(byte, mask, __ATOMIC_RELAXED);
    offset += here;
    count -= here;
  }
}

uint64_t ByteMap::firstClear(uint64_t offset, uint64_t count) const {
  for (uint64_t done = 0; done < count;) {
    unsigned bit = (offset + done) % 8;
    unsigned here = std::min<uint64_t>(8 - bit, count - done);
    uint8_t mask = ((1u << here) - 1) << bit;
    uint8_t byte =
        __atomic_load_n(bits + (offset + done) / 8, __ATOMIC_RELAXED);
    if ((byte & mask) != mask) {
      while (byte >> bit & 1)
        ++bit, ++done;
      return done;
    }
    done += here;
  }
  return count;
}

GlobalMemory::GlobalMemory(const Program &program, const Launch &launch,
                           llvm::ArrayRef<void *> arguments, bool checkOrder,
                           bool manyMachines) {
  for (const Buffer &buffer : launch.buffers) {
    Region region;
    region.name = buffer.name;
    region.begin = reinterpret_cast<uint64_t>(buffer.data);
    region.end = region.begin + buffer.bytes;
    region.readOnly = buffer.readOnly;
    region.mayRace = buffer.mayRace;
    region.written = ByteMap(buffer.written);
    if (!buffer.initialized) {
      uint8_t *bits = buffer.written;
      if (!bits && buffer.bytes) {
        uint64_t bytes = buffer.bytes / 8 + 1;
        void *map = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (map == MAP_FAILED)
          llvm::report_fatal_error("simulator: no address space for the map of "
                                   "initialized bytes",
                                   /*gen_crash_diag=*/false);
        maps.push_back({map, bytes});
        bits = static_cast<uint8_t *>(map);
      }
      region.holdsValue = ByteMap(bits);
    }
    if (checkOrder && !buffer.readOnly && !buffer.mayRace)
      region.shadow = std::make_unique<GlobalShadow>(region.begin, buffer.bytes,
                                                     manyMachines);
    add(std::move(region));
  }
  for (const Program::Variable &variable : program.variables) {
    Region region;
    region.name = variable.name;
    region.begin = variable.address;
    region.end = variable.address + variable.bytes;
    region.readOnly = variable.readOnly;
    if (checkOrder && !variable.readOnly)
      region.shadow = std::make_unique<GlobalShadow>(
          region.begin, variable.bytes, manyMachines);
    add(std::move(region));
  }
  for (size_t i = 0; i < arguments.size() && i < program.parameters.size();
       ++i) {
    if (!program.parameters[i].tensorMap)
      continue;
    Region region;
    region.name = ("parameter " + llvm::Twine(i)).str();
    region.begin = reinterpret_cast<uint64_t>(arguments[i]);
    region.end = region.begin + program.parameters[i].bytes;
    region.readOnly = true;
    add(std::move(region));
  }
}

GlobalMemory::~GlobalMemory() {
  for (auto [map, bytes] : maps)
    ::munmap(map, bytes);
}

void GlobalMemory::add(Region region) {
  auto it = std::upper_bound(
      regions.begin(), regions.end(), region.begin,
      [](uint64_t begin, const Region &other) { return begin < other.begin; });
  regions.insert(it, std::move(region));
}

Region *GlobalMemory::find(uint64_t address, uint64_t bytes) {
  for (Region &region : regions)
    if (region.holds(address, bytes) || (address == region.end && bytes == 0))
      return &region;
  return nullptr;
}

std::string GlobalMemory::describe(uint64_t address) const {
  if (address < 4096)
    return ("address " + llvm::Twine(address) + " (a null pointer)").str();
  const Region *nearest = nullptr;
  uint64_t distance = ~uint64_t(0);
  for (const Region &region : regions) {
    if (address >= region.begin && address < region.end)
      return ("'" + region.name + "'+" + llvm::Twine(address - region.begin) +
              " of " + llvm::Twine(region.end - region.begin))
          .str();
    uint64_t away =
        address >= region.end ? address - region.end : region.begin - address;
    if (away < distance) {
      distance = away;
      nearest = &region;
    }
  }
  // Far from everything: the pointer itself is wrong.
  if (!nearest || distance > uint64_t(1) << 32)
    return ("0x" + llvm::Twine::utohexstr(address) + ", in no buffer").str();
  std::string size = llvm::utostr(nearest->end - nearest->begin);
  if (address >= nearest->end)
    return ("'" + nearest->name + "'+" + llvm::Twine(address - nearest->begin) +
            ", " + llvm::Twine(distance) + " bytes after its end (" + size +
            " bytes)")
        .str();
  return ("'" + nearest->name + "'-" + llvm::Twine(distance) +
          ", before its start (" + size + " bytes)")
      .str();
}

uint64_t GlobalMemory::unchecked() const {
  uint64_t bytes = 0;
  for (const Region &region : regions)
    if (region.shadow)
      bytes += region.shadow->unchecked();
  return bytes;
}
