//===- Passes.h - From tile to tile ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TRANSFORMS_PASSES_H
#define LATHE_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace lathe {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lathe/Transforms/Passes.h.inc"
} // namespace lathe

#endif // LATHE_TRANSFORMS_PASSES_H
