//===- Pipelines.cpp - The passes in their order --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Conversion/Pipelines.h"
#include "lathe/Conversion/Passes.h"
#include "lathe/Transforms/Passes.h"

#include "mlir/Conversion/AMDGPUToROCDL/AMDGPUToROCDL.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void lathe::buildTilePipeline(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass()); // branches on options become static
  pm.addPass(createCSEPass());
  pm.addPass(createTilePersist());
  pm.addPass(createTileWidenOperands());
  pm.addPass(createTileStageOperands());
  pm.addPass(createTileSpecializeWarps());
  pm.addPass(createTilePipelineLoops());
  pm.addPass(createTileAlternateBuffers());
  pm.addPass(createTileSplitStores());
  pm.addPass(createTileStageStores());
  pm.addPass(createTileInferLayouts());
  pm.addPass(createTilePlanShared());
  pm.addPass(createTileStoreByWarpgroups());
}

void lathe::buildTileToGPUPipeline(OpPassManager &pm) {
  pm.addPass(createConvertTileToGPU());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass()); // offsets that several accesses share
}

void lathe::buildGPUToTargetPipeline(OpPassManager &pm, StringRef chip) {
  OpPassManager &nested = pm.nest<gpu::GPUModuleOp>();
  bool amd = chip.starts_with("gfx");
  nested.addPass(createLowerSubgroupReduce({chip.str()}));
  nested.addPass(createExpandMath({chip.str()}));
  nested.addPass(createLowerFloat8({chip.str()}));
  nested.addPass(arith::createArithExpandOpsPass()); // floordivsi, ceildivsi
  if (amd)
    nested.addPass(createLowerGridDim());
  else
    nested.addPass(createLowerNontemporal());
  nested.addPass(createSCFToControlFlowPass());
  nested.addPass(createConvertVectorToLLVMPass());
  if (amd) {
    ConvertGpuOpsToROCDLOpsOptions options;
    options.chipset = chip.str();
    options.indexBitwidth = 64;
    nested.addPass(createConvertGpuOpsToROCDLOps(options));
  } else {
    ConvertGpuOpsToNVVMOpsOptions options;
    options.indexBitwidth = 64;
    nested.addPass(createConvertGpuOpsToNVVMOps(options));
    nested.addPass(createMarkTensorMaps());
  }
  nested.addPass(createUBToLLVMConversionPass()); // of vectors taken apart
  nested.addPass(createCanonicalizerPass());
  nested.addPass(createCSEPass());
  nested.addPass(createReconcileUnrealizedCastsPass());
}

namespace {
struct TargetOptions : PassPipelineOptions<TargetOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("architecture: sm_90a, gfx942, ..."),
                           llvm::cl::init("sm_90a")};
};
} // namespace

void lathe::registerPipelines() {
  PassPipelineRegistration<>("lathe-tile",
                             "Lower a static kernel to tiles with layouts",
                             buildTilePipeline);
  PassPipelineRegistration<>("lathe-tile-to-gpu",
                             "Distribute tiles with layouts over threads",
                             buildTileToGPUPipeline);
  PassPipelineRegistration<TargetOptions>(
      "lathe-gpu-to-target", "Lower a gpu.module to nvvm or rocdl",
      [](OpPassManager &pm, const TargetOptions &options) {
        buildGPUToTargetPipeline(pm, options.chip);
      });
}
