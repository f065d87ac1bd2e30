//===- TileStageStores.cpp - Stores through shared memory -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Transforms/Passes.h"

#include "Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

namespace lathe {
#define GEN_PASS_DEF_TILESTAGESTORES
#include "lathe/Transforms/Passes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

/// Wider elements would take as much shared memory as the operands.
static constexpr unsigned kMostBits = 16, kChunkBits = 128;

namespace {

/// Buffers that stores go through in turn, and stores that
/// `tile.await_stores` can leave open.
constexpr int64_t kMostBuffers = 8, kMostPending = 63;

struct TileStageStores : lathe::impl::TileStageStoresBase<TileStageStores> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (failed(stage(kernel)))
        return signalPassFailure();
  }

  static LogicalResult stage(KernelOp kernel) {
    // Who copies by TMA stores by it too, unless told otherwise.
    bool hasProducers = kernel.hasProducers();
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
    int64_t buffers = kernel.getScheduleValue("STAGING").value_or(0);
    if (buffers < 0 || buffers > kMostBuffers)
      return kernel.emitError() << "schedule has STAGING = " << buffers
                                << ", expected 0 to " << kMostBuffers;
    llvm::MapVector<Region *, llvm::SmallSetVector<Block *, 2>> roles;
    for (StoreOp store : stores)
      roles[getRole(store)].insert(store->getBlock());
    for (auto &[role, blocks] : roles) {
      SmallVector<StoreOp> own;
      for (StoreOp store : stores)
        if (getRole(store) == role)
          own.push_back(store);
      if (failed(stageRole(kernel, own, buffers, blocks.size() == 1)))
        return failure();
    }
    for (auto &[role, blocks] : roles) {
      auto end = OpBuilder::atBlockTerminator(&role->front());
      AwaitStoresOp::create(end, role->getParentOp()->getLoc());
    }
    return success();
  }

  /// The stores of a role. Each of a block has a buffer of its own, so that all
  /// can be under way, and the first waits for those of the turn before; or
  /// those of one type go through so many buffers in turn.
  static LogicalResult stageRole(KernelOp kernel, ArrayRef<StoreOp> stores,
                                 int64_t count, bool isOneBlock) {
    llvm::MapVector<std::pair<Type, int64_t>, Value> buffers;
    llvm::DenseMap<std::pair<Block *, Type>, int64_t> uses;
    SmallVector<Value> places;
    for (StoreOp store : stores) {
      SharedType type = bufferFor(store);
      if (!type)
        return failure();
      int64_t use = uses[{store->getBlock(), type}]++;
      Value &buffer = buffers[{type, count > 0 ? use % count : use}];
      if (!buffer)
        buffer = allocate(kernel, store, type);
      places.push_back(buffer);
    }
    int64_t number = stores.size();
    for (auto [index, store] : llvm::enumerate(stores)) {
      std::optional<int64_t> pending;
      if (count == 0) {
        if (index == 0 || !isOneBlock)
          pending = 0;
      } else {
        // Stores since the one before from the same place, a turn ago or less.
        int64_t since = 0;
        while (since + 1 < number &&
               places[(index + number - since - 1) % number] != places[index])
          ++since;
        pending = isOneBlock ? std::min(since, kMostPending) : 0;
      }
      stage(store, places[index], pending);
    }
    return success();
  }

  /// A buffer, of which each team of the store's role has one.
  static Value allocate(KernelOp kernel, StoreOp store, SharedType type) {
    Region *role = getRole(store);
    int64_t teams =
        cast<RolesOp>(role->getParentOp()).getNumTeams(role->getRegionNumber());
    auto top = OpBuilder::atBlockBegin(&kernel.getBody().front());
    Location loc = store.getLoc();
    if (teams == 1)
      return AllocOp::create(top, loc, type, IntegerAttr());
    auto ring = AllocOp::create(
        top, loc, RingType::get(type.getContext(), teams, type), IntegerAttr());
    auto begin = OpBuilder::atBlockBegin(&role->front());
    return SlotOp::create(begin, loc, ring.getResult(),
                          TeamIdOp::create(begin, loc));
  }

  /// Whether a load is of another role that stores to the view itself, as the
  /// store's role does: roles that do the same take other work items.
  static bool isOfOtherItems(LoadOp load, StoreOp store) {
    Region *role = getRole(load);
    if (!role || role == getRole(store))
      return false;
    return role
        ->walk([&](StoreOp other) {
          return other.getView() == store.getView() ? WalkResult::interrupt()
                                                    : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// A column as a value and what is added to it.
  static std::pair<Value, int64_t> splitColumn(Value column) {
    APInt added;
    auto add = column.getDefiningOp<arith::AddIOp>();
    if (add && matchPattern(add.getRhs(), m_ConstantInt(&added)))
      return {add.getLhs(), added.getSExtValue()};
    return {column, 0};
  }

  /// Whether a load reads the same, however late a store is done: it reads
  /// other columns of its rows, or the store's elements, before.
  static bool isUnaffected(LoadOp load, StoreOp store) {
    RankedTensorType type = store.getValue().getType();
    RankedTensorType loaded = load.getResult().getType();
    if (load->getBlock() != store->getBlock() ||
        loaded.getRank() != type.getRank() ||
        loaded.getShape().front() != type.getShape().front() ||
        load.getOffsets().front() != store.getOffsets().front())
      return false;
    auto [from, read] = splitColumn(load.getOffsets().back());
    auto [to, written] = splitColumn(store.getOffsets().back());
    if (from != to)
      return false;
    if (read == written && loaded.getShape() == type.getShape())
      return load->isBeforeInBlock(store);
    return read + loaded.getShape().back() <= written ||
           written + type.getShape().back() <= read;
  }

  /// Whether the copy engine may do it: no load depends on when it does, and
  /// rows end with a chunk of 16 bytes. What it clips are chunks: an H200 wrote
  /// behind the end of rows of 67 16-bit elements, up to the next chunk.
  static bool isStaged(KernelOp kernel, StoreOp store) {
    RankedTensorType type = store.getValue().getType();
    if (store.getUntil() || store.getAlong() || type.getRank() != 2 ||
        !type.getElementType().isIntOrFloat() ||
        type.getElementTypeBitWidth() > kMostBits)
      return false;
    int64_t perChunk = kChunkBits / type.getElementTypeBitWidth();
    Expr columns = store.getView().getType().getExtents().back().getExpr();
    if (kernel.getKnownDivisor(columns) % perChunk != 0)
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
      ok &= !llvm::is_contained(views, load.getView()) ||
            isOfOtherItems(load, store) || isUnaffected(load, store);
    });
    kernel.walk([&](LoadGroupsOp load) {
      ok &= !llvm::is_contained(views, load.getView());
    });
    return ok;
  }

  static SharedType bufferFor(StoreOp store) {
    RankedTensorType tile = store.getValue().getType();
    return SharedType::choose(
        [&] { return store.emitError("cannot stage a store: "); },
        tile.getShape(), tile.getElementType());
  }

  /// Waits before for all but so many stores, if for any.
  static void stage(StoreOp store, Value buffer,
                    std::optional<int64_t> pending) {
    Location loc = store.getLoc();
    OpBuilder builder(store);
    if (pending) {
      AwaitStoresOp::create(builder, loc, *pending);
      BarrierOp::create(builder, loc);
    }
    WriteSharedOp::create(builder, loc, store.getValue(), buffer);
    FenceAsyncOp::create(builder, loc);
    BarrierOp::create(builder, loc);
    StoreAsyncOp::create(builder, loc, buffer, store.getView(),
                         store.getOffsets());
    store.erase();
  }
};

} // namespace
