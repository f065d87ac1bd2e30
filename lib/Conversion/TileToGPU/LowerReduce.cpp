//===- LowerReduce.cpp - Combine a tile across a block --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

/// Independent chains per thread: enough to hide an add's latency.
static constexpr int64_t kChains = 4;

Value KernelLowering::combine(Location loc, ReduceKind kind, Value a, Value b) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(a.getType()));
  switch (kind) {
  case ReduceKind::Add:
    if (isFloat)
      return arith::AddFOp::create(builder, loc, a, b,
                                   arith::FastMathFlags::contract);
    return arith::AddIOp::create(builder, loc, a, b);
  case ReduceKind::Max:
    if (isFloat)
      return arith::MaximumFOp::create(builder, loc, a, b);
    return arith::MaxSIOp::create(builder, loc, a, b);
  case ReduceKind::Min:
    if (isFloat)
      return arith::MinimumFOp::create(builder, loc, a, b);
    return arith::MinSIOp::create(builder, loc, a, b);
  }
  llvm_unreachable("all kinds are handled");
}

Value KernelLowering::neutral(Location loc, ReduceKind kind, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    llvm::APFloat value = llvm::APFloat::getZero(floatType.getFloatSemantics());
    if (kind != ReduceKind::Add)
      value = llvm::APFloat::getInf(floatType.getFloatSemantics(),
                                    /*Negative=*/kind == ReduceKind::Max);
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(floatType, value));
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  llvm::APInt value = kind == ReduceKind::Add ? llvm::APInt::getZero(bits)
                      : kind == ReduceKind::Max
                          ? llvm::APInt::getSignedMinValue(bits)
                          : llvm::APInt::getSignedMaxValue(bits);
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(type, value));
}

/// Combines this thread's elements along the reduced dimension; `slots` are the
/// positions in the others.
Value KernelLowering::reduceInThread(ReduceOp op, const Distribution &from,
                                     Value vector, ArrayRef<int64_t> slots) {
  Location loc = op.getLoc();
  int64_t dim = op.getDim();
  ReduceKind kind = op.getKind();
  SmallVector<Value> chains;
  for (int64_t slot = 0; slot < from.count(dim); ++slot) {
    SmallVector<int64_t> position(slots);
    position.insert(position.begin() + dim, slot);
    Value element = vector::ExtractOp::create(builder, loc, vector, position);
    int64_t round = slot / from.vectorSize(dim);
    if (from.mayBeInert(dim, round)) {
      Value first =
          arith::AddIOp::create(builder, loc, threadBase(loc, from, dim),
                                index(loc, from.roundOffset(dim, round)));
      Value active =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, first,
                                index(loc, from.extent(dim)));
      element = arith::SelectOp::create(builder, loc, active, element,
                                        neutral(loc, kind, element.getType()));
    }
    if (static_cast<int64_t>(chains.size()) < kChains)
      chains.push_back(element);
    else
      chains[slot % kChains] =
          combine(loc, kind, chains[slot % kChains], element);
  }
  while (chains.size() > 1) {
    size_t half = (chains.size() + 1) / 2;
    for (size_t i = half; i < chains.size(); ++i)
      chains[i - half] = combine(loc, kind, chains[i - half], chains[i]);
    chains.resize(half);
  }
  return chains.front();
}

static gpu::AllReduceOperation toGPU(ReduceKind kind, Type type) {
  bool isFloat = isa<FloatType>(type);
  switch (kind) {
  case ReduceKind::Add:
    return gpu::AllReduceOperation::ADD;
  case ReduceKind::Max:
    return isFloat ? gpu::AllReduceOperation::MAXIMUMF
                   : gpu::AllReduceOperation::MAXSI;
  case ReduceKind::Min:
    return isFloat ? gpu::AllReduceOperation::MINIMUMF
                   : gpu::AllReduceOperation::MINSI;
  }
  llvm_unreachable("all kinds are handled");
}

