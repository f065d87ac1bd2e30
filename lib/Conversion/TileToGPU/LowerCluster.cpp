//===- LowerCluster.cpp - Blocks that reach each other's memory -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

static constexpr int64_t kClusterSpace = 7;

int64_t KernelLowering::clusterSize() { return kernel.getCluster(); }

Value KernelLowering::clusterRank(Location loc) {
  if (clusterSize() == 1)
    return index(loc, 0);
  Value rank = intrinsic(loc, "llvm.nvvm.read.ptx.sreg.cluster.ctarank", {},
                         builder.getI32Type());
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                      rank);
}

void KernelLowering::lowerClusterId(ClusterIdOp op) {
  Location loc = op.getLoc();
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  if (clusterSize() > 1)
    block =
        arith::DivUIOp::create(builder, loc, block, index(loc, clusterSize()));
  mapping.map(op.getResult(), block);
}

/// Behind roles the threads of a warp may come one by one.
void KernelLowering::lowerClusterBarrier(ClusterBarrierOp op) {
  Location loc = op.getLoc();
  if (clusterSize() == 1)
    return lowerBarrier(loc);
  intrinsic(loc, "llvm.nvvm.barrier.cluster.arrive", {});
  intrinsic(loc, "llvm.nvvm.barrier.cluster.wait", {});
}

void KernelLowering::clusterBarrier(Location loc) {
  if (clusterSize() == 1)
    return lowerBarrier(loc);
  intrinsic(loc, "llvm.nvvm.barrier.cluster.arrive.aligned", {});
  intrinsic(loc, "llvm.nvvm.barrier.cluster.wait.aligned", {});
}

Value KernelLowering::partAddress(Location loc, RankedTensorType tile,
                                  SharedType shared, Value buffer) {
  MmaAttr sums = getFragments(tile.getEncoding());
  if (!sums || sums.getParts() == 1)
    return buffer;
  Value part = threadDigit(loc, sums.getPartDigit(), sums.getNumThreads());
  return slotAddress(loc, buffer, toWord(loc, part),
                     tile.getShape()[0] * shared.getRowStride());
}

/// Where the logarithm of row `atRow` lies in a block's buffer: below the tile.
Value KernelLowering::logAddress(ClusterReduceOp op, SharedType shared,
                                 Value buffer, Value atRow) {
  Location loc = op.getLoc();
  ArrayRef<int64_t> shape = op.getValue().getType().getShape();
  Value row = index(loc, 0), column = atRow;
  if (shape[0] > shape[1]) {
    row = arith::DivUIOp::create(builder, loc, atRow, index(loc, shape[1]));
    column = arith::RemUIOp::create(builder, loc, atRow, index(loc, shape[1]));
  }
  column = arith::MulIOp::create(builder, loc, column,
                                 index(loc, shared.getElementBytes()));
  return sharedPointer(loc, shared, buffer, row, shape[0], column);
}

/// Of the threads that have a row the first writes its logarithm.
void KernelLowering::writeLogs(ClusterReduceOp op, SharedType shared,
                               Value buffer) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getLogs().getType());
  auto slice = cast<SliceAttr>(type.getEncoding());
  Distribution from(type);
  Value isFirst = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq,
      threadSum(loc, slice.getParent(), slice.getDim()), index(loc, 0));
  for (int64_t slot = 0; slot < from.count(0); ++slot) {
    Value inside = isFirst;
    Value atRow = slotPosition(loc, from, 0, slot, inside);
    scf::IfOp::create(builder, loc, inside, [&](OpBuilder &, Location) {
      Value log = vector::ExtractOp::create(
          builder, loc, mapping.lookup(op.getLogs()), ArrayRef<int64_t>{slot});
      LLVM::StoreOp::create(builder, loc, log,
                            logAddress(op, shared, buffer, atRow),
                            shared.getElementBytes());
      scf::YieldOp::create(builder, loc);
    });
  }
}

/// What each block's row counts for.
SmallVector<Value> KernelLowering::sharesOf(ClusterReduceOp op,
                                            SharedType shared,
                                            ArrayRef<Value> peers, Value atRow,
                                            Value inside) {
  Location loc = op.getLoc();
  Type f32 = builder.getF32Type();
  auto type = VectorType::get({1}, f32);
  SmallVector<Value> logs;
  Value max;
  for (Value peer : peers) {
    Value loaded = loadIf(builder, loc, inside, type, [&]() -> Value {
      return LLVM::LoadOp::create(builder, loc, type,
                                  logAddress(op, shared, peer, atRow),
                                  shared.getElementBytes());
    });
    logs.push_back(
        vector::ExtractOp::create(builder, loc, loaded, ArrayRef<int64_t>{0}));
    max = max ? combine(loc, ReduceKind::Max, max, logs.back()) : logs.back();
  }
  Value lowest = neutral(loc, ReduceKind::Max, f32);
  Value zero = neutral(loc, ReduceKind::Add, f32);
  Value isLowest = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OEQ, max, lowest);
  Value base = arith::SelectOp::create(builder, loc, isLowest, zero, max);
  SmallVector<Value> weights;
  Value total;
  for (Value log : logs) {
    weights.push_back(math::Exp2Op::create(
        builder, loc, arith::SubFOp::create(builder, loc, log, base)));
    total = total ? combine(loc, ReduceKind::Add, total, weights.back())
                  : weights.back();
  }
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(1));
  Value inverse = arith::DivFOp::create(builder, loc, one, total);
  for (Value &weight : weights)
    weight = arith::MulFOp::create(builder, loc, weight, inverse);
  return weights;
}

