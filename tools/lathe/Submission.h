//===- Submission.h - An outside kernel and what the gates say --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_SUBMISSION_H
#define LATHE_TOOLS_LATHE_SUBMISSION_H

#include "lathe/Codegen/Artifact.h"
#include "lathe/Ingest/Load.h"
#include "lathe/Plan/External.h"
#include "lathe/Rank/KernelCase.h"

#include "llvm/Support/JSON.h"

namespace lathe::tool {

/// What somebody hands in.
struct SubmittedSource {
  std::string path, text;
  std::string form; ///< cuda | ptx | tile
  /// Description of the launch: its text, and the file that it stands in.
  std::string launchText, launchPath;
};

/// Reads a source and, unless a file is named, the description in it. Errors: a
/// form that nobody knows, a file beyond 4 MiB, no description.
llvm::Expected<SubmittedSource> readSource(const std::string &path,
                                           const std::string &launchPath);

struct SubmissionQuestion {
  SubmittedSource source;
  const OperatorSpec *spec = nullptr;
  const OpSetEntry *entry = nullptr;
  const Hardware *hardware = nullptr;
  std::vector<Bindings> instances; ///< dims of hot shapes, heaviest first
  std::vector<double> weights;     ///< of the instances
  uint64_t hiddenSeed = 0;         ///< of whoever asks; no author knows it
  int64_t spillAllowance = 0;
  bool useNvcc = false;
  bool unproven = false; ///< leave the simulator out
};

struct SubmissionAnswer {
  PlannedKernel kernel;
  DispatchCase row; ///< launches it wherever it may run
  Artifact artifact;
  std::string proof;   ///< "simulator", "sanitizer" or "none"
  std::string refused; ///< "gate: why", else empty
  /// What the gates found; for records and manifests.
  llvm::json::Object evidence;
};

/// Plans, builds and judges by the gates that need no device. An error is the
/// author's description at odds with the operator; whatever is wrong with the
/// kernel is an answer.
llvm::Expected<SubmissionAnswer>
judgeSubmission(const SubmissionQuestion &question);

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_SUBMISSION_H
