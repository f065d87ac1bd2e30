//===- TileStoreByWarpgroups.cpp - Stores without each other --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Transforms/Passes.h"

#include "Tile/Tile.h"

namespace lathe {
#define GEN_PASS_DEF_TILESTOREBYWARPGROUPS
#include "lathe/Transforms/Passes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

static constexpr int64_t kGroupWarps = 4;

namespace {

struct TileStoreByWarpgroups
    : lathe::impl::TileStoreByWarpgroupsBase<TileStoreByWarpgroups> {
  void runOnOperation() override {
    getOperation().walk([](RolesOp roles) {
      for (auto [role, threads] :
           llvm::zip_equal(roles.getBodies(), roles.getThreads()))
        if (threads > kWarpgroupThreads && threads % kWarpgroupThreads == 0)
          narrow(role, threads / kWarpgroupThreads);
    });
  }

  static void narrow(Region &role, int64_t groups) {
    SmallVector<StoreAsyncOp> stores;
    role.walk([&](StoreAsyncOp store) { stores.push_back(store); });
    bool apart = llvm::all_of(
        stores, [&](StoreAsyncOp store) { return isOwn(store, role, groups); });
    if (stores.empty() || !apart)
      return;
    for (StoreAsyncOp store : stores)
      store.setWarpgroup(true);
    role.walk([](AwaitStoresOp await) { await.setWarpgroup(true); });
    role.walk([](BarrierOp barrier) {
      if (isOfStores(barrier))
        barrier.setWarpgroup(true);
    });
  }

  /// Whether all that happens to the buffer are this role's stores of rows that
  /// the same warpgroup wrote.
  static bool isOwn(StoreAsyncOp store, Region &role, int64_t groups) {
    auto buffer = store.getBuffer().getDefiningOp<AllocOp>();
    if (!buffer || !buffer.getOffset() || !liesAlone(buffer) ||
        store.getBuffer().getType().getShape()[0] % (groups * kWarpgroupRows) !=
            0)
      return false;
    return llvm::all_of(buffer->getUsers(), [&](Operation *user) {
      if (!role.isAncestor(user->getParentRegion()))
        return false;
      if (auto write = dyn_cast<WriteSharedOp>(user)) {
        auto layout =
            dyn_cast_or_null<MmaAttr>(write.getValue().getType().getEncoding());
        return layout && layout.getFragment() == Fragment::M16N8 &&
               layout.getParts() == 1 &&
               layout.getWarps() == ArrayRef<int64_t>{groups * kGroupWarps, 1};
      }
      return isa<StoreAsyncOp>(user);
    });
  }

  static std::pair<int64_t, int64_t> placeOf(Operation *op) {
    if (auto alloc = dyn_cast<AllocOp>(op)) {
      int64_t at = alloc.getOffset().value_or(0);
      return {at, at + alloc.getBytes()};
    }
    auto init = cast<InitMbarriersOp>(op);
    int64_t at = init.getOffset().value_or(0);
    return {at, at + init.getResult().getType().getBytes()};
  }

  static bool liesAlone(AllocOp buffer) {
    std::pair<int64_t, int64_t> own = placeOf(buffer);
    return !buffer->getParentOfType<KernelOp>()
                .walk([&](Operation *op) {
                  if (op == buffer || !isa<AllocOp, InitMbarriersOp>(op))
                    return WalkResult::advance();
                  auto [first, end] = placeOf(op);
                  return end <= own.first || own.second <= first
                             ? WalkResult::advance()
                             : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  /// Whether a barrier keeps a store apart from the writes around it alone.
  static bool isOfStores(BarrierOp barrier) {
    Operation *before = barrier->getPrevNode(), *after = barrier->getNextNode();
    return isa_and_nonnull<AwaitStoresOp>(before) ||
           (isa_and_nonnull<FenceAsyncOp>(before) &&
            isa_and_nonnull<StoreAsyncOp>(after));
  }
};

} // namespace
