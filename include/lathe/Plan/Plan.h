//===- Plan.h - From what is asked to what could be built -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// importProblem -> evaluateRoofline -> enumerateCandidates. Each is one pass
// as well (Plan/Passes.h), and everything that a later step needs is in the
// module, so that a dump can be taken up again.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PLAN_PLAN_H
#define LATHE_PLAN_PLAN_H

#include "lathe/Ingest/Model.h"
#include "lathe/Plan/Candidate.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace lathe {

/// Everything that a plan starts from.
struct PlanInput {
  /// At least those that the op set names; others are left out of the module.
  std::vector<OperatorSpec> operators;
  OpSet opset;
  Histogram histogram;
  /// In order of preference: of two targets with one arch, the first is the
  /// one whose figures the kernels are planned for.
  std::vector<Hardware> targets;
};

/// Builds one `problem.workload` in a module. Loads the problem dialect.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importProblem(mlir::MLIRContext &context, const PlanInput &input);

/// Gives every instance its FLOPs, bytes and, per target, time and regime.
llvm::Error evaluateRoofline(mlir::ModuleOp module);

struct EnumerateOptions {
  /// Folders that hold `<operator>/<template>.mlir`; later ones win.
  std::vector<std::string> templateDirs;
  /// Schedules kept per entry, static binding and architecture. Of matrix
  /// products that take their sizes at run time, per entry and architecture.
  unsigned schedules = 8;
  /// Of them, those that the model never prefers: a build may fail, and figures
  /// of the binary may be otherwise than expected. As many as `schedules` where
  /// a device, not the model, chooses among them.
  unsigned spares = 2;
  /// Heaviest instances per static binding that also get an exact variant of
  /// the best schedule.
  unsigned exact = 4;
  /// Architectures to plan for; empty means those of all compilable targets.
  std::vector<std::string> archs;
};

/// A schedule that was not kept, and the one-line reason.
struct PrunedKernel {
  std::string entry, kernel, reason;
};

/// Adds the `problem.candidate`s. Template files are parsed with the dialects
/// registered in the module's context (tile and what templates use).
llvm::Error enumerateCandidates(mlir::ModuleOp module,
                                const EnumerateOptions &options,
                                std::vector<PrunedKernel> *pruned = nullptr);

/// One candidate of the module, with what a worker needs to build it.
struct PlannedCandidate {
  std::string entry;  ///< op set entry that wants it
  std::string kernel; ///< mintKernelName(candidate)
  std::string symbol; ///< entry point in the image
  Candidate candidate;
  bool isGeneric = false; ///< serves whatever nothing else does
  int64_t blockThreads = 0;
  double modelUs = 0; ///< at its heaviest instance; 0 without one
};

/// In the module's order. A kernel that two entries want is listed twice.
std::vector<PlannedCandidate> listCandidates(mlir::ModuleOp module);

/// Entries that no kernel serves (no template, no compilable target), and why.
struct UnservedEntry {
  std::string entry, arch, reason;
};
std::vector<UnservedEntry> listUnserved(mlir::ModuleOp module);

} // namespace lathe

#endif // LATHE_PLAN_PLAN_H
