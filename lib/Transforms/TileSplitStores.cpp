//===- TileSplitStores.cpp - Epilogues by parts of columns ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Transforms/Passes.h"

#include "OperandStages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace lathe {
#define GEN_PASS_DEF_TILESPLITSTORES
#include "lathe/Transforms/Passes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

/// Columns of a part: few registers, but whole rows of a swizzle, and where
/// there is nothing to compute the longest of those. The last part may have
/// less.
static constexpr int64_t kColumns = 32, kPlainColumns = 64, kLeastColumns = 16;

static RankedTensorType tileType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

namespace {

/// What is computed between sums and one store of them.
class Epilogue {
public:
  Epilogue(KernelOp kernel, StoreOp store)
      : kernel(kernel), store(store),
        isStaged(kernel.getScheduleValue("STAGING").value_or(0) > 0) {}

  /// Whether parts can be computed one by one, and whether that is worth it.
  bool isSplittable() {
    RankedTensorType type = store.getValue().getType();
    if (type.getRank() != 2 || !type.hasStaticShape() ||
        type.getShape()[1] % kLeastColumns != 0 ||
        type.getShape()[1] <= kColumns)
      return false;
    columns = type.getShape()[1];
    if (!collect(store.getValue()) || !hasSum || !(hasWork || isStaged))
      return false;
    most = hasWork ? kColumns : kPlainColumns;
    return columns > most;
  }

  void split() {
    OpBuilder builder(store);
    for (int64_t first = 0; first < columns; first += most) {
      parts.clear();
      width = std::min(most, columns - first);
      Value part = narrow(builder, store.getValue(), first);
      StoreOp::create(builder, store.getLoc(), part, store.getView(),
                      shift(builder, store.getOffsets(), first),
                      store.getUntil(), store.getAlongAttr(),
                      store.getCacheAttr());
    }
    store.erase();
    for (Operation *op : llvm::reverse(operations))
      if (op->use_empty())
        op->erase();
  }

private:
  /// Whether `op` computes each element of its tiles from the same elements.
  static bool isElementwise(Operation *op) {
    return op->getNumResults() == 1 &&
           (isa<ConvertOp>(op) || op->hasTrait<OpTrait::Elementwise>());
  }

  /// Whether `op` leaves what products add up to.
  static bool isSum(Operation *op) {
    if (isa_and_nonnull<scf::ForOp>(op))
      return op->walk([](DotOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
    return isa_and_nonnull<AwaitDotsOp>(op);
  }

  /// Whether `op` needs little beside what it changes: sums stay where they
  /// are.
  static bool isInPlace(Operation *op) {
    return isa<ConvertOp, arith::MulFOp, arith::AddFOp, arith::SubFOp,
               arith::SelectOp>(op);
  }

  static bool isConstant(Operation *op) {
    auto constant = dyn_cast<arith::ConstantOp>(op);
    return isa<SplatOp>(op) ||
           (constant && isa<SplatElementsAttr>(constant.getValue()));
  }

  /// Notes what makes `value`, operands first. False if it cannot be narrowed.
  bool collect(Value value) {
    RankedTensorType type = tileType(value);
    Operation *op = value.getDefiningOp();
    if (!type || (op && operations.contains(op)))
      return true;
    bool isRow = type.getRank() == 1;
    bool ok = false;
    if (type.getShape().back() != columns)
      return false;
    if (op && isConstant(op)) {
      ok = true;
    } else if (op && isElementwise(op)) {
      hasWork |= !isInPlace(op);
      ok = llvm::all_of(op->getOperands(),
                        [&](Value operand) { return collect(operand); });
    } else if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op)) {
      hasWork |= broadcast.getDim() == 0;
      ok = !isRow && (broadcast.getDim() == 1 || collect(broadcast.getValue()));
    } else if (isa_and_nonnull<LoadOp, InBoundsOp, LoadGroupsOp>(op)) {
      hasWork = true;
      ok = canMove(op);
    } else if (!isRow) {
      hasSum |= isSum(op);
      return true;
    }
    if (ok)
      operations.insert(op);
    return ok;
  }

