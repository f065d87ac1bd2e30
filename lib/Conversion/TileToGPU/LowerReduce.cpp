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

/// Threads that have a line along `dim`, and how far apart they are; nothing
/// where they are not evenly spaced.
static std::optional<std::pair<int64_t, int64_t>>
sharersAlong(RankedTensorType type, int64_t dim) {
  auto layout = dyn_cast<LayoutInterface>(type.getEncoding());
  if (!layout || tile::getParts(layout) > 1)
    return std::nullopt;
  std::pair<int64_t, int64_t> sharers(1, 1);
  for (ThreadDigit digit : layout.getDigits(dim)) {
    if (digit.modulus == 1)
      continue;
    if (sharers.first > 1)
      return std::nullopt;
    sharers = {digit.modulus, digit.divisor};
  }
  return sharers;
}

/// Each warp leaves its partial in shared memory; every thread then combines
/// those of its group, in the same order.
void KernelLowering::reduceAcrossWarps(ReduceOp op, const Distribution &from,
                                       MutableArrayRef<Value> partials) {
  Location loc = op.getLoc();
  int64_t wave = *kernel.getWave();
  int64_t numWarps = *kernel.getThreads() / wave;
  int64_t groupWarps =
      sharersAlong(op.getValue().getType(), op.getDim())->first / wave;
  Type element = partials.front().getType();
  auto bufferType =
      MemRefType::get({static_cast<int64_t>(partials.size()) * numWarps},
                      element, MemRefLayoutAttrInterface(),
                      gpu::AddressSpaceAttr::get(builder.getContext(),
                                                 gpu::AddressSpace::Workgroup));
  Value buffer = function.addWorkgroupAttribution(bufferType, loc);
  function.setWorkgroupAttributionAttr(
      function.getNumWorkgroupAttributions() - 1,
      LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(16));

  // In a loop, slower warps may still read what the last round left.
  if (op->getParentOfType<scf::ForOp>())
    gpu::BarrierOp::create(builder, loc);
  Value tid = threadId(loc);
  Value warp = arith::DivUIOp::create(builder, loc, tid, index(loc, wave));
  Value lane = arith::RemUIOp::create(builder, loc, tid, index(loc, wave));
  Value first = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      lane, index(loc, 0));
  auto address = [&](size_t slot, Value position) -> Value {
    return arith::AddIOp::create(builder, loc, position,
                                 index(loc, slot * numWarps));
  };
  scf::IfOp::create(builder, loc, first, [&](OpBuilder &, Location) {
    for (auto [slot, partial] : llvm::enumerate(partials))
      memref::StoreOp::create(builder, loc, partial, buffer,
                              ValueRange{address(slot, warp)});
    scf::YieldOp::create(builder, loc);
  });
  gpu::BarrierOp::create(builder, loc);

  Value groupFirst = index(loc, 0);
  if (groupWarps != numWarps)
    groupFirst = arith::SubIOp::create(
        builder, loc, warp,
        arith::RemUIOp::create(builder, loc, warp, index(loc, groupWarps)));
  bool byShuffle = groupWarps > kChains && groupWarps <= wave &&
                   llvm::isPowerOf2_64(groupWarps);
  for (auto [slot, partial] : llvm::enumerate(partials)) {
    auto load = [&, row = slot](Value position) -> Value {
      return memref::LoadOp::create(builder, loc, buffer,
                                    ValueRange{address(row, position)});
    };
    if (byShuffle) {
      Value mine =
          arith::RemUIOp::create(builder, loc, lane, index(loc, groupWarps));
      Value loaded =
          load(arith::AddIOp::create(builder, loc, groupFirst, mine));
      partial = gpu::SubgroupReduceOp::create(
          builder, loc, loaded, toGPU(op.getKind(), element), /*uniform=*/false,
          static_cast<uint32_t>(groupWarps));
      continue;
    }
    partial = load(groupFirst);
    for (int64_t other = 1; other < groupWarps; ++other)
      partial = combine(loc, op.getKind(), partial,
                        load(arith::AddIOp::create(builder, loc, groupFirst,
                                                   index(loc, other))));
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
  auto sharers = sharersAlong(op.getValue().getType(), dim);
  if (!sharers || from.rank() < 2)
    return op.emitError("reduces a tile of rank 1, a slice, or sums of which "
                        "several warps have parts of a line, expected a tile "
                        "of rank 2 or more whose lines evenly spaced threads "
                        "have");
  int64_t wave = *kernel.getWave();
  auto [size, stride] = *sharers;
  bool inWarp = llvm::isPowerOf2_64(size) && llvm::isPowerOf2_64(stride) &&
                size * stride <= wave;
  bool acrossWarps = stride == 1 && size % wave == 0;
  if (!inWarp && !acrossWarps)
    return op.emitError() << "cannot reduce across " << size
                          << " threads at stride " << stride
                          << ": expected a power of two inside a wave of "
                          << wave << ", or whole waves at stride 1";

  Value vector = mapping.lookup(op.getValue());
  SmallVector<int64_t> sizes;
  for (int64_t d = 0; d < to.rank(); ++d)
    sizes.push_back(to.count(d));
  SmallVector<Value> partials;
  forEachIndex(sizes, [&](ArrayRef<int64_t> slots) {
    partials.push_back(reduceInThread(op, from, vector, slots));
  });
  if (size > 1)
    for (Value &partial : partials)
      partial = gpu::SubgroupReduceOp::create(
          builder, loc, partial, toGPU(op.getKind(), partial.getType()),
          /*uniform=*/false, static_cast<uint32_t>(std::min(size, wave)),
          static_cast<uint32_t>(stride));
  if (size > wave)
    reduceAcrossWarps(op, from, partials);

  Value result =
      vector::FromElementsOp::create(builder, loc, to.threadType(), partials);
  mapping.map(op.getResult(), result);
  return success();
}
