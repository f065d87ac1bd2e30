//===- LowerPieces.cpp - Where pieces of views lie ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;

SmallVector<int64_t>
KernelLowering::tileDims(ViewType view,
                         std::optional<ArrayRef<int64_t>> along) {
  if (along)
    return SmallVector<int64_t>(*along);
  return llvm::to_vector(llvm::seq<int64_t>(0, view.getRank()));
}

/// What `op` reads, perhaps in pages.
template <typename Piece, typename ReadOp>
static Piece readBy(ReadOp op, SmallVector<int64_t> dims, Value until = {}) {
  return {op.getView(),  op.getOffsets(), std::move(dims), until,
          op.getTable(), op.getRow(),     op.getPageAttr()};
}

KernelLowering::Piece KernelLowering::pieceOf(LoadOp op) {
  return readBy<Piece>(op, tileDims(op.getView().getType(), op.getAlong()),
                       op.getUntil());
}

KernelLowering::Piece KernelLowering::pieceOf(CopyAsyncOp op) {
  return readBy<Piece>(op, tileDims(op.getView().getType(), op.getAlong()));
}

KernelLowering::Piece KernelLowering::pieceOf(PrefetchOp op) {
  return readBy<Piece>(op, tileDims(op.getView().getType(), op.getAlong()));
}

std::pair<Value, Value> KernelLowering::pageOf(Location loc, const Piece &piece,
                                               Value position) {
  // In 32 bits where the copy engine counts in them.
  bool isWord = !position.getType().isIndex();
  auto asCounted = [&](Value value) {
    return isWord ? toWord(loc, value) : value;
  };
  Value size = asCounted(materialize(loc, piece.page.getExpr()));
  Value number = arith::DivUIOp::create(builder, loc, position, size);
  Value inPage = arith::RemUIOp::create(builder, loc, position, size);
  SmallVector<Value> place;
  Value inside = placeInside(loc, piece.table.getType(), piece.row, place);
  Expr pages = piece.table.getType().getExtents().back().getExpr();
  inside = isBelow(loc, number, asCounted(materialize(loc, pages)), inside);
  place.push_back(isWord ? arith::IndexCastOp::create(
                               builder, loc, builder.getIndexType(), number)
                               .getResult()
                         : number);
  Value page = loadElement(loc, piece.table, place, inside, /*inOrder=*/true);
  if (!isWord)
    page =
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), page);
  return {page, inPage};
}

Value KernelLowering::pagedRow(Location loc, const Piece &piece,
                               Value position) {
  auto [page, inPage] = pageOf(loc, piece, position);
  Value size = materialize(loc, piece.page.getExpr());
  if (!position.getType().isIndex())
    size = toWord(loc, size);
  return arith::AddIOp::create(
      builder, loc, arith::MulIOp::create(builder, loc, page, size), inPage);
}

static Value sumOfRuns(OpBuilder &builder, Location loc, Value run,
                       Value stride, Value inRun, Value runStride) {
  return arith::AddIOp::create(
      builder, loc, arith::MulIOp::create(builder, loc, run, stride),
      arith::MulIOp::create(builder, loc, inRun, runStride));
}

Value KernelLowering::placeOf(Location loc, ViewType view, int64_t dim,
                              Value position) {
  Value stride = materialize(loc, view.getStride(dim));
  if (!view.isSplit(dim))
    return arith::MulIOp::create(builder, loc, position, stride);
  Value split = materialize(loc, view.getSplits()[dim].getExpr());
  return sumOfRuns(
      builder, loc, arith::DivUIOp::create(builder, loc, position, split),
      stride, arith::RemUIOp::create(builder, loc, position, split),
      materialize(loc, view.getRunStrides()[dim].getExpr()));
}

Value KernelLowering::placeOf(Location loc, const Piece &piece, int64_t dim,
                              Value position) {
  ViewType view = piece.view.getType();
  if (dim != 0 || !piece.table)
    return placeOf(loc, view, dim, position);
  // Pages that are runs need no row of the view.
  if (!view.isSplit(0) || view.getSplits()[0] != piece.page)
    return placeOf(loc, view, 0, pagedRow(loc, piece, position));
  auto [page, inPage] = pageOf(loc, piece, position);
  return sumOfRuns(builder, loc, page, materialize(loc, view.getStride(0)),
                   inPage, materialize(loc, view.getRunStrides()[0].getExpr()));
}

