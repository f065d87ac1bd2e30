//===- Arithmetic.h - Numbers as PTX computes them --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pure functions over values and bits: rounding modes, conversions, approximate
// instructions, bit fields. Where PTX allows an error the correctly rounded
// result is taken; `approximationBounds` says how far a device may be.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_NVIDIA_ARITHMETIC_H
#define LATHE_LIB_SIMULATE_NVIDIA_ARITHMETIC_H

#include "lathe/Support/FloatFormat.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace lathe::sim {

enum class Rounding { NearestEven, TowardZero, Down, Up };
/// As PTX spells them.
inline constexpr std::pair<llvm::StringLiteral, Rounding> roundings[] = {
    {"rn", Rounding::NearestEven},
    {"rz", Rounding::TowardZero},
    {"rm", Rounding::Down},
    {"rp", Rounding::Up}};

/// Zero of the same sign for subnormal values.
float flushed(float value);
/// [0, 1]; NaN gives +0.
float saturated(float value);
double saturated(double value);

//--- rounded once, in the given direction; NaN results are 0x7fffffff --------
float addRounded(float a, float b, Rounding rounding);
float mulRounded(float a, float b, Rounding rounding);
float fmaRounded(float a, float b, float c, Rounding rounding);
float divRounded(float a, float b, Rounding rounding);
float sqrtRounded(float a, Rounding rounding);
double addRounded(double a, double b, Rounding rounding);
double mulRounded(double a, double b, Rounding rounding);
double fmaRounded(double a, double b, double c, Rounding rounding);
double divRounded(double a, double b, Rounding rounding);
double sqrtRounded(double a, Rounding rounding);
/// a * b + c of f16 or bf16 values, rounded once to that format; its bits.
uint16_t fmaSmall(FloatFormat format, uint16_t a, uint16_t b, uint16_t c);
/// a + b likewise.
uint16_t addSmall(FloatFormat format, uint16_t a, uint16_t b);

//--- min and max --------------------------------------------------------------
struct MinMax {
  bool max = false;
  bool propagateNaN = false; ///< .NaN
  bool xorSign = false;      ///< .xorsign.abs
};
/// -0 is less than +0. One NaN: the other operand, unless propagated.
double minMax(MinMax kind, double a, double b);

//--- conversions --------------------------------------------------------------
float toFloat(double value, Rounding rounding);
/// The integer next to a finite value.
double toIntegral(double value, Rounding rounding);
/// PTX cvt to an integer of `bits` (8 to 64): rounded, clamped to the range;
/// NaN gives 0, or the top bit alone if `wide` (f64 or a 64-bit result).
uint64_t toInteger(double value, Rounding rounding, unsigned bits,
                   bool isSigned, bool wide);
/// An integer of 64 bits as a float, rounded once.
float integerToFloat(uint64_t value, bool isSigned, Rounding rounding);
double integerToDouble(uint64_t value, bool isSigned, Rounding rounding);

struct Narrowing {
  FloatRounding rounding = FloatRounding::NearestEven;
  bool relu = false;     ///< negative values and -0 become +0
  bool saturate = false; ///< .satfinite
};
/// f16, bf16, tf32, e4m3, e5m2 from f32 (exact in a double); the bits.
uint64_t narrow(FloatFormat format, double value, Narrowing how);

//--- approximate instructions -------------------------------------------------
float ex2Approx(float x, bool flush);
float lg2Approx(float x, bool flush);
float rcpApprox(float x, bool flush);
float rsqrtApprox(float x, bool flush);
float sqrtApprox(float x, bool flush);
float sinApprox(float x, bool flush);
float cosApprox(float x, bool flush);
float tanhApprox(float x);
/// 0 for 2^126 < |b| < 2^128, as documented.
float divApprox(float a, float b, bool flush);
float divFull(float a, float b, bool flush);
/// rcp.approx.ftz.f64 and rsqrt.approx: the low 32 bits of the result are zero.
double rcpApprox(double x);
double rsqrtApprox(double x, bool flush);

/// How far the device's result may be from the exact one (PTX ISA 9).
struct ApproximationBound {
  llvm::StringRef instruction; ///< "ex2.approx.f32"
  double relative;             ///< 0: see `absolute`
  double absolute;             ///< 0: see `relative`
  double low, high;            ///< holds for |x| in here
};
llvm::ArrayRef<ApproximationBound> approximationBounds();

//--- bits ---------------------------------------------------------------------
enum class PermuteMode {
  Index,
  Forward4,
  Backward4,
  Replicate8,
  EdgeLeft,
  EdgeRight,
  Replicate16
};
uint32_t permuteBytes(PermuteMode mode, uint32_t a, uint32_t b,
                      uint32_t selector);
/// bfe: `bits` is the width of the value (32 or 64).
uint64_t bitFieldExtract(uint64_t value, uint32_t position, uint32_t length,
                         unsigned bits, bool isSigned);
/// bfi: `field` into `value`.
uint64_t bitFieldInsert(uint64_t field, uint64_t value, uint32_t position,
                        uint32_t length, unsigned bits);
/// fns: 0xffffffff if there is no such bit.
uint32_t findNthSet(uint32_t mask, uint32_t base, int32_t offset);
/// bfind: position of the most significant bit that is not a sign bit, or all
/// ones; `shift`: the distance that brings it to the top instead.
uint32_t findLeading(uint64_t value, unsigned bits, bool isSigned, bool shift);
/// szext, sext and zext of the low `length` bits.
uint32_t extendBits(uint32_t value, uint32_t length, bool isSigned, bool wrap);
/// bmsk: `length` ones from `position` on.
uint32_t bitMask(uint32_t position, uint32_t length, bool wrap);
uint32_t dotBytes(uint32_t a, uint32_t b, uint32_t c, bool aSigned,
                  bool bSigned);
/// dp2a: 16-bit parts of `a` with the low or high two bytes of `b`.
uint32_t dotHalves(uint32_t a, uint32_t b, uint32_t c, bool aSigned,
                   bool bSigned, bool high);

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_NVIDIA_ARITHMETIC_H
