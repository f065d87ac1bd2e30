//===- Compare.h - Outputs against the reference ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_COMPARE_H
#define LATHE_VERIFY_COMPARE_H

#include "lathe/Ingest/Model.h"
#include "lathe/Verify/Element.h"

#include "llvm/Support/JSON.h"

namespace lathe {

/// An element that is too far from the reference, or the one furthest from it.
struct ElementError {
  std::vector<int64_t> index;
  double expected = 0, found = 0;
  /// Steps of the dtype between the two; infinite where one is NaN.
  double ulp = 0;
};

/// Over any number of rows of one output.
struct Comparison {
  uint64_t elements = 0, mismatches = 0;
  /// Elements that used up the allowance of `flips`.
  uint64_t flips = 0;
  std::optional<ElementError> first; ///< first mismatch
  ElementError worst;                ///< most steps away, mismatch or not
  double errorSquares = 0, referenceSquares = 0; ///< where both are finite
  double epsilon = 0; ///< of the dtype
  /// Elements beyond |expected - found| <= 0.01 + 0.05 * |found|, the rule of
  /// Atrex-Bench at revision eb8697d (any NaN fails it; integers are exact).
  uint64_t beyondEvaluator = 0;

  /// |error| / |reference|; 0 without an error.
  double norm() const;
  /// All tolerances hold; `why` says which does not.
  bool passes(const ToleranceSpec &tolerance, std::string &why) const;
  llvm::json::Object toJSON() const;
};

/// Adds one row. `indexOfRow` is where it starts in the output; both rows lie
/// densely in memory.
void compareRow(Comparison &comparison, const ElementType &type,
                const ToleranceSpec &tolerance,
                llvm::ArrayRef<int64_t> indexOfRow, int64_t length,
                const char *expected, const char *found);

} // namespace lathe

#endif // LATHE_VERIFY_COMPARE_H
