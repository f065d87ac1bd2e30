//===- TileAlternateBuffers.cpp - Two buffers, one barrier a turn ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Transforms/Passes.h"

#include "Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace lathe {
#define GEN_PASS_DEF_TILEALTERNATEBUFFERS
#include "lathe/Transforms/Passes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

static constexpr int64_t kSlots = 2;

namespace {

/// A barrier, writes, and another barrier, as `tile-stage-operands` leaves
/// them.
struct Staging {
  BarrierOp before;
  SmallVector<AllocOp> buffers;
};

struct TileAlternateBuffers
    : lathe::impl::TileAlternateBuffersBase<TileAlternateBuffers> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      int64_t slots = kernel.getScheduleValue("SLOTS").value_or(1);
      if (slots != 1 && slots != kSlots) {
        kernel.emitError() << "schedule has SLOTS = " << slots
                           << ", expected 1 or 2";
        return signalPassFailure();
      }
      if (slots == 1)
        continue;
      SmallVector<scf::ForOp> loops;
      kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      for (scf::ForOp loop : loops)
        alternate(loop);
    }
  }

  /// Buffers that only this loop uses: each turn writes before it reads.
  static SmallVector<Staging> findStagings(scf::ForOp loop) {
    SmallVector<Staging> found;
    for (auto before : loop.getBody()->getOps<BarrierOp>()) {
      Staging staging{before, {}};
      Operation *op = before->getNextNode();
      for (; isa<WriteSharedOp>(op); op = op->getNextNode()) {
        auto alloc =
            cast<WriteSharedOp>(op).getBuffer().getDefiningOp<AllocOp>();
        bool isOwn =
            alloc && llvm::all_of(alloc->getUsers(), [&](Operation *user) {
              return user->getParentOp() == loop &&
                     (user == op || op->isBeforeInBlock(user));
            });
        if (!isOwn)
          break;
        staging.buffers.push_back(alloc);
      }
      if (!staging.buffers.empty() && isa<BarrierOp>(op))
        found.push_back(staging);
    }
    return found;
  }

  static void alternate(scf::ForOp loop) {
    SmallVector<Staging> stagings = findStagings(loop);
    if (stagings.empty())
      return;
    Location loc = loop.getLoc();
    IRRewriter rewriter(loop);
    auto word = [&](OpBuilder &builder, int64_t value) -> Value {
      return arith::ConstantIntOp::create(builder, loc, value, 32);
    };
    // What an outer loop's last turn read may be what this one writes first.
    if (loop->getParentOfType<scf::ForOp>())
      BarrierOp::create(rewriter, loc);
    Value first = word(rewriter, 0);
    loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &builder, Location, ArrayRef<BlockArgument> slot) {
          return SmallVector<Value>{arith::XOrIOp::create(
              builder, loc, slot.front(), word(builder, 1))};
        }));
    Value slot = loop.getRegionIterArgs().back();
    for (Staging &staging : stagings) {
      // The barrier behind this turn's writes is also behind the last turn's
      // reads of what the next turn writes.
      staging.before.erase();
      for (AllocOp alloc : staging.buffers) {
        auto type = cast<SharedType>(alloc.getResult().getType());
        rewriter.setInsertionPoint(alloc);
        auto ring = AllocOp::create(
            rewriter, alloc.getLoc(),
            RingType::get(rewriter.getContext(), kSlots, type), IntegerAttr());
        rewriter.setInsertionPointToStart(loop.getBody());
        Value buffer =
            SlotOp::create(rewriter, alloc.getLoc(), type, ring, slot);
        alloc.getResult().replaceAllUsesWith(buffer);
        alloc.erase();
      }
    }
  }
};

} // namespace
