//===- Passes.h - Ranking as a pass -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_RANK_PASSES_H
#define LATHE_RANK_PASSES_H

#include "mlir/Pass/Pass.h"

namespace lathe {

#define GEN_PASS_DECL
#include "lathe/Rank/Passes.h.inc"

/// registerLatheRankPasses() makes them known to the command line.
#define GEN_PASS_REGISTRATION
#include "lathe/Rank/Passes.h.inc"

} // namespace lathe

#endif // LATHE_RANK_PASSES_H
