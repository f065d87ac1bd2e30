//===- LowerOperands.cpp - Operands that warps load as they multiply ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

/// Four words from `pointer` where `inside` holds, else zero. A branch around
/// each load would keep few of them under way.
Value KernelLowering::loadWordsIf(Location loc, Value inside, Value pointer,
                                  bool once) {
  std::string load = std::string("ld.global") +
                     (once ? ".L1::no_allocate" : "") +
                     ".L2::128B.v4.b32 {$0, $1, $2, $3}, [$4];";
  Type word = builder.getI32Type();
  auto four = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                               SmallVector<Type>(4, word));
  Value loaded;
  if (inside)
    loaded = inlinePtx(
        loc,
        "{ .reg .pred p; setp.ne.b32 p, $5, 0; mov.b32 $0, 0; mov.b32 $1, 0; "
        "mov.b32 $2, 0; mov.b32 $3, 0; @p " +
            load + " }",
        "=&r,=&r,=&r,=&r,l,r,~{memory}",
        {pointer, arith::ExtUIOp::create(builder, loc, word, inside)}, four);
  else
    loaded = inlinePtx(loc, load, "=r,=r,=r,=r,l,~{memory}", {pointer}, four);
  SmallVector<Value> words;
  for (int64_t i = 0; i < 4; ++i)
    words.push_back(LLVM::ExtractValueOp::create(builder, loc, loaded, i));
  return vector::FromElementsOp::create(builder, loc,
                                        VectorType::get({4}, word), words);
}

/// 16 bytes at a time.
void KernelLowering::lowerOperandLoad(LoadOp op, const Access &access) {
  Location loc = op.getLoc();
  const Distribution &distribution = access.distribution;
  int64_t width = distribution.vectorSize(1);
  auto pieceType = VectorType::get({width}, access.element);
  Value result = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(distribution.threadType()));
  for (int64_t row = 0; row < distribution.count(0); ++row) {
    Value rowInside = guardSlots(loc, access, {row});
    Value base = rowPointer(loc, access, {row});
    for (const RowPiece &piece : splitRow(distribution, width)) {
      Value inside = guard(loc, access, 1, piece.round, piece.element);
      inside = inside ? both(loc, rowInside, inside) : rowInside;
      Value words = loadWordsIf(
          loc, inside,
          displace(builder, loc, base, access.element, piece.displacement),
          op.getCache() == CachePolicy::EvictFirst);
      result = vector::InsertStridedSliceOp::create(
          builder, loc,
          vector::BitCastOp::create(builder, loc, pieceType, words), result,
          ArrayRef<int64_t>{row, piece.slot}, ArrayRef<int64_t>{1});
    }
  }
  mapping.map(op.getResult(), result);
}