LogicalResult KernelLowering::lowerClusterReduce(ClusterReduceOp op) {
  Location loc = op.getLoc();
  int64_t blocks = clusterSize();
  if (blocks < 1 || blocks > kMaxCluster)
    return op.emitError() << "clusters of " << blocks
                          << " blocks, expected 1 to " << kMaxCluster;
  if (!op.getBuffer())
    return op.emitError("has no buffer to go through");
  SharedType shared = op.getBuffer().getType();
  Distribution to(op.getResult().getType());
  Value buffer = mapping.lookup(op.getBuffer());
  // In a loop, slower blocks may still read what the last turn left.
  if (op->getParentOfType<scf::ForOp>())
    clusterBarrier(loc);
  RankedTensorType tile = op.getValue().getType();
  int64_t rows = tile.getShape()[0], parts = getParts(tile.getEncoding());
  writeShared(loc, tile, mapping.lookup(op.getValue()), shared,
              partAddress(loc, tile, shared, buffer));
  if (op.getLogs())
    writeLogs(op, shared, buffer);
  clusterBarrier(loc);

  SmallVector<Value> peers{buffer};
  Value first = index(loc, 0);
  if (blocks > 1) {
    if (op.getDim())
      first = arith::MulIOp::create(builder, loc, clusterRank(loc),
                                    index(loc, to.extent(*op.getDim())));
    auto pointer =
        LLVM::LLVMPointerType::get(builder.getContext(), kClusterSpace);
    peers.clear();
    for (int64_t peer = 0; peer < blocks; ++peer)
      peers.push_back(intrinsic(loc, "llvm.nvvm.mapa.shared.cluster",
                                {buffer, word(loc, peer)}, pointer));
  }

  int64_t bytes = shared.getElementBytes(), vectorSize = to.vectorSize(1);
  int64_t width = std::gcd(vectorSize, 16 / bytes);
  auto pieceType = VectorType::get({width}, shared.getElementType());
  Value result = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(to.threadType()));
  auto place = [&](int64_t dim, int64_t slot, Value &inside) -> Value {
    Value position = slotPosition(loc, to, dim, slot, inside);
    if (op.getDim() && dim == static_cast<int64_t>(*op.getDim()))
      position = arith::AddIOp::create(builder, loc, position, first);
    return position;
  };
  for (int64_t row = 0; row < to.count(0); ++row) {
    SmallVector<Value> shares;
    Value hasRow;
    if (Value atRow = place(0, row, hasRow); op.getLogs())
      shares = sharesOf(op, shared, peers, atRow, hasRow);
    for (int64_t column = 0; column < to.count(1); column += width) {
      Value inside;
      Value atRow = place(0, row, inside), atColumn = place(1, column, inside);
      Value byte =
          arith::MulIOp::create(builder, loc, atColumn, index(loc, bytes));
      Value sum = loadIf(builder, loc, inside, pieceType, [&] {
        Value total;
        for (auto [number, peer] : llvm::enumerate(peers))
          for (int64_t part = 0; part < parts; ++part) {
            Value piece = LLVM::LoadOp::create(
                builder, loc, pieceType,
                sharedPointer(loc, shared, peer, atRow, part * rows, byte),
                width * bytes);
            if (op.getLogs())
              piece = arith::MulFOp::create(
                  builder, loc, piece,
                  vector::BroadcastOp::create(builder, loc, pieceType,
                                              shares[number]),
                  arith::FastMathFlags::contract);
            total = total ? combine(loc, op.getKind(), total, piece) : piece;
          }
        return total;
      });
      result = vector::InsertStridedSliceOp::create(
          builder, loc, sum, result, ArrayRef<int64_t>{row, column},
          ArrayRef<int64_t>{1});
    }
  }
  mapping.map(op.getResult(), result);
  // No block leaves while another may read its memory. Where they meet again
  // anyway, nothing takes the buffer's place until then.
  auto later =
      llvm::make_range(std::next(op->getIterator()), op->getBlock()->end());
  if (blocks > 1 && llvm::none_of(later, llvm::IsaPred<ClusterReduceOp>))
    clusterBarrier(loc);
  return success();
}
