//===- TileInferLayouts.cpp - Give every tile a layout --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Transforms/Passes.h"

#include "LayoutChoices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

#include <numeric>

namespace lathe {
#define GEN_PASS_DEF_TILEINFERLAYOUTS
#include "lathe/Transforms/Passes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

/// What a lane reads at once.
static constexpr int64_t kAccessBytes = 16;

namespace {

bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }
RankedTensorType tileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Values that must share a layout, and which classes are slices of which.
struct Constraints {
  llvm::EquivalenceClasses<void *> classes;
  SmallVector<Value> values;
  struct Slice {
    Value child, parent;
    int64_t dim;
    Operation *op;
  };
  SmallVector<Slice> slices;
  SmallVector<DotOp> dots;
  SmallVector<TransposeOp> transposes;
  SmallVector<WriteSharedOp> copies;

  void add(Value value) {
    if (!classes.contains(value.getAsOpaquePointer())) {
      classes.insert(value.getAsOpaquePointer());
      values.push_back(value);
    }
  }
  void unite(Value a, Value b) {
    if (!isTile(a) || !isTile(b))
      return;
    add(a);
    add(b);
    classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  }
  void unite(ValueRange a, ValueRange b) {
    for (auto [x, y] : llvm::zip_equal(a, b))
      unite(x, y);
  }
  Value leader(Value value) const {
    return Value::getFromOpaquePointer(
        classes.getLeaderValue(value.getAsOpaquePointer()));
  }

  /// A load that a value comes from as it is, if any.
  LoadOp loadOf(Value value) const {
    for (Value other : values)
      if (leader(other) == leader(value))
        if (auto load = other.getDefiningOp<LoadOp>())
          return load;
    return {};
  }

  void collect(Operation *op) {
    for (Value result : op->getResults())
      if (isTile(result))
        add(result);
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      slices.push_back({reduce.getResult(), reduce.getValue(),
                        static_cast<int64_t>(reduce.getDim()), op});
    } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      slices.push_back({broadcast.getValue(), broadcast.getResult(),
                        static_cast<int64_t>(broadcast.getDim()), op});
    } else if (auto dot = dyn_cast<DotOp>(op)) {
      unite(dot.getResult(), dot.getAccumulator());
      dots.push_back(dot);
    } else if (auto await = dyn_cast<AwaitDotsOp>(op)) {
      unite(await.getResult(), await.getAccumulator());
    } else if (auto reduce = dyn_cast<ClusterReduceOp>(op)) {
      if (!reduce.getDim())
        unite(reduce.getResult(), reduce.getValue());
      if (reduce.getLogs())
        slices.push_back({reduce.getLogs(), reduce.getValue(), 1, op});
    } else if (auto columns = dyn_cast<ColumnsOp>(op)) {
      unite(columns.getResult(), columns.getValue());
    } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
      transposes.push_back(transpose);
    } else if (auto copy = dyn_cast<WriteSharedOp>(op)) {
      copies.push_back(copy);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      unite(loop.getInitArgs(), loop.getRegionIterArgs());
      unite(loop.getInitArgs(), loop.getResults());
      unite(loop.getInitArgs(), loop.getYieldedValues());
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (branch.getNumResults() != 0) {
        unite(branch.getResults(), branch.thenYield().getOperands());
        unite(branch.getResults(), branch.elseYield().getOperands());
      }
    } else if (isa<ConvertOp>(op) || op->hasTrait<OpTrait::Elementwise>()) {
      for (Value operand : op->getOperands())
        unite(op->getResult(0), operand);
    }
  }
};

