//===- Memory.h - Spaces and addresses in PTX -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_PTX_MEMORY_H
#define LATHE_LIB_SIMULATE_PTX_MEMORY_H

#include "../Machine.h"
#include "Decode.h"

namespace lathe::sim::ptx {

enum class Space { Generic, Global, Shared };

/// False for `.param`, which inline asm cannot name.
bool takeSpace(Modifiers &modifiers, Space &space);

/// Cache operators and eviction priorities, which change no value.
void takeCacheHints(Modifiers &modifiers);

/// Elements that .v2, .v4 or .v8 says; 1 without.
unsigned takeElementCount(Modifiers &modifiers);

/// Aborts the launch if the address is not in the space.
void checkSpace(Frame &frame, Space space, uint64_t address);

/// checkSpace, and a thread's access, naturally aligned.
char *accessSpace(Frame &frame, Space space, uint64_t address, uint64_t bytes,
                  AccessKind kind);

} // namespace lathe::sim::ptx

#endif // LATHE_LIB_SIMULATE_PTX_MEMORY_H
