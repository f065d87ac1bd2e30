//===- Access.h - How tiles lie in global memory ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_CONVERSION_TILETOGPU_ACCESS_H
#define LATHE_LIB_CONVERSION_TILETOGPU_ACCESS_H

#include "KernelLowering.h"

#include <functional>

namespace lathe {

/// Which piece of a view an operation moves.
struct KernelLowering::Piece {
  mlir::TypedValue<tile::ViewType> view;
  mlir::ValueRange offsets;
  /// The view's dimensions that the tile runs along.
  llvm::SmallVector<int64_t> along;
  mlir::Value until = {};
  /// The table that pages of rows go through, if they do.
  mlir::TypedValue<tile::ViewType> table = {};
  mlir::ValueRange row = {};
  problem::ExprAttr page = {};

  /// The view's dimension that `until` ends, and that pages are of.
  int64_t cutDim() const { return table ? 0 : along.front(); }
};

/// What one tile access needs to know about its view, by the tile's dimensions.
struct KernelLowering::Access {
  Distribution distribution;
  mlir::Type element;
  mlir::Value pointer; ///< where the dimensions that the tile has not begin
  mlir::Value inside;  ///< those are inside the view; null: always
  llvm::SmallVector<mlir::Value> offsets, bounds;
  llvm::SmallVector<bool> proven; ///< the tile never leaves the view here
  /// Elements from the view's start to `position` along each.
  llvm::SmallVector<std::function<mlir::Value(mlir::Value position)>> placeOf;
  bool hasRuns = false; ///< a row is contiguous in parts only
  /// Rows end within what may be read, at `bounds`: what is beyond is zero.
  bool cutsRows = false;
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
