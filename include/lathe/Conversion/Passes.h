//===- Passes.h - From tiles to threads -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_CONVERSION_PASSES_H
#define LATHE_CONVERSION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace lathe {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lathe/Conversion/Passes.h.inc"
} // namespace lathe

#endif // LATHE_CONVERSION_PASSES_H
