//===- Assembly.h - Inline assembly of amdgcn modules -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_AMD_ASSEMBLY_H
#define LATHE_LIB_SIMULATE_AMD_ASSEMBLY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace lathe::sim::amd {

struct AssemblyStep {
  enum Kind { Hint, Barrier, Wait, Sleep } kind = Hint;
  unsigned count = 0; ///< Wait: vector memory operations left in flight
};

/// One statement. The error names what is not simulated.
llvm::Expected<AssemblyStep> parseStatement(llvm::StringRef statement);

/// Statements by line or semicolon; comments begin with two slashes.
llvm::Expected<std::vector<AssemblyStep>>
parseAssembly(llvm::StringRef assembly);

} // namespace lathe::sim::amd

#endif // LATHE_LIB_SIMULATE_AMD_ASSEMBLY_H
