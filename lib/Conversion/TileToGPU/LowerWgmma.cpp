//===- LowerWgmma.cpp - Matrix products by warpgroups ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

static constexpr int64_t kRows = 64, kStepBytes = 32, kMaxColumns = 256;
/// Of an operand that is not in shared memory, for one step.
static constexpr int64_t kRegistersOfA = 4;

namespace {
/// How wgmma reads one operand from shared memory (PTX ISA, "Shared Memory
/// Matrix Layout" and "Matrix-descriptor format").
struct Operand {
  SharedType type;
  bool kInRows;     ///< K runs along shared rows: "K-major"
  Value descriptor; ///< of the role's first instruction, for this warpgroup

  int64_t rowBytes() const { return type.getRowBytes(); }
  /// Bytes from the first to step `step` along K.
  int64_t atStep(int64_t step) const {
    if (!kInRows)
      return step * (kStepBytes / type.getElementBytes()) * type.getRowStride();
    int64_t bytes = step * kStepBytes;
    return bytes / rowBytes() * type.getPanelBytes() + bytes % rowBytes();
  }
  /// Bytes from the first to block `block` of 64 rows of the product.
  int64_t atBlock(int64_t block) const {
    return block *
           (kInRows ? kRows * type.getRowStride() : type.getPanelBytes());
  }
};
} // namespace

/// Upper half of a descriptor: leading and stride offsets, swizzle mode. Zero
/// if wgmma cannot read the buffer.
static int64_t descriptorBits(SharedType type, bool kInRows) {
  constexpr int64_t unit = 16;
  int64_t swizzle = type.getSwizzleBytes().value_or(0);
  int64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
  if (mode == 0 || (!kInRows && mode != 1))
    return 0;
  int64_t groupOfRows = 8 * type.getRowStride();
  int64_t leading = kInRows ? unit : type.getPanelBytes();
  if (leading / unit >= 1 << 14)
    return 0;
  return leading / unit << 16 | groupOfRows / unit << 32 | mode << 62;
}

static StringRef typeName(Type element) {
  return element.isBF16()                 ? "bf16"
         : element.isF16()                ? "f16"
         : isa<Float8E4M3FNType>(element) ? "e4m3"
         : isa<Float8E5M2Type>(element)   ? "e5m2"
                                          : "";
}

static bool isZeroTile(Value tile) {
  if (auto splat = tile.getDefiningOp<SplatOp>())
    return matchPattern(splat.getValue(), m_PosZeroFloat());
  return matchPattern(tile, m_PosZeroFloat()); // of a splat constant too
}

/// Two rows and two steps of K of a fragment of sums are what a lane has of the
/// operand: PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16" and
/// "Matrix Fragments for mma.m16n8k16".
SmallVector<SmallVector<Value>> KernelLowering::rowWords(Location loc,
                                                         Value operand) {
  Distribution from(cast<RankedTensorType>(operand.getType()));
  Value value = mapping.lookup(operand);
  SmallVector<SmallVector<Value>> blocks;
  for (int64_t row = 0; row < from.count(0); row += 2) {
    SmallVector<Value> &words = blocks.emplace_back();
    for (int64_t column = 0; column < from.count(1); column += 2 * 2)
      for (int64_t half = 0; half < 2; ++half)
        for (int64_t down = 0; down < 2; ++down) {
          Value line = vector::ExtractOp::create(builder, loc, value,
                                                 ArrayRef<int64_t>{row + down});
          Value pair = vector::ExtractStridedSliceOp::create(
              builder, loc, line, ArrayRef<int64_t>{column + 2 * half},
              ArrayRef<int64_t>{2}, ArrayRef<int64_t>{1});
          words.push_back(LLVM::BitcastOp::create(builder, loc,
                                                  builder.getI32Type(), pair));
        }
  }
  return blocks;
}

