//===- LayoutChoices.h - What layouts accesses want -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LATHE_LIB_TRANSFORMS_LAYOUTCHOICES_H
#define LATHE_LIB_TRANSFORMS_LAYOUTCHOICES_H

#include "Tile/Tile.h"

namespace lathe::tile {

/// Whether a product multiplies sums of another one where they are.
bool takesSums(DotOp dot);

/// A warpgroup takes 64 rows of an asynchronous product, and all columns.
/// Null after an error.
MmaAttr chooseAsyncSums(KernelOp kernel, DotOp dot, int64_t numThreads);

/// Warps as a grid over the accumulators of all `dots`, such that each reads
/// few operands, of the largest fragments that divide them. Where one product
/// takes rows of another one's sums from registers, each warp has whole ones.
/// Null after an error.
MmaAttr chooseSums(KernelOp kernel, mlir::ArrayRef<DotOp> dots,
                   int64_t numThreads);

/// Neighbouring threads take neighbours in a row, whole rows first; of what
/// was loaded from where rows are nearer to each other than vectors of a row,
/// neighbours in a column. `load` may be null.
LayoutInterface chooseCopy(KernelOp kernel, mlir::RankedTensorType type,
                           LoadOp load, int64_t numThreads);

/// Rows to thread groups, VEC elements of a row to each thread in turn. Where
/// rows share a wave, one takes as many of its lanes as it has vectors, and
/// the others follow in further rounds: then accesses are whole rows, and
/// what all rows read is read once.
BlockedAttr chooseDefault(KernelOp kernel, mlir::RankedTensorType type,
                          int64_t numThreads);

} // namespace lathe::tile

#endif // LATHE_LIB_TRANSFORMS_LAYOUTCHOICES_H
