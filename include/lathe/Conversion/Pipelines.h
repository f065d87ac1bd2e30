//===- Pipelines.h - The passes in their order ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_CONVERSION_PIPELINES_H
#define LATHE_CONVERSION_PIPELINES_H

#include "llvm/ADT/StringRef.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace lathe {

/// Static tile kernel -> tiles with layouts.
void buildTilePipeline(mlir::OpPassManager &pm);

/// Tiles with layouts -> gpu.func over gpu, vector, arith, scf, memref, llvm.
void buildTileToGPUPipeline(mlir::OpPassManager &pm);

/// gpu.func -> llvm.func with nvvm or rocdl, by `chip` (sm_90a, gfx942, ...).
void buildGPUToTargetPipeline(mlir::OpPassManager &pm, llvm::StringRef chip);

/// `lathe-tile`, `lathe-tile-to-gpu`, `lathe-gpu-to-target{chip=...}`.
void registerPipelines();

} // namespace lathe

#endif // LATHE_CONVERSION_PIPELINES_H
