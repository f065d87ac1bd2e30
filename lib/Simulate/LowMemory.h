//===- LowMemory.h - Stacks and arenas below 4 GiB --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels keep addresses of shared and private memory in 32 bits, so both lie
// in the low 4 GiB of the process. Pools belong to the process and grow only.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_LOWMEMORY_H
#define LATHE_LIB_SIMULATE_LOWMEMORY_H

#include <cstddef>
#include <cstdint>

namespace lathe::sim {

/// Zeroed, writable pages below 4 GiB that are never given back. Ends the
/// process with a message if there is no room.
char *mapLow(uint64_t bytes, uint64_t align);

/// The stack of a fiber: [low, high), an inaccessible page below `low`.
struct Stack {
  char *low = nullptr, *high = nullptr;
};

Stack takeStack();
void giveStack(Stack stack);

/// Shared memory of `blocks` blocks side by side, arenaBytes each.
char *takeArenas(unsigned blocks);
void giveArenas(char *arenas, unsigned blocks);

/// Ends the process with a message that names the stack when a fiber runs into
/// the page below its stack. Other faults go to the handler set before. To be
/// held by each host thread while fibers run on it.
class OverflowGuard {
public:
  OverflowGuard();
  ~OverflowGuard();
  OverflowGuard(const OverflowGuard &) = delete;

private:
  char *alternate;
  void *previous;
  size_t previousBytes;
  int previousFlags;
};

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_LOWMEMORY_H
