//===- PlanCandidates.h - From kernels to a candidate file ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates everything that depends on sizes: problems, grids, layouts, draws.
// A pure function of what it is given; the order of calls is the file's order.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PACKAGE_PLANCANDIDATES_H
#define LATHE_PACKAGE_PLANCANDIDATES_H

#include "Dispatch/DispatchTable.h"
#include "lathe/Codegen/Artifact.h"
#include "lathe/Measure/Candidates.h"
#include "lathe/Plan/Plan.h"

#include <functional>

#include <memory>

namespace lathe {

/// A kernel that wants to be measured: of a template, or from outside.
struct KernelSource {
  std::string name;   ///< mintKernelName, or what a person called it
  std::string symbol; ///< in the image
  std::string entry;  ///< of the op set
  /// All that may launch it; guards, grid, block, shared memory, run-time dims
  /// and alignment are taken from here. May be empty if it is refused.
  std::vector<DispatchCase> cases;
  /// Dims and options (by index) fixed at compile time.
  std::map<std::string, int64_t, std::less<>> constants;
  std::string image; ///< cubin; if empty, `text` goes to the driver
  std::string text;  ///< PTX
  ResourceUsage usage;
  std::string templateName, schedule; ///< empty for an outside kernel
  std::string role = "bucket";        ///< exact | bucket | generic
  std::string origin = "template";    ///< template | external
  std::string form;                   ///< external: cuda | ptx | tile
  std::string proof = "simulator";    ///< or "sanitizer"
  std::string refused; ///< why it may not even be loaded, else empty
  /// Of the sizes and scalars of its checks: nobody may know it beforehand.
  uint64_t hiddenSeed = 0;
  /// Model time in us at bound dims; null or infinite: unknown.
  std::function<double(const Bindings &)> modelUs;
};

struct PlanCandidatesOptions {
  /// Sizes between an entry's hot ones that are timed too, per static binding.
  unsigned between = 4;
  /// Of an entry's kernels for many sizes, so many are timed at a size: those
  /// that the model thinks fastest there.
  unsigned best = 12;
  /// Of the target's memory, what one problem may take.
  double memoryShare = 0.6;
};

/// What reference.mlir gave for one operator and its dtypes, on the target.
struct ReferenceImage {
  std::string symbol;
  std::string image, text; ///< cubin or else PTX
  unsigned rowRank = 0;
  bool usesHeap = false;
  std::string missing; ///< why there is none, else empty
};

/// A kernel that was planned and is not in the file.
struct DroppedKernel {
  std::string entry, kernel, reason;
};

class CandidatePlanner {
public:
  /// `input`: operators as loadOperators gives them (with distributions), op
  /// set and histogram. `target` is an NVIDIA one.
  CandidatePlanner(PlanInput input, Hardware target,
                   PlanCandidatesOptions options = {});
  ~CandidatePlanner();

  /// Continues a plan that was read from a file; its images must outlive this.
  llvm::Error resume(const measure::Candidates &plan);

  /// Whom to ask for references; asked once per operator and dtypes.
  void setReferences(std::function<llvm::Expected<ReferenceImage>(
                         const OperatorSpec &, const OpSetEntry &)>
                         make);

  /// Adds a kernel with every timed problem that its guards admit and the
  /// problems that check it. What is left out is said in `leftOut`.
  llvm::Expected<measure::KernelPlan> planKernel(const KernelSource &kernel);

  /// The last call: takes out timed launches of kernels that are not among the
  /// `best` of their entry at that size, and kernels that are so nowhere. Exact
  /// and generic kernels and those without a model time are timed wherever they
  /// can be.
  std::vector<DroppedKernel> chooseTimed();

  /// "entry/kernel: what was not planned, and why".
  const std::vector<std::string> &leftOut() const;

  /// All of it; views into the planner's memory.
  const measure::Candidates &plan() const;
  void setTools(std::string lathe, std::string fingerprint);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// What a candidate file holds beside the plan and its images.
struct CandidateContents {
  const measure::Candidates *plan = nullptr;
  /// Of every kernel, by name, for ranking and linking; images are taken from
  /// the plan.
  std::map<std::string, Artifact> artifacts;
  std::string problem; ///< the problem module's text
};

/// The whole file; a pure function of its contents.
llvm::Expected<std::string>
serializeCandidates(const CandidateContents &contents);
/// Through a temporary file that is renamed last.
llvm::Error writeCandidates(const CandidateContents &contents,
                            llvm::StringRef path);

/// Whether the bytes are a container with a plan in it; false for anything
/// else.
bool isCandidateFile(llvm::StringRef bytes);

/// The kernels' artifacts as they were when the file was written, by name.
llvm::Expected<std::map<std::string, Artifact>>
candidateArtifacts(const measure::CandidateFile &file);

} // namespace lathe

#endif // LATHE_PACKAGE_PLANCANDIDATES_H
