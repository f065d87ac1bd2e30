//===- CompileDriver.h - The one way through --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_COMPILEDRIVER_H
#define LATHE_TOOLS_LATHE_COMPILEDRIVER_H

#include "CandidatesStage.h"
#include "Shipment.h"

#include "lathe/Ingest/Load.h"
#include "lathe/Plan/Plan.h"

#include "mlir/IR/MLIRContext.h"

namespace lathe::tool {

/// Names for --stop-after, in order.
std::vector<std::string> stageNames();

struct CompileOptions {
  std::string ops, shapes, dumpDirectory, stopAfter;
  std::vector<std::string> targets, templates;
  unsigned schedules = 8, exact = 4;
  int64_t spillAllowance = 0;
  CandidatesOptions candidates; ///< no file: none is kept
  bool measure = false;         ///< on this machine's GPUs
  std::string database;         ///< of what was measured; empty: not kept
  ShipOptions ship;             ///< no output: nothing ships
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
  void writeCandidates(const std::string &file);
  void measure();
  void ship();
  void dumpTables(llvm::ArrayRef<DispatchTable> chosen);

  /// Dumps the problem and says whether to stop here.
  bool reached(llvm::StringRef stage);
  void dump(llvm::StringRef name, mlir::Operation *op);
  llvm::json::Object provenance() const;
  BuildStage buildStage() const;

  const CompileOptions &options;
  std::vector<std::string> templateDirs;
  OperatorTable operators;
  PlanInput input;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> problem;
  std::optional<KernelBuilder> builder;
  std::map<std::string, BuiltKernel> kernels; ///< by kernel name
  unsigned dumps = 0;
};

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_COMPILEDRIVER_H
