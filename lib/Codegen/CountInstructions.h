//===- CountInstructions.h - What a kernel's code consists of ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_CODEGEN_COUNTINSTRUCTIONS_H
#define LATHE_LIB_CODEGEN_COUNTINSTRUCTIONS_H

#include "lathe/Codegen/Artifact.h"
#include "lathe/Codegen/Target.h"

#include "llvm/Support/Error.h"

namespace lathe {

/// Sets the figures of `artifact.usage` that are numbers of instructions: from
/// the PTX on NVIDIA, from the object on AMD. Errors: an object without the
/// kernel, bytes that are no instruction.
llvm::Error countInstructions(Artifact &artifact, const TargetSpec &target);

/// Refuses a kernel of matrix products that has no matrix instruction.
llvm::Error checkMatrixInstructions(const Artifact &artifact);

} // namespace lathe

#endif // LATHE_LIB_CODEGEN_COUNTINSTRUCTIONS_H
