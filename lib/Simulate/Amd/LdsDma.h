//===- LdsDma.h - Loads that bypass the registers ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_AMD_LDSDMA_H
#define LATHE_LIB_SIMULATE_AMD_LDSDMA_H

#include "../Machine.h"

namespace lathe::sim::amd {

/// Waits until at most `outstanding` of the wave's loads into LDS are in
/// flight: they end in the order of their issue. Loads into registers, which
/// the hardware's counter also counts, are not counted, so a kernel may have to
/// ask for less than on hardware; it never gets away with more.
void waitForLdsDma(Call &call, unsigned outstanding);

/// The part of S_WAITCNT's operand that counts vector memory, gfx9 encoding.
inline unsigned vectorCount(uint64_t operand) {
  return unsigned((operand & 15) | ((operand >> 14) & 3) << 4);
}

} // namespace lathe::sim::amd

#endif // LATHE_LIB_SIMULATE_AMD_LDSDMA_H
