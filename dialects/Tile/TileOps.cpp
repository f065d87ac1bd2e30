//===- TileOps.cpp - Verifiers and syntax of tile operations --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/ExprSyntax.h"
#include "Tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;
using lathe::problem::ExprAttr;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

static ParseResult parseCache(OpAsmParser &parser, CachePolicyAttr &cache) {
  CachePolicy policy = CachePolicy::Normal;
  if (succeeded(parser.parseOptionalKeyword("evict_first")))
    policy = CachePolicy::EvictFirst;
  cache = CachePolicyAttr::get(parser.getContext(), policy);
  return success();
}

static void printCache(OpAsmPrinter &printer, Operation *,
                       CachePolicyAttr cache) {
  if (cache.getValue() != CachePolicy::Normal)
    printer << stringifyCachePolicy(cache.getValue());
}

/// A kind in brackets, or none for sums.
static ParseResult parseKind(OpAsmParser &parser, ReduceKindAttr &attr) {
  ReduceKind kind = ReduceKind::Add;
  if (succeeded(parser.parseOptionalLess())) {
    StringRef word;
    auto loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return failure();
    std::optional<ReduceKind> found = symbolizeReduceKind(word);
    if (!found)
      return parser.emitError(loc)
             << "found '" << word << "', expected add, max or min";
    kind = *found;
    if (parser.parseGreater())
      return failure();
  }
  attr = ReduceKindAttr::get(parser.getContext(), kind);
  return success();
}

static void printKind(OpAsmPrinter &printer, Operation *, ReduceKindAttr attr) {
  if (attr.getValue() != ReduceKind::Add)
    printer << "<" << stringifyReduceKind(attr.getValue()) << ">";
}

static void printExprText(OpAsmPrinter &printer, Operation *, ExprAttr attr) {
  printer << '"' << attr.getText() << '"';
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult tile::verifyAlong(Operation *op, ViewType view,
                                std::optional<ArrayRef<int64_t>> along) {
  if (!along) {
    if (view.isContiguous(view.getRank() - 1))
      return success();
    return op->emitOpError() << "runs along all of " << view
                             << ", expected its last dimension contiguous";
  }
  bool ok = !along->empty();
  for (auto [i, dim] : llvm::enumerate(*along))
    ok &= dim >= 0 && dim < view.getRank() &&
          !llvm::is_contained(along->take_front(i), dim);
  if (ok && view.isContiguous(along->back()))
    return success();
  return op->emitOpError() << "runs along [" << *along
                           << "], expected different dimensions of the view, "
                              "the last of them contiguous";
}

LogicalResult tile::verifyPages(Operation *op, TypedValue<ViewType> table,
                                size_t places, std::optional<ExprAttr> page,
                                std::optional<ArrayRef<int64_t>> along) {
  if (!table)
    return success();
  ViewType type = table.getType();
  if (!type.getElementType().isInteger(32) ||
      places + 1 != static_cast<size_t>(type.getRank()))
    return op->emitOpError()
           << "goes through " << type << " at " << places
           << " places, expected i32 and one for all but its last dimension";
  if (along && !llvm::is_contained(*along, 0))
    return op->emitOpError("has pages of rows that its tile does not run "
                           "along, expected dimension 0");
  if (std::optional<int64_t> size = page->getExpr().asConstant();
      size && *size < 1)
    return op->emitOpError()
           << "has pages of " << *size << " rows, expected at least 1";
  return success();
}

LogicalResult tile::verifyOffsets(Operation *op, ViewType view,
                                  size_t offsets) {
  if (offsets == static_cast<size_t>(view.getRank()))
    return success();
  return op->emitOpError() << "has " << offsets << " offsets, expected "
                           << view.getRank() << " from its view";
}

/// `tile` must have the rank of `view`, or that of `along`, and, unless
/// `anyElement`, its element type; one offset per dimension.
static LogicalResult
verifyAccess(Operation *op, ViewType view, size_t offsets,
             RankedTensorType tile,
             std::optional<ArrayRef<int64_t>> along = std::nullopt,
             bool anyElement = false) {
  if (failed(verifyOffsets(op, view, offsets)) ||
      failed(verifyAlong(op, view, along)))
    return failure();
  int64_t rank = along ? static_cast<int64_t>(along->size()) : view.getRank();
  if (tile.getRank() != rank)
    return op->emitOpError()
           << "has a tile of rank " << tile.getRank() << ", expected " << rank;
  if (!anyElement && tile.getElementType() != view.getElementType())
    return op->emitOpError() << "has a tile of " << tile.getElementType()
                             << ", expected " << view.getElementType();
  return success();
}

LogicalResult LoadOp::verify() {
  ViewType view = getView().getType();
  if (failed(verifyAccess(*this, view, getOffsets().size(),
                          getResult().getType(), getAlong())))
    return failure();
  return verifyPages(*this, getTable(), getRow().size(), getPage(), getAlong());
}

LogicalResult IotaOp::verify() {
  int64_t rank = cast<RankedTensorType>(getResult().getType()).getRank();
  if (static_cast<int64_t>(getDim()) < rank)
    return success();
  return emitOpError() << "names dimension " << getDim()
                       << " of a tile of rank " << rank;
}

LogicalResult LoadElementOp::verify() {
  ViewType view = getView().getType();
  if (failed(verifyOffsets(*this, view, getOffsets().size())))
    return failure();
  Type type = getResult().getType();
  if (type != view.getElementType())
    return emitOpError() << "loads a " << type << ", expected "
                         << view.getElementType();
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 16)
    return emitOpError() << "loads a " << type
                         << ", expected a float of at least 16 bits";
  return success();
}

