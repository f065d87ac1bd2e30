//===- TileStageStores.cpp - Stores through shared memory -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Transforms/Passes.h"

#include "Tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace lathe {
#define GEN_PASS_DEF_TILESTAGESTORES
#include "lathe/Transforms/Passes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

/// Wider elements would take as much shared memory as the operands.
static constexpr unsigned kMostBits = 16;

namespace {

struct TileStageStores : lathe::impl::TileStageStoresBase<TileStageStores> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (failed(stage(kernel)))
        return signalPassFailure();
  }

  static LogicalResult stage(KernelOp kernel) {
    // Who copies by TMA stores by it too, unless told otherwise.
    bool hasProducers = kernel.getScheduleValue("PRODUCERS").value_or(0) != 0;
    std::optional<int64_t> wanted = kernel.getScheduleValue("STORE");
    int64_t store = wanted.value_or(hasProducers ? 1 : 0);
    if (store != 0 && store != 1)
      return kernel.emitError()
             << "schedule has STORE = " << store << ", expected 0 or 1";
    if (store == 0)
      return success();
    SmallVector<StoreOp> stores;
    kernel.walk([&](RolesOp roles) {
      roles.walk([&](StoreOp store) {
        if (isStaged(kernel, store))
          stores.push_back(store);
      });
    });
    if (stores.empty() && wanted)
      return kernel.emitError("schedule has STORE = 1, but no role stores a "
                              "matrix of elements of at most 16 bits");
    llvm::MapVector<Type, Value> buffers;
    llvm::SmallSetVector<Region *, 2> roles;
    for (StoreOp store : stores) {
      Region *role = store->getParentRegion();
      while (!isa<RolesOp>(role->getParentOp()))
        role = role->getParentRegion();
      roles.insert(role);
      if (failed(stage(kernel, store, buffers)))
        return failure();
    }
    for (Region *role : roles) {
      auto end = OpBuilder::atBlockTerminator(&role->front());
      AwaitStoresOp::create(end, role->getParentOp()->getLoc());
    }
    return success();
  }

  /// Whether the copy engine may do it. Loads of what it writes must come
  /// before in program order, from the same elements.
  static bool isStaged(KernelOp kernel, StoreOp store) {
    RankedTensorType type = store.getValue().getType();
    if (type.getRank() != 2 || !type.getElementType().isIntOrFloat() ||
        type.getElementTypeBitWidth() > kMostBits)
      return false;
    SmallVector<Value> views = {store.getView()};
    if (DenseI64ArrayAttr mayAlias = kernel.getMayAliasAttr()) {
      SmallVector<Value> aliases;
      for (int64_t index : mayAlias.asArrayRef())
        aliases.push_back(kernel.getBody().getArgument(index));
      if (llvm::is_contained(aliases, store.getView()))
        llvm::append_range(views, aliases);
    }
    bool ok = true;
    kernel.walk([&](LoadOp load) {
      if (!llvm::is_contained(views, load.getView()))
        return;
      ok &= load->getBlock() == store->getBlock() &&
            load->isBeforeInBlock(store) &&
            load.getOffsets() == store.getOffsets() &&
            load.getResult().getType().getShape() == type.getShape();
    });
    kernel.walk([&](LoadGroupsOp load) {
      ok &= !llvm::is_contained(views, load.getView());
    });
    return ok;
  }

  static LogicalResult stage(KernelOp kernel, StoreOp store,
                             llvm::MapVector<Type, Value> &buffers) {
    Location loc = store.getLoc();
    RankedTensorType tile = store.getValue().getType();
    SharedType type = SharedType::choose(
        [&] { return store.emitError("cannot stage a store: "); },
        tile.getShape(), tile.getElementType());
    if (!type)
      return failure();
    Value &buffer = buffers[type];
    if (!buffer) {
      auto top = OpBuilder::atBlockBegin(&kernel.getBody().front());
      buffer = AllocOp::create(top, loc, type, IntegerAttr());
    }
    OpBuilder builder(store);
    AwaitStoresOp::create(builder, loc);
    BarrierOp::create(builder, loc);
    WriteSharedOp::create(builder, loc, store.getValue(), buffer);
    FenceAsyncOp::create(builder, loc);
    BarrierOp::create(builder, loc);
    StoreAsyncOp::create(builder, loc, buffer, store.getView(),
                         store.getOffsets());
    store.erase();
    return success();
  }
};

} // namespace
