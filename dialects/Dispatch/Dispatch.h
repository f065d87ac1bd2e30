//===- Dispatch.h - The dispatch dialect ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_DIALECTS_DISPATCH_H
#define LATHE_DIALECTS_DISPATCH_H

#include "Problem/Problem.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"

#include "Dispatch/DispatchDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Dispatch/DispatchAttrs.h.inc"

#define GET_OP_CLASSES
#include "Dispatch/DispatchOps.h.inc"

#endif // LATHE_DIALECTS_DISPATCH_H