LogicalResult LoadGroupsOp::verify() {
  ViewType view = getView().getType();
  RankedTensorType tile = getResult().getType();
  if (failed(verifyOffsets(*this, view, getOffsets().size())))
    return failure();
  if (static_cast<int64_t>(getDim()) >= view.getRank())
    return emitOpError() << "names dimension " << getDim()
                         << " of a view of rank " << view.getRank();
  if (tile.getRank() != 1)
    return emitOpError() << "has a tile of rank " << tile.getRank()
                         << ", expected 1";
  if (tile.getElementType() != view.getElementType())
    return emitOpError() << "has a tile of " << tile.getElementType()
                         << ", expected " << view.getElementType();
  if (std::optional<int64_t> group = getGroup().getExpr().asConstant();
      group && *group < 1)
    return emitOpError() << "has groups of " << *group
                         << ", expected at least 1";
  return success();
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getView().getType(), getOffsets().size(),
                      getValue().getType(), getAlong());
}

LogicalResult InBoundsOp::verify() {
  return verifyAccess(*this, getView().getType(), getOffsets().size(),
                      cast<RankedTensorType>(getResult().getType()),
                      /*along=*/std::nullopt, /*anyElement=*/true);
}

LogicalResult ConvertOp::verify() {
  Type from = getValue().getType(), to = getResult().getType();
  auto fromTile = dyn_cast<RankedTensorType>(from);
  auto toTile = dyn_cast<RankedTensorType>(to);
  if (bool(fromTile) != bool(toTile) ||
      (fromTile && (fromTile.getShape() != toTile.getShape() ||
                    fromTile.getEncoding() != toTile.getEncoding())))
    return emitOpError() << "changes " << from << " to " << to
                         << ", expected only the element type to differ";
  auto isFloat = llvm::IsaPred<FloatType, DTypeType>;
  if (!isFloat(getElementTypeOrSelf(from)) ||
      !isFloat(getElementTypeOrSelf(to)))
    return emitOpError("converts between float element types only");
  return success();
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  return getValue().getType() == getResult().getType() ? getValue() : Value();
}

LogicalResult SplatOp::verify() {
  Type element = getResult().getType().getElementType();
  if (element != getValue().getType())
    return emitOpError() << "splats " << getValue().getType()
                         << " to a tile of " << element;
  return success();
}

/// `wide` without dimension `dim` must be `narrow`, layouts included.
static LogicalResult verifyDropDim(Operation *op, RankedTensorType wide,
                                   RankedTensorType narrow, int64_t dim) {
  if (dim >= wide.getRank())
    return op->emitOpError() << "names dimension " << dim
                             << " of a tile of rank " << wide.getRank();
  if (wide.getElementType() != narrow.getElementType())
    return op->emitOpError() << "changes element type " << wide.getElementType()
                             << " to " << narrow.getElementType();
  SmallVector<Expr> expected = getTileExtents(wide);
  expected.erase(expected.begin() + dim);
  if (expected != getTileExtents(narrow))
    return op->emitOpError()
           << "relates " << wide << " and " << narrow
           << ", expected them to differ in dimension " << dim << " only";
  auto layout = dyn_cast_or_null<LayoutInterface>(wide.getEncoding());
  auto slice = dyn_cast_or_null<SliceAttr>(narrow.getEncoding());
  if (bool(layout) != bool(slice) ||
      (layout && (slice.getDim() != dim || slice.getParent() != layout)))
    return op->emitOpError()
           << "relates layouts that are not parent and slice of dimension "
           << dim;
  return success();
}

LogicalResult BroadcastOp::verify() {
  return verifyDropDim(*this, getResult().getType(), getValue().getType(),
                       getDim());
}

LogicalResult ScalarOp::verify() {
  RankedTensorType tile = getValue().getType();
  Type type = getResult().getType();
  for (const Expr &extent : getTileExtents(tile))
    if (std::optional<int64_t> size = extent.asConstant(); size && *size != 1)
      return emitOpError() << "takes a tile of extent " << *size
                           << ", expected one element";
  if (type != tile.getElementType())
    return emitOpError() << "gives a " << type << ", expected "
                         << tile.getElementType();
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 16)
    return emitOpError() << "gives a " << type
                         << ", expected a float of at least 16 bits";
  return success();
}

LogicalResult ReduceOp::verify() {
  if (!getValue().getType().getElementType().isIntOrFloat())
    return emitOpError("reduces integer or float elements only");
  return verifyDropDim(*this, getValue().getType(), getResult().getType(),
                       getDim());
}

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getViewMutable());
  for (OpOperand &table : getTableMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &table);
}

void LoadGroupsOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getViewMutable());
}

void StoreOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getViewMutable());
}

#define GET_OP_CLASSES
#include "Tile/TileOps.cpp.inc"
