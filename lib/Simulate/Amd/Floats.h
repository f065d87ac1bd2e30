//===- Floats.h - AMD float instructions ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Meanings of instructions that LLVM has no generic form of. Values widen to
// double exactly; `format` says what they were.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_AMD_FLOATS_H
#define LATHE_LIB_SIMULATE_AMD_FLOATS_H

#include "Site.h"
#include "lathe/Support/FloatFormat.h"

namespace lathe::sim::amd {

inline FloatFormat formatOf(const Slot &slot) {
  return slot.bits == 64   ? FloatFormat::F64
         : slot.bits == 32 ? FloatFormat::F32
         : slot.isBFloat   ? FloatFormat::BF16
                           : FloatFormat::F16;
}

/// One lane of a float operand.
double floatOperand(const Call &call, unsigned operand, unsigned lane = 0);
/// Rounds to the result's format.
void setFloat(Call &call, double value, unsigned lane = 0);

/// The largest value below one.
double belowOne(FloatFormat format);

/// V_FRACT: never one.
double fraction(double value, FloatFormat format);
/// V_MED3: the median; of what is no NaN the least, if one is.
double median(double a, double b, double c);
/// V_SIN and V_COS of turns, not radians; 0 and 1 beyond 256 turns.
double sineOfTurns(double turns);
double cosineOfTurns(double turns);

/// V_DIV_FIXUP.
double fixDivision(double quotient, double denominator, double numerator);

} // namespace lathe::sim::amd

#endif // LATHE_LIB_SIMULATE_AMD_FLOATS_H
