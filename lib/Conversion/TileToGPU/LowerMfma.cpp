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

/// Of one operand, in each lane, for one instruction.
static constexpr int64_t kOperandBytes = 8;

namespace {
/// One matrix instruction. Lane l has row l % rows of its first operand, column
/// l % rows of the second, and 8 bytes of K, from part l / rows on.
struct Instruction {
  std::string name; ///< empty: there is none
  Type operand;
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
  }
  if (shape.empty() || !sum.isF32())
    return {};
  return {("llvm.amdgcn.mfma.f32." + shape + suffix).str(), operand,
          layout.getWave() / layout.getFragmentSize(0)};
}

/// What the instruction takes of one fragment for `count` successive steps from
/// `step` on. A lane then has `count * 8` successive bytes of K, which both
/// operands number alike.
static SmallVector<Value>
loadOperands(OpBuilder &builder, Location loc, const LaneOperand &operand,
             const Instruction &instruction, int64_t outer, int64_t step,
             int64_t count,
             llvm::function_ref<Value(Value, int64_t, Value)> pointer) {
  int64_t bytes = operand.type.getElementBytes();
  int64_t perLane = kOperandBytes / bytes;
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
    Value column = offset(operand.part, count * kOperandBytes, k * bytes);
    loaded = LLVM::LoadOp::create(
        builder, loc, VectorType::get({count * perLane}, bits),
        pointer(operand.outer, outerOffset, column), count * kOperandBytes);
  } else {
    SmallVector<Value> elements;
    Value column = offset(operand.outer, bytes, outerOffset * bytes);
    for (int64_t e = 0; e < count * perLane; ++e)
      elements.push_back(LLVM::LoadOp::create(
          builder, loc, bits,
          pointer(offset(operand.part, count * perLane, e), k, column), bytes));
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
  auto shared = cast<SharedType>(op.getA().getType());
  Type a = shared.getElementType(), sum = type.getElementType();
  Type b = cast<SharedType>(op.getB().getType()).getElementType();
  Instruction instruction = findInstruction(b, a, sum, layout);
  if (instruction.name.empty())
    return op.emitError() << "no matrix instruction for products of " << a
                          << " by " << b << " in " << sum;
  int64_t stepSize =
      instruction.parts * kOperandBytes / shared.getElementBytes();
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
            mapping.lookup(operand),
            outer,
            threadDigit(loc, {size, instruction.parts, 1}, threads),
            layout.getTurnSize(isB),
            isB ? op.getTransposeB() : !op.getTransposeA()};
  };
  LaneOperand left = place(/*isB=*/false), right = place(/*isB=*/true);
  // Reads of 16 bytes touch all banks once, those of 8 half of them twice.
  int64_t together =
      left.kInRows && right.kInRows && depth % (2 * stepSize) == 0 ? 2 : 1;

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
  // Neither broadcast nor permutation of lanes.
  Value none = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), 0);
  for (int64_t step = 0; step < depth / stepSize; step += together) {
    SmallVector<SmallVector<Value>> leftWords;
    for (int64_t row = 0; row < rows; ++row)
      leftWords.push_back(load(left, row, step));
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
