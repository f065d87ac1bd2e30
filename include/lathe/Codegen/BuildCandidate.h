//===- BuildCandidate.h - From a template to a binary -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_CODEGEN_BUILDCANDIDATE_H
#define LATHE_CODEGEN_BUILDCANDIDATE_H

#include "lathe/Codegen/Compile.h"
#include "lathe/Plan/Candidate.h"
#include "lathe/Support/TemplateSource.h"

namespace lathe {

/// Where building a candidate may stop; each names the form that it reaches.
enum class BuildStage { Specialized, Tile, GPU, Target, Binary };

struct BuildRequest {
  Candidate candidate;
  std::string symbol;                ///< entry point in the image
  std::vector<std::string> dims;     ///< all of the operator's, in order
  int64_t sharedMemory = 49152;      ///< bytes that a block may use
  std::vector<std::string> features; ///< that the hardware has
  TemplateSource source;
};

struct BuildOptions {
  CodegenOptions codegen;
  BuildStage stopAfter = BuildStage::Binary;
  /// Folder for this candidate's IR, one numbered file per stage; empty: none.
  std::string dumpDir;
};

/// Specializes, lowers and compiles. An error carries every diagnostic with its
/// place in the template. Stopped early, the artifact holds no image.
llvm::Expected<Artifact> buildCandidate(const BuildRequest &request,
                                        const BuildOptions &options);

} // namespace lathe

#endif // LATHE_CODEGEN_BUILDCANDIDATE_H
