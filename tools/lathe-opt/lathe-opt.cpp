//===- lathe-opt.cpp - Any pass or pipeline on textual IR -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/Passes.h"
#include "lathe/Specialize/Passes.h"
#include "lathe/Transforms/Passes.h"

#include "Problem/Problem.h"
#include "Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, lathe::problem::ProblemDialect,
                  lathe::tile::TileDialect>();
  mlir::registerTransformsPasses();
  lathe::registerLathePlanPasses();
  lathe::registerLatheSpecializePasses();
  lathe::registerLatheTransformsPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Lathe optimizer driver\n", registry));
}