KernelLowering::Access KernelLowering::analyzeAccess(Location loc,
                                                     const Piece &piece,
                                                     RankedTensorType type) {
  ViewType view = piece.view.getType();
  Access access{Distribution(type),
                storageType(type.getElementType()),
                mapping.lookup(piece.view),
                {},
                {},
                {},
                {},
                {}};
  Value start;
  for (auto [dim, offset] : llvm::enumerate(piece.offsets)) {
    if (llvm::is_contained(piece.along, static_cast<int64_t>(dim)))
      continue;
    Expr bound = view.getExtents()[dim].getExpr();
    Value at = mapping.lookup(offset);
    if (!isProvenInBounds(offset, 1, bound))
      access.inside = isBelow(loc, at, materialize(loc, bound), access.inside);
    Value more = placeOf(loc, view, dim, at);
    start = start ? arith::AddIOp::create(builder, loc, start, more) : more;
  }
  if (start)
    access.pointer = elementPointer(loc, access.element, access.pointer, start);
  for (auto [dim, extent] : llvm::zip_equal(piece.along, type.getShape())) {
    Expr bound = view.getExtents()[dim].getExpr();
    Value offset = piece.offsets[dim];
    bool cut = dim == piece.cutDim() && (piece.until || piece.table);
    access.offsets.push_back(mapping.lookup(offset));
    access.proven.push_back(!cut && isProvenInBounds(offset, extent, bound));
    access.bounds.push_back(access.proven.back() ? Value()
                            : cut                ? rowEnd(loc, piece)
                                                 : materialize(loc, bound));
    access.placeOf.push_back([this, loc, piece, dim = dim](Value position) {
      return placeOf(loc, piece, dim, position);
    });
  }
  int64_t last = piece.along.back();
  access.hasRuns = view.isSplit(last) || (piece.table && last == 0);
  access.cutsRows = piece.until && last == piece.cutDim();
  return access;
}

/// Where rows of a piece end: with the view or its table, or before.
Value KernelLowering::rowEnd(Location loc, const Piece &piece) {
  Expr bound = piece.view.getType().getExtents()[piece.cutDim()].getExpr();
  if (piece.table)
    bound = Expr::make(Expr::Kind::Mul,
                       {piece.table.getType().getExtents().back().getExpr(),
                        piece.page.getExpr()});
  Value end = materialize(loc, bound);
  if (!piece.until)
    return end;
  return arith::MinSIOp::create(builder, loc, end, mapping.lookup(piece.until));
}

Value KernelLowering::elementPointer(Location loc, Type element, Value pointer,
                                     Value elements) {
  Value wide =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), elements);
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), element, pointer,
                             ArrayRef<LLVM::GEPArg>{wide},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value KernelLowering::placeInside(Location loc, ViewType view,
                                  ValueRange offsets,
                                  SmallVectorImpl<Value> &place) {
  Value inside;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    Expr bound = view.getExtents()[dim].getExpr();
    place.push_back(mapping.lookup(offset));
    if (!isProvenInBounds(offset, 1, bound))
      inside = isBelow(loc, place.back(), materialize(loc, bound), inside);
  }
  return inside;
}

Value KernelLowering::offsetInView(Location loc, ViewType view,
                                   ValueRange place) {
  Value offset = index(loc, 0);
  for (auto [dim, at] : llvm::enumerate(place))
    offset = arith::AddIOp::create(
        builder, loc, offset,
        placeOf(loc, view, static_cast<int64_t>(dim), at));
  return offset;
}

Value KernelLowering::loadElement(Location loc, TypedValue<ViewType> view,
                                  ValueRange offsets, Value inside,
                                  bool inOrder) {
  Type element = view.getType().getElementType();
  Value place = offsetInView(loc, view.getType(), offsets);
  auto type = VectorType::get({1}, element);
  if (inside && *kernel.getWave() == 32 &&
      element.getIntOrFloatBitWidth() == 32) {
    Value word = loadWordsIf(
        loc, inside, elementPointer(loc, element, mapping.lookup(view), place),
        1, "", /*isConstant=*/!inOrder);
    return vector::ExtractOp::create(
        builder, loc, vector::BitCastOp::create(builder, loc, type, word),
        ArrayRef<int64_t>{0});
  }
  Value loaded = loadIf(builder, loc, inside, type, [&]() -> Value {
    return LLVM::LoadOp::create(
        builder, loc, type,
        elementPointer(loc, element, mapping.lookup(view), place),
        element.getIntOrFloatBitWidth() / 8);
  });
  return vector::ExtractOp::create(builder, loc, loaded, ArrayRef<int64_t>{0});
}

