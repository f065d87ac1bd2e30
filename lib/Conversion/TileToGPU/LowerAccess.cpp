//===- LowerAccess.cpp - Tiles to and from global memory ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

/// Largest known divisor of an index in the tile kernel; 0 for zero itself.
int64_t KernelLowering::getDivisor(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
      if (argument == loop.getInductionVar())
        return std::gcd(getDivisor(loop.getLowerBound()),
                        getDivisor(loop.getStep()));
    return 1;
  }
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return std::abs(constant.getSExtValue());
  if (auto cast = dyn_cast<arith::IndexCastOp>(op))
    return getDivisor(cast.getIn());
  if (auto size = dyn_cast<SizeOp>(op))
    return kernel.getKnownDivisor(size.getExpr().getExpr());
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return std::gcd(getDivisor(op->getOperand(0)),
                    getDivisor(op->getOperand(1)));
  if (isa<arith::MulIOp>(op)) {
    int64_t product;
    if (llvm::MulOverflow(getDivisor(op->getOperand(0)),
                          getDivisor(op->getOperand(1)), product))
      return 1;
    return product;
  }
  return 1;
}

/// The exclusive upper bound of a coordinate from 0 on, if `value` is one.
static std::optional<Expr> getWorkItemBound(KernelOp kernel, Value value) {
  if (auto id = value.getDefiningOp<ProgramIdOp>())
    return id.getAxis() < kernel.getGrid().size()
               ? std::optional(kernel.getGridExprs()[id.getAxis()])
               : std::nullopt;
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop =
      argument
          ? dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp())
          : scf::ForOp();
  if (!loop || argument != loop.getInductionVar())
    return std::nullopt;
  APInt first;
  if (!loop.getLowerBound().getDefiningOp<ProgramIdOp>() &&
      (!matchPattern(loop.getLowerBound(), m_ConstantInt(&first)) ||
       first.isNegative()))
    return std::nullopt;
  if (auto size = loop.getUpperBound().getDefiningOp<SizeOp>())
    return size.getExpr().getExpr();
  if (auto constant =
          loop.getUpperBound().getDefiningOp<arith::ConstantIndexOp>())
    return Expr::constant(constant.value());
  return std::nullopt;
}

/// [offset, offset + extent) lies in [0, bound) for every work item: a constant
/// offset that fits, or work item i of `bound ceildiv extent` at i * extent
/// where extent divides bound.
bool KernelLowering::isProvenInBounds(Value offset, int64_t extent,
                                      const Expr &bound) {
  std::optional<int64_t> limit = bound.asConstant();
  if (auto constant = offset.getDefiningOp<arith::ConstantIndexOp>())
    return limit && constant.value() >= 0 &&
           constant.value() + extent <= *limit;

  Value item = offset;
  int64_t scale = 1;
  if (auto product = offset.getDefiningOp<arith::MulIOp>()) {
    auto factor = product.getRhs().getDefiningOp<arith::ConstantIndexOp>();
    if (!factor)
      return false;
    item = product.getLhs();
    scale = factor.value();
  }
  std::optional<Expr> items = getWorkItemBound(kernel, item);
  if (!items || scale != extent)
    return false;
  if (std::optional<int64_t> count = items->asConstant(); count && limit)
    return *count * extent <= *limit;
  Expr expected =
      Expr::make(Expr::Kind::CeilDiv, {bound, Expr::constant(extent)});
  return *items == expected && kernel.getKnownDivisor(bound) % extent == 0;
}

