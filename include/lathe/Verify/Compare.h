//===- Compare.h - Outputs against the reference ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_COMPARE_H
#define LATHE_VERIFY_COMPARE_H

#include "lathe/Ingest/Model.h"
#include "lathe/Verify/CompareValue.h"
#include "lathe/Verify/Element.h"

#include "llvm/Support/JSON.h"

namespace lathe {

/// An ElementDifference by its place.
struct ElementError {
  std::vector<int64_t> index;
  double expected = 0, found = 0;
  /// Steps of the dtype between the two; infinite where one is NaN.
  double ulp = 0;
};

ElementTolerance elementTolerance(const ToleranceSpec &tolerance);

/// Over any number of rows of one output.
struct Comparison : ComparisonSums {
  std::optional<ElementError> first; ///< first mismatch
  ElementError worst;                ///< most steps away, mismatch or not

  /// All tolerances hold; `why` says which does not.
  bool passes(const ToleranceSpec &tolerance, std::string &why) const;
  llvm::json::Object toJSON() const;
};

/// Adds one row. `indexOfRow` is where it starts in the output; rows lie
/// densely in memory. `magnitudes`: what the reference makes of the inputs'
/// magnitudes, or null.
void compareRow(Comparison &comparison, const ElementType &type,
                const ToleranceSpec &tolerance,
                llvm::ArrayRef<int64_t> indexOfRow, int64_t length,
                const char *expected, const char *found,
                const char *magnitudes = nullptr);

} // namespace lathe

#endif // LATHE_VERIFY_COMPARE_H
