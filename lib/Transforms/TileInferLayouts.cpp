//===- TileInferLayouts.cpp - Give every tile a layout --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Transforms/Passes.h"

#include "Tile/Tile.h"

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
    // What one product makes and another multiplies from registers.
    SmallVector<DotOp> byRows;
    llvm::SmallDenseSet<Value> multiplied;
    if (kernel.getParts() == 0)
      for (DotOp dot : constraints.dots)
        if (isTile(dot.getA()) && !isTile(dot.getB()))
          multiplied.insert(constraints.leader(dot.getA()));
    for (DotOp dot : constraints.dots)
      if ((isTile(dot.getA()) && !isTile(dot.getB())) ||
          multiplied.contains(constraints.leader(dot.getResult())))
        byRows.push_back(dot);
    for (DotOp dot : constraints.dots) {
      Value leader = constraints.leader(dot.getResult());
      if (layouts.lookup(leader))
        continue;
      bool isByRows = kernel.getParts() == 0 && llvm::is_contained(byRows, dot);
      MmaAttr layout =
          dot.getAsync() ? asyncLayout(kernel, dot, threadsOf(leader))
          : isByRows     ? rowLayout(kernel, byRows, threadsOf(leader))
                         : accumulatorLayout(kernel, dot, threadsOf(leader));
      if (!layout)
        return failure();
      layouts[leader] = layout;
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
    for (WriteSharedOp copy : constraints.copies) {
      Value leader = constraints.leader(copy.getValue());
      if (!layouts.lookup(leader))
        layouts[leader] =
            copyLayout(kernel, tileType(copy.getValue()), threadsOf(leader));
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
            defaultLayout(kernel, tileType(value), threadsOf(leader));
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
    constexpr int64_t accessBytes = 16;
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
          accessBytes / std::max<int64_t>(bytes, 1));
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

  /// A warpgroup takes 64 rows of an asynchronous product, and all columns.
  MmaAttr asyncLayout(KernelOp kernel, DotOp dot, int64_t numThreads) {
    RankedTensorType type = tileType(dot.getResult());
    int64_t rows = type.getShape()[0], columns = type.getShape()[1];
    constexpr int64_t fragmentColumns = 8;
    int64_t groups = numThreads / kWarpgroupThreads;
    if (*kernel.getWave() != 32 || numThreads % kWarpgroupThreads != 0 ||
        rows % (kWarpgroupRows * groups) != 0 ||
        columns % fragmentColumns != 0) {
      dot.emitError() << "accumulator " << type
                      << " of an asynchronous product "
                      << "by " << numThreads << " threads in waves of "
                      << *kernel.getWave()
                      << ", expected 64 rows for each 128 threads in waves of "
                         "32, and a multiple of 8 columns";
      return {};
    }
    return MmaAttr::get(&getContext(), Fragment::M16N8, {4 * groups, 1});
  }

  /// Each warp has whole rows of the sums of all `dots`, in the largest
  /// fragments that divide them: so what one product makes lies as the next
  /// takes its rows.
  MmaAttr rowLayout(KernelOp kernel, ArrayRef<DotOp> dots, int64_t numThreads) {
    int64_t wave = *kernel.getWave(), numWarps = numThreads / wave;
    for (Fragment fragment :
         {Fragment::M32N32, Fragment::M16N16, Fragment::M16N8}) {
      auto layout = MmaAttr::get(&getContext(), fragment, {numWarps, 1});
      bool fits = layout.getWave() == wave && numThreads % wave == 0;
      for (DotOp dot : dots) {
        ArrayRef<int64_t> shape = dot.getResult().getType().getShape();
        fits &= shape[0] % layout.getTurnSize(0) == 0 &&
                shape[1] % layout.getTurnSize(1) == 0;
      }
      if (fits)
        return layout;
    }
    InFlightDiagnostic diag =
        DotOp(dots.front()).emitError()
        << "no fragments divide the sums of products that take each other's "
           "rows among "
        << numWarps << " warps of " << wave << " threads:";
    for (DotOp dot : dots)
      diag << " " << dot.getResult().getType();
    return {};
  }

  /// Warps as a grid over the accumulator, such that each reads few operands,
  /// of the largest fragments that divide it.
  MmaAttr accumulatorLayout(KernelOp kernel, DotOp dot, int64_t numThreads) {
    RankedTensorType type = tileType(dot.getResult());
    int64_t rows = type.getShape()[0], columns = type.getShape()[1];
    int64_t wave = *kernel.getWave();
    if (wave != 32 && wave != 64) {
      dot.emitError() << "no fragments for waves of " << wave
                      << " threads, expected 32 or 64";
      return {};
    }
    int64_t parts = std::max<int64_t>(kernel.getParts(), 1);
    if (numThreads % (wave * parts) != 0) {
      dot.emitError() << "schedule has PARTS = " << parts
                      << ", expected a divisor of the " << numThreads / wave
                      << " warps";
      return {};
    }
    int64_t numWarps = numThreads / wave / parts;
    for (Fragment fragment :
         {Fragment::M32N32, Fragment::M16N16, Fragment::M16N8}) {
      MmaAttr best;
      int64_t fewest = 0;
      for (int64_t down = 1; down <= numWarps; ++down) {
        if (numWarps % down != 0)
          continue;
        int64_t across = numWarps / down;
        auto layout = MmaAttr::get(&getContext(), fragment,
                                   ArrayRef<int64_t>{down, across}, parts);
        if (layout.getWave() != wave || rows % layout.getTurnSize(0) != 0 ||
            columns % layout.getTurnSize(1) != 0)
          continue;
        int64_t reads = rows / down + columns / across;
        if (best && reads > fewest)
          continue;
        best = layout;
        fewest = reads;
      }
      if (best)
        return best;
    }
    dot.emitError() << "accumulator " << type
                    << " cannot be shared out in fragments of "
                    << (wave == 32 ? "16x8" : "16x16") << " to " << numWarps
                    << " warps";
    return {};
  }

  /// Neighbouring threads take neighbours in a row, whole rows first.
  BlockedAttr copyLayout(KernelOp kernel, RankedTensorType type,
                         int64_t numThreads) {
    int64_t columns = type.getShape()[1];
    int64_t vector =
        std::gcd(kernel.getScheduleValue("VEC").value_or(1), columns);
    return BlockedAttr::byRows(&getContext(), columns, vector, numThreads);
  }

  /// Rows to thread groups, VEC elements of a row to each thread in turn. Where
  /// rows share a wave, one takes as many of its lanes as it has vectors, and
  /// the others follow in further rounds: then accesses are whole rows, and
  /// what all rows read is read once.
  BlockedAttr defaultLayout(KernelOp kernel, RankedTensorType type,
                            int64_t numThreads) {
    int64_t rank = type.getRank();
    SmallVector<int64_t> vector(rank, 1), threads(rank, 1);
    vector.back() = std::gcd(kernel.getScheduleValue("VEC").value_or(1),
                             type.getShape().back());
    if (rank > 1) {
      int64_t rows = std::min(type.getShape()[rank - 2], numThreads);
      while (numThreads % rows != 0)
        --rows;
      int64_t wave = *kernel.getWave();
      int64_t vectors = type.getShape().back() / vector.back();
      while (rows % 2 == 0 && numThreads / rows < std::min(wave, vectors))
        rows /= 2;
      threads[rank - 2] = rows;
    }
    threads.back() = numThreads / (rank > 1 ? threads[rank - 2] : 1);
    return BlockedAttr::get(&getContext(), vector, threads);
  }
};

} // namespace
