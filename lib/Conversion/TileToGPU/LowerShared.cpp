//===- LowerShared.cpp - Tiles in shared memory ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

static constexpr int64_t kSharedSpace = 3, kChunkBytes = 16;
/// More than this must be asked for at the launch on NVIDIA (CUDA Programming
/// Guide, "Shared Memory").
static constexpr int64_t kMaxStaticBytes = 48 << 10;

/// The block's shared memory: one array, of the size that the kernel states.
Value KernelLowering::sharedBase(Location loc) {
  if (base)
    return base;
  int64_t bytes = kernel.getSharedBytes().value_or(0);
  constexpr uint64_t nvidiaWave = 32;
  bool isDynamic = kernel.getWave() == nvidiaWave && bytes > kMaxStaticBytes;
  auto module = function->getParentOfType<gpu::GPUModuleOp>();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto type =
      LLVM::LLVMArrayType::get(builder.getI8Type(), isDynamic ? 0 : bytes);
  auto global = LLVM::GlobalOp::create(
      builder, loc, type, /*isConstant=*/false,
      isDynamic ? LLVM::Linkage::External : LLVM::Linkage::Internal,
      (kernel.getSymName() + "_shared").str(), Attribute(), kSharedAlignment,
      kSharedSpace);
  if (isDynamic)
    function->setAttr(getSharedBytesName(), builder.getI64IntegerAttr(bytes));
  builder.setInsertionPointToStart(&function.getBody().front());
  base = LLVM::AddressOfOp::create(builder, loc, global);
  return base;
}

LogicalResult KernelLowering::lowerPlace(Operation *op,
                                         std::optional<int64_t> offset) {
  if (!offset)
    return op->emitError("has no place in shared memory");
  Location loc = op->getLoc();
  mapping.map(op->getResult(0), displace(builder, loc, sharedBase(loc),
                                         builder.getI8Type(), *offset));
  return success();
}

Value KernelLowering::slotAddress(Location loc, Value base, Value slot,
                                  int64_t bytes) {
  Value offset = arith::MulIOp::create(builder, loc, slot, word(loc, bytes));
  return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(),
                             base, ArrayRef<LLVM::GEPArg>{offset},
                             LLVM::GEPNoWrapFlags::inbounds);
}

void KernelLowering::lowerSlot(SlotOp op) {
  mapping.map(op.getResult(),
              slotAddress(op.getLoc(), mapping.lookup(op.getRing()),
                          mapping.lookup(op.getIndex()),
                          op.getRing().getType().getBuffer().getBytes()));
}

Value KernelLowering::sharedPointer(Location loc, SharedType type, Value buffer,
                                    Value row, int64_t moreRows, Value column) {
  SwizzleAttr swizzle = type.getSwizzle();
  Value panel;
  if (type.getNumPanels() > 1) {
    Value width = index(loc, type.getRowBytes());
    panel = arith::MulIOp::create(
        builder, loc, arith::DivUIOp::create(builder, loc, column, width),
        index(loc, type.getPanelBytes()));
    column = arith::RemUIOp::create(builder, loc, column, width);
  }
  if (swizzle.getPhases() > 1) {
    Value phase = arith::RemUIOp::create(
        builder, loc,
        arith::DivUIOp::create(builder, loc, row,
                               index(loc, swizzle.getRows())),
        index(loc, swizzle.getPhases()));
    column = arith::XOrIOp::create(
        builder, loc, column,
        arith::MulIOp::create(builder, loc, phase, index(loc, kChunkBytes)));
  }
  if (moreRows != 0)
    row = arith::AddIOp::create(builder, loc, row, index(loc, moreRows));
  Value band;
  if (type.getBand() != 0) {
    Value rows = index(loc, type.getBand());
    band = arith::MulIOp::create(
        builder, loc, arith::DivUIOp::create(builder, loc, row, rows),
        index(loc, type.getBand() * type.getRowStride()));
    row = arith::RemUIOp::create(builder, loc, row, rows);
  }
  Value offset = arith::AddIOp::create(
      builder, loc,
      arith::MulIOp::create(builder, loc, row, index(loc, type.getRowBytes())),
      column);
  if (band)
    offset = arith::AddIOp::create(builder, loc, offset, band);
  if (panel)
    offset = arith::AddIOp::create(builder, loc, offset, panel);
  Value bytes =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), offset);
  return LLVM::GEPOp::create(
      builder, loc, buffer.getType(), builder.getI8Type(), buffer,
      ArrayRef<LLVM::GEPArg>{bytes}, LLVM::GEPNoWrapFlags::inbounds);
}

void KernelLowering::lowerWriteShared(WriteSharedOp op) {
  SharedType type = op.getBuffer().getType();
  // Roles need an architecture that has stmatrix too.
  RankedTensorType tile = op.getValue().getType();
  bool inFragments = isa<MmaAttr>(tile.getEncoding());
  if (inFragments && role.barrier != 0 && type.getElementBytes() == 2 &&
      Distribution(tile).count(1) % 4 == 0)
    return storeMatrices(op);
  writeShared(op.getLoc(), tile, mapping.lookup(op.getValue()), type,
              mapping.lookup(op.getBuffer()));
}

