//===- GlobalMemory.h - Buffers and who touched them ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One for all machines of a launch. Tables are as large as the buffers in
// address space alone; memory is taken where the launch touches.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_GLOBALMEMORY_H
#define LATHE_LIB_SIMULATE_GLOBALMEMORY_H

#include "GlobalShadow.h"
#include "Program.h"

namespace lathe::sim {

/// One bit per byte; set by several host threads at once.
class ByteMap {
public:
  explicit ByteMap(uint8_t *bits = nullptr) : bits(bits) {}
  explicit operator bool() const { return bits != nullptr; }
  void set(uint64_t offset, uint64_t count);
  /// The first byte of the range whose bit is clear, or `count`.
  uint64_t firstClear(uint64_t offset, uint64_t count) const;

private:
  uint8_t *bits;
};

/// Memory that the launch may touch.
struct Region {
  std::string name;
  uint64_t begin = 0, end = 0;
  bool readOnly = false;
  bool mayRace = false;
  ByteMap holdsValue; ///< unset: all bytes do
  ByteMap written;    ///< unset: nobody asks
  std::unique_ptr<GlobalShadow> shadow;

  bool holds(uint64_t address, uint64_t bytes) const {
    return address >= begin && address < end && bytes <= end - address;
  }
};

class GlobalMemory {
public:
  GlobalMemory(const Program &program, const Launch &launch,
               llvm::ArrayRef<void *> arguments, bool checkOrder,
               bool manyMachines);
  ~GlobalMemory();

  /// The region that holds all the bytes, or null.
  Region *find(uint64_t address, uint64_t bytes);
  /// "'x'+4092 of 4096", "'x'+4108, 12 bytes after its end (4096 bytes)".
  std::string describe(uint64_t address) const;
  uint64_t unchecked() const;

private:
  void add(Region region);

  std::vector<Region> regions; ///< by address
  std::vector<std::pair<void *, uint64_t>> maps;
};

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_GLOBALMEMORY_H
