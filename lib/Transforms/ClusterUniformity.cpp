//===- ClusterUniformity.cpp - What a cluster's blocks agree on -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterUniformity.h"

#include "OperandStages.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

bool ClusterUniformity::isUniform(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  bool uniform = compute(value);
  known[value] = uniform;
  return uniform;
}

bool ClusterUniformity::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<KernelOp>(parent))
      return true;
    // What loops carry would need a fixed point; nothing needs it.
    auto loop = dyn_cast<scf::ForOp>(parent);
    return loop && argument == loop.getInductionVar() &&
           isUniform(loop.getLowerBound()) && isUniform(loop.getStep());
  }
  Operation *def = value.getDefiningOp();
  if (isa<ProgramIdOp, ClusterRankOp>(def) || def->getNumRegions() != 0 ||
      !isScalarCode(def))
    return false;
  return llvm::all_of(def->getOperands(),
                      [&](Value operand) { return isUniform(operand); });
}

bool ClusterUniformity::runsInStep(Block *block) {
  for (Operation *op = block->getParentOp(); !isa<KernelOp>(op);
       op = op->getParentOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (!isUniform(loop.getLowerBound()) ||
          !isUniform(loop.getUpperBound()) || !isUniform(loop.getStep()))
        return false;
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (!isUniform(branch.getCondition()))
        return false;
    } else {
      return false;
    }
  }
  return true;
}