  /// Whether what `load` reads is the same when the store's first parts are
  /// done: nothing stores to it, or only this store, just what was read there.
  bool canMove(Operation *load) {
    Value view = load->getOperand(0);
    if (isa<InBoundsOp>(load) || !findWrittenViews(kernel).contains(view))
      return true;
    auto tile = dyn_cast<LoadOp>(load);
    bool ok = tile && !tile.getTable() &&
              tile.getResult().getType().getShape() ==
                  store.getValue().getType().getShape() &&
              tile.getAlong() == store.getAlong() &&
              tile.getOffsets() == store.getOffsets();
    kernel.walk([&](StoreOp other) { ok &= other == store; });
    return ok;
  }

  static SmallVector<Value> shift(OpBuilder &builder, ValueRange offsets,
                                  int64_t first) {
    SmallVector<Value> shifted(offsets);
    if (first != 0)
      shifted.back() = arith::AddIOp::create(
          builder, shifted.back().getLoc(), shifted.back(),
          arith::ConstantIndexOp::create(builder, shifted.back().getLoc(),
                                         first));
    return shifted;
  }

  /// Columns `first` to `first + width` of what `collect` has seen.
  Value narrow(OpBuilder &builder, Value value, int64_t first) {
    RankedTensorType type = tileType(value);
    if (!type)
      return value;
    if (Value known = parts.lookup(value))
      return known;
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = width;
    auto narrowType =
        RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
    Operation *op = value.getDefiningOp();
    Value part;
    if (!op || !operations.contains(op)) {
      part =
          ColumnsOp::create(builder, value.getLoc(), narrowType, value, first);
    } else {
      SmallVector<Value> operands(op->getOperands());
      if (isElementwise(op) ||
          (isa<BroadcastOp>(op) && cast<BroadcastOp>(op).getDim() == 0)) {
        for (Value &operand : operands)
          operand = narrow(builder, operand, first);
      } else if (auto groups = dyn_cast<LoadGroupsOp>(op)) {
        Value &offset = operands[1 + groups.getDim()];
        offset = shift(builder, offset, first).front();
      } else if (isa<LoadOp, InBoundsOp>(op)) {
        Value &offset = operands[cast<ViewType>(operands.front().getType())
                                     .getRank()]; // the last of them
        offset = shift(builder, offset, first).front();
      }
      Operation *copy = builder.clone(*op);
      copy->setOperands(operands);
      copy->getResult(0).setType(narrowType);
      if (auto constant = dyn_cast<arith::ConstantOp>(copy))
        constant.setValueAttr(cast<SplatElementsAttr>(constant.getValue())
                                  .resizeSplat(narrowType));
      part = copy->getResult(0);
    }
    parts[value] = part;
    return part;
  }

  KernelOp kernel;
  StoreOp store;
  bool isStaged; ///< by parts, in buffers that several parts go through
  int64_t columns = 0;
  int64_t most = 0;  ///< columns of a part
  int64_t width = 0; ///< of the part that is being made
  /// What is computed by parts, operands before users.
  llvm::SetVector<Operation *> operations;
  bool hasSum = false;  ///< some of it is a finished product
  bool hasWork = false; ///< beside conversions
  llvm::DenseMap<Value, Value> parts;
};

struct TileSplitStores : lathe::impl::TileSplitStoresBase<TileSplitStores> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      if (!kernel.hasProducers())
        continue;
      SmallVector<StoreOp> stores;
      kernel.walk([&](StoreOp store) { stores.push_back(store); });
      for (StoreOp store : stores) {
        Epilogue epilogue(kernel, store);
        if (epilogue.isSplittable())
          epilogue.split();
      }
    }
  }
};

} // namespace
