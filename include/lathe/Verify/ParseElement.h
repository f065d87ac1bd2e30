//===- ParseElement.h - Names of element formats ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No LLVM: candidate files name dtypes as operators do.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_PARSEELEMENT_H
#define LATHE_VERIFY_PARSEELEMENT_H

#include "lathe/Verify/ElementBits.h"

#include <optional>
#include <string_view>

namespace lathe {

/// From the MLIR spelling. Formats without a codec (f8E8M0FNU, f4E2M1FN) are
/// unknown.
inline std::optional<ElementFormat> parseElementFormat(std::string_view dtype) {
  ElementFormat element;
  for (unsigned i = 0; i < sizeof(floatNames) / sizeof(*floatNames); ++i) {
    if (dtype != floatNames[i])
      continue;
    element.format = FloatFormat(i);
    element.bytes =
        uint8_t((floatLayouts[i].width + floatLayouts[i].padding) / 8);
    return element;
  }
  element.isFloat = false;
  element.bytes = dtype == "i1" || dtype == "i8" ? 1
                  : dtype == "i16"               ? 2
                  : dtype == "i32"               ? 4
                  : dtype == "i64"               ? 8
                                                 : 0;
  if (!element.bytes)
    return std::nullopt;
  return element;
}

} // namespace lathe

#endif // LATHE_VERIFY_PARSEELEMENT_H
