//===- Artifact.h - A compiled kernel and its figures -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_CODEGEN_ARTIFACT_H
#define LATHE_CODEGEN_ARTIFACT_H

#include "lathe/Support/ResourceUsage.h"
#include "lathe/Support/TensorMap.h"

#include <string>
#include <vector>

namespace lathe {

struct StageTimes {
  double mlirMs = 0, llvmMs = 0, assembleMs = 0;
};

/// One kernel for one architecture. `image` is a cubin or a linked code object;
/// it is empty where no assembler was found, and `text` (PTX) then stands
/// alone.
struct Artifact {
  std::string symbol; ///< kernel entry in the image
  std::string arch;
  std::string image;
  std::string text;    ///< PTX, or GCN assembly
  std::string bitcode; ///< LLVM module as the backend received it
  std::string object;  ///< AMD: relocatable, what merging links
  ResourceUsage usage;
  std::vector<TensorMap> maps; ///< its last arguments
  int64_t sharedBytes = 0;     ///< dynamic, beyond `usage`
  StageTimes times;
  std::vector<std::string> warnings;
};

} // namespace lathe

#endif // LATHE_CODEGEN_ARTIFACT_H