LogicalResult KernelLowering::lowerWgmma(DotOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getResult().getType();
  auto layout = dyn_cast<MmaAttr>(type.getEncoding());
  int64_t groups = layout ? layout.getWarps()[0] / 4 : 0;
  int64_t rows = type.getShape()[0], columns = type.getShape()[1];
  if (!layout || layout.getWarps()[1] != 1 || layout.getWarps()[0] % 4 != 0 ||
      rows % (kRows * groups) != 0 || columns > kMaxColumns || !role.warpgroup)
    return op.emitError() << "accumulates asynchronously in " << type
                          << ", expected fragments of whole warpgroups of a "
                          << "role, at most " << kMaxColumns << " columns";
  // From registers, a is what sums of the same rows were.
  bool fromRegisters = !isa<SharedType>(op.getA().getType());
  if (fromRegisters &&
      cast<RankedTensorType>(op.getA().getType()).getEncoding() !=
          Attribute(layout))
    return op.emitError() << "multiplies " << op.getA().getType()
                          << " from registers, expected the layout of the "
                          << "sums, " << layout;
  Operand a{dyn_cast<SharedType>(op.getA().getType()), !op.getTransposeA(), {}};
  Operand b{cast<SharedType>(op.getB().getType()), op.getTransposeB(), {}};
  Type element = getOperandElement(op.getA().getType());
  StringRef name = typeName(element);
  StringRef otherName = typeName(b.type.getElementType());
  int64_t elementBytes = b.type.getElementBytes();
  bool bytes = elementBytes == 1;
  if (name.empty() || otherName.empty() || !type.getElementType().isF32() ||
      (bytes && (fromRegisters || !(a.kInRows && b.kInRows))))
    return op.emitError() << "no wgmma of " << element << " by "
                          << b.type.getElementType() << " in "
                          << type.getElementType()
                          << (bytes ? " with operands that are not K-major"
                                    : "");
  int64_t depth = op.getStaticDepth();
  int64_t step = kStepBytes / elementBytes;
  if (depth % step != 0)
    return op.emitError() << "sums over " << depth
                          << " elements, expected a multiple of " << step;

  auto describe = [&](Operand &operand, bool isA) {
    int64_t bits = descriptorBits(operand.type, operand.kInRows);
    if (bits == 0)
      return LogicalResult(op.emitError()
                           << "wgmma cannot read " << operand.type);
    Value address = sharedAddress(loc, isA ? mapping.lookup(op.getA())
                                           : bufferOfB(loc, op));
    if (isA) // warpgroups take turns of 64 rows
      address = arith::AddIOp::create(
          builder, loc, address,
          arith::MulIOp::create(builder, loc, role.warpgroup,
                                word(loc, operand.atBlock(1))));
    constexpr int64_t addressMask = 0x3FFFF;
    Value low = arith::ShRUIOp::create(
        builder, loc,
        arith::AndIOp::create(builder, loc, address, word(loc, addressMask)),
        word(loc, 4));
    // Of what stays for many products, LLVM would keep the descriptors of all
    // steps in registers from the first of them on. A warp's can be uniform
    // ones.
    if (op.getFirst())
      low = uniformInWarp(loc, low);
    operand.descriptor = arith::OrIOp::create(
        builder, loc,
        arith::ExtUIOp::create(builder, loc, builder.getI64Type(), low),
        word(loc, bits, 64));
    return LogicalResult(success());
  };
  if ((!fromRegisters && failed(describe(a, /*isA=*/true))) ||
      failed(describe(b, /*isA=*/false)))
    return failure();
  auto displaced = [&](const Operand &operand, int64_t by) -> Value {
    if (by == 0)
      return operand.descriptor;
    return arith::AddIOp::create(builder, loc, operand.descriptor,
                                 word(loc, by / 16, 64));
  };

  int64_t count = columns / 2, next = 2 * count;
  std::string registers, outputs, ties;
  for (int64_t i = 0; i < count; ++i) {
    registers += (i ? ", $" : "$") + std::to_string(i);
    outputs += i ? ",=f" : "=f";
    ties += "," + std::to_string(i);
  }
  std::string left = "$" + std::to_string(next++), constraints = outputs + ties;
  if (fromRegisters) {
    for (int64_t i = 1; i < kRegistersOfA; ++i)
      left += ", $" + std::to_string(next++);
    left = "{" + left + "}";
    constraints += ",r,r,r,r,l";
  } else {
    constraints += ",l,l";
  }
  std::string right = "$" + std::to_string(next++);
  // Where `scale` is zero, the sums that were there are not added.
  auto spell = [&](StringRef scale) {
    std::string text = "wgmma.mma_async.sync.aligned.m64n" +
                       std::to_string(columns) + "k" + std::to_string(step) +
                       ".f32." + name.str() + "." + otherName.str() + " {" +
                       registers + "}, " + left + ", " + right + ", " +
                       scale.str() + ", 1, 1";
    if (!bytes && !fromRegisters) // transposition is for 16-bit types alone
      text += std::string(", ") + (a.kInRows ? "0" : "1");
    if (!bytes)
      text += std::string(", ") + (b.kInRows ? "0" : "1");
    return text + ";";
  };
  std::string plain = spell("1");
  std::string starting = "{\n.reg .pred more;\nsetp.ne.b32 more, $" +
                         std::to_string(next) + ", 0;\n" + spell("more") +
                         "\n}";
  Type sums = packType(count);
  Value started = startedSums.lookup(op.getAccumulator());
  bool fromZero = isZeroTile(op.getAccumulator());
  if (fromZero)
    started = word(loc, 0);
  else if (started)
    started =
        arith::ExtUIOp::create(builder, loc, builder.getI32Type(), started);

  int64_t blocks = rows / (kRows * groups);
  SmallVector<Value> values =
      fromZero ? SmallVector<Value>(
                     count * blocks,
                     LLVM::PoisonOp::create(builder, loc, builder.getF32Type()))
               : sumsOf(loc, op.getAccumulator());
  SmallVector<SmallVector<Value>> words;
  if (fromRegisters)
    words = rowWords(loc, op.getA());
  intrinsic(loc, "llvm.nvvm.wgmma.fence.sync.aligned", {});
  for (int64_t s = 0; s < depth / step; ++s)
    for (int64_t block = 0; block < blocks; ++block) {
      auto mine = MutableArrayRef(values).slice(block * count, count);
      SmallVector<Value> operands(mine);
      if (fromRegisters)
        llvm::append_range(
            operands,
            ArrayRef(words[block]).slice(s * kRegistersOfA, kRegistersOfA));
      else
        operands.push_back(
            displaced(a, a.atStep(s) + a.atBlock(block * groups)));
      operands.push_back(displaced(b, b.atStep(s)));
      bool starts = started && s == 0;
      if (starts)
        operands.push_back(started);
      Value made =
          inlinePtx(loc, starts ? starting : plain,
                    starts ? constraints + ",r" : constraints, operands, sums);
      for (auto [i, value] : llvm::enumerate(mine))
        value = LLVM::ExtractValueOp::create(builder, loc, made, i);
    }
  intrinsic(loc, "llvm.nvvm.wgmma.commit_group.sync.aligned", {});
  mapping.map(op.getResult(), packSums(loc, values));
  return success();
}

