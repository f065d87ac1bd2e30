//===- Reference.h - The trusted meaning, on the host -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_REFERENCE_H
#define LATHE_VERIFY_REFERENCE_H

#include "lathe/Ingest/Model.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace lathe {

/// A tensor in host memory; shape and strides in elements.
struct ReferenceOperand {
  char *data = nullptr;
  std::vector<int64_t> shape, strides;
};

struct IndexRange {
  int64_t begin = 0, end = 0;
};

/// An operator's reference.mlir, compiled for the host with its dtypes bound.
class Reference {
public:
  /// `dtypes`: dtype variable to dtype.
  static llvm::Expected<std::unique_ptr<Reference>>
  compile(const OperatorSpec &spec,
          const std::map<std::string, std::string, std::less<>> &dtypes);
  ~Reference();

  /// Leading indices of every output that may be restricted; 0: none, it
  /// computes all outputs or nothing.
  unsigned sampledRank() const;

  /// Operands in the operator's order (inputs, outputs); dims: all but list
  /// dims, in order; options: index of the chosen value, in order. Computes the
  /// outputs whose leading indices lie in `ranges` (at most sampledRank of
  /// them; indices without a range are whole) and writes nothing else.
  llvm::Error run(llvm::ArrayRef<ReferenceOperand> operands,
                  llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> options,
                  llvm::ArrayRef<double> scalars,
                  llvm::ArrayRef<IndexRange> ranges = {}) const;

private:
  struct Impl;
  explicit Reference(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace lathe

#endif // LATHE_VERIFY_REFERENCE_H
