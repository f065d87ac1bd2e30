//===- Artifact.h - A compiled kernel and its figures -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_CODEGEN_ARTIFACT_H
#define LATHE_CODEGEN_ARTIFACT_H

#include <cstdint>
#include <string>
#include <vector>

namespace lathe {

/// Read from the binary (NVIDIA: ptxas; AMD: the code object's metadata).
struct ResourceUsage {
  int64_t registers = 0;            ///< per thread (AMD: VGPRs)
  int64_t scalarRegisters = 0;      ///< AMD SGPRs; 0 on NVIDIA
  int64_t accumulatorRegisters = 0; ///< AMD AGPRs, part of `registers`
  int64_t spillBytes = 0;           ///< stores plus loads
  int64_t stackBytes = 0;           ///< per thread
  int64_t sharedBytes = 0;          ///< static, per block
  int64_t maxThreads = 0;           ///< block size that it was compiled for
  int64_t barriers = 0;
};

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
  StageTimes times;
  std::vector<std::string> warnings;
};

} // namespace lathe

#endif // LATHE_CODEGEN_ARTIFACT_H
