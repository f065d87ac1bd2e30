//===- TileAsync.cpp - Asynchronous copies, mbarriers, roles --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Tile.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

LogicalResult
MbarriersType::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t count) {
  constexpr int64_t most = 64;
  if (count < 1 || count > most)
    return emitError() << count << " mbarriers, expected 1 to " << most;
  return success();
}

LogicalResult
TensorMapAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t operand, Type elementType,
                      ArrayRef<problem::ExprAttr> extents,
                      ArrayRef<problem::ExprAttr> strides,
                      ArrayRef<int64_t> box, int64_t swizzle) {
  if (operand < 0)
    return emitError() << "tensor map of operand " << operand
                       << ", expected at least 0";
  if (!elementType.isIntOrFloat() ||
      elementType.getIntOrFloatBitWidth() % 8 != 0)
    return emitError() << "tensor map of " << elementType
                       << ", expected elements of whole bytes";
  size_t rank = extents.size();
  if (rank < 1 || rank > 5 || strides.size() + 1 != rank || box.size() != rank)
    return emitError() << "tensor map of " << rank << " extents, "
                       << strides.size() << " strides and a box of rank "
                       << box.size() << ", expected ranks 1 to 5 and a stride "
                       << "less";
  for (int64_t size : box)
    if (size < 1 || size > 256)
      return emitError() << "box of " << size << ", expected 1 to 256";
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return emitError() << "swizzle of " << swizzle
                       << " bytes, expected 0, 32, 64 or 128";
  return success();
}

LogicalResult SlotOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(cast<RingType>(adaptor.getRing().getType()).getBuffer());
  return success();
}

/// A buffer that holds a piece of a view: one rank, one element type.
static LogicalResult
verifyTransfer(Operation *op, ViewType view, size_t numOffsets,
               SharedType buffer,
               std::optional<ArrayRef<int64_t>> along = std::nullopt) {
  if (failed(verifyAlong(op, view, along)))
    return failure();
  size_t rank = along ? along->size() : view.getRank();
  if (rank != buffer.getShape().size())
    return op->emitOpError()
           << "moves a view of rank " << rank << ", expected rank "
           << buffer.getShape().size() << " as its buffer has";
  if (failed(verifyOffsets(op, view, numOffsets)))
    return failure();
  if (view.getElementType() != buffer.getElementType())
    return op->emitOpError()
           << "moves elements of " << view.getElementType()
           << ", expected the buffer's " << buffer.getElementType();
  return success();
}

LogicalResult CopyAsyncOp::verify() {
  if (bool(getMbarriers()) != bool(getSlot()))
    return emitOpError("signals an mbarrier without a slot");
  if (getMulticast() && !getMbarriers())
    return emitOpError("multicasts, but signals no mbarrier");
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (kernel && getMulticast() && kernel.getCluster() > kMaxCluster)
    return emitOpError() << "multicasts to " << kernel.getCluster()
                         << " blocks, expected at most " << kMaxCluster;
  if (kernel && getMulticast() &&
      !getBuffer().getType().canMulticast(kernel.getCluster()))
    return emitOpError() << "multicasts " << getBuffer().getType()
                         << ", expected rows in parts of a multiple of 8 for "
                            "each of the cluster's "
                         << kernel.getCluster() << " blocks";
  if (getTable() && !getMbarriers())
    return emitOpError("goes through a table, but signals no mbarrier");
  if (failed(verifyPages(*this, getTable(), getRow().size(), getPage(),
                         getAlong())))
    return failure();
  return verifyTransfer(*this, getView().getType(), getOffsets().size(),
                        getBuffer().getType(), getAlong());
}

LogicalResult PrefetchOp::verify() {
  if (failed(verifyPages(*this, getTable(), getRow().size(), getPage(),
                         getAlong())))
    return failure();
  return verifyTransfer(*this, getView().getType(), getOffsets().size(),
                        cast<SharedType>(getBuffer()), getAlong());
}

LogicalResult PrefetchElementsOp::verify() {
  int64_t rank = getView().getType().getRank();
  if (static_cast<int64_t>(getOffsets().size()) != rank)
    return emitOpError() << "has " << getOffsets().size()
                         << " offsets, expected " << rank;
  std::optional<int64_t> count = getCount().getExpr().asConstant();
  if (rank == 0 || (count && *count < 1))
    return emitOpError() << "asks for '" << getCount().getExpr().str()
                         << "' elements of " << getView().getType()
                         << ", expected at least one of a row";
  return success();
}

