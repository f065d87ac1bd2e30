//===- LowerSubgroupReduce.cpp - Warp reductions to shuffles or DPP -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Conversion/Passes.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace lathe {
#define GEN_PASS_DEF_LOWERSUBGROUPREDUCE
#include "lathe/Conversion/Passes.h.inc"
} // namespace lathe

using namespace mlir;

namespace {
struct LowerSubgroupReduce
    : lathe::impl::LowerSubgroupReduceBase<LowerSubgroupReduce> {
  using LowerSubgroupReduceBase::LowerSubgroupReduceBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    StringRef name = chip;
    unsigned lanes = 32;
    if (name.starts_with("gfx")) {
      FailureOr<amdgpu::Chipset> chipset = amdgpu::Chipset::parse(name);
      if (failed(chipset)) {
        getOperation().emitError()
            << "option 'chip' is '" << name << "', expected gfx and a number";
        return signalPassFailure();
      }
      lanes = chipset->majorVersion <= 9 ? 64 : 32;
      // Preferred to shuffles where the reduction fits DPP's row operations.
      populateGpuLowerSubgroupReduceToDPPPatterns(patterns, lanes, *chipset,
                                                  /*benefit=*/2);
      populateGpuLowerClusteredSubgroupReduceToDPPPatterns(
          patterns, lanes, *chipset, /*benefit=*/2);
    }
    populateGpuLowerSubgroupReduceToShufflePatterns(patterns, lanes);
    populateGpuLowerClusteredSubgroupReduceToShufflePatterns(patterns, lanes);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    WalkResult left = getOperation().walk([](gpu::SubgroupReduceOp op) {
      op.emitError() << "cannot reduce " << op.getType() << " across lanes";
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
