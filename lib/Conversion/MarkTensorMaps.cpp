//===- MarkTensorMaps.cpp - Pass tensor maps by value ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Conversion/Passes.h"

#include "Tile/Tile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace lathe {
#define GEN_PASS_DEF_MARKTENSORMAPS
#include "lathe/Conversion/Passes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {

struct MarkTensorMaps : lathe::impl::MarkTensorMapsBase<MarkTensorMaps> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (failed(mark(function)))
        return signalPassFailure();
  }

  LogicalResult mark(LLVM::LLVMFuncOp function) {
    auto maps = function->getAttrOfType<ArrayAttr>(tile::getTensorMapsName());
    if (!maps)
      return success();
    unsigned parameters = function.getNumArguments();
    if (maps.size() > parameters)
      return function.emitError()
             << "has " << maps.size() << " tensor maps, expected at most the "
             << parameters << " parameters";
    constexpr int64_t bytes = 128, alignment = 64;
    Builder builder(&getContext());
    Type array = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes);
    for (unsigned i = parameters - maps.size(); i < parameters; ++i) {
      auto pointer =
          dyn_cast<LLVM::LLVMPointerType>(function.getArgument(i).getType());
      if (!pointer || pointer.getAddressSpace() != 0)
        return function.emitError()
               << "parameter " << i << " is "
               << function.getArgument(i).getType()
               << ", expected a generic pointer to a tensor map";
      function.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                          TypeAttr::get(array));
      function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                          builder.getI64IntegerAttr(alignment));
      function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                          builder.getUnitAttr());
    }
    return success();
  }
};

} // namespace
