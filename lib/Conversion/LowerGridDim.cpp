//===- LowerGridDim.cpp - Read the grid size from hidden arguments --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace lathe {
#define GEN_PASS_DEF_LOWERGRIDDIM
#include "lathe/Conversion/Passes.h.inc"
} // namespace lathe

using namespace mlir;

namespace {
struct LowerGridDim : lathe::impl::LowerGridDimBase<LowerGridDim> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    getOperation().walk([&](gpu::GridDimOp dim) {
      builder.setInsertionPoint(dim);
      Location loc = dim.getLoc();
      Type constant = LLVM::LLVMPointerType::get(&getContext(), 4);
      Value words = LLVM::CallIntrinsicOp::create(
                        builder, loc, constant,
                        builder.getStringAttr("llvm.amdgcn.implicitarg.ptr"),
                        ValueRange())
                        .getResult(0);
      auto axis = static_cast<int32_t>(dim.getDimension());
      Value word = LLVM::GEPOp::create(
          builder, loc, constant, builder.getI32Type(), words,
          ArrayRef<LLVM::GEPArg>{axis}, LLVM::GEPNoWrapFlags::inbounds);
      Value count = LLVM::LoadOp::create(
          builder, loc, builder.getI32Type(), word, /*alignment=*/4,
          /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/true);
      dim.replaceAllUsesWith(arith::IndexCastUIOp::create(
                                 builder, loc, builder.getIndexType(), count)
                                 .getResult());
      dim.erase();
    });
  }
};
} // namespace
