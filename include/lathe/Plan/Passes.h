//===- Passes.h - Planning as passes ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PLAN_PASSES_H
#define LATHE_PLAN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace lathe {

#define GEN_PASS_DECL
#include "lathe/Plan/Passes.h.inc"

/// registerLathePlanPasses() makes them known to the command line.
#define GEN_PASS_REGISTRATION
#include "lathe/Plan/Passes.h.inc"

} // namespace lathe

#endif // LATHE_PLAN_PASSES_H