struct TileInferLayouts : lathe::impl::TileInferLayoutsBase<TileInferLayouts> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (failed(infer(kernel)))
        return signalPassFailure();
  }

  LogicalResult infer(KernelOp kernel) {
    if (!kernel.isStatic())
      return kernel.emitError("kernel is not specialized");
    separateConstants(kernel);
    Constraints constraints;
    kernel.walk([&](Operation *op) { constraints.collect(op); });

    llvm::MapVector<Value, int64_t> threads;
    for (Value value : constraints.values)
      if (failed(checkStatic(value)) ||
          failed(assignThreads(threads, constraints.leader(value), value)))
        return failure();
    auto threadsOf = [&](Value leader) {
      auto found = threads.find(leader);
      return found != threads.end()
                 ? found->second
                 : static_cast<int64_t>(*kernel.getThreads());
    };

    llvm::MapVector<Value, Attribute> layouts;
    auto assign = [&](Value value, Attribute layout,
                      Location loc) -> LogicalResult {
      Attribute &slot = layouts[constraints.leader(value)];
      if (slot && slot != layout)
        return emitError(loc) << "layouts " << slot << " and " << layout
                              << " meet in one value";
      slot = layout;
      return success();
    };

    for (Value value : constraints.values)
      if (Attribute stated = tileType(value).getEncoding())
        if (failed(assign(value, stated, value.getLoc())))
          return failure();
    for (ArrayRef<DotOp> group : groupDots(kernel, constraints)) {
      DotOp first = group.front();
      Value leader = constraints.leader(first.getResult());
      if (layouts.lookup(leader))
        continue;
      MmaAttr layout = first.getAsync()
                           ? chooseAsyncSums(kernel, first, threadsOf(leader))
                           : chooseSums(kernel, group, threadsOf(leader));
      if (!layout)
        return failure();
      for (DotOp dot : group)
        layouts[constraints.leader(dot.getResult())] = layout;
    }
    if (kernel.getParts() > 0)
      for (DotOp dot : constraints.dots)
        if (failed(assignOperands(constraints, layouts, dot)))
          return failure();
    for (TransposeOp transpose : constraints.transposes) {
      auto from = dyn_cast_or_null<LayoutInterface>(
          layouts.lookup(constraints.leader(transpose.getValue())));
      if (!from)
        return transpose.emitError(
            "transposes a tile that nothing gives a layout");
      if (failed(assign(transpose.getResult(),
                        TransposedAttr::get(&getContext(), from),
                        transpose.getLoc())))
        return failure();
    }
    // Neighbouring threads read what other blocks have without bank conflicts.
    kernel.walk([&](ClusterReduceOp reduce) {
      Value result = reduce.getResult(), leader = constraints.leader(result);
      if (reduce.getDim() && !layouts.lookup(leader) &&
          kernel.getCluster() > 1) {
        int64_t bytes = tileType(result).getElementTypeBitWidth() / 8;
        int64_t columns = tileType(result).getShape()[1];
        layouts[leader] = BlockedAttr::byRows(
            &getContext(), columns, std::gcd(columns, kAccessBytes / bytes),
            threadsOf(leader));
      }
    });
    for (WriteSharedOp copy : constraints.copies) {
      Value leader = constraints.leader(copy.getValue());
      if (!layouts.lookup(leader))
        layouts[leader] =
            chooseCopy(kernel, tileType(copy.getValue()),
                       constraints.loadOf(copy.getValue()), threadsOf(leader));
    }
    // Wider tiles first: slices follow from them.
    llvm::SmallDenseSet<Value> children;
    for (Constraints::Slice &slice : constraints.slices)
      children.insert(constraints.leader(slice.child));
    for (Value value : constraints.values) {
      Value leader = constraints.leader(value);
      if (children.contains(leader) || layouts.lookup(leader))
        continue;
      if (tileType(value).getRank() == 0)
        return emitError(value.getLoc())
               << "tile " << tileType(value) << " of rank 0 has no layout";
      layouts[leader] = widerLayout(constraints, layouts, value);
      if (!layouts[leader])
        layouts[leader] =
            chooseDefault(kernel, tileType(value), threadsOf(leader));
    }
    for (Constraints::Slice &slice : constraints.slices) {
      auto parent = dyn_cast_or_null<LayoutInterface>(
          layouts.lookup(constraints.leader(slice.parent)));
      if (!parent)
        return slice.op->emitError(
            "needs a slice of a tile that is itself a slice");
      if (failed(assign(slice.child,
                        SliceAttr::get(&getContext(), slice.dim, parent),
                        slice.op->getLoc())))
        return failure();
    }
    for (Value value : constraints.values) {
      RankedTensorType type = tileType(value);
      value.setType(
          RankedTensorType::get(type.getShape(), type.getElementType(),
                                layouts.lookup(constraints.leader(value))));
    }
    if (failed(checkParts(kernel)))
      return failure();
    kernel.walk([](arith::ConstantOp constant) {
      auto type = dyn_cast<RankedTensorType>(constant.getType());
      auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
      if (type && splat)
        constant.setValueAttr(splat.resizeSplat(type));
    });
    return success();
  }

  /// A constant of its own for each use: what starts a sum and what compares
  /// with the one that blocks share must not share a layout.
  static void separateConstants(KernelOp kernel) {
    SmallVector<Operation *> constants;
    bool reduces = false;
    kernel.walk([&](Operation *op) {
      reduces |= isa<ClusterReduceOp>(op);
      if (isa<SplatOp, arith::ConstantOp>(op) && isTile(op->getResult(0)))
        constants.push_back(op);
    });
    if (!reduces)
      return;
    for (Operation *op : constants)
      for (OpOperand &use : llvm::make_early_inc_range(
               llvm::drop_begin(op->getResult(0).getUses())))
        use.set(OpBuilder(op).clone(*op)->getResult(0));
  }

  LogicalResult checkStatic(Value value) {
    RankedTensorType type = tileType(value);
    auto error = [&] {
      return emitError(value.getLoc()) << "tile " << type << " ";
    };
    Attribute encoding = type.getEncoding();
    if (encoding && !isa<LayoutInterface, SliceAttr>(encoding))
      return error() << "has an encoding that is no layout";
    if (!type.hasStaticShape() || type.getNumElements() == 0)
      return error() << "has no constant, positive extents";
    return success();
  }

  /// Tiles belong to the threads of the role that makes or takes them. What is
  /// made outside all roles belongs to the one that takes it.
  LogicalResult assignThreads(llvm::MapVector<Value, int64_t> &threads,
                              Value leader, Value value) {
    auto assign = [&](Operation *op) -> LogicalResult {
      if (!getRole(op))
        return success();
      int64_t count = getNumThreads(op);
      int64_t &slot = threads[leader];
      if (slot != 0 && slot != count)
        return emitError(value.getLoc())
               << "tile is dealt to roles of " << slot << " and of " << count
               << " threads, expected one role";
      slot = count;
      return success();
    };
    if (Operation *def = value.getDefiningOp())
      if (failed(assign(def)))
        return failure();
    for (Operation *user : value.getUsers())
      if (failed(assign(user)))
        return failure();
    return success();
  }

  /// Operands of a product in registers lie as its warps multiply them.
  LogicalResult assignOperands(Constraints &constraints,
                               llvm::MapVector<Value, Attribute> &layouts,
                               DotOp dot) {
    auto sums = dyn_cast<MmaAttr>(
        layouts.lookup(constraints.leader(dot.getAccumulator())));
    if (!sums || sums.getFragment() != Fragment::M16N8)
      return dot.emitError("warps share K, expected fragments of 16x8, which "
                           "waves of 32 threads have");
    if (dot.getTransposeA() || !dot.getTransposeB())
      return dot.emitError("multiplies operands in registers, expected K in "
                           "rows of both");
    for (auto [dim, operand] :
         llvm::enumerate(ValueRange{dot.getA(), dot.getB()})) {
      if (!isTile(operand))
        return dot.emitError("warps share K, expected operands in registers");
      int64_t bytes = tileType(operand).getElementTypeBitWidth() / 8;
      auto layout = OperandAttr::getChecked(
          [&] { return dot.emitError(); }, &getContext(),
          static_cast<int64_t>(dim), sums,
          kAccessBytes / std::max<int64_t>(bytes, 1));
      if (!layout ||
          failed(layout.verifyEncoding(tileType(operand).getShape(),
                                       tileType(operand).getElementType(),
                                       [&] { return dot.emitError(); })))
        return failure();
      Attribute &slot = layouts[constraints.leader(operand)];
      if (slot && slot != layout)
        return dot.emitError() << "layouts " << slot << " and " << layout
                               << " meet in one operand";
      slot = layout;
    }
    return success();
  }

  /// That of another tile which a tile broadcast to this one is a slice of,
  /// too.
  static Attribute widerLayout(Constraints &constraints,
                               const llvm::MapVector<Value, Attribute> &layouts,
                               Value value) {
    RankedTensorType type = tileType(value);
    ScopedDiagnosticHandler silent(value.getContext(),
                                   [](Diagnostic &) { return success(); });
    for (Constraints::Slice &own : constraints.slices) {
      if (constraints.leader(own.parent) != constraints.leader(value))
        continue;
      for (Constraints::Slice &other : constraints.slices) {
        if (other.dim != own.dim ||
            constraints.leader(other.child) != constraints.leader(own.child))
          continue;
        auto layout = dyn_cast_or_null<VerifiableTensorEncoding>(
            layouts.lookup(constraints.leader(other.parent)));
        if (layout && succeeded(layout.verifyEncoding(
                          type.getShape(), type.getElementType(),
                          [&] { return emitError(value.getLoc()); })))
          return layout;
      }
    }
    return {};
  }

  /// Products whose sums lie alike: those that multiply what others make from
  /// registers, and those whose rows share a slice.
  static SmallVector<SmallVector<DotOp>>
  groupDots(KernelOp kernel, const Constraints &constraints) {
    llvm::EquivalenceClasses<void *> groups;
    auto leaderOf = [&](Value value) {
      return constraints.leader(value).getAsOpaquePointer();
    };
    for (DotOp dot : constraints.dots) {
      groups.insert(leaderOf(dot.getResult()));
      if (kernel.getParts() == 0 && takesSums(dot))
        groups.unionSets(leaderOf(dot.getResult()), leaderOf(dot.getA()));
    }
    llvm::DenseMap<std::pair<void *, int64_t>, void *> parents;
    for (const Constraints::Slice &slice : constraints.slices) {
      void *parent = leaderOf(slice.parent);
      if (!groups.contains(parent))
        continue;
      auto [found, isNew] =
          parents.try_emplace({leaderOf(slice.child), slice.dim}, parent);
      if (!isNew)
        groups.unionSets(found->second, parent);
    }
    llvm::MapVector<void *, SmallVector<DotOp>> found;
    for (DotOp dot : constraints.dots)
      found[dot.getAsync() ? leaderOf(dot.getResult())
                           : groups.getLeaderValue(leaderOf(dot.getResult()))]
          .push_back(dot);
    return llvm::map_to_vector(found, [](auto &group) { return group.second; });
  }
};

} // namespace
