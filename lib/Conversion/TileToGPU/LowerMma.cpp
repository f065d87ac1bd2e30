//===- LowerMma.cpp - Matrix products by mma.sync -------------------------===//
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

static constexpr int64_t kChunkBytes = 16;
/// Bytes of K that one matrix instruction multiplies.
static constexpr int64_t kStepBytes = 32;
/// Products of a warp under way at once, so that none waits for the last one's
/// sum, and steps of K that make a sum of its own worth its additions.
static constexpr int64_t kChains = 4, kChainSteps = 4;

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// Where a lane finds its row of the 8x8 matrices of an operand. "Outer" is M
/// of a, N of b; fragments are `outerStep` apart along it.
struct KernelLowering::Fragments {
  SharedType type;
  Value buffer;
  Value row, column; ///< of this lane at fragment 0, K = 0; column in bytes
  int64_t outerStep;
  bool kInRows; ///< shared rows run along the outer dimension
};

/// Matrices of a, by lane / 8: rows 0 and K 0, rows 8 and K 0, rows 0 and K 8,
/// rows 8 and K 8. Of b: columns 0 and K 0, columns 0 and K 8, then the same of
/// the warp's next fragment.
KernelLowering::Fragments KernelLowering::placeFragments(DotOp op, bool isB) {
  Location loc = op.getLoc();
  auto layout = cast<MmaAttr>(op.getResult().getType().getEncoding());
  Value operand = isB ? op.getB() : op.getA();
  Fragments fragments;
  fragments.type = cast<SharedType>(operand.getType());
  fragments.buffer = isB ? bufferOfB(loc, op) : mapping.lookup(operand);
  fragments.outerStep = layout.getTurnSize(isB);
  fragments.kInRows = isB ? op.getTransposeB() : !op.getTransposeA();
  int64_t threads = layout.getNumThreads();
  int64_t bytes = fragments.type.getElementBytes();
  auto digit = [&](int64_t divisor, int64_t modulus, int64_t scale) {
    return threadDigit(loc, {divisor, modulus, scale}, threads);
  };
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, loc, a, b);
  };
  // The warp's first fragment is the first digit of its accumulators.
  ThreadDigit warp = layout.getDigits(isB).front();
  int64_t outerUnit = fragments.kInRows ? 1 : bytes;
  Value outer = digit(warp.divisor, warp.modulus, warp.scale * outerUnit);
  Value inMatrix = digit(1, 8, 1);
  int64_t kUnit = fragments.kInRows ? kChunkBytes : 8;
  Value second = isB ? digit(16, 2, fragments.outerStep * outerUnit)
                     : digit(8, 2, 8 * outerUnit);
  Value k = isB ? digit(8, 2, kUnit) : digit(16, 2, kUnit);
  outer = add(outer, second);
  fragments.row = add(inMatrix, fragments.kInRows ? outer : k);
  fragments.column = fragments.kInRows ? k : outer;
  return fragments;
}

SmallVector<Value> KernelLowering::loadMatrices(Location loc,
                                                const Fragments &fragments,
                                                int64_t outer, int64_t step,
                                                int64_t count) {
  int64_t bytes = fragments.type.getElementBytes();
  int64_t outerOffset = outer * fragments.outerStep;
  int64_t moreRows =
      fragments.kInRows ? outerOffset : step * kStepBytes / bytes;
  int64_t moreBytes =
      fragments.kInRows ? step * kStepBytes : outerOffset * bytes;
  Value column = arith::AddIOp::create(builder, loc, fragments.column,
                                       index(loc, moreBytes));
  Value pointer = sharedPointer(loc, fragments.type, fragments.buffer,
                                fragments.row, moreRows, column);
  Type word = builder.getI32Type();
  auto type = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                               SmallVector<Type>(count, word));
  std::string name = ("llvm.nvvm.ldmatrix.sync.aligned.m8n8.x" + Twine(count) +
                      (fragments.kInRows ? "" : ".trans") + ".b16")
                         .str();
  Value loaded = LLVM::CallIntrinsicOp::create(builder, loc, type,
                                               builder.getStringAttr(name),
                                               ValueRange{pointer})
                     .getResult(0);
  SmallVector<Value> words;
  for (int64_t i = 0; i < count; ++i)
    words.push_back(LLVM::ExtractValueOp::create(builder, loc, loaded, i));
  return words;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The instruction for 16x8 sums over 32 bytes of K; empty if there is none.