void KernelLowering::lowerLoadElement(LoadElementOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> place;
  Value inside =
      placeInside(loc, op.getView().getType(), op.getOffsets(), place);
  mapping.map(op.getResult(), loadElement(loc, op.getView(), place, inside));
}

/// Places of this thread's elements along `dim`, without what they have in
/// common, as a value for each element.
static DenseIntElementsAttr
ownPlaces(OpBuilder &builder, const Distribution &distribution, int64_t dim) {
  int64_t size = distribution.vectorSize(dim);
  SmallVector<int64_t> sizes;
  for (int64_t d = 0; d < distribution.rank(); ++d)
    sizes.push_back(distribution.count(d));
  SmallVector<int32_t> places;
  forEachIndex(sizes, [&](ArrayRef<int64_t> slots) {
    int64_t slot = slots[dim];
    places.push_back(static_cast<int32_t>(
        distribution.roundOffset(dim, slot / size) + slot % size));
  });
  return DenseIntElementsAttr::get(VectorType::get(sizes, builder.getI32Type()),
                                   places);
}

void KernelLowering::lowerIota(IotaOp op) {
  Location loc = op.getLoc();
  Distribution distribution(cast<RankedTensorType>(op.getResult().getType()));
  auto type = cast<VectorType>(distribution.threadType());
  Value first = vector::BroadcastOp::create(
      builder, loc, type,
      toWord(loc, threadBase(loc, distribution, op.getDim())));
  Value places = arith::ConstantOp::create(
      builder, loc, ownPlaces(builder, distribution, op.getDim()));
  mapping.map(op.getResult(),
              arith::AddIOp::create(builder, loc, first, places).getResult());
}

/// Places compare as their constant parts do with what is left of a bound of
/// their row: one difference for each, not a register for each place. Below -1
/// a bound is as good as -1, and nothing wraps.
LogicalResult KernelLowering::lowerCompare(arith::CmpIOp op) {
  auto iota = op.getLhs().getDefiningOp<IotaOp>();
  auto bounds = op.getRhs().getDefiningOp<BroadcastOp>();
  using P = arith::CmpIPredicate;
  if (!iota || !bounds || iota.getDim() != bounds.getDim() ||
      !llvm::is_contained({P::eq, P::ne, P::slt, P::sle, P::sgt, P::sge},
                          op.getPredicate()))
    return lowerElementwise(op);
  Location loc = op.getLoc();
  Distribution distribution(cast<RankedTensorType>(iota.getResult().getType()));
  auto type = cast<VectorType>(distribution.threadType());
  Value first = toWord(loc, threadBase(loc, distribution, iota.getDim()));
  Value given = mapping.lookup(bounds.getValue());
  SmallVector<Value> left;
  for (int64_t i = 0; i < cast<VectorType>(given.getType()).getDimSize(0);
       ++i) {
    Value bound = arith::MaxSIOp::create(
        builder, loc, vector::ExtractOp::create(builder, loc, given, i),
        word(loc, -1));
    bound = arith::SubIOp::create(builder, loc, bound, first);
    // Else LLVM adds to each place what it subtracts here.
    if (*kernel.getWave() == 32)
      bound = inlinePtx(loc, "", "=r,0", bound, builder.getI32Type());
    left.push_back(bound);
  }
  SmallVector<Value> elements;
  int64_t other = 1 - iota.getDim();
  SmallVector<int64_t> sizes{distribution.count(0), distribution.count(1)};
  forEachIndex(sizes, [&](ArrayRef<int64_t> slots) {
    elements.push_back(left[slots[other]]);
  });
  mapping.map(
      op.getResult(),
      arith::CmpIOp::create(
          builder, loc, op.getPredicate(),
          arith::ConstantOp::create(
              builder, loc, ownPlaces(builder, distribution, iota.getDim())),
          vector::FromElementsOp::create(builder, loc, type, elements))
          .getResult());
  return success();
}