int64_t KernelLowering::getAccessWidth(const Access &access,
                                       const Piece &piece) {
  ViewType type = piece.view.getType();
  int64_t last = piece.along.back();
  int64_t bytes = llvm::divideCeil(access.element.getIntOrFloatBitWidth(), 8);
  int64_t divisor =
      access.distribution.vectorSize(access.distribution.rank() - 1);
  divisor = std::gcd(divisor, getDivisor(piece.offsets[last]));
  auto divide = [&](const Expr &expr) {
    divisor = std::gcd(divisor, kernel.getKnownDivisor(expr));
  };
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (dim != last || type.isSplit(dim))
      divide(type.getStride(dim));
    if (type.isSplit(dim))
      divide((dim == last ? type.getSplits() : type.getRunStrides())[dim]
                 .getExpr());
  }
  // Whole pages may be read.
  bool isPaged = piece.table && last == 0;
  if (isPaged)
    divide(piece.page.getExpr());
  if (!access.proven.back() && !isPaged)
    divisor = std::gcd(
        divisor, kernel.getKnownDivisor(type.getExtents()[last].getExpr()));
  int64_t aligned = std::min<int64_t>(kernel.getAlignment().value_or(1), 16);
  int64_t width = divisor & -divisor;
  return std::min(width, std::max<int64_t>(1, aligned / bytes));
}

//===----------------------------------------------------------------------===//
// Addresses and guards
//===----------------------------------------------------------------------===//

/// Address of the thread's first element of the row at `slots` (all dimensions
/// but the last); of a row that has runs, where it starts in the view.
Value KernelLowering::rowPointer(Location loc, const Access &access,
                                 ArrayRef<int64_t> slots) {
  const Distribution &distribution = access.distribution;
  int64_t last = distribution.rank() - 1;
  Value offset;
  for (int64_t dim = 0; dim <= last; ++dim) {
    Value position = arith::AddIOp::create(builder, loc, access.offsets[dim],
                                           threadBase(loc, distribution, dim));
    if (dim != last) {
      int64_t vectorSize = distribution.vectorSize(dim);
      int64_t relative =
          distribution.roundOffset(dim, slots[dim] / vectorSize) +
          slots[dim] % vectorSize;
      if (relative != 0)
        position =
            arith::AddIOp::create(builder, loc, position, index(loc, relative));
      position = access.placeOf[dim](position);
    } else if (access.hasRuns) {
      break;
    }
    offset =
        offset
            ? arith::AddIOp::create(builder, loc, offset, position).getResult()
            : position;
  }
  return offset ? elementPointer(loc, access.element, access.pointer, offset)
                : access.pointer;
}

Value KernelLowering::positionInRow(Location loc, const Access &access,
                                    int64_t displacement) {
  int64_t last = access.distribution.rank() - 1;
  Value first =
      arith::AddIOp::create(builder, loc, access.offsets[last],
                            threadBase(loc, access.distribution, last));
  return arith::AddIOp::create(builder, loc, first, index(loc, displacement));
}

SmallVector<Value> KernelLowering::placesInRow(Location loc,
                                               const Access &access,
                                               ArrayRef<RowPiece> parts) {
  return llvm::map_to_vector(parts, [&](const RowPiece &part) {
    return access.hasRuns ? access.placeOf.back()(
                                positionInRow(loc, access, part.displacement))
                          : Value();
  });
}

Value KernelLowering::partPointer(Location loc, const Access &access,
                                  Value rowBase, const RowPiece &part,
                                  Value place) {
  return place ? elementPointer(loc, access.element, rowBase, place)
               : displace(builder, loc, rowBase, access.element,
                          part.displacement);
}