void KernelLowering::writeShared(Location loc, RankedTensorType tile,
                                 Value value, SharedType type, Value buffer) {
  Distribution from(tile);
  int64_t bytes = type.getElementBytes();
  int64_t vectorSize = from.vectorSize(1);
  int64_t width =
      std::gcd(vectorSize, std::max<int64_t>(kChunkBytes / bytes, 1));

  for (int64_t row = 0; row < from.count(0); ++row)
    for (int64_t column = 0; column < from.count(1); column += width) {
      Value inside;
      Value atRow = slotPosition(loc, from, 0, row, inside);
      Value atColumn = slotPosition(loc, from, 1, column, inside);
      auto store = [&] {
        Value line = vector::ExtractOp::create(builder, loc, value,
                                               ArrayRef<int64_t>{row});
        Value piece = vector::ExtractStridedSliceOp::create(
            builder, loc, line, ArrayRef<int64_t>{column},
            ArrayRef<int64_t>{width}, ArrayRef<int64_t>{1});
        Value byte =
            arith::MulIOp::create(builder, loc, atColumn, index(loc, bytes));
        LLVM::StoreOp::create(
            builder, loc, piece,
            sharedPointer(loc, type, buffer, atRow, /*moreRows=*/0, byte),
            width * bytes);
      };
      if (!inside) {
        store();
        continue;
      }
      scf::IfOp::create(builder, loc, inside, [&](OpBuilder &, Location) {
        store();
        scf::YieldOp::create(builder, loc);
      });
    }
}

/// Whole chunks in turn: there are often none, and seldom many.
void KernelLowering::lowerClearRows(ClearRowsOp op) {
  Location loc = op.getLoc();
  SharedType type = op.getBuffer().getType();
  int64_t rowBytes = type.getShape()[1] * type.getElementBytes();
  Value chunksInRow = index(loc, rowBytes / kChunkBytes);
  Value buffer = mapping.lookup(op.getBuffer());
  Value firstRow = arith::IndexCastOp::create(
      builder, loc, builder.getIndexType(), mapping.lookup(op.getFirst()));
  Value zero =
      arith::ConstantOp::create(builder, loc,
                                builder.getZeroAttr(VectorType::get(
                                    {kChunkBytes / 4}, builder.getI32Type())));
  Value first = arith::AddIOp::create(
      builder, loc, threadId(loc),
      arith::MulIOp::create(builder, loc, firstRow, chunksInRow));
  Value end = index(loc, type.getShape()[0] * (rowBytes / kChunkBytes));
  scf::ForOp::create(
      builder, loc, first, end, index(loc, role.numThreads), ValueRange(),
      [&](OpBuilder &, Location, Value chunk, ValueRange) {
        Value row = arith::DivUIOp::create(builder, loc, chunk, chunksInRow);
        Value byte = arith::MulIOp::create(
            builder, loc,
            arith::RemUIOp::create(builder, loc, chunk, chunksInRow),
            index(loc, kChunkBytes));
        LLVM::StoreOp::create(
            builder, loc, zero,
            sharedPointer(loc, type, buffer, row, /*moreRows=*/0, byte),
            kChunkBytes);
        scf::YieldOp::create(builder, loc);
      });
}

/// Fragments by stmatrix: lane l gives the address of row l % 8 of matrix l
/// / 8. Matrices are rows 0 and 8 of one fragment, then of the warp's next.
void KernelLowering::storeMatrices(WriteSharedOp op) {
  Location loc = op.getLoc();
  SharedType type = op.getBuffer().getType();
  auto layout = cast<MmaAttr>(op.getValue().getType().getEncoding());
  Distribution from(op.getValue().getType());
  Value value = mapping.lookup(op.getValue());
  Value buffer = mapping.lookup(op.getBuffer());
  auto digit = [&](ThreadDigit place) {
    return threadDigit(loc, place, layout.getNumThreads());
  };
  Value row = arith::AddIOp::create(
      builder, loc, digit(layout.getDigits(0).front()), digit({1, 16, 1}));
  ThreadDigit across = layout.getDigits(1).front();
  across.scale *= type.getElementBytes();
  int64_t turnBytes = layout.getTurnSize(1) * type.getElementBytes();
  Value column = digit({16, 2, turnBytes});
  if (across.modulus > 1)
    column = arith::AddIOp::create(builder, loc, column, digit(across));

  Type wordType = builder.getI32Type();
  auto pair = [&](int64_t rowSlot, int64_t columnSlot) -> Value {
    Value line = vector::ExtractOp::create(builder, loc, value,
                                           ArrayRef<int64_t>{rowSlot});
    Value two = vector::ExtractStridedSliceOp::create(
        builder, loc, line, ArrayRef<int64_t>{columnSlot}, ArrayRef<int64_t>{2},
        ArrayRef<int64_t>{1});
    return LLVM::BitcastOp::create(builder, loc, wordType, two);
  };
  for (int64_t down = 0; down < from.count(0); down += 2)
    for (int64_t fragment = 0; fragment < from.count(1) / 2; fragment += 2) {
      Value at = arith::AddIOp::create(builder, loc, column,
                                       index(loc, fragment * turnBytes));
      SmallVector<Value> operands{sharedPointer(
          loc, type, buffer, row, down / 2 * layout.getTurnSize(0), at)};
      for (int64_t next = 0; next < 2; ++next)
        for (int64_t half = 0; half < 2; ++half)
          operands.push_back(pair(down + half, 2 * (fragment + next)));
      intrinsic(loc, "llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16.p3",
                operands);
    }
}
