//===- LowerDot.cpp - Which matrix instruction multiplies -----------------===//
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

static constexpr int64_t kSharedSpace = 3;
static constexpr int64_t kChunkBytes = 16;
/// What ldmatrix and TMA want at most.
static constexpr int64_t kSharedAlignment = 1024;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

void KernelLowering::lowerAlloc(AllocOp op) {
  Location loc = op.getLoc();
  SharedType type = op.getResult().getType();
  auto module = function->getParentOfType<gpu::GPUModuleOp>();
  int64_t number = llvm::range_size(module.getOps<LLVM::GlobalOp>());
  LLVM::GlobalOp global;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(function);
    auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), type.getBytes());
    global = LLVM::GlobalOp::create(
        builder, loc, bytes, /*isConstant=*/false, LLVM::Linkage::Internal,
        (kernel.getSymName() + "_shared" + Twine(number)).str(), Attribute(),
        kSharedAlignment, kSharedSpace);
  }
  mapping.map(op.getResult(),
              LLVM::AddressOfOp::create(builder, loc, global).getResult());
}

Value KernelLowering::sharedPointer(Location loc, SharedType type, Value buffer,
                                    Value row, int64_t moreRows, Value column) {
  SwizzleAttr swizzle = type.getSwizzle();
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
  Value offset = arith::AddIOp::create(
      builder, loc,
      arith::MulIOp::create(builder, loc, row, index(loc, type.getRowBytes())),
      column);
  Value bytes =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), offset);
  return LLVM::GEPOp::create(
      builder, loc, buffer.getType(), builder.getI8Type(), buffer,
      ArrayRef<LLVM::GEPArg>{bytes}, LLVM::GEPNoWrapFlags::inbounds);
}

void KernelLowering::lowerWriteShared(WriteSharedOp op) {
  Location loc = op.getLoc();
  SharedType type = op.getBuffer().getType();
  Distribution from(op.getValue().getType());
  Value value = mapping.lookup(op.getValue());
  Value buffer = mapping.lookup(op.getBuffer());
  int64_t bytes = type.getElementBytes();
  int64_t vectorSize = from.vectorSize(1);
  int64_t width =
      std::gcd(vectorSize, std::max<int64_t>(kChunkBytes / bytes, 1));

  // A dimension's position, and whether it is inside where that is not sure.
  auto place = [&](int64_t dim, int64_t slot, Value &inside) -> Value {
    int64_t size = from.vectorSize(dim);
    int64_t offset = from.roundOffset(dim, slot / size) + slot % size;
    Value position = arith::AddIOp::create(
        builder, loc, threadBase(loc, from, dim), index(loc, offset));
    if (from.mayBeInert(dim, slot / size)) {
      Value ok = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       position, index(loc, from.extent(dim)));
      inside = inside
                   ? arith::AndIOp::create(builder, loc, inside, ok).getResult()
                   : ok;
    }
    return position;
  };
  for (int64_t row = 0; row < from.count(0); ++row)
    for (int64_t column = 0; column < from.count(1); column += width) {
      Value inside;
      Value atRow = place(0, row, inside), atColumn = place(1, column, inside);
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

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::lowerDot(DotOp op) {
  RankedTensorType type = op.getResult().getType();
  auto a = dyn_cast<SharedType>(op.getA().getType());
  if (!a || !isa<SharedType>(op.getB().getType()))
    return op.emitError("operands are not in shared memory");
  auto layout = dyn_cast<MmaAttr>(type.getEncoding());
  int64_t wave = *kernel.getWave();
  if (!layout || layout.getWave() != wave)
    return op.emitError() << "accumulates in " << type << " with waves of "
                          << wave << ", expected fragments of such waves";
  int64_t depth = a.getShape()[op.getTransposeA() ? 0 : 1];
  if (layout.getFragment() == Fragment::M16N8)
    return lowerMma(op, depth);
  return lowerMfma(op, depth);
}
