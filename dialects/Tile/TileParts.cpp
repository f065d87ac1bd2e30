//===- TileParts.cpp - Sums that warps share K of -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

/// Whether the parts of a value add up to it: those of zero, of products, and
/// of sums of what adds up.
static bool addsUp(Value value) {
  Operation *def = value.getDefiningOp();
  if (!def) // what a loop carries, whose first value is checked by itself
    return isa<scf::ForOp>(value.getParentBlock()->getParentOp());
  if (auto splat = dyn_cast<SplatOp>(def))
    return matchPattern(splat.getValue(), m_PosZeroFloat());
  return isa<DotOp, arith::AddFOp, TransposeOp, scf::ForOp, scf::IfOp>(def) ||
         matchPattern(value, m_PosZeroFloat());
}

/// Nobody may take parts of a sum for the sum: `tile.cluster_reduce` adds them
/// up, and other sums may grow by them, part by part.
static LogicalResult checkParts(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || getParts(type.getEncoding()) <= 1)
    return success();
  if (!addsUp(value))
    return emitError(value.getLoc())
           << "warps share K, expected a sum that starts at zero";
  for (Operation *user : value.getUsers()) {
    auto dot = dyn_cast<DotOp>(user);
    bool fits = dot ? dot.getAccumulator() == value
                    : isa<ClusterReduceOp, TransposeOp, arith::AddFOp,
                          scf::YieldOp, scf::ForOp>(user);
    if (!fits)
      return user->emitError(
          "takes a sum that warps share K of, expected tile.cluster_reduce to "
          "add its parts first");
  }
  return success();
}

LogicalResult tile::checkParts(KernelOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    for (Value value : op->getResults())
      if (failed(::checkParts(value)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        if (failed(::checkParts(argument)))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