/// The first `left` elements of a vector of narrow ones, zero in place of the
/// others: by masks of words, which all rows at these columns share.
Value KernelLowering::cutWords(Location loc, Value left, Value loaded) {
  auto type = cast<VectorType>(loaded.getType());
  int64_t bits = type.getElementTypeBitWidth(), perWord = 32 / bits;
  auto words =
      VectorType::get({type.getDimSize(0) / perWord}, builder.getI32Type());
  SmallVector<Value> masks;
  for (int64_t i = 0; i < words.getDimSize(0); ++i) {
    Value kept = arith::MinSIOp::create(
        builder, loc,
        arith::MaxSIOp::create(
            builder, loc,
            arith::SubIOp::create(builder, loc, left, word(loc, i * perWord)),
            word(loc, 0)),
        word(loc, perWord));
    Value shift = arith::ExtUIOp::create(
        builder, loc, builder.getI64Type(),
        arith::MulIOp::create(builder, loc, kept, word(loc, bits)));
    Value one = word(loc, 1, 64);
    Value mask = arith::SubIOp::create(
        builder, loc, arith::ShLIOp::create(builder, loc, one, shift), one);
    masks.push_back(
        arith::TruncIOp::create(builder, loc, words.getElementType(), mask));
  }
  Value mask = vector::FromElementsOp::create(builder, loc, words, masks);
  Value kept = arith::AndIOp::create(
      builder, loc, vector::BitCastOp::create(builder, loc, words, loaded),
      mask);
  return vector::BitCastOp::create(builder, loc, type, kept);
}

Value KernelLowering::cutRow(Location loc, const Access &access,
                             const RowPiece &part, Value loaded) {
  auto type = cast<VectorType>(loaded.getType());
  int64_t width = type.getDimSize(0);
  if (!access.cutsRows || width == 1)
    return loaded;
  Value left =
      arith::SubIOp::create(builder, loc, access.bounds.back(),
                            positionInRow(loc, access, part.displacement));
  left = toWord(loc,
                arith::MinSIOp::create(builder, loc, left, index(loc, width)));
  if (int64_t bits = type.getElementTypeBitWidth();
      bits < 32 && width * bits % 32 == 0)
    return cutWords(loc, left, loaded);
  auto words = VectorType::get({width}, builder.getI32Type());
  SmallVector<int32_t> columns(width);
  std::iota(columns.begin(), columns.end(), 0);
  Value column = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(words, ArrayRef<int32_t>(columns)));
  Value inside = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, column,
      vector::BroadcastOp::create(builder, loc, words, left));
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return arith::SelectOp::create(builder, loc, inside, loaded, zero);
}

Value KernelLowering::guard(Location loc, const Access &access, int64_t dim,
                            int64_t round, int64_t element) {
  const Distribution &distribution = access.distribution;
  bool inert = distribution.mayBeInert(dim, round);
  if (access.proven[dim] && !inert)
    return {};
  Value position = arith::AddIOp::create(
      builder, loc, threadBase(loc, distribution, dim),
      index(loc, distribution.roundOffset(dim, round) + element));
  Value inside;
  if (inert)
    inside = isBelow(loc, position, index(loc, distribution.extent(dim)));
  if (!access.proven[dim])
    inside = isBelow(
        loc, arith::AddIOp::create(builder, loc, position, access.offsets[dim]),
        access.bounds[dim], inside);
  return inside;
}

Value KernelLowering::guardSlots(Location loc, const Access &access,
                                 ArrayRef<int64_t> slots, Value also) {
  if (access.inside)
    also = both(loc, also, access.inside);
  for (auto [dim, slot] : llvm::enumerate(slots)) {
    int64_t vectorSize = access.distribution.vectorSize(dim);
    Value inside =
        guard(loc, access, dim, slot / vectorSize, slot % vectorSize);
    if (inside)
      also = both(loc, also, inside);
  }
  return also;
}

//===----------------------------------------------------------------------===//
// Loads, stores, masks
//===----------------------------------------------------------------------===//

SmallVector<RowPiece> lathe::splitRow(const Distribution &distribution,
                                      int64_t width) {
  SmallVector<RowPiece> pieces;
  int64_t last = distribution.rank() - 1;
  int64_t vectorSize = distribution.vectorSize(last);
  for (int64_t round = 0; round < distribution.rounds(last); ++round)
    for (int64_t element = 0; element < vectorSize; element += width)
      pieces.push_back({round * vectorSize + element, round, element,
                        distribution.roundOffset(last, round) + element});
  return pieces;
}

