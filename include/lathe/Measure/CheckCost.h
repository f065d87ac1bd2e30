//===- CheckCost.h - What a check asks of a device --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_MEASURE_CHECKCOST_H
#define LATHE_MEASURE_CHECKCOST_H

#include "lathe/Measure/Candidates.h"

namespace lathe::measure {

/// Of all operands of a problem, from first to last element.
uint64_t operandBytes(const EntryPlan &entry, const Problem &problem);

/// Launches on the inputs of one draw, of a problem with so many bytes.
unsigned checkLaunches(uint64_t operandBytes, bool isFirstDraw);

/// About what it takes of a large GPU, in s, to check one kernel at a problem:
/// drawing operands, launching the kernel, looking over what it wrote, and
/// references, of which large ones are sampled.
double checkSeconds(const EntryPlan &entry, const Problem &problem);

} // namespace lathe::measure

#endif // LATHE_MEASURE_CHECKCOST_H
