//===- TilePersist.cpp - Loop blocks over work items ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Transforms/Passes.h"

#include "OperandStages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
    // Such a kernel deals its items itself.
    if (body.walk([](NumProgramsOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      return success();
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
            isa<ProgramIdOp, ClusterIdOp>(nested) ||
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
    Type index = builder.getIndexType();
    Expr items = cast<ExprAttr>(kernel.getGrid()[0]).getExpr();
    int64_t cluster = kernel.getCluster();
    Value first;
    if (cluster == 1) {
      first = ProgramIdOp::create(builder, loc, index, 0);
    } else {
      if (kernel.getKnownDivisor(items) % cluster != 0)
        return kernel.emitError()
               << "persistent kernel has a grid of '" << items.str()
               << "', expected a multiple of its clusters of " << cluster;
      first = ClusterIdOp::create(builder, loc, index);
      items =
          Expr::make(Expr::Kind::FloorDiv, {items, Expr::constant(cluster)});
    }
    auto count = SizeOp::create(builder, loc, index,
                                ExprAttr::get(builder.getContext(), items));
    Value step = NumProgramsOp::create(builder, loc, index, 0);
    if (cluster > 1)
      step = arith::DivUIOp::create(
          builder, loc, step,
          arith::ConstantIndexOp::create(builder, loc, cluster));
    auto loop = scf::ForOp::create(builder, loc, first, count, step);
    for (Operation *op : inside)
      op->moveBefore(loop.getBody()->getTerminator());
    replaceIds(loop, cluster);
    return success();
  }

  /// The loop's index is the work item; in clusters it counts those, and their
  /// blocks take neighbouring items.
  static void replaceIds(scf::ForOp loop, int64_t cluster) {
    Value turn = loop.getInductionVar();
    loop.walk([&](ClusterIdOp id) {
      id.replaceAllUsesWith(turn);
      id.erase();
    });
    loop.walk([&](ProgramIdOp id) {
      Value item = turn;
      if (cluster > 1) {
        OpBuilder builder(id);
        Location loc = id.getLoc();
        Value blocks = arith::ConstantIndexOp::create(builder, loc, cluster);
        Value first = arith::MulIOp::create(builder, loc, turn, blocks);
        Value rank =
            ClusterRankOp::create(builder, loc, builder.getIndexType());
        item = arith::AddIOp::create(builder, loc, first, rank);
      }
      id.replaceAllUsesWith(item);
      id.erase();
    });
  }
};

} // namespace
