//===- LaunchNeeds.h - What a lowered kernel says of its launch -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_CODEGEN_LAUNCHNEEDS_H
#define LATHE_LIB_CODEGEN_LAUNCHNEEDS_H

#include "lathe/Support/TensorMap.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace lathe {

struct LaunchNeeds {
  std::vector<TensorMap> maps;
  int64_t sharedBytes = 0; ///< dynamic
};

/// Reads the attributes that convert-tile-to-gpu leaves on the kernel (Tile.h),
/// which LLVM IR has no room for. Errors: attributes of another form, maps that
/// break the rules, or not as many of them as by-value parameters at the end.
llvm::Expected<LaunchNeeds> launchNeedsOf(mlir::Operation *module);

} // namespace lathe

#endif // LATHE_LIB_CODEGEN_LAUNCHNEEDS_H
