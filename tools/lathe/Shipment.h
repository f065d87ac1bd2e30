//===- Shipment.h - From built kernels to a bundle --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_SHIPMENT_H
#define LATHE_TOOLS_LATHE_SHIPMENT_H

#include "KernelBuilder.h"

#include "lathe/Ingest/Load.h"
#include "lathe/Package/Bundle.h"
#include "lathe/Plan/Plan.h"
#include "lathe/Rank/Rank.h"
#include "lathe/Verify/Gate.h"

namespace lathe::tool {

struct ShipOptions {
  SelectOptions select;
  std::string output, cacheDirectory;
  std::string reportFile; ///< empty: none
  std::vector<std::string> requireArchs;
  unsigned jobs = 1;
  bool explainPruning = false;
  bool regret = false;   ///< print the model beside the device, size by size
  bool unproven = false; ///< ship without the correctness gate
};

/// A kernel that somebody brought.
struct OutsideKernel {
  std::string form; ///< cuda | ptx | tile
  /// Passed on the device under a sanitizer, in the place of the simulator,
  /// which has no module to run.
  bool sanitized = false;
};
using OutsideKernels =
    std::map<std::pair<std::string, std::string>, OutsideKernel>;

/// What there is to choose from, wherever it was built.
struct BuiltWork {
  mlir::ModuleOp problem; ///< with candidates and what their binaries say
  const PlanInput &input; ///< at least what `problem` holds
  const OperatorTable &operators;
  const std::map<std::string, BuiltKernel> &kernels; ///< by kernel name
  KernelBuilder &builder;
  /// The manifest's fields that do not depend on what is chosen.
  llvm::json::Object provenance;
  /// Kernels from outside, by entry and kernel; null: there are none.
  const OutsideKernels *outside = nullptr;
};

/// Chooses, proves, links and writes. Failures throw CommandFailed after they
/// were printed.
class Shipment {
public:
  Shipment(BuiltWork work, const ShipOptions &options);

  void select();
  /// Leaves what fails the correctness gate out, and selects again.
  void prove();
  void link();
  void write();

  const Selection &selected() const { return selection; }

private:
  void report();
  const OutsideKernel *outside(llvm::StringRef entry,
                               llvm::StringRef kernel) const;
  void describeOutside();
  std::vector<GateQuestion>
  openQuestions(const std::map<std::string, GateAnswer> &answers) const;
  void refuse(const GateQuestion &question, const GateAnswer &answer);

  BuiltWork work;
  const ShipOptions &options;
  SelectOptions selectOptions; ///< what the gate refused is added
  Selection selection;
  Bundle bundle;
};

/// One line for each of `pruned`.
void printPruned(llvm::ArrayRef<PrunedKernel> pruned);

/// The manifest's fields that come from the inputs; kept with the problem, so
/// that a bundle says where it comes from wherever it is linked.
void attachProvenance(mlir::ModuleOp problem, llvm::json::Object provenance);
llvm::Expected<llvm::json::Object> provenanceOf(mlir::ModuleOp problem);

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_SHIPMENT_H
