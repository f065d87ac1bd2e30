//===- ClusterUniformity.h - What a cluster's blocks agree on ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_TRANSFORMS_CLUSTERUNIFORMITY_H
#define LATHE_LIB_TRANSFORMS_CLUSTERUNIFORMITY_H

#include "Tile/Tile.h"

#include "llvm/ADT/DenseMap.h"

namespace lathe::tile {

/// Which scalars are the same in all blocks of a cluster, and which blocks of
/// code they run equally often: what follows from the kernel's arguments and
/// `tile.cluster_id` alone. Says no where it does not know.
class ClusterUniformity {
public:
  bool isUniform(mlir::Value value);
  /// Whether all loops and branches around `block` are taken alike.
  bool runsInStep(mlir::Block *block);

private:
  bool compute(mlir::Value value);
  llvm::DenseMap<mlir::Value, bool> known;
};

} // namespace lathe::tile

#endif // LATHE_LIB_TRANSFORMS_CLUSTERUNIFORMITY_H
