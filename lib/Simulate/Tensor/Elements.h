//===- Elements.h - Types and fragments of matrix instructions --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which element of a matrix each register of each lane holds: PTX ISA 9,
// "Matrix Fragments for mma" and "Register Fragments for wgmma". With g = lane
// / 4 and q = lane % 4, all shapes follow the same three formulas.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_TENSOR_ELEMENTS_H
#define LATHE_LIB_SIMULATE_TENSOR_ELEMENTS_H

#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace lathe::sim {

enum class MatrixType : uint8_t {
  F16,
  BF16,
  TF32,
  E4M3,
  E5M2,
  S8,
  U8,
  S4,
  U4,
  F64
};
/// "bf16", "e4m3", ...
std::optional<MatrixType> parseMatrixType(llvm::StringRef name);
unsigned bitsOf(MatrixType type);
bool isInteger(MatrixType type);

/// Exact values of `count` elements that lie densely at `from`; 4-bit ones two
/// to a byte, the first in the low half.
void widen(MatrixType type, const void *from, double *to, size_t count);

enum class Accumulator : uint8_t { F16, F32, S32, F64 };
std::optional<Accumulator> parseAccumulator(llvm::StringRef name);
unsigned bytesOf(Accumulator type);
double readAccumulator(Accumulator type, const void *from);
/// `value` is the exact sum up to the rounding of doubles; rounded here once.
/// s32 wraps unless it `saturates`.
void writeAccumulator(Accumulator type, void *to, double value, bool saturates);

/// acc + sum of products as wgmma adds those of FP8 on Hopper: all aligned to
/// the largest sum of exponents and cut to 13 bits behind it. An H200's results
/// have no finer bits, and are these within a few units of the last one.
double addNarrow(double acc, const double *a, const double *b, unsigned stride,
                 unsigned count);

struct MatrixElement {
  unsigned row = 0, column = 0;
};
/// Element `i` of register `reg` of A (rows by k); `perRegister` elements each.
inline MatrixElement elementOfA(unsigned lane, unsigned reg, unsigned i,
                                unsigned perRegister, bool sixteenRows) {
  unsigned half = sixteenRows ? reg & 1 : 0,
           chunk = sixteenRows ? reg / 2 : reg;
  return {lane / 4 + 8 * half,
          chunk * 4 * perRegister + (lane % 4) * perRegister + i};
}
/// Of B (k by columns).
inline MatrixElement elementOfB(unsigned lane, unsigned reg, unsigned i,
                                unsigned perRegister) {
  return {reg * 4 * perRegister + (lane % 4) * perRegister + i, lane / 4};
}
/// Element `i` of the accumulator; wgmma's columns go on in steps of 8.
inline MatrixElement elementOfC(unsigned lane, unsigned i, bool sixteenRows) {
  if (!sixteenRows)
    return {lane / 4, 2 * (lane % 4) + (i & 1)};
  return {lane / 4 + 8 * ((i >> 1) & 1),
          8 * (i / 4) + 2 * (lane % 4) + (i & 1)};
}

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_TENSOR_ELEMENTS_H
