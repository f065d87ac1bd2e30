//===- Access.h - How tiles lie in global memory ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_CONVERSION_TILETOGPU_ACCESS_H
#define LATHE_LIB_CONVERSION_TILETOGPU_ACCESS_H

#include "KernelLowering.h"

namespace lathe {

/// What one tile access needs to know about its view.
struct KernelLowering::Access {
  Distribution distribution;
  mlir::Type element;
  mlir::Value pointer;
  llvm::SmallVector<mlir::Value> offsets, bounds, strides;
  llvm::SmallVector<int64_t> constantStrides; ///< 0: known at run time only
  llvm::SmallVector<bool> proven; ///< the tile never leaves the view here
};

/// One contiguous piece of a thread's row: elements from slot `slot` on.
struct RowPiece {
  int64_t slot, round, element, displacement;
};

/// Pieces of `width` elements that make up the last dimension's slots.
llvm::SmallVector<RowPiece> splitRow(const Distribution &distribution,
                                     int64_t width);

/// The address `elements` of type `element` further on.
mlir::Value displace(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value pointer, mlir::Type element, int64_t elements);

} // namespace lathe

#endif // LATHE_LIB_CONVERSION_TILETOGPU_ACCESS_H
