//===- TilePersist.cpp - Loop blocks over work items ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Transforms/Passes.h"

#include "OperandStages.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace lathe {
#define GEN_PASS_DEF_TILEPERSIST
#include "lathe/Transforms/Passes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;
using lathe::problem::ExprAttr;

namespace {

struct TilePersist : lathe::impl::TilePersistBase<TilePersist> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (kernel.getScheduleValue("PERSISTENT") == 1 && failed(persist(kernel)))
        return signalPassFailure();
  }

  LogicalResult persist(KernelOp kernel) {
    if (kernel.getGrid().size() != 1)
      return kernel.emitError()
             << "persistent kernel has " << kernel.getGrid().size()
             << " grid axes, expected 1";
    Block &body = kernel.getBody().front();
    SmallPtrSet<Value, 4> written = findWrittenViews(kernel);

    // In order: an operation stays outside if all it depends on does.
    SmallPtrSet<Operation *, 16> outside;
    SmallVector<Operation *> inside;
    for (Operation &op : body.without_terminator()) {
      auto load = dyn_cast<LoadOp>(op);
      bool movable = load ? !written.contains(load.getView()) : isPure(&op);
      // Regions count too: what they capture, and whose id they ask for.
      WalkResult depends = op.walk([&](Operation *nested) {
        bool varies =
            isa<ProgramIdOp>(nested) ||
            llvm::any_of(nested->getOperands(), [&](Value operand) {
              Operation *def = operand.getDefiningOp();
              return def && def->getBlock() == &body && !outside.contains(def);
            });
        return varies ? WalkResult::interrupt() : WalkResult::advance();
      });
      bool invariant = movable && !depends.wasInterrupted();
      if (invariant)
        outside.insert(&op);
      else
        inside.push_back(&op);
    }

    OpBuilder builder = OpBuilder::atBlockTerminator(&body);
    Location loc = kernel.getLoc();
    auto first = ProgramIdOp::create(builder, loc, builder.getIndexType(), 0);
    auto count = SizeOp::create(builder, loc, builder.getIndexType(),
                                cast<ExprAttr>(kernel.getGrid()[0]));
    auto step = NumProgramsOp::create(builder, loc, builder.getIndexType(), 0);
    auto loop = scf::ForOp::create(builder, loc, first, count, step);
    for (Operation *op : inside)
      op->moveBefore(loop.getBody()->getTerminator());
    loop.walk([&](ProgramIdOp id) {
      id.replaceAllUsesWith(loop.getInductionVar());
      id.erase();
    });
    return success();
  }
};

} // namespace
