//===- DispatchTable.h - Dispatch tables as plain values --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_DIALECTS_DISPATCHTABLE_H
#define LATHE_DIALECTS_DISPATCHTABLE_H

#include "lathe/Support/DimGuard.h"
#include "lathe/Support/Expr.h"
#include "lathe/Support/ResourceUsage.h"
#include "lathe/Support/TensorMap.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lathe {

enum class CaseKind { Exact, Bucket, Generic };

/// "exact", "bucket" or "generic".
inline llvm::StringRef caseKindName(CaseKind kind) {
  constexpr const char *names[] = {"exact", "bucket", "generic"};
  return names[static_cast<int>(kind)];
}

/// What a device said of a case, at the heaviest hot shape that it serves.
struct MeasuredCase {
  std::string dims; ///< of the shape: "H=2048,T=64"
  double us = 0, lowUs = 0, highUs = 0;
  std::string runnerUp; ///< the fastest other kernel; empty if there is none
  /// Runner-up over this, with its confidence.
  double ratio = 0, ratioLow = 0, ratioHigh = 0;
};

/// One row of a dispatch table. Cases are tried in order.
struct DispatchCase {
  std::string kernel; ///< mintKernelName of the candidate
  std::string symbol; ///< entry in the image
  std::string arch;
  CaseKind kind = CaseKind::Generic;
  std::vector<DimGuard> guards; ///< dims without one are unconstrained
  int64_t alignment = 1;        ///< bytes, for every operand's base
  Expr gridX, gridY, gridZ; ///< over dims; + - * floordiv ceildiv mod min max
  int64_t blockThreads = 0;
  int64_t sharedBytes = 0; ///< dynamic
  /// Dims passed at run time (i64), in order, after the operand pointers and
  /// before the scalars.
  std::vector<std::string> runtimeDims;
  /// Passed after the scalars, encoded for the request, 128 bytes each.
  std::vector<TensorMap> maps;
  ResourceUsage usage;
  std::string origin;   ///< template | model | measured
  std::string verdict;  ///< PASSED, or unproven where no gate has run
  double modelUs = 0;   ///< predicted, at the case's heaviest instance
  std::string imageSha; ///< of the kernel alone, as records know it
  std::optional<MeasuredCase> measured;
};

struct DispatchOperand {
  std::string name;
  std::string dtype;
  bool isOutput = false;
};

struct DispatchScalar {
  std::string name;
  std::string dtype;
  double defaultValue = 0;
};

struct DispatchDim {
  std::string name;
  int64_t min = 0, max = INT64_MAX;
  std::optional<Expr> defaultValue; ///< over earlier dims
};

/// All cases of one op set entry, over all architectures; most special first;
/// per architecture the last case has no guard beyond the declared ranges.
struct DispatchTable {
  std::string entry; ///< op set entry: the name callers use
  std::string op;    ///< operator
  std::vector<DispatchDim> dims;
  std::vector<DispatchOperand> operands;
  std::vector<DispatchScalar> scalars;
  std::vector<std::pair<std::string, std::string>> options, dtypes;
  std::vector<DispatchCase> cases;
};

} // namespace lathe

#endif // LATHE_DIALECTS_DISPATCHTABLE_H
