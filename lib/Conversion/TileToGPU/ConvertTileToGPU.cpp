//===- ConvertTileToGPU.cpp - Distribute tiles over threads ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "lathe/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace lathe {
#define GEN_PASS_DEF_CONVERTTILETOGPU
#include "lathe/Conversion/Passes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

namespace {
struct ConvertTileToGPU : lathe::impl::ConvertTileToGPUBase<ConvertTileToGPU> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    for (KernelOp kernel :
         llvm::make_early_inc_range(getOperation().getOps<KernelOp>())) {
      builder.setInsertionPoint(kernel);
      if (failed(KernelLowering(kernel, builder).run()))
        return signalPassFailure();
      kernel.erase();
    }
    getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                            builder.getUnitAttr());
  }
};
} // namespace

/// More would never fit a register file, and every element becomes operations.
static constexpr int64_t kMaxElementsPerThread = 4096;

/// Every tile needs a layout over the kernel's threads, in whole vectors.
static LogicalResult checkLayouts(KernelOp kernel) {
  auto check = [&](Operation *op, Type type) -> LogicalResult {
    auto tileType = dyn_cast<RankedTensorType>(type);
    if (!tileType)
      return success();
    if (!isa_and_nonnull<LayoutInterface, SliceAttr>(tileType.getEncoding()))
      return op->emitError() << "tile " << tileType << " has no layout";
    Distribution distribution(tileType);
    if (int64_t threads = getNumThreads(op);
        distribution.layout().getNumThreads() != threads)
      return op->emitError()
             << "layout deals to " << distribution.layout().getNumThreads()
             << " threads, expected " << threads;
    if (tileType.getRank() == 0)
      return op->emitError("a tile of rank 0 cannot be distributed");
    for (int64_t dim = 0; dim < tileType.getRank(); ++dim)
      if (distribution.extent(dim) % distribution.vectorSize(dim) != 0)
        return op->emitError()
               << "layout vector " << distribution.vectorSize(dim)
               << " does not divide extent " << distribution.extent(dim);
    int64_t held = 1;
    for (int64_t dim = 0; dim < tileType.getRank(); ++dim)
      if (llvm::MulOverflow(held, distribution.count(dim), held) || held < 1 ||
          held > kMaxElementsPerThread)
        return op->emitError() << "tile " << tileType
                               << " gives a thread no element or more than "
                               << kMaxElementsPerThread;
    return success();
  };
  WalkResult result = kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (failed(check(op, type)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Views must be of whole bytes, their extents and strides computable.
LogicalResult KernelLowering::checkViews() {
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    auto view = dyn_cast<ViewType>(argument.getType());
    if (!view || argument.use_empty())
      continue;
    Type element = view.getElementType();
    if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)
      return kernel.emitError()
             << "view of " << element << ", expected elements of whole bytes";
    for (int64_t dim = 0; dim < view.getRank(); ++dim)
      for (const Expr &expr :
           {view.getExtents()[dim].getExpr(), view.getStride(dim)})
        if (!isComputable(expr))
          return kernel.emitError()
                 << "cannot compute '" << expr.str() << "' at run time";
    for (ArrayRef<problem::ExprAttr> exprs :
         {view.getSplits(), view.getRunStrides()})
      for (problem::ExprAttr expr : exprs)
        if (!isComputable(expr.getExpr()))
          return kernel.emitError()
                 << "cannot compute '" << expr.getText() << "' at run time";
  }
  return success();
}

LogicalResult KernelLowering::run() {
  if (!kernel.isStatic())
    return kernel.emitError("kernel is not specialized");
  if (failed(checkLayouts(kernel)) || failed(checkParts(kernel)) ||
      failed(checkViews()) || failed(collectTensorMaps()))
    return failure();
  auto module =
      gpu::GPUModuleOp::create(builder, kernel.getLoc(), kernel.getSymName());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  function = createFunction(module);
  role.entry = &function.getBody().front();
  role.numThreads = *kernel.getThreads();
  builder.setInsertionPointToStart(role.entry);
  if (failed(lowerBlock(kernel.getBody().front()))) {
    module.erase();
    return failure();
  }
  gpu::ReturnOp::create(builder, kernel.getLoc());
  return success();
}

Type KernelLowering::convertType(Type type) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return Distribution(tile).threadType();
  if (isa<ViewType>(type))
    return LLVM::LLVMPointerType::get(type.getContext(), /*addressSpace=*/1);
  return type;
}