//===----------------------------------------------------------------------===//
// Sums under way
//===----------------------------------------------------------------------===//

/// Sums that asynchronous dots still add to are kept in a struct of registers,
/// block after block in wgmma's order: element i of a block is at row
/// 8 * (i / 2 % 2), column 8 * (i / 4) + i % 2 of this thread's.
bool lathe::isUnderWay(Value value) {
  SmallPtrSet<Value, 8> seen; // loops may hand a value round as it is
  while (isa<RankedTensorType>(value.getType()) && seen.insert(value).second) {
    auto result = dyn_cast<OpResult>(value);
    if (!result) {
      auto argument = cast<BlockArgument>(value);
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop || argument == loop.getInductionVar())
        return false;
      value = loop.getTiedLoopYieldedValue(argument)->get();
      continue;
    }
    Operation *op = result.getOwner();
    unsigned number = result.getResultNumber();
    if (auto dot = dyn_cast<DotOp>(op))
      return dot.getAsync();
    if (auto await = dyn_cast<AwaitDotsOp>(op))
      return !await.isFinished();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      value = loop.getYieldedValues()[number];
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      value = branch.thenYield().getOperand(number);
    else
      return false;
  }
  return false;
}

bool lathe::startsAtZero(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || !argument.hasOneUse() || !isUnderWay(argument) ||
      !isZeroTile(loop.getTiedLoopInit(argument)->get()))
    return false;
  auto dot = dyn_cast<DotOp>(*argument.user_begin());
  OpResult result = loop.getTiedLoopResult(argument);
  auto await = result.hasOneUse() ? dyn_cast<AwaitDotsOp>(*result.user_begin())
                                  : AwaitDotsOp();
  return dot && dot.getAsync() && dot->getBlock() == argument.getOwner() &&
         await && await.isFinished();
}