namespace {
/// Threads that have a line of a tile: lanes of each of several warps.
struct Sharers {
  int64_t lanes = 1, laneStride = 1;
  int64_t warps = 1, warpStride = 1;
};
} // namespace

/// Who has a line along `dim`; nothing where lanes or warps are not evenly
/// spaced.
static std::optional<Sharers> sharersAlong(RankedTensorType type, int64_t dim,
                                           int64_t wave) {
  auto layout = dyn_cast<LayoutInterface>(type.getEncoding());
  if (!layout || tile::getParts(layout) > 1)
    return std::nullopt;
  Sharers sharers;
  auto add = [](int64_t &count, int64_t &stride, ThreadDigit digit) {
    if (digit.modulus == 1)
      return true;
    bool isFirst = count == 1;
    count = digit.modulus;
    stride = digit.divisor;
    return isFirst;
  };
  for (ThreadDigit digit : layout.getDigits(dim)) {
    int64_t span = digit.divisor * digit.modulus;
    bool ok = false;
    if (span <= wave)
      ok = add(sharers.lanes, sharers.laneStride, digit);
    else if (digit.divisor % wave == 0)
      ok = add(sharers.warps, sharers.warpStride,
               {digit.divisor / wave, digit.modulus, 1});
    else if (digit.divisor == 1 && span % wave == 0)
      ok = add(sharers.lanes, sharers.laneStride, {1, wave, 1}) &&
           add(sharers.warps, sharers.warpStride, {1, span / wave, 1});
    if (!ok)
      return std::nullopt;
  }
  if (!llvm::isPowerOf2_64(sharers.lanes) ||
      !llvm::isPowerOf2_64(sharers.laneStride))
    return std::nullopt;
  return sharers;
}

/// Each warp leaves its partials of its lines in shared memory; every thread
/// then combines those of its own, in the same order.
void KernelLowering::reduceAcrossWarps(ReduceOp op,
                                       MutableArrayRef<Value> partials) {
  Location loc = op.getLoc();
  int64_t wave = *kernel.getWave();
  int64_t numWarps = getNumThreads(op) / wave;
  Sharers sharers = *sharersAlong(op.getValue().getType(), op.getDim(), wave);
  int64_t lines = wave / sharers.lanes; // of a warp, in each slot
  Type element = partials.front().getType();
  auto bufferType = MemRefType::get(
      {static_cast<int64_t>(partials.size()) * lines * numWarps}, element,
      MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(builder.getContext(),
                                 gpu::AddressSpace::Workgroup));
  Value buffer = function.addWorkgroupAttribution(bufferType, loc);
  function.setWorkgroupAttributionAttr(
      function.getNumWorkgroupAttributions() - 1,
      LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(16));

  // In a loop, slower warps may still read what the last round left.
  if (op->getParentOfType<scf::ForOp>())
    lowerBarrier(loc);
  auto digit = [&](ThreadDigit place) {
    return threadDigit(loc, place, numWarps * wave);
  };
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, loc, a, b);
  };
  // Lines of a warp: lanes below the sharers, then those above.
  Value line = digit({1, sharers.laneStride, numWarps});
  if (int64_t above = sharers.laneStride * sharers.lanes; above < wave)
    line =
        add(line, digit({above, wave / above, sharers.laneStride * numWarps}));
  Value first = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq,
      digit({sharers.laneStride, sharers.lanes, 1}), index(loc, 0));
  auto address = [&](size_t slot, Value position) -> Value {
    return add(add(line, position), index(loc, slot * lines * numWarps));
  };
  Value warp = digit({wave, numWarps, 1});
  scf::IfOp::create(builder, loc, first, [&](OpBuilder &, Location) {
    for (auto [slot, partial] : llvm::enumerate(partials))
      memref::StoreOp::create(builder, loc, partial, buffer,
                              ValueRange{address(slot, warp)});
    scf::YieldOp::create(builder, loc);
  });
  lowerBarrier(loc);

  Value groupFirst = index(loc, 0);
  if (sharers.warps != numWarps) {
    int64_t group = sharers.warps * sharers.warpStride;
    groupFirst = add(digit({wave, sharers.warpStride, 1}),
                     digit({wave * group, numWarps / group, group}));
  }
  bool byShuffle = sharers.lanes == wave && sharers.warpStride == 1 &&
                   sharers.warps > kChains && sharers.warps <= wave &&
                   llvm::isPowerOf2_64(sharers.warps);
  for (auto [slot, partial] : llvm::enumerate(partials)) {
    auto load = [&, row = slot](Value position) -> Value {
      return memref::LoadOp::create(builder, loc, buffer,
                                    ValueRange{address(row, position)});
    };
    if (byShuffle) {
      Value loaded = load(add(groupFirst, digit({1, sharers.warps, 1})));
      partial = gpu::SubgroupReduceOp::create(
          builder, loc, loaded, toGPU(op.getKind(), element), /*uniform=*/false,
          static_cast<uint32_t>(sharers.warps));
      continue;
    }
    partial = load(groupFirst);
    for (int64_t other = 1; other < sharers.warps; ++other)
      partial = combine(
          loc, op.getKind(), partial,
          load(add(groupFirst, index(loc, other * sharers.warpStride))));
  }
}