static std::string findInstruction(Type a, Type b, Type sum) {
  if (!sum.isF32())
    return {};
  if (a.isBF16() && b.isBF16())
    return "llvm.nvvm.mma.m16n8k16.row.col.bf16";
  if (a.isF16() && b.isF16())
    return "llvm.nvvm.mma.m16n8k16.row.col.f32.f32";
  auto name = [](Type element) -> StringRef {
    return isa<Float8E4M3FNType>(element) ? "e4m3"
           : isa<Float8E5M2Type>(element) ? "e5m2"
                                          : "";
  };
  if (name(a).empty() || name(b).empty())
    return {};
  return ("llvm.nvvm.mma.m16n8k32.row.col.f32." + name(a) + "." + name(b) +
          ".f32")
      .str();
}

/// The words of every row of an operand in this thread's registers.
SmallVector<SmallVector<Value>> KernelLowering::operandWords(Location loc,
                                                             Value operand) {
  Distribution from(cast<RankedTensorType>(operand.getType()));
  Type word = builder.getI32Type();
  int64_t bits = from.threadType().getElementTypeBitWidth();
  int64_t count = from.count(1) * bits / 32;
  SmallVector<SmallVector<Value>> rows;
  for (int64_t row = 0; row < from.count(0); ++row) {
    Value line = vector::ExtractOp::create(
        builder, loc, mapping.lookup(operand), ArrayRef<int64_t>{row});
    Value words = vector::BitCastOp::create(
        builder, loc, VectorType::get({count}, word), line);
    SmallVector<Value> &mine = rows.emplace_back();
    for (int64_t i = 0; i < count; ++i)
      mine.push_back(
          vector::ExtractOp::create(builder, loc, words, ArrayRef<int64_t>{i}));
  }
  return rows;
}

/// Words of four 8-bit floats as pairs of f16: of each `together` words first
/// the lower pairs, then the upper ones.
SmallVector<Value> KernelLowering::widenWords(Location loc,
                                              ArrayRef<Value> words, Type from,
                                              Type to, size_t together) {
  SmallVector<Value> pairs;
  for (size_t begin = 0; begin < words.size(); begin += together) {
    SmallVector<Value> wide;
    for (Value word : words.slice(begin, together)) {
      Value bits = LLVM::BitcastOp::create(
          builder, loc, VectorType::get({4}, builder.getI8Type()), word);
      Value narrow = arith::BitcastOp::create(builder, loc,
                                              VectorType::get({4}, from), bits);
      wide.push_back(arith::ExtFOp::create(builder, loc,
                                           VectorType::get({4}, to), narrow));
    }
    for (int64_t first : {0, 2})
      for (Value four : wide)
        pairs.push_back(vector::ExtractStridedSliceOp::create(
            builder, loc, four, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{2},
            ArrayRef<int64_t>{1}));
  }
  return pairs;
}

