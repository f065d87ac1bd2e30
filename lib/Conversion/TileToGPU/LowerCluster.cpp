//===- LowerCluster.cpp - Blocks that reach each other's memory -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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
  for (int64_t row = 0; row < to.count(0); ++row)
    for (int64_t column = 0; column < to.count(1); column += width) {
      Value inside;
      Value atRow = place(0, row, inside), atColumn = place(1, column, inside);
      Value byte =
          arith::MulIOp::create(builder, loc, atColumn, index(loc, bytes));
      Value sum = loadIf(builder, loc, inside, pieceType, [&] {
        Value total;
        for (Value peer : peers)
          for (int64_t part = 0; part < parts; ++part) {
            Value piece = LLVM::LoadOp::create(
                builder, loc, pieceType,
                sharedPointer(loc, shared, peer, atRow, part * rows, byte),
                width * bytes);
            total = total ? combine(loc, op.getKind(), total, piece) : piece;
          }
        return total;
      });
      result = vector::InsertStridedSliceOp::create(
          builder, loc, sum, result, ArrayRef<int64_t>{row, column},
          ArrayRef<int64_t>{1});
    }
  mapping.map(op.getResult(), result);
  // No block leaves while another may read its memory.
  if (blocks > 1)
    clusterBarrier(loc);
  return success();
}
