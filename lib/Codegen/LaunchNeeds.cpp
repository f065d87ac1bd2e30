//===- LaunchNeeds.cpp - What a lowered kernel says of its launch ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchNeeds.h"

#include "Tile/Tile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace lathe;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static Error fail(mlir::LLVM::LLVMFuncOp kernel, const Twine &what) {
  return llvm::createStringError("kernel '" + kernel.getSymName() + "' " +
                                 what);
}

static TensorMap valueOf(tile::TensorMapAttr attr) {
  TensorMap map;
  map.operand = uint32_t(attr.getOperand());
  llvm::raw_string_ostream(map.dtype) << attr.getElementType();
  for (problem::ExprAttr extent : attr.getExtents())
    map.extents.push_back(extent.getExpr());
  for (problem::ExprAttr stride : attr.getStrides())
    map.strides.push_back(stride.getExpr());
  map.box.assign(attr.getBox().begin(), attr.getBox().end());
  map.swizzle = uint32_t(attr.getSwizzle());
  return map;
}

static Expected<std::vector<TensorMap>> mapsOf(mlir::LLVM::LLVMFuncOp kernel) {
  std::vector<TensorMap> maps;
  StringRef name = tile::getTensorMapsName();
  if (mlir::Attribute attr = kernel->getAttr(name)) {
    auto list = llvm::dyn_cast<mlir::ArrayAttr>(attr);
    if (!list)
      return fail(kernel, "has '" + name + "' that is no list");
    for (mlir::Attribute element : list) {
      auto map = llvm::dyn_cast<tile::TensorMapAttr>(element);
      if (!map)
        return fail(kernel, "has '" + name +
                                "' with another attribute than "
                                "#tile.tensor_map");
      maps.push_back(valueOf(map));
      if (Error error = checkTensorMap(maps.back()))
        return std::move(error);
    }
  }
  if (maps.size() > maxTensorMaps)
    return fail(kernel, "has " + Twine(maps.size()) +
                            " tensor maps, expected at most " +
                            Twine(maxTensorMaps));
  return maps;
}

/// By-value parameters at the end: what launches pass as maps.
static size_t numMapParameters(mlir::LLVM::LLVMFuncOp kernel) {
  unsigned count = kernel.getNumArguments(), last = count;
  while (last > 0 && kernel.getArgAttr(
                         last - 1, mlir::LLVM::LLVMDialect::getByValAttrName()))
    --last;
  return count - last;
}

Expected<LaunchNeeds> lathe::launchNeedsOf(mlir::Operation *module) {
  LaunchNeeds needs;
  Error error = Error::success();
  module->walk([&](mlir::LLVM::LLVMFuncOp kernel) {
    bool isDescribed = kernel->hasAttr(tile::getTensorMapsName());
    if (auto bytes = kernel->getAttrOfType<mlir::IntegerAttr>(
            tile::getSharedBytesName()))
      needs.sharedBytes = bytes.getInt();
    if (!isDescribed)
      return mlir::WalkResult::advance();
    auto maps = mapsOf(kernel);
    if (!maps)
      error = llvm::joinErrors(std::move(error), maps.takeError());
    else if (maps->size() != numMapParameters(kernel))
      error = llvm::joinErrors(
          std::move(error), fail(kernel, "describes " + Twine(maps->size()) +
                                             " tensor maps and takes " +
                                             Twine(numMapParameters(kernel))));
    else
      needs.maps = std::move(*maps);
    return mlir::WalkResult::advance();
  });
  if (error)
    return std::move(error);
  if (needs.sharedBytes < 0)
    return llvm::createStringError(
        "found " + Twine(needs.sharedBytes) +
        " bytes of dynamic shared memory, expected 0 or more");
  return needs;
}
