//===- lathe-opt.cpp - Any pass or pipeline on textual IR -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Conversion/Passes.h"
#include "lathe/Conversion/Pipelines.h"
#include "lathe/Conversion/Registry.h"
#include "lathe/Plan/Passes.h"
#include "lathe/Rank/Passes.h"
#include "lathe/Specialize/Passes.h"
#include "lathe/Transforms/Passes.h"

#include "Dispatch/Dispatch.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  lathe::registerPipelineDialects(registry);
  registry.insert<lathe::dispatch::DispatchDialect>();
  mlir::registerTransformsPasses();
  lathe::registerLathePlanPasses();
  lathe::registerLatheSpecializePasses();
  lathe::registerLatheTransformsPasses();
  lathe::registerLatheConversionPasses();
  lathe::registerLatheRankPasses();
  lathe::registerPipelines();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Lathe optimizer driver\n", registry));
}