/// Pointers, run-time dims, scalars: the kernel ABI.
gpu::GPUFuncOp KernelLowering::createFunction(gpu::GPUModuleOp module) {
  Block &body = kernel.getBody().front();
  size_t numDims = kernel.getDims() ? kernel.getDims()->size() : 0;
  SmallVector<BlockArgument> order;
  auto arguments = body.getArguments();
  auto fixed = arguments.drop_back(numDims);
  llvm::append_range(order, llvm::make_filter_range(fixed, [](BlockArgument a) {
                       return isa<ViewType>(a.getType());
                     }));
  llvm::append_range(order, arguments.take_back(numDims));
  llvm::append_range(order, llvm::make_filter_range(fixed, [](BlockArgument a) {
                       return !isa<ViewType>(a.getType());
                     }));

  SmallVector<Type> types;
  for (BlockArgument argument : order)
    types.push_back(convertType(argument.getType()));
  types.append(tensorMaps.size(),
               LLVM::LLVMPointerType::get(module.getContext()));
  auto func =
      gpu::GPUFuncOp::create(builder, kernel.getLoc(), kernel.getSymName(),
                             builder.getFunctionType(types, {}));
  func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                builder.getUnitAttr());
  func.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr(
      {static_cast<int32_t>(*kernel.getThreads()), 1, 1}));
  if (clusterSize() > 1)
    func->setAttr("nvvm.cluster_dim",
                  builder.getDenseI32ArrayAttr(
                      {static_cast<int32_t>(clusterSize()), 1, 1}));

  SmallPtrSet<Value, 4> stored, loaded;
  kernel.walk([&](StoreOp store) { stored.insert(store.getView()); });
  kernel.walk([&](LoadOp load) {
    loaded.insert(load.getView());
    if (load.getTable())
      loaded.insert(load.getTable());
  });
  kernel.walk([&](LoadGroupsOp load) { loaded.insert(load.getView()); });
  kernel.walk([&](LoadElementOp load) { loaded.insert(load.getView()); });
  DenseI64ArrayAttr mayAlias = kernel.getMayAliasAttr();
  for (auto [position, argument] : llvm::enumerate(order)) {
    mapping.map(argument, func.getArgument(position));
    if (!isa<ViewType>(argument.getType()))
      continue;
    auto set = [&, index = position](StringRef name, Attribute value) {
      func.setArgAttr(index, name, value);
    };
    bool aliases =
        mayAlias &&
        llvm::is_contained(mayAlias.asArrayRef(),
                           static_cast<int64_t>(argument.getArgNumber()));
    if (!aliases) {
      set(LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
      if (!stored.contains(argument))
        set(LLVM::LLVMDialect::getReadonlyAttrName(), builder.getUnitAttr());
      else if (!loaded.contains(argument))
        set(LLVM::LLVMDialect::getWriteOnlyAttrName(), builder.getUnitAttr());
    }
    set(LLVM::LLVMDialect::getAlignAttrName(),
        builder.getI64IntegerAttr(kernel.getAlignment().value_or(1)));
  }
  function = func;
  describeTensorMaps();
  return func;
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::lowerBlock(Block &block) {
  for (Operation &op : block)
    if (failed(lowerOp(&op)))
      return failure();
  return success();
}

LogicalResult KernelLowering::lowerOp(Operation *op) {
  Location loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<ReturnOp>([](auto) { return success(); })
      .Case<ProgramIdOp>([&](ProgramIdOp id) {
        mapping.map(id.getResult(),
                    gpu::BlockIdOp::create(
                        builder, loc, static_cast<gpu::Dimension>(id.getAxis()))
                        .getResult());
        return success();
      })
      .Case<NumProgramsOp>([&](NumProgramsOp num) {
        mapping.map(
            num.getResult(),
            gpu::GridDimOp::create(builder, loc,
                                   static_cast<gpu::Dimension>(num.getAxis()))
                .getResult());
        return success();
      })
      .Case<SizeOp>([&](SizeOp size) {
        Expr expr = size.getExpr().getExpr();
        if (!isComputable(expr))
          return LogicalResult(size.emitError()
                               << "cannot compute '" << expr.str()
                               << "' at run time");
        mapping.map(size.getResult(), materialize(loc, expr));
        return LogicalResult(success());
      })
      .Case<LoadOp>([&](auto load) { return lowerLoad(load); })
      .Case<LoadGroupsOp>([&](auto load) { return lowerLoadGroups(load); })
      .Case<LoadElementOp>([&](auto load) {
        lowerLoadElement(load);
        return success();
      })
      .Case<IotaOp>([&](auto iota) {
        lowerIota(iota);
        return success();
      })
      .Case<StoreOp>([&](auto store) { return lowerStore(store); })
      .Case<InBoundsOp>([&](auto mask) { return lowerInBounds(mask); })
      .Case<ScalarOp>([&](auto scalar) { return lowerScalar(scalar); })
      .Case<ReduceOp>([&](auto reduce) { return lowerReduce(reduce); })
      .Case<DotOp>([&](auto dot) { return lowerDot(dot); })
      .Case<AllocOp>(
          [&](AllocOp alloc) { return lowerPlace(alloc, alloc.getOffset()); })
      .Case<SlotOp>([&](auto slot) {
        lowerSlot(slot);
        return success();
      })
      .Case<WriteSharedOp>([&](WriteSharedOp write) {
        lowerWriteShared(write);
        return success();
      })
      .Case<ClearRowsOp>([&](ClearRowsOp clear) {
        lowerClearRows(clear);
        return success();
      })
      .Case<BarrierOp>([&](BarrierOp barrier) {
        lowerBarrier(loc, barrier.getWarpgroup());
        return success();
      })
      .Case<RolesOp>([&](auto roles) { return lowerRoles(roles); })
      .Case<WarpgroupIdOp>([&](auto id) {
        mapping.map(id.getResult(), role.warpgroup);
        return success();
      })
      .Case<TeamIdOp>([&](auto id) {
        mapping.map(id.getResult(), role.team ? role.team : word(loc, 0));
        return success();
      })
      .Case<EndRoleOp>([](auto) { return success(); })
      .Case<RasterOp>([&](auto raster) {
        lowerRaster(raster);
        return success();
      })
      .Case<ClusterRankOp>([&](auto rank) {
        mapping.map(rank.getResult(), clusterRank(loc));
        return success();
      })
      .Case<ClusterIdOp>([&](auto id) {
        lowerClusterId(id);
        return success();
      })
      .Case<ClusterBarrierOp>([&](auto barrier) {
        lowerClusterBarrier(barrier);
        return success();
      })
      .Case<ClusterReduceOp>(
          [&](auto reduce) { return lowerClusterReduce(reduce); })
      .Case<TransposeOp>([&](TransposeOp transpose) {
        mapping.map(transpose.getResult(),
                    vector::TransposeOp::create(
                        builder, loc, mapping.lookup(transpose.getValue()),
                        ArrayRef<int64_t>{1, 0})
                        .getResult());
        return success();
      })
      .Case<CopyAsyncOp, PrefetchOp, PrefetchElementsOp, CommitCopiesOp,
            AwaitCopiesOp, InitMbarriersOp, MbarrierExpectOp, MbarrierArriveOp,
            MbarrierWaitOp, AwaitDotsOp, FenceAsyncOp, StoreAsyncOp,
            AwaitStoresOp>([&](auto async) { return lowerAsync(async); })
      .Case<ConvertOp>([&](auto convert) { return lowerConvert(convert); })
      .Case<ColumnsOp>([&](auto columns) { return lowerColumns(columns); })
      .Case<BroadcastOp>([&](BroadcastOp broadcast) {
        lowerBroadcast(broadcast);
        return success();
      })
      .Case<SplatOp>([&](SplatOp splat) {
        lowerSplat(splat);
        return success();
      })
      .Case<scf::ForOp>([&](auto) { return lowerFor(op); })
      .Case<scf::IfOp>([&](auto) { return lowerIf(op); })
      .Case<scf::YieldOp>([&](scf::YieldOp yield) {
        SmallVector<Value> values;
        for (auto [value, result] : llvm::zip_equal(
                 yield.getOperands(), yield->getParentOp()->getResults()))
          values.push_back(
              carry(loc, value, lookupAs(loc, value, isUnderWay(result))));
        scf::YieldOp::create(builder, loc, values);
        return success();
      })
      .Case<arith::CmpIOp>([&](auto compare) { return lowerCompare(compare); })
      .Case<arith::ConstantOp>(
          [&](auto constant) { return lowerConstant(constant); })
      .Default([&](Operation *) { return lowerElementwise(op); });
}

LogicalResult KernelLowering::lowerElementwise(Operation *op) {
  auto isTile = llvm::IsaPred<RankedTensorType>;
  bool touchesTiles = llvm::any_of(op->getOperandTypes(), isTile) ||
                      llvm::any_of(op->getResultTypes(), isTile);
  if (!touchesTiles && op->getNumRegions() == 0) {
    builder.clone(*op, mapping);
    return success();
  }
  if (!op->hasTrait<OpTrait::Elementwise>())
    return op->emitError() << "'" << op->getName()
                           << "' cannot be distributed over threads";
  for (Value value : op->getOperands())
    if (Type element = getElementTypeOrSelf(value.getType());
        storageType(element) != element && !isa<arith::SelectOp>(op))
      return op->emitError() << "'" << op->getName() << "' of " << element
                             << ", expected a wider type from tile.convert";
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.operands.push_back(mapping.lookup(operand));
  for (Type type : op->getResultTypes())
    state.types.push_back(convertType(type));
  state.attributes = op->getAttrDictionary();
  Operation *lowered = builder.create(state);
  mapping.map(op->getResults(), lowered->getResults());
  return success();
}

void KernelLowering::lowerBroadcast(BroadcastOp op) {
  Location loc = op.getLoc();
  Value value = mapping.lookup(op.getValue());
  auto to = cast<VectorType>(convertType(op.getResult().getType()));
  // vector.broadcast adds leading dimensions only: insert a unit one first.
  SmallVector<int64_t> shape(cast<VectorType>(value.getType()).getShape());
  shape.insert(shape.begin() + op.getDim(), 1);
  value = vector::ShapeCastOp::create(
      builder, loc, VectorType::get(shape, to.getElementType()), value);
  mapping.map(op.getResult(),
              vector::BroadcastOp::create(builder, loc, to, value).getResult());
}

//===----------------------------------------------------------------------===//
// Shared pieces
//===----------------------------------------------------------------------===//

Value KernelLowering::index(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value KernelLowering::word(Location loc, int64_t value, unsigned width) {
  return arith::ConstantIntOp::create(builder, loc, value, width);
}

Value KernelLowering::toWord(Location loc, Value value) {
  if (value.getType().isInteger(32))
    return value;
  return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), value);
}

Value KernelLowering::intrinsic(Location loc, StringRef name,
                                ValueRange operands, Type result) {
  StringAttr intrinsic = builder.getStringAttr(name);
  if (!result) {
    LLVM::CallIntrinsicOp::create(builder, loc, intrinsic, operands);
    return {};
  }
  return LLVM::CallIntrinsicOp::create(builder, loc, result, intrinsic,
                                       operands)
      .getResult(0);
}

Value KernelLowering::threadId(Location loc) {
  if (!role.tid) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(role.entry);
    role.tid = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  }
  return role.tid;
}
