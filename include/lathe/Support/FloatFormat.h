//===- FloatFormat.h - Bits of small floats and back ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Encodings of OCP FP8 and of the FNUZ formats of CDNA 3, IEEE and bfloat
// halves, and TF32 as it lies in a 32-bit register.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_SUPPORT_FLOATFORMAT_H
#define LATHE_SUPPORT_FLOATFORMAT_H

#include "lathe/Support/FloatKinds.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace lathe {

/// From the MLIR spelling ("f8E4M3FN", "bf16", "tf32", ...).
std::optional<FloatFormat> parseFloatFormat(llvm::StringRef dtype);

/// Bits that an element takes: 8, 16, 32 or 64.
unsigned floatStorageBits(FloatFormat format);

double largestFinite(FloatFormat format);

/// The exact value of the low bits of `bits`; bits above are ignored.
double decodeFloat(FloatFormat format, uint64_t bits);

/// The values of all 256 bytes of an 8-bit format.
const float *decodeTable(FloatFormat format);

/// `value` rounded once. NaN gives all ones without the sign (0x7F, 0x7FFF,
/// ...; for FNUZ 0x80), except that F64 keeps the bits that it is given.
/// Floats widen to double exactly, so one function serves both.
uint64_t encodeFloat(FloatFormat format, double value,
                     FloatOverflow overflow = FloatOverflow::Special,
                     FloatRounding rounding = FloatRounding::NearestEven);

/// `value` rounded to `format` and back.
inline double roundTo(FloatFormat format, double value) {
  return decodeFloat(format, encodeFloat(format, value));
}

} // namespace lathe

#endif // LATHE_SUPPORT_FLOATFORMAT_H
