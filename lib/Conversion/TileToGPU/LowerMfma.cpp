//===- LowerMfma.cpp - Matrix products by v_mfma --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operand registers and instruction names: AMD CDNA3 ISA, "Dense Matrix
// Multiplication"; gfx90a has those of 16-bit floats as well.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

/// What one access to shared memory moves at most.
static constexpr int64_t kChunkBytes = 16;
/// Rows after which a swizzle repeats.
static constexpr int64_t kPeriod = 8;

namespace {
/// One matrix instruction. Lane l has row l % rows of its first operand, column
/// l % rows of the second, and part l / rows of K.
struct Instruction {
  std::string name; ///< empty: there is none
  Type operand;
  int64_t bytes; ///< of K, in each lane
  int64_t parts; ///< into which lanes divide K
};

/// Where a lane finds its row (of a) or column (of b) in shared memory.
struct LaneOperand {
  SharedType type;
  Value buffer;
  Value outer; ///< along M of a, N of b, in fragment 0
  Value part;  ///< of K
  int64_t outerStep;
  bool kInRows; ///< shared rows run along the outer dimension
};
} // namespace

static StringRef byteName(Type element) {
  return isa<Float8E4M3FNUZType>(element)   ? ".fp8"
         : isa<Float8E5M2FNUZType>(element) ? ".bf8"
                                            : "";
}

/// The instruction whose operands have elements `first` and `second`.
static Instruction findInstruction(Type first, Type second, Type sum,
                                   MmaAttr layout) {
  MLIRContext *context = first.getContext();
  bool isLarge = layout.getFragment() == Fragment::M32N32;
  StringRef shape, suffix;
  std::string pair;
  Type operand;
  int64_t bytes = 8;
  if (first == second && (first.isBF16() || first.isF16())) {
    shape = isLarge ? "32x32x8" : "16x16x16";
    suffix = first.isBF16() ? "bf16.1k" : "f16";
    operand = VectorType::get(
        {4}, first.isF16() ? first : IntegerType::get(context, 16));
  } else if (!byteName(first).empty() && !byteName(second).empty()) {
    shape = isLarge ? "32x32x16" : "16x16x32";
    pair = (byteName(first) + byteName(second)).str();
    suffix = pair;
    operand = IntegerType::get(context, 64);
  } else if (first.isF32() && second.isF32()) {
    shape = isLarge ? "32x32x2" : "16x16x4";
    suffix = "f32";
    operand = first;
    bytes = 4;
  }
  if (shape.empty() || !sum.isF32())
    return {};
  return {("llvm.amdgcn.mfma.f32." + shape + suffix).str(), operand, bytes,
          layout.getWave() / layout.getFragmentSize(0)};
}

/// What the instruction takes of one fragment for `count` successive steps from
/// `step` on. A lane then has what `count` instructions take from successive
/// places of K, which both operands number alike.
static SmallVector<Value>
loadOperands(OpBuilder &builder, Location loc, const LaneOperand &operand,
             const Instruction &instruction, int64_t outer, int64_t step,
             int64_t count,
             llvm::function_ref<Value(Value, int64_t, Value)> pointer) {
  int64_t bytes = operand.type.getElementBytes();
  int64_t perLane = instruction.bytes / bytes;
  int64_t outerOffset = outer * operand.outerStep;
  int64_t k = step * instruction.parts * perLane;
  Type bits = builder.getIntegerType(8 * bytes);
  auto offset = [&](Value value, int64_t scale, int64_t more) -> Value {
    Value scaled = arith::MulIOp::create(
        builder, loc, value,
        arith::ConstantIndexOp::create(builder, loc, scale));
    return arith::AddIOp::create(
        builder, loc, scaled,
        arith::ConstantIndexOp::create(builder, loc, more));
  };
  Value loaded;
  if (operand.kInRows) {
    Value column = offset(operand.part, count * instruction.bytes, k * bytes);
    loaded = LLVM::LoadOp::create(
        builder, loc, VectorType::get({count * perLane}, bits),
        pointer(operand.outer, outerOffset, column), count * instruction.bytes);
  } else {
    SmallVector<Value> elements;
    Value column = offset(operand.outer, bytes, outerOffset * bytes);
    for (int64_t e = 0; e < count * perLane; ++e) {
      Value row = offset(operand.part, count * perLane, k % kPeriod + e);
      elements.push_back(LLVM::LoadOp::create(
          builder, loc, bits, pointer(row, k - k % kPeriod, column), bytes));
    }
    loaded = vector::FromElementsOp::create(
        builder, loc, VectorType::get({count * perLane}, bits), elements);
  }
  SmallVector<Value> words;
  for (int64_t i = 0; i < count; ++i) {
    Value word = vector::ExtractStridedSliceOp::create(
        builder, loc, loaded, ArrayRef<int64_t>{i * perLane},
        ArrayRef<int64_t>{perLane}, ArrayRef<int64_t>{1});
    if (word.getType() != instruction.operand)
      word = LLVM::BitcastOp::create(builder, loc, instruction.operand, word);
    words.push_back(word);
  }
  return words;
}

