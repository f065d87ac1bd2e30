//===- Patterns.h - Rows that are hard to compute with ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_VERIFY_PATTERNS_H
#define LATHE_LIB_VERIFY_PATTERNS_H

#include "lathe/Ingest/Model.h"
#include "lathe/Verify/Element.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lathe {

/// One element of an adversarial or edge draw.
struct PatternQuestion {
  bool edge = false;
  uint64_t seed = 0, operand = 0, index = 0;
  int64_t inner = 1; ///< length of a row
  /// Rows take turns through the patterns; an operand without rows (a weight
  /// vector) mixes them.
  bool rows = true;
  const DistributionSpec *distribution = nullptr;
  const ElementType *type = nullptr;
  llvm::function_ref<double(uint64_t index)> normal;
};

double patternAt(const PatternQuestion &question);

} // namespace lathe

#endif // LATHE_LIB_VERIFY_PATTERNS_H
