//===- CompileDriver.h - The one way through --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_COMPILEDRIVER_H
#define LATHE_TOOLS_LATHE_COMPILEDRIVER_H

#include "KernelBuilder.h"

#include "lathe/Ingest/Load.h"
#include "lathe/Package/Bundle.h"
#include "lathe/Plan/Plan.h"
#include "lathe/Rank/Rank.h"
#include "lathe/Verify/Gate.h"

#include "mlir/IR/MLIRContext.h"

namespace lathe::tool {

/// Names for --stop-after, in order.
std::vector<std::string> stageNames();

struct CompileOptions {
  std::string ops, shapes, output, dumpDirectory, stopAfter, cacheDirectory;
  std::string reportFile; ///< empty: none
  std::vector<std::string> targets, templates, requireArchs;
  SelectOptions select;
  unsigned schedules = 8, exact = 4, jobs = 1;
  int64_t spillAllowance = 0;
  bool explainPruning = false;
  bool unproven = false; ///< ship without the correctness gate
};

/// One compilation, from YAML to a bundle. Failures throw CommandFailed after
/// they were printed.
class CompileDriver {
public:
  explicit CompileDriver(const CompileOptions &options);
  void run();

private:
  void load();
  void plan();
  void build();
  void select();
  void prove();
  void dumpTables();
  void link();
  void write();
  void report();

  /// Dumps the problem and says whether to stop here.
  bool reached(llvm::StringRef stage);
  void dump(llvm::StringRef name, mlir::Operation *op);
  void explain(llvm::ArrayRef<PrunedKernel> pruned);
  BuildStage buildStage() const;
  std::vector<GateQuestion>
  openQuestions(const std::map<std::string, GateAnswer> &answers) const;
  void refuse(const GateQuestion &question, const GateAnswer &answer);

  const CompileOptions &options;
  std::vector<std::string> templateDirs;
  OperatorTable operators;
  PlanInput input;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> problem;
  std::optional<KernelBuilder> builder;
  std::map<std::string, BuiltKernel> kernels; ///< by kernel name
  SelectOptions selectOptions; ///< what the gate refused is added
  Selection selection;
  Bundle bundle;
  unsigned dumps = 0;
};

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_COMPILEDRIVER_H
