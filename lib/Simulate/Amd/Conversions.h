//===- Conversions.h - AMD float conversions --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_AMD_CONVERSIONS_H
#define LATHE_LIB_SIMULATE_AMD_CONVERSIONS_H

#include "lathe/Support/FloatFormat.h"

namespace lathe::sim::amd {

/// Stochastic rounding to an FNUZ format: up with a probability that the seed
/// decides.
uint8_t encodeStochastic(FloatFormat format, float value, uint32_t seed);

} // namespace lathe::sim::amd

#endif // LATHE_LIB_SIMULATE_AMD_CONVERSIONS_H