SmallVector<SmallVector<int64_t, 2>> KernelLowering::sumSlots(VectorType type) {
  SmallVector<SmallVector<int64_t, 2>> slots;
  int64_t count = 2 * type.getDimSize(1);
  for (int64_t block = 0; block < type.getDimSize(0) / 2; ++block)
    for (int64_t i = 0; i < count; ++i)
      slots.push_back({2 * block + i / 2 % 2, i / 4 * 2 + i % 2});
  return slots;
}

SmallVector<Value> KernelLowering::sumsOf(Location loc, Value tile) {
  Value value = mapping.lookup(tile);
  SmallVector<Value> sums;
  if (auto pack = dyn_cast<LLVM::LLVMStructType>(value.getType())) {
    for (size_t i = 0; i < pack.getBody().size(); ++i)
      sums.push_back(LLVM::ExtractValueOp::create(builder, loc, value, i));
    return sums;
  }
  for (ArrayRef<int64_t> slot : sumSlots(cast<VectorType>(value.getType())))
    sums.push_back(vector::ExtractOp::create(builder, loc, value, slot));
  return sums;
}

Type KernelLowering::packType(int64_t count) {
  return LLVM::LLVMStructType::getLiteral(
      builder.getContext(), SmallVector<Type>(count, builder.getF32Type()));
}

Value KernelLowering::packSums(Location loc, ArrayRef<Value> sums) {
  Value pack = LLVM::PoisonOp::create(builder, loc, packType(sums.size()));
  for (auto [i, sum] : llvm::enumerate(sums))
    pack = LLVM::InsertValueOp::create(builder, loc, pack, sum, i);
  return pack;
}

Value KernelLowering::lookupAs(Location loc, Value tile, bool underWay) {
  Value value = mapping.lookup(tile);
  if (!underWay || isa<LLVM::LLVMStructType>(value.getType()))
    return value;
  return packSums(loc, sumsOf(loc, tile));
}

Value KernelLowering::zeroUnlessStarted(Location loc, Value tile, Value sum) {
  Value started = startedSums.lookup(tile);
  if (!started)
    return sum;
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(sum.getType()));
  return arith::SelectOp::create(builder, loc, started, sum, zero);
}

/// The sums pass through an empty instruction after the wait: nothing else
/// keeps their uses behind it.
void KernelLowering::lowerAwaitDots(AwaitDotsOp op) {
  Location loc = op.getLoc();
  intrinsic(loc, "llvm.nvvm.wgmma.wait_group.sync.aligned",
            {word(loc, op.getPending(), 64)});
  if (!op.isFinished()) {
    mapping.map(op.getResult(),
                lookupAs(loc, op.getAccumulator(), /*underWay=*/true));
    return;
  }
  SmallVector<Value> sums = sumsOf(loc, op.getAccumulator());
  std::string outputs, ties;
  for (size_t i = 0; i < sums.size(); ++i) {
    outputs += i ? ",=f" : "=f";
    ties += "," + std::to_string(i);
  }
  Value pinned =
      inlinePtx(loc, "", outputs + ties, sums, packType(sums.size()));
  auto type = cast<VectorType>(convertType(op.getResult().getType()));
  SmallVector<Value> elements(type.getNumElements());
  for (auto [i, slot] : llvm::enumerate(sumSlots(type)))
    elements[slot[0] * type.getDimSize(1) + slot[1]] = zeroUnlessStarted(
        loc, op.getAccumulator(),
        LLVM::ExtractValueOp::create(builder, loc, pinned, i));
  mapping.map(
      op.getResult(),
      vector::FromElementsOp::create(builder, loc, type, elements).getResult());
}