LogicalResult KernelLowering::lowerMfma(DotOp op, int64_t depth) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getResult().getType();
  auto layout = cast<MmaAttr>(type.getEncoding());
  bool takesSums = !isa<SharedType>(op.getA().getType());
  Type a = getOperandElement(op.getA().getType()), sum = type.getElementType();
  int64_t elementBytes = a.getIntOrFloatBitWidth() / 8;
  Type b = cast<SharedType>(op.getB().getType()).getElementType();
  Instruction instruction = findInstruction(b, a, sum, layout);
  if (instruction.name.empty())
    return op.emitError() << "no matrix instruction for products of " << a
                          << " by " << b << " in " << sum;
  int64_t stepSize = instruction.parts * instruction.bytes / elementBytes;
  if (depth % stepSize != 0)
    return op.emitError() << "sums over " << depth
                          << " elements, expected a multiple of " << stepSize;

  auto place = [&](bool isB) -> LaneOperand {
    Value operand = isB ? op.getB() : op.getA();
    int64_t size = layout.getFragmentSize(0);
    int64_t threads = layout.getNumThreads();
    ThreadDigit warp = layout.getDigits(isB).front();
    Value outer =
        arith::AddIOp::create(builder, loc, threadDigit(loc, warp, threads),
                              threadDigit(loc, {1, size, 1}, threads));
    return {cast<SharedType>(operand.getType()),
            isB ? bufferOfB(loc, op) : mapping.lookup(operand),
            outer,
            threadDigit(loc, {size, instruction.parts, 1}, threads),
            layout.getTurnSize(isB),
            isB ? op.getTransposeB() : !op.getTransposeA()};
  };
  LaneOperand left, right = place(/*isB=*/true);
  if (!takesSums)
    left = place(/*isB=*/false);
  // Reads of 16 bytes touch all banks once, shorter ones a part of them more
  // often.
  int64_t together = !takesSums && left.kInRows && right.kInRows
                         ? kChunkBytes / instruction.bytes
                         : 1;
  while (depth % (together * stepSize) != 0)
    together /= 2;

  Distribution to(type);
  int64_t held =
      layout.getFragmentSize(0) * layout.getFragmentSize(1) / layout.getWave();
  int64_t rows = to.count(0), columns = to.count(1) / held;
  auto sumType = VectorType::get({held}, type.getElementType());
  Value accumulator = mapping.lookup(op.getAccumulator());
  SmallVector<Value> sums;
  for (int64_t row = 0; row < rows; ++row) {
    Value line = vector::ExtractOp::create(builder, loc, accumulator, row);
    for (int64_t column = 0; column < columns; ++column)
      sums.push_back(vector::ExtractStridedSliceOp::create(
          builder, loc, line, ArrayRef<int64_t>{column * held},
          ArrayRef<int64_t>{held}, ArrayRef<int64_t>{1}));
  }
  auto load = [&](const LaneOperand &operand, int64_t outer, int64_t step) {
    return loadOperands(builder, loc, operand, instruction, outer, step,
                        together, [&](Value row, int64_t more, Value column) {
                          return sharedPointer(loc, operand.type,
                                               operand.buffer, row, more,
                                               column);
                        });
  };
  // A lane's sums of a row are successive places of K, as many as it takes.
  auto sumsAt = [&](int64_t row, int64_t step) -> Value {
    int64_t perLane = instruction.bytes / elementBytes;
    Value line = vector::ExtractOp::create(
        builder, loc, mapping.lookup(op.getA()), ArrayRef<int64_t>{row});
    Value own = vector::ExtractStridedSliceOp::create(
        builder, loc, line, ArrayRef<int64_t>{step * perLane},
        ArrayRef<int64_t>{perLane}, ArrayRef<int64_t>{1});
    if (own.getType() == instruction.operand)
      return own;
    return LLVM::BitcastOp::create(builder, loc, instruction.operand, own);
  };
  // Neither broadcast nor permutation of lanes.
  Value none = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), 0);
  for (int64_t step = 0; step < depth / stepSize; step += together) {
    SmallVector<SmallVector<Value>> leftWords;
    for (int64_t row = 0; row < rows; ++row)
      leftWords.push_back(takesSums ? SmallVector<Value>{sumsAt(row, step)}
                                    : load(left, row, step));
    for (int64_t column = 0; column < columns; ++column) {
      SmallVector<Value> rightWords = load(right, column, step);
      for (int64_t next = 0; next < together; ++next)
        for (int64_t row = 0; row < rows; ++row) {
          Value &total = sums[row * columns + column];
          total = LLVM::CallIntrinsicOp::create(
                      builder, loc, sumType,
                      builder.getStringAttr(instruction.name),
                      ValueRange{rightWords[next], leftWords[row][next], total,
                                 none, none, none})
                      .getResult(0);
        }
    }
  }
  Value result = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(to.threadType()));
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      result = vector::InsertStridedSliceOp::create(
          builder, loc, sums[row * columns + column], result,
          ArrayRef<int64_t>{row, column * held}, ArrayRef<int64_t>{1});
  mapping.map(op.getResult(), result);
  return success();
}
