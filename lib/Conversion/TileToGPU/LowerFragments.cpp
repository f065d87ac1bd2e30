//===- LowerFragments.cpp - Fragments of sums as pieces of rows -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

/// Lanes that share rows of a fragment, words that they exchange, elements of
/// 16 bits that each then has side by side.
static constexpr int64_t kLanes = 4, kElements = 8;

RankedTensorType KernelLowering::inRowPieces(RankedTensorType type) {
  auto layout = dyn_cast<MmaAttr>(type.getEncoding());
  if (!layout || layout.getFragment() != Fragment::M16N8 ||
      layout.getParts() != 1 || layout.getWarps()[1] != 1 ||
      type.getElementTypeBitWidth() != 16 ||
      type.getShape()[1] % (kLanes * kElements) != 0)
    return {};
  return RankedTensorType::get(
      type.getShape(), type.getElementType(),
      OperandAttr::get(builder.getContext(), 0, layout, kElements));
}

/// The words of four lanes, lane l's i-th word becoming lane i's l-th.
void KernelLowering::transposeInQuad(Location loc,
                                     MutableArrayRef<Value> words) {
  Value thread = toWord(loc, threadId(loc));
  for (int64_t apart : {2, 1}) {
    Value isSecond = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne,
        arith::AndIOp::create(builder, loc, thread, word(loc, apart)),
        word(loc, 0));
    for (int64_t i = 0; i < kLanes; ++i) {
      if (i & apart)
        continue;
      Value &low = words[i], &high = words[i + apart];
      Value sent = arith::SelectOp::create(builder, loc, isSecond, low, high);
      Value got =
          intrinsic(loc, "llvm.nvvm.shfl.sync.bfly.i32",
                    {word(loc, -1), sent, word(loc, apart), word(loc, 31)},
                    builder.getI32Type());
      low = arith::SelectOp::create(builder, loc, isSecond, got, low);
      high = arith::SelectOp::create(builder, loc, isSecond, high, got);
    }
  }
}

/// PTX ISA, "Matrix Fragments for mma.m16n8k16": a lane has two columns of each
/// fragment, of four fragments so four words in a row.
Value KernelLowering::gatherRowPieces(Location loc, Value value) {
  auto type = cast<VectorType>(value.getType());
  int64_t width = type.getDimSize(1);
  auto words = VectorType::get({width / 2}, builder.getI32Type());
  Value result =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  for (int64_t row = 0; row < type.getDimSize(0); ++row) {
    Value line = vector::BitCastOp::create(
        builder, loc, words,
        vector::ExtractOp::create(builder, loc, value, row));
    SmallVector<Value> elements;
    for (int64_t i = 0; i < width / 2; ++i)
      elements.push_back(vector::ExtractOp::create(builder, loc, line, i));
    for (int64_t i = 0; i < width / 2; i += kLanes)
      transposeInQuad(loc, MutableArrayRef(elements).slice(i, kLanes));
    Value moved = vector::BitCastOp::create(
        builder, loc, VectorType::get({width}, type.getElementType()),
        vector::FromElementsOp::create(builder, loc, words, elements));
    result = vector::InsertOp::create(builder, loc, moved, result, row);
  }
  return result;
}