/// Leading dimensions' slot counts, i.e. the rows that a thread holds.
static SmallVector<int64_t> rowSlots(const Distribution &distribution) {
  SmallVector<int64_t> sizes;
  for (int64_t dim = 0; dim + 1 < distribution.rank(); ++dim)
    sizes.push_back(distribution.count(dim));
  return sizes;
}

Value lathe::displace(OpBuilder &builder, Location loc, Value pointer,
                      Type element, int64_t elements) {
  if (elements == 0)
    return pointer;
  return LLVM::GEPOp::create(
      builder, loc, pointer.getType(), element, pointer,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(elements)},
      LLVM::GEPNoWrapFlags::inbounds);
}

Value lathe::loadIf(OpBuilder &builder, Location loc, Value inside,
                    VectorType type, llvm::function_ref<Value()> load) {
  if (!inside)
    return load();
  return scf::IfOp::create(
             builder, loc, inside,
             [&](OpBuilder &, Location) {
               scf::YieldOp::create(builder, loc, load());
             },
             [&](OpBuilder &, Location) {
               Value zero = arith::ConstantOp::create(
                   builder, loc, builder.getZeroAttr(type));
               scf::YieldOp::create(builder, loc, zero);
             })
      .getResult(0);
}

LogicalResult KernelLowering::lowerLoad(LoadOp op) {
  Location loc = op.getLoc();
  Piece piece = pieceOf(op);
  Access access = analyzeAccess(loc, piece, op.getResult().getType());
  const Distribution &distribution = access.distribution;
  int64_t last = distribution.rank() - 1;
  int64_t width = getAccessWidth(access, piece);
  int64_t bytes = llvm::divideCeil(access.element.getIntOrFloatBitWidth(), 8);
  if (loadsByWords(op, access, width)) {
    lowerLoadByWords(op, access, width);
    return success();
  }
  auto pieceType = VectorType::get({width}, access.element);
  auto rowType = VectorType::get({distribution.count(last)}, access.element);
  auto nonTemporal = op.getCache() == CachePolicy::EvictFirst;

  Value result = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(distribution.threadType()));
  SmallVector<RowPiece> parts = splitRow(distribution, width);
  SmallVector<Value> places = placesInRow(loc, access, parts);
  auto loadPiece = [&](Value rowBase, const RowPiece &part,
                       Value place) -> Value {
    Value pointer = partPointer(loc, access, rowBase, part, place);
    Value loaded =
        LLVM::LoadOp::create(builder, loc, pieceType, pointer, width * bytes,
                             /*isVolatile=*/false, nonTemporal);
    return cutRow(loc, access, part, loaded);
  };
  auto loadRow = [&](ArrayRef<int64_t> slots) -> Value {
    Value rowBase = rowPointer(loc, access, slots);
    Value row =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(rowType));
    for (auto [part, place] : llvm::zip_equal(parts, places)) {
      Value loaded = loadIf(builder, loc,
                            guard(loc, access, last, part.round, part.element),
                            pieceType, [&, &part = part, place = place] {
                              return loadPiece(rowBase, part, place);
                            });
      row = vector::InsertStridedSliceOp::create(builder, loc, loaded, row,
                                                 ArrayRef<int64_t>{part.slot},
                                                 ArrayRef<int64_t>{1});
    }
    return row;
  };
  forEachIndex(rowSlots(distribution), [&](ArrayRef<int64_t> slots) {
    Value row = loadIf(builder, loc, guardSlots(loc, access, slots), rowType,
                       [&] { return loadRow(slots); });
    result = slots.empty()
                 ? row
                 : vector::InsertOp::create(builder, loc, row, result, slots)
                       .getResult();
  });
  mapping.map(op.getResult(), result);
  return success();
}

