//===- LowerReference.h - A reference as LLVM IR ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_LOWERREFERENCE_H
#define LATHE_VERIFY_LOWERREFERENCE_H

#include "lathe/Ingest/Model.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace lathe {

/// What a memref type of @reference fixes; kDynamic where it fixes nothing.
struct ReferenceForm {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  bool isDense = false; ///< strides follow from the shape
};

/// Calls of the host that instrumented code makes, with a place's number.
inline constexpr llvm::StringLiteral outOfBoundsCallee =
    "lathe_reference_out_of_bounds";
inline constexpr llvm::StringLiteral referenceEntry = "lathe_reference_entry";

/// A module with `void lathe_reference_entry(const uint64_t *slots)`: one slot
/// an argument; a memref is pointer, pointer, offset, sizes, strides. Each
/// sampled index appends its begin and end.
struct LoweredReference {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::vector<ReferenceForm> operands;
  unsigned sampledRank = 0;
  std::vector<std::string> places; ///< "reference.mlir:30:5", by number
};

llvm::Expected<LoweredReference>
lowerReference(const OperatorSpec &spec,
               const std::map<std::string, std::string, std::less<>> &dtypes);

} // namespace lathe

#endif // LATHE_VERIFY_LOWERREFERENCE_H
