//===- ProblemOps.h - Operations of the problem dialect ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_DIALECTS_PROBLEMOPS_H
#define LATHE_DIALECTS_PROBLEMOPS_H

#include "Problem/Problem.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "Problem/ProblemOps.h.inc"

#endif // LATHE_DIALECTS_PROBLEMOPS_H