LogicalResult KernelLowering::lowerStore(StoreOp op) {
  Location loc = op.getLoc();
  Piece whole{op.getView(), op.getOffsets(),
              tileDims(op.getView().getType(), op.getAlong()), op.getUntil()};
  Access access = analyzeAccess(loc, whole, op.getValue().getType());
  Value value = mapping.lookup(op.getValue());
  // Of a fragment a thread has four bytes of a row at once.
  if (RankedTensorType type = inRowPieces(op.getValue().getType());
      type && !access.cutsRows && !access.hasRuns) {
    Access inPieces = analyzeAccess(loc, whole, type);
    if (getAccessWidth(inPieces, whole) ==
        inPieces.distribution.vectorSize(1)) {
      access = std::move(inPieces);
      value = gatherRowPieces(loc, value);
    }
  }
  const Distribution &distribution = access.distribution;
  int64_t last = distribution.rank() - 1;
  // Nothing may be written beyond the end that cuts rows.
  int64_t width = access.cutsRows ? 1 : getAccessWidth(access, whole);
  int64_t bytes = llvm::divideCeil(access.element.getIntOrFloatBitWidth(), 8);
  SmallVector<RowPiece> parts = splitRow(distribution, width);
  SmallVector<Value> places = placesInRow(loc, access, parts);
  auto nonTemporal = op.getCache() == CachePolicy::EvictFirst;

  // A slice is held by several threads alike: those at coordinate 0 write it.
  Value owner;
  if (auto slice = dyn_cast<SliceAttr>(op.getValue().getType().getEncoding()))
    if (llvm::any_of(
            slice.getParent().getDigits(slice.getDim()),
            [](const ThreadDigit &digit) { return digit.modulus > 1; }))
      owner = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq,
          threadSum(loc, slice.getParent(), slice.getDim()), index(loc, 0));

  auto storeRow = [&](ArrayRef<int64_t> slots) {
    Value rowBase = rowPointer(loc, access, slots);
    Value row =
        slots.empty()
            ? value
            : vector::ExtractOp::create(builder, loc, value, slots).getResult();
    for (auto [piece, place] : llvm::zip_equal(parts, places)) {
      auto storePiece = [&, &piece = piece, place = place] {
        Value part = vector::ExtractStridedSliceOp::create(
            builder, loc, row, ArrayRef<int64_t>{piece.slot},
            ArrayRef<int64_t>{width}, ArrayRef<int64_t>{1});
        Value pointer = partPointer(loc, access, rowBase, piece, place);
        LLVM::StoreOp::create(builder, loc, part, pointer, width * bytes,
                              /*isVolatile=*/false, nonTemporal);
      };
      if (Value inside = guard(loc, access, last, piece.round, piece.element))
        scf::IfOp::create(builder, loc, inside, [&](OpBuilder &, Location) {
          storePiece();
          scf::YieldOp::create(builder, loc);
        });
      else
        storePiece();
    }
  };
  forEachIndex(rowSlots(distribution), [&](ArrayRef<int64_t> slots) {
    if (Value inside = guardSlots(loc, access, slots, owner))
      scf::IfOp::create(builder, loc, inside, [&](OpBuilder &, Location) {
        storeRow(slots);
        scf::YieldOp::create(builder, loc);
      });
    else
      storeRow(slots);
  });
  return success();
}

LogicalResult KernelLowering::lowerInBounds(InBoundsOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Access access =
      analyzeAccess(loc,
                    {op.getView(), op.getOffsets(),
                     tileDims(op.getView().getType(), std::nullopt)},
                    type);
  const Distribution &distribution = access.distribution;
  SmallVector<int64_t> sizes = rowSlots(distribution);
  sizes.push_back(distribution.count(distribution.rank() - 1));
  Value truth =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  Value result = vector::BroadcastOp::create(builder, loc,
                                             distribution.threadType(), truth);
  forEachIndex(sizes, [&](ArrayRef<int64_t> slots) {
    if (Value inside = guardSlots(loc, access, slots))
      result = vector::InsertOp::create(builder, loc, inside, result, slots);
  });
  mapping.map(op.getResult(), result);
  return success();
}
