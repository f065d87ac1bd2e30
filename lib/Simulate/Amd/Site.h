//===- Site.h - Checks of AMD call sites ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_AMD_SITE_H
#define LATHE_LIB_SIMULATE_AMD_SITE_H

#include "../Machine.h"

namespace lathe::sim::amd {

/// What `prepare` returns where there is nothing to remember.
using Prepared = llvm::Expected<std::shared_ptr<const void>>;

/// Bytes of a result or operand: all lanes of a vector.
inline uint32_t slotBytes(const Slot &slot) {
  return slot.bytesPerLane() * slot.lanes;
}

/// Bytes of an operand; what the module left undefined reads as all ones, a
/// NaN in every float format.
inline void copyOperand(const Call &call, unsigned operand, void *to,
                        uint32_t bytes) {
  if (call.site.operands[operand].undefined)
    std::memset(to, 0xFF, bytes);
  else
    std::memcpy(to, call.data(operand), bytes);
}

/// Copies an operand of the result's type to the result.
inline void returnOperand(const Call &from, unsigned operand, const Call &to) {
  copyOperand(from, operand, to.result(), slotBytes(to.site.results[0]));
}

/// The lanes of a wave that exist and have not ended.
inline uint64_t liveLanes(const Warp &wave) {
  return wave.full() & ~wave.exited;
}

template <typename Function>
void forEachLane(const LaneCalls &calls, Function function) {
  for (uint64_t rest = calls.mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctzll(rest);
    function(lane, *calls.lane[lane]);
  }
}

} // namespace lathe::sim::amd

#endif // LATHE_LIB_SIMULATE_AMD_SITE_H