LogicalResult KernelLowering::lowerScalar(ScalarOp op) {
  Distribution distribution(op.getValue().getType());
  SmallVector<int64_t> first(distribution.rank(), 0);
  for (int64_t dim = 0; dim < distribution.rank(); ++dim)
    if (distribution.mayBeInert(dim, 0))
      return op.emitError() << "takes an element that not all threads have of "
                            << op.getValue().getType()
                            << ", expected what a reduction over all leaves";
  mapping.map(op.getResult(),
              vector::ExtractOp::create(builder, op.getLoc(),
                                        mapping.lookup(op.getValue()), first)
                  .getResult());
  return success();
}

LogicalResult KernelLowering::lowerReduce(ReduceOp op) {
  Location loc = op.getLoc();
  Distribution from(op.getValue().getType());
  Distribution to(op.getResult().getType());
  int64_t dim = op.getDim();
  Type element = op.getValue().getType().getElementType();
  if (storageType(element) != element)
    return op.emitError() << "reduces " << element
                          << ", expected a wider type from tile.convert";
  int64_t wave = *kernel.getWave();
  auto sharers = sharersAlong(op.getValue().getType(), dim, wave);
  if (!sharers || from.rank() < 2)
    return op.emitError()
           << "reduces " << op.getValue().getType() << " along " << dim
           << ", expected a tile of rank 2 or more whose lines belong to a "
              "power of two of evenly spaced lanes, of one warp or of evenly "
              "spaced ones, and no sums of which warps have parts";

  Value vector = mapping.lookup(op.getValue());
  SmallVector<int64_t> sizes;
  for (int64_t d = 0; d < to.rank(); ++d)
    sizes.push_back(to.count(d));
  SmallVector<Value> partials;
  forEachIndex(sizes, [&](ArrayRef<int64_t> slots) {
    partials.push_back(reduceInThread(op, from, vector, slots));
  });
  if (sharers->lanes > 1)
    for (Value &partial : partials)
      partial = gpu::SubgroupReduceOp::create(
          builder, loc, partial, toGPU(op.getKind(), partial.getType()),
          /*uniform=*/false, static_cast<uint32_t>(sharers->lanes),
          static_cast<uint32_t>(sharers->laneStride));
  if (sharers->warps > 1) {
    if (role.team)
      return op.emitError() << "reduces across " << sharers->warps
                            << " warps in a role of several teams, expected "
                               "lines that one warp has";
    reduceAcrossWarps(op, partials);
  }

  Value result =
      vector::FromElementsOp::create(builder, loc, to.threadType(), partials);
  mapping.map(op.getResult(), result);
  return success();
}
