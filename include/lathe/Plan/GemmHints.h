//===- GemmHints.h - What a template says of its products -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PLAN_GEMMHINTS_H
#define LATHE_PLAN_GEMMHINTS_H

#include "lathe/Support/Expr.h"

namespace lathe {

/// A template's `tile.dot` as one matrix product, M x N x K, of which a block
/// computes tiles. Over dims, options and the schedule.
struct GemmHints {
  Expr m, n, k;             ///< sizes of the whole product
  Expr tileM, tileN, tileK; ///< what a block computes, and loads of K at a time
  /// Blocks that share the sum over K.
  Expr split = Expr::constant(1);
  /// Blocks of a cluster along m and n, which copy operands for each other.
  Expr clusterM = Expr::constant(1), clusterN = Expr::constant(1);
  /// Time of the products over that at the peak of their type: 2 if 8-bit
  /// operands are multiplied as 16-bit ones.
  Expr mmaCost = Expr::constant(1);
  /// Operations of f32 lanes beside the products, per block and step of K.
  Expr laneOps = Expr::constant(0);
};

/// The hints by their names in a template's `model`.
struct GemmHint {
  llvm::StringLiteral name;
  Expr GemmHints::*field;
  bool isRequired; ///< once there is any hint
};
inline constexpr GemmHint gemmHints[] = {
    {"m", &GemmHints::m, true},
    {"n", &GemmHints::n, true},
    {"k", &GemmHints::k, true},
    {"tile_m", &GemmHints::tileM, true},
    {"tile_n", &GemmHints::tileN, true},
    {"tile_k", &GemmHints::tileK, true},
    {"split", &GemmHints::split, false},
    {"cluster_m", &GemmHints::clusterM, false},
    {"cluster_n", &GemmHints::clusterN, false},
    {"mma_cost", &GemmHints::mmaCost, false},
    {"lane_ops", &GemmHints::laneOps, false}};

} // namespace lathe

#endif // LATHE_PLAN_GEMMHINTS_H
