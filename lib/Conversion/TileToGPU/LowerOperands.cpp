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

/// `count` words, 1, 2 or 4, from `pointer` where `inside` holds, else zero. A
/// branch around each load would keep few of them under way. With `isConstant`
/// it may move, and equal ones be one.
Value KernelLowering::loadWordsIf(Location loc, Value inside, Value pointer,
                                  int64_t count, StringRef how,
                                  bool isConstant) {
  std::string clear, registers, outputs;
  for (int64_t i = 0; i < count; ++i) {
    std::string name = "$" + std::to_string(i);
    clear += "mov.b32 " + name + ", 0; ";
    registers += (i ? ", " : "") + name;
    outputs += inside ? "=&r," : "=r,";
  }
  if (count > 1)
    registers = "{" + registers + "}";
  std::string load = "ld.global" + how.str() +
                     (count > 1 ? ".v" + std::to_string(count) : "") + ".b32 " +
                     registers + ", [$" + std::to_string(count) + "];";
  Type word = builder.getI32Type();
  auto words = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                                SmallVector<Type>(count, word));
  Type type = count > 1 ? Type(words) : word;
  SmallVector<Value> operands{pointer};
  std::string constraints = outputs + "l";
  if (inside) {
    load = "{ .reg .pred p; setp.ne.b32 p, $" + std::to_string(count + 1) +
           ", 0; " + clear + "@p " + load + " }";
    constraints += ",r";
    operands.push_back(arith::ExtUIOp::create(builder, loc, word, inside));
  }
  if (!isConstant)
    constraints += ",~{memory}";
  Value loaded = inlinePtx(loc, load, constraints, operands, type, isConstant);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < count; ++i)
    elements.push_back(
        count > 1
            ? LLVM::ExtractValueOp::create(builder, loc, loaded, i).getResult()
            : loaded);
  return vector::FromElementsOp::create(
      builder, loc, VectorType::get({count}, word), elements);
}

bool KernelLowering::loadsByWords(LoadOp op, const Access &access,
                                  int64_t width) {
  int64_t bytes = width * access.element.getIntOrFloatBitWidth() / 8;
  if (op.getTable() || op.getUntil())
    return *kernel.getWave() == 32 && (bytes == 4 || bytes == 8 || bytes == 16);
  return isa<OperandAttr>(op.getResult().getType().getEncoding()) &&
         !access.hasRuns && !access.cutsRows && bytes == 16 &&
         width ==
             access.distribution.vectorSize(access.distribution.rank() - 1);
}

void KernelLowering::lowerLoadByWords(LoadOp op, const Access &access,
                                      int64_t width) {
  Location loc = op.getLoc();
  const Distribution &distribution = access.distribution;
  int64_t last = distribution.rank() - 1;
  int64_t bytes = access.element.getIntOrFloatBitWidth() / 8;
  auto pieceType = VectorType::get({width}, access.element);
  std::string how =
      op.getTable() || op.getUntil() || op.getCache() == CachePolicy::EvictFirst
          ? ".L1::no_allocate.L2::128B"
          : ".L2::128B";
  SmallVector<RowPiece> parts = splitRow(distribution, width);
  SmallVector<Value> places = placesInRow(loc, access, parts);
  // All places first, so that what they take from a table is under way
  // together.
  struct Row {
    SmallVector<int64_t> slots;
    Value inside, base;
  };
  SmallVector<Row> rows;
  SmallVector<int64_t> sizes;
  for (int64_t dim = 0; dim < last; ++dim)
    sizes.push_back(distribution.count(dim));
  forEachIndex(sizes, [&](ArrayRef<int64_t> slots) {
    rows.push_back({SmallVector<int64_t>(slots), guardSlots(loc, access, slots),
                    rowPointer(loc, access, slots)});
  });
  Value result = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(distribution.threadType()));
  for (const Row &row : rows)
    for (auto [part, place] : llvm::zip_equal(parts, places)) {
      Value inside = guard(loc, access, last, part.round, part.element);
      if (row.inside)
        inside = both(loc, inside, row.inside);
      Value words = loadWordsIf(loc, inside,
                                partPointer(loc, access, row.base, part, place),
                                width * bytes / 4, how);
      Value loaded =
          cutRow(loc, access, part,
                 vector::BitCastOp::create(builder, loc, pieceType, words));
      SmallVector<int64_t> at(row.slots);
      at.push_back(part.slot);
      result = vector::InsertStridedSliceOp::create(
          builder, loc, loaded, result, at, ArrayRef<int64_t>{1});
    }
  mapping.map(op.getResult(), result);
}
