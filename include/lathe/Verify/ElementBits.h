//===- ElementBits.h - Elements of operands as bits -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Freestanding: the same text is compiled for the host and for GPUs.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_ELEMENTBITS_H
#define LATHE_VERIFY_ELEMENTBITS_H

#include "lathe/Support/FloatKinds.h"

namespace lathe {

/// How one element lies in memory: little-endian, 1, 2, 4 or 8 bytes.
struct ElementFormat {
  bool isFloat = true; ///< else a signed integer
  FloatFormat format = FloatFormat::F32;
  uint8_t bytes = 4;
};

/// Most dimensions of an operand that is drawn or compared.
constexpr unsigned maxElementRank = 8;

} // namespace lathe

#endif // LATHE_VERIFY_ELEMENTBITS_H