/// Warpgroups of the role that `op` is in; 0 where they are not whole.
static int64_t getWarpgroups(Operation *op) {
  if (!op->getParentOfType<RolesOp>() ||
      getNumThreads(op) % kWarpgroupThreads != 0)
    return 0;
  return getNumThreads(op) / kWarpgroupThreads;
}

static LogicalResult verifyWarpgroups(Operation *op, bool warpgroup) {
  if (warpgroup && getWarpgroups(op) == 0)
    return op->emitOpError("is of warpgroups, expected it in a role of them");
  return success();
}

LogicalResult WarpgroupIdOp::verify() {
  return verifyWarpgroups(*this, /*warpgroup=*/true);
}

LogicalResult TeamIdOp::verify() {
  return verifyWarpgroups(*this, /*warpgroup=*/true);
}

LogicalResult BarrierOp::verify() {
  return verifyWarpgroups(*this, getWarpgroup());
}

LogicalResult AwaitStoresOp::verify() {
  return verifyWarpgroups(*this, getWarpgroup());
}

LogicalResult StoreAsyncOp::verify() {
  if (failed(verifyWarpgroups(*this, getWarpgroup())))
    return failure();
  if (int64_t rows = getBuffer().getType().getShape()[0];
      getWarpgroup() && rows % (kWarpgroupRows * getWarpgroups(*this)) != 0)
    return emitOpError() << "is of " << getWarpgroups(*this)
                         << " warpgroups and " << rows
                         << " rows, expected a multiple of " << kWarpgroupRows
                         << " for each";
  return verifyTransfer(*this, getView().getType(), getOffsets().size(),
                        getBuffer().getType());
}

LogicalResult TransposeOp::verify() {
  SmallVector<Expr> from = getTileExtents(getValue().getType());
  SmallVector<Expr> to = getTileExtents(getResult().getType());
  if (from.size() != 2 || to.size() != 2 || from[0] != to[1] ||
      from[1] != to[0] ||
      getValue().getType().getElementType() !=
          getResult().getType().getElementType())
    return emitOpError() << "makes " << getResult().getType() << " of "
                         << getValue().getType()
                         << ", expected the same elements with both dimensions "
                            "exchanged";
  return success();
}

LogicalResult ColumnsOp::verify() {
  RankedTensorType from = getValue().getType(), to = getResult().getType();
  if (from.getRank() != 2 || to.getRank() != 2 ||
      getTileExtents(from).front() != getTileExtents(to).front() ||
      from.getElementType() != to.getElementType())
    return emitOpError() << "takes " << to << " of " << from
                         << ", expected the same rows and elements";
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return success(); // extents of a template are expressions
  int64_t columns = from.getShape()[1], taken = to.getShape()[1];
  if (static_cast<int64_t>(getFirst()) > columns - taken)
    return emitOpError() << "takes " << taken << " columns from column "
                         << getFirst() << " on, expected them among "
                         << columns;
  return success();
}

int64_t ClusterReduceOp::getLogRows() {
  constexpr int64_t panelRows = 8;
  RankedTensorType tile = getValue().getType();
  if (!getLogs() || !tile.hasStaticShape())
    return 0;
  return llvm::alignTo(
      llvm::divideCeil(tile.getShape()[0],
                       std::max<int64_t>(tile.getShape()[1], 1)),
      panelRows);
}

