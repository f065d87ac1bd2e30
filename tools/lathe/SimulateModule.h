//===- SimulateModule.h - Kernels as lathe simulate takes them --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_SIMULATEMODULE_H
#define LATHE_TOOLS_LATHE_SIMULATEMODULE_H

#include "lathe/Support/TensorMap.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace lathe::tool {

/// A module as a GPU backend receives it.
struct KernelModule {
  std::string bitcode;
  std::string symbol;          ///< empty: the module's only kernel
  std::vector<TensorMap> maps; ///< MLIR says them; LLVM IR has no room
  int64_t sharedBytes = 0;     ///< dynamic, likewise
};

/// Reads LLVM IR (text or bitcode; run through the GPU pipeline if `optimize`)
/// or MLIR at any stage of `--dump-ir` after the template, which is lowered the
/// rest of the way. `arch` is needed only where neither file nor kernel name
/// says it; empty: unknown.
llvm::Expected<KernelModule>
readKernelModule(llvm::StringRef path, llvm::StringRef arch, bool optimize);

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_SIMULATEMODULE_H
