//===- PrepareReference.h - Checks and bounds of a reference ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_PREPAREREFERENCE_H
#define LATHE_VERIFY_PREPAREREFERENCE_H

#include "LowerReference.h"

#include "mlir/IR/BuiltinOps.h"

namespace lathe {

/// Each reports what is wrong at its place in the file.
/// @reference takes the operands, dims (but for lists and their figures),
/// scalars and options of `spec`, in this order.
mlir::LogicalResult checkReferenceSignature(
    mlir::ModuleOp module, const OperatorSpec &spec,
    const std::map<std::string, std::string, std::less<>> &dtypes,
    std::vector<ReferenceForm> &operands);

/// Renames every function with a body but @reference, so that none takes the
/// place of a host's function such as exp.
mlir::LogicalResult renamePrivateFunctions(mlir::ModuleOp module);

/// Gives the loop over rows of @reference its bounds as arguments. Without
/// `lathe.rows` there is none, and `rank` is 0.
mlir::LogicalResult narrowReferenceRows(mlir::ModuleOp module, unsigned &rank);

/// Loads and stores outside of a memref become calls that report them: such a
/// load gives zero, such a store does nothing.
mlir::LogicalResult guardReferenceAccesses(mlir::ModuleOp module,
                                           std::vector<std::string> &places);

} // namespace lathe

#endif // LATHE_VERIFY_PREPAREREFERENCE_H
