//===- BufferResource.h - AMD buffer descriptors ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_AMD_BUFFERRESOURCE_H
#define LATHE_LIB_SIMULATE_AMD_BUFFERRESOURCE_H

#include "Site.h"

namespace lathe::sim::amd {

/// The 128 bits of a gfx9 buffer resource.
struct BufferResource {
  uint64_t base = 0;    ///< 48 bits
  uint32_t stride = 0;  ///< bytes, 14 bits
  uint32_t records = 0; ///< bytes; with a stride and an index: elements
  uint32_t flags = 0;   ///< the last word
  bool swizzled = false;

  /// From the operands of llvm.amdgcn.make.buffer.rsrc.
  static BufferResource make(uint64_t base, uint32_t stride, uint64_t records,
                             uint32_t flags);
  /// From four words.
  static BufferResource decode(const uint32_t words[4]);

  /// What keeps the resource from being simulated; empty if nothing does.
  llvm::StringRef defect() const;
};

enum class Range {
  Inside,
  Outside,  ///< loads give zero, stores and atomics do nothing
  Straddles ///< hardware checks where a dword begins, and this one ends outside
};

/// One access to a buffer.
struct BufferAccess {
  bool indexed = false;
  uint32_t index = 0;        ///< struct forms
  uint32_t offset = 0;       ///< checked: vector and immediate part
  uint32_t scalarOffset = 0; ///< shrinks the range instead

  uint64_t address(const BufferResource &resource) const;
  /// Of `bytes` at `at` bytes from the access' start: at most a dword.
  Range range(const BufferResource &resource, uint32_t at,
              uint32_t bytes) const;
};

/// A resource as the value of a `ptr addrspace(8)`, valid in the caller's
/// block.
uint64_t handleOf(const Call &call, const BufferResource &resource);

/// The resource that an operand holds: a handle or four words. Ends the launch
/// if it is no resource, or one that is not simulated.
BufferResource resourceOperand(const Call &call, unsigned operand);

/// The fault of an access with Range::Straddles.
void reportStraddling(const Call &call, const BufferResource &resource,
                      const BufferAccess &access, uint32_t at);

} // namespace lathe::sim::amd

#endif // LATHE_LIB_SIMULATE_AMD_BUFFERRESOURCE_H
