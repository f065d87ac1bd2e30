//===- TilePipelineLoops.cpp - Load a turn ahead --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Transforms/Passes.h"

#include "Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace lathe {
#define GEN_PASS_DEF_TILEPIPELINELOOPS
#include "lathe/Transforms/Passes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

namespace {

struct TilePipelineLoops
    : lathe::impl::TilePipelineLoopsBase<TilePipelineLoops> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      int64_t stages = kernel.getScheduleValue("STAGES").value_or(1);
      if (stages != 1 && stages != 2) {
        kernel.emitError() << "schedule has STAGES = " << stages
                           << ", expected 1 or 2";
        return signalPassFailure();
      }
      if (stages == 1)
        continue;
      SmallVector<scf::ForOp> loops;
      kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      for (scf::ForOp loop : loops)
        pipeline(kernel, loop);
    }
  }

  /// Loads for this loop's shared memory that could as well come earlier: what
  /// they read does not change in the kernel, nor does where, but for the turn.
  SmallVector<LoadOp> findLoads(KernelOp kernel, scf::ForOp loop) {
    SmallPtrSet<Value, 4> written;
    kernel.walk([&](StoreOp store) { written.insert(store.getView()); });
    if (DenseI64ArrayAttr mayAlias = kernel.getMayAliasAttr())
      for (int64_t argument : mayAlias.asArrayRef())
        written.insert(kernel.getBody().getArgument(argument));
    SmallVector<LoadOp> loads;
    for (auto load : loop.getBody()->getOps<LoadOp>()) {
      bool staged = llvm::any_of(load->getUsers(), [&](Operation *user) {
        return isa<WriteSharedOp>(user) && user->getParentOp() == loop;
      });
      bool early = llvm::all_of(load.getOffsets(), [&](Value offset) {
        return offset == loop.getInductionVar() ||
               loop.isDefinedOutsideOfLoop(offset);
      });
      if (staged && early && !written.contains(load.getView()))
        loads.push_back(load);
    }
    return loads;
  }

  void pipeline(KernelOp kernel, scf::ForOp loop) {
    SmallVector<LoadOp> loads = findLoads(kernel, loop);
    if (loads.empty())
      return;
    auto loadAt = [&](OpBuilder &builder, LoadOp load, Value turn) -> Value {
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), turn);
      return builder.clone(*load, mapping)->getResult(0);
    };
    OpBuilder before(loop);
    SmallVector<Value> first;
    for (LoadOp load : loads)
      first.push_back(loadAt(before, load, loop.getLowerBound()));

    // The next turn's loads go before the products, which hide their latency.
    Operation *last = nullptr;
    for (Operation &op : *loop.getBody())
      if (isa<BarrierOp>(op))
        last = &op;
    OpBuilder inside(loop);
    if (last)
      inside.setInsertionPointAfter(last);
    else
      inside.setInsertionPoint(loop.getBody()->getTerminator());
    Value turn = arith::AddIOp::create(inside, loop.getLoc(),
                                       loop.getInductionVar(), loop.getStep());
    SmallVector<Value> next;
    for (LoadOp load : loads)
      next.push_back(loadAt(inside, load, turn));

    IRRewriter rewriter(loop);
    auto yields = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
      return next;
    };
    auto replaced = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, first, /*replaceInitOperandUsesInLoop=*/false, yields));
    auto carried = replaced.getRegionIterArgs().take_back(loads.size());
    for (auto [load, value] : llvm::zip_equal(loads, carried)) {
      load.getResult().replaceAllUsesWith(value);
      load.erase();
    }
  }
};

} // namespace
