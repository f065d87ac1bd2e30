//===- Element.h - Elements of operands in memory ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_ELEMENT_H
#define LATHE_VERIFY_ELEMENT_H

#include "lathe/Support/FloatFormat.h"
#include "lathe/Verify/ElementBits.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace lathe {

/// How one element of a dtype lies in memory: 1, 2, 4 or 8 bytes.
struct ElementType {
  std::optional<FloatFormat> format; ///< nothing: a signed integer
  unsigned bytes = 4;

  /// Formats without a codec (f8E8M0FNU, f4E2M1FN) are errors.
  static llvm::Expected<ElementType> parse(llvm::StringRef dtype);

  /// The same without the standard library.
  ElementFormat plain() const;

  uint64_t load(const char *at) const;
  void store(uint64_t bits, char *at) const;
  double value(uint64_t bits) const;
  bool isNaN(uint64_t bits) const;
  /// From 1 to the next value; 0 for integers.
  double epsilon() const;
  /// Position among all values of the dtype, ascending: neighbours differ by
  /// one, and -0 is 0. Not for NaN.
  int64_t ordinal(uint64_t bits) const;
};

} // namespace lathe

#endif // LATHE_VERIFY_ELEMENT_H