LogicalResult KernelLowering::lowerMma(DotOp op, int64_t depth) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getResult().getType();
  bool inRegisters = !isa<SharedType>(op.getB().getType());
  bool takesSums = !inRegisters && !isa<SharedType>(op.getA().getType());
  Type element = getOperandElement(op.getA().getType());
  Type other = getOperandElement(op.getB().getType());
  Type sum = type.getElementType();
  int64_t elementBytes = element.getIntOrFloatBitWidth() / 8;
  bool widens = op.getAs().has_value();
  Type multiplied = widens ? *op.getAs() : element;
  std::string name =
      findInstruction(multiplied, widens ? multiplied : other, sum);
  if (name.empty())
    return op.emitError() << "no matrix instruction for products of " << element
                          << " by " << other << " in " << sum;
  // ldmatrix turns pairs of bytes, not bytes.
  if (elementBytes == 1 && (op.getTransposeA() || !op.getTransposeB()))
    return op.emitError() << "multiplies " << element
                          << " with K in columns, expected K in rows of both "
                             "operands";
  int64_t stepSize = kStepBytes / elementBytes;
  if (depth % stepSize != 0)
    return op.emitError() << "sums over " << depth
                          << " elements, expected a multiple of " << stepSize;

  Distribution to(type);
  int64_t rows = to.count(0) / 2, columns = to.count(1) / 2;
  int64_t steps =
      inRegisters
          ? Distribution(cast<RankedTensorType>(op.getA().getType())).count(1) *
                elementBytes / (kStepBytes / 4)
          : depth / stepSize;
  // Steps go round the chains, the first of which adds to what was.
  int64_t chains = std::max<int64_t>(
      std::min(kChains / (rows * columns), steps / kChainSteps), 1);
  Value accumulator = mapping.lookup(op.getAccumulator());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sum));
  SmallVector<SmallVector<Value>> sums(
      chains, SmallVector<Value>(to.count(0) * to.count(1), zero));
  sums.front().clear();
  forEachIndex({to.count(0), to.count(1)}, [&](ArrayRef<int64_t> slots) {
    sums.front().push_back(
        vector::ExtractOp::create(builder, loc, accumulator, slots));
  });
  auto words = [&](ArrayRef<Value> loaded) {
    if (!multiplied.isF16())
      return SmallVector<Value>(loaded);
    SmallVector<Value> pairs;
    for (Value word : loaded)
      pairs.push_back(LLVM::BitcastOp::create(
          builder, loc, VectorType::get({2}, multiplied), word));
    return pairs;
  };
  // Widened words are two steps' words, in an order of K that a and b share.
  auto widened = [&](ArrayRef<Value> loaded, Type from, size_t together) {
    return widens ? widenWords(loc, loaded, from, multiplied, together)
                  : words(loaded);
  };
  auto result = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                                 SmallVector<Type>(4, sum));
  auto multiply = [&](int64_t step, ArrayRef<Value> left, ArrayRef<Value> right,
                      int64_t row, int64_t column) {
    auto at = [&](int64_t e) -> Value & {
      return sums[step % chains]
                 [(2 * row + e / 2) * to.count(1) + 2 * column + e % 2];
    };
    SmallVector<Value> operands(left);
    llvm::append_range(operands, right);
    for (int64_t e = 0; e < 4; ++e)
      operands.push_back(at(e));
    Value made =
        LLVM::CallIntrinsicOp::create(builder, loc, result,
                                      builder.getStringAttr(name), operands)
            .getResult(0);
    for (int64_t e = 0; e < 4; ++e)
      at(e) = LLVM::ExtractValueOp::create(builder, loc, made, e);
  };
  int64_t halves = widens ? 2 : 1;
  if (inRegisters) {
    // A step takes two words of a row, and pairs of rows.
    SmallVector<SmallVector<Value>> left = operandWords(loc, op.getA());
    SmallVector<SmallVector<Value>> right = operandWords(loc, op.getB());
    for (size_t step = 0; step < left.front().size(); step += 2)
      for (int64_t row = 0; row < rows; ++row) {
        SmallVector<Value> &upper = left[2 * row], &lower = left[2 * row + 1];
        SmallVector<Value> matrices =
            words({upper[step], lower[step], upper[step + 1], lower[step + 1]});
        for (int64_t column = 0; column < columns; ++column)
          multiply(step / 2, matrices,
                   words({right[column][step], right[column][step + 1]}), row,
                   column);
      }
  } else {
    SmallVector<SmallVector<Value>> made;
    Fragments left;
    if (takesSums)
      made = rowWords(loc, op.getA());
    else
      left = placeFragments(op, /*isB=*/false);
    Fragments right = placeFragments(op, /*isB=*/true);
    for (int64_t step = 0; step < depth / stepSize; ++step) {
      SmallVector<SmallVector<Value>> leftWords;
      for (int64_t row = 0; row < rows; ++row)
        leftWords.push_back(
            takesSums
                ? words(ArrayRef(made[row]).slice(4 * step, 4))
                : widened(loadMatrices(loc, left, row, step, 4), element, 2));
      for (int64_t column = 0; column < columns; column += 2) {
        int64_t together = std::min<int64_t>(columns - column, 2);
        SmallVector<Value> rightWords = widened(
            loadMatrices(loc, right, column, step, 2 * together), other, 1);
        for (int64_t next = 0; next < together; ++next)
          for (int64_t half = 0; half < halves; ++half)
            for (int64_t row = 0; row < rows; ++row)
              multiply(
                  step, ArrayRef(leftWords[row]).slice(4 * half, 4),
                  ArrayRef(rightWords).slice(2 * (halves * next + half), 2),
                  row, column + next);
      }
    }
  }
  for (ArrayRef<Value> chain : ArrayRef(sums).drop_front())
    for (auto [total, own] : llvm::zip_equal(sums.front(), chain))
      total = arith::AddFOp::create(builder, loc, total, own);
  mapping.map(
      op.getResult(),
      vector::FromElementsOp::create(
          builder, loc, cast<VectorType>(convertType(type)), sums.front()));
  return success();
}