LogicalResult ClusterReduceOp::verify() {
  RankedTensorType from = getValue().getType(), to = getResult().getType();
  if (from.getRank() != 2 || to.getRank() != 2 ||
      !from.getElementType().isF32() || !to.getElementType().isF32())
    return emitOpError() << "reduces " << from << " to " << to
                         << ", expected tiles of rank 2 of f32";
  int64_t parts = getParts(from.getEncoding());
  if (parts > 1 && getKind() != ReduceKind::Add)
    return emitOpError("combines parts of sums otherwise than by adding them");
  if (getLogs()) {
    auto logs = cast<RankedTensorType>(getLogs().getType());
    if (logs.getRank() != 1 || !logs.getElementType().isF32() ||
        getTileExtents(logs)[0] != getTileExtents(from)[0])
      return emitOpError() << "weighs rows of " << from << " by " << logs
                           << ", expected an f32 for each";
    if (getKind() != ReduceKind::Add || parts > 1 || getDim() != 0)
      return emitOpError("weighs what it does not add along 0, or parts");
  }
  if (getBuffer()) {
    ArrayRef<int64_t> shape = getBuffer().getType().getShape();
    int64_t rows = from.getShape()[0];
    bool fits = shape[1] == from.getShape()[1] && rows > 0 &&
                shape[0] > getLogRows() &&
                (shape[0] - getLogRows()) % (rows * parts) == 0;
    if (!fits || !getBuffer().getType().getElementType().isF32())
      return emitOpError() << "goes through " << getBuffer().getType()
                           << ", expected the extents and elements of " << from
                           << " for each of its parts";
  }
  // Extents of a template are expressions.
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel || !kernel.isStatic())
    return success();
  SmallVector<int64_t> whole(to.getShape());
  if (getDim())
    whole[*getDim()] *= kernel.getCluster();
  if (from.getShape() != ArrayRef(whole))
    return emitOpError() << "reduces " << from << " to " << to << ", expected "
                         << (getDim()
                                 ? "one slice for each block of the cluster"
                                 : "the same extents");
  return success();
}

LogicalResult MbarrierArriveOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (getCluster() && kernel && kernel.isStatic() &&
      getNumThreads(*this) < kernel.getCluster())
    return emitOpError() << "is of " << getNumThreads(*this)
                         << " threads, expected one for each of the cluster's "
                         << kernel.getCluster() << " blocks";
  return success();
}

LogicalResult ClusterBarrierOp::verify() {
  if ((*this)->getParentOfType<RolesOp>())
    return emitOpError("is in a role, which other threads of the cluster do "
                       "not run");
  return success();
}

LogicalResult RolesOp::verify() {
  constexpr int64_t threadsPerWarp = 32, mostRegisters = 256;
  size_t count = getBodies().size();
  if (count < 1 || getWarps().size() != count || getThreads().size() != count ||
      getRegisters().size() != count)
    return emitOpError() << "has " << count << " roles, " << getWarps().size()
                         << " warp counts, " << getThreads().size()
                         << " thread counts and " << getRegisters().size()
                         << " register counts, expected one of each per role";
  if (getTeams() && getTeams()->size() != count)
    return emitOpError() << "has " << count << " roles and "
                         << getTeams()->size()
                         << " counts of teams, expected one for each";
  int64_t all = 0;
  for (size_t role = 0; role < count; ++role) {
    int64_t warps = getWarps()[role], threads = getThreads()[role];
    int64_t registers = getRegisters()[role];
    if (warps < 1 || warps % 4 != 0)
      return emitOpError() << "has a role of " << warps
                           << " warps, expected whole warpgroups of 4";
    int64_t teams = getNumTeams(role);
    int64_t ofRole = warps * threadsPerWarp;
    bool fits = threads == 1
                    ? teams == 1
                    : teams >= 1 && ofRole % teams == 0 &&
                          threads == ofRole / teams &&
                          (teams == 1 || threads % kWarpgroupThreads == 0);
    if (!fits)
      return emitOpError() << "has a role of " << teams << " teams of "
                           << threads
                           << " threads, expected one thread, or all " << ofRole
                           << " in teams of whole warpgroups";
    if (registers != 0 &&
        (registers < 24 || registers > mostRegisters || registers % 8 != 0))
      return emitOpError() << "has a role of " << registers
                           << " registers, expected a multiple of 8 from 24 to "
                           << mostRegisters << ", or 0";
    all += warps * threadsPerWarp;
  }
  KernelOp kernel = (*this)->getParentOfType<KernelOp>();
  if (kernel && kernel.isStatic() &&
      static_cast<int64_t>(*kernel.getThreads()) != all)
    return emitOpError() << "has roles of " << all << " threads, expected the "
                         << *kernel.getThreads() << " of the block";
  return success();
}

Region *tile::getRole(Operation *op) {
  Region *region = op->getParentRegion();
  while (region && !isa<RolesOp>(region->getParentOp()))
    region = region->getParentRegion();
  return region;
}

int64_t tile::getNumThreads(Operation *op) {
  if (Region *role = getRole(op))
    return cast<RolesOp>(role->getParentOp())
        .getThreads()[role->getRegionNumber()];
  return *op->getParentOfType<KernelOp>().getThreads();
}
