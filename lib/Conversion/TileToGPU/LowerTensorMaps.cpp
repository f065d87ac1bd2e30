//===- LowerTensorMaps.cpp - What the copy engine is told of views --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;
using lathe::problem::ExprAttr;

/// Rows that one box may have (CUDA driver API, cuTensorMapEncodeTiled).
static constexpr int64_t kMaxBoxRows = 256;

SmallVector<KernelLowering::Box>
KernelLowering::splitIntoBoxes(SharedType type, int64_t rows, int64_t run) {
  SmallVector<Box> boxes;
  int64_t step = std::min(run, kMaxBoxRows);
  if (type.getBand() != 0) {
    for (int64_t row = 0; row < rows; row += step)
      boxes.push_back({row * type.getRowStride(), row, 0});
    return boxes;
  }
  for (int64_t panel = 0; panel < type.getNumPanels(); ++panel)
    for (int64_t row = 0; row < rows; row += step)
      boxes.push_back({panel * type.getPanelBytes() + row * type.getRowBytes(),
                       row, panel * type.getPanelColumns()});
  return boxes;
}

int64_t KernelLowering::storedRows(StoreAsyncOp op) {
  return op.getWarpgroup() ? kWarpgroupRows
                           : op.getBuffer().getType().getShape()[0];
}

int64_t KernelLowering::copiedRows(CopyAsyncOp op) {
  int64_t rows = op.getBuffer().getType().getShape()[0];
  return op.getMulticast() ? rows / clusterSize() : rows;
}

int64_t KernelLowering::runOf(const Piece &piece, int64_t rows) {
  if (!piece.table)
    return rows;
  std::optional<int64_t> page = piece.page.getExpr().asConstant();
  return page ? std::gcd(rows, *page) : 1;
}

static ExprAttr strideInBytes(MLIRContext *context, const Expr &stride,
                              SharedType buffer) {
  return ExprAttr::get(
      context, Expr::make(Expr::Kind::Mul,
                          {stride, Expr::constant(buffer.getElementBytes())}));
}

/// A box of columns in a panel, rows of a band, panels and bands, so that all
/// panels of some rows are one copy.
LogicalResult KernelLowering::describeBands(
    const Piece &piece, SharedType buffer, int64_t boxRows,
    llvm::function_ref<InFlightDiagnostic()> emitError,
    SmallVectorImpl<ExprAttr> &extents, SmallVectorImpl<ExprAttr> &strides,
    SmallVectorImpl<int64_t> &box) {
  ViewType type = piece.view.getType();
  MLIRContext *context = builder.getContext();
  constexpr int64_t mostDims = 5;
  int64_t panel = buffer.getPanelColumns(), band = buffer.getBand();
  int64_t rowDim = piece.along.front(), columnDim = piece.along.back();
  Expr columns = type.getExtents()[columnDim].getExpr();
  if (type.getRank() + 2 > mostDims || boxRows % band != 0 ||
      kernel.getKnownDivisor(columns) % panel != 0 ||
      getDivisor(piece.offsets[columnDim]) % panel != 0)
    return emitError() << "TMA cannot write bands of " << buffer << " from "
                       << type << ", expected up to three dimensions, rows of "
                       << "whole panels and boxes of whole bands";
  auto add = [&](const Expr &extent, std::optional<Expr> stride, int64_t size) {
    extents.push_back(ExprAttr::get(context, extent));
    if (stride)
      strides.push_back(strideInBytes(context, *stride, buffer));
    box.push_back(size);
  };
  auto divide = [](const Expr &a, int64_t b) {
    return Expr::make(Expr::Kind::FloorDiv, {a, Expr::constant(b)});
  };
  Expr rowStride = type.getStride(rowDim);
  add(Expr::constant(panel), std::nullopt, panel);
  add(Expr::constant(band), rowStride, band);
  add(divide(columns, panel), Expr::constant(panel), buffer.getNumPanels());
  add(divide(type.getExtents()[rowDim].getExpr(), band),
      Expr::make(Expr::Kind::Mul, {rowStride, Expr::constant(band)}),
      boxRows / band);
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim)
    if (dim != rowDim && dim != columnDim)
      add(type.getExtents()[dim].getExpr(), type.getStride(dim), 1);
  return success();
}

TensorMapAttr KernelLowering::tensorMapOf(
    const Piece &piece, SharedType buffer, int64_t rows,
    llvm::function_ref<InFlightDiagnostic()> emitError) {
  ViewType type = piece.view.getType();
  MLIRContext *context = builder.getContext();
  std::optional<int64_t> swizzle = buffer.getSwizzleBytes();
  if (!swizzle) {
    emitError() << "TMA cannot write " << buffer
                << ", expected rows as long as the swizzle's phases";
    return {};
  }
  int64_t run = runOf(piece, rows), boxRows = std::min(run, kMaxBoxRows);
  constexpr int64_t swizzledRows = 8;
  if (run % boxRows != 0 || (run != rows && run % swizzledRows != 0)) {
    emitError() << "TMA cannot write " << run << " rows in boxes of " << boxRows
                << (run != rows ? ", expected pages of whole groups of 8" : "");
    return {};
  }
  if (piece.table && getDivisor(piece.offsets.front()) % run != 0) {
    emitError() << "rows of pages do not begin at multiples of " << run;
    return {};
  }
  auto argument = dyn_cast<BlockArgument>(piece.view);
  if (!argument || argument.getOwner() != &kernel.getBody().front()) {
    emitError() << "TMA moves a view that is no argument of the kernel";
    return {};
  }
  if (!type.getSplits().empty() || !llvm::is_sorted(piece.along)) {
    emitError() << "TMA cannot move a tile that runs along [" << piece.along
                << "] of " << type
                << ", expected rising dimensions of a view without splits";
    return {};
  }
  SmallVector<ExprAttr> extents, strides;
  SmallVector<int64_t> box;
  if (buffer.getBand() != 0) {
    if (failed(describeBands(piece, buffer, boxRows, emitError, extents,
                             strides, box)))
      return {};
  } else {
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      box.push_back(dim == piece.along.back()    ? buffer.getPanelColumns()
                    : dim == piece.along.front() ? boxRows
                                                 : 1);
      extents.push_back(type.getExtents()[dim]);
      if (dim != type.getRank() - 1)
        strides.push_back(strideInBytes(context, type.getStride(dim), buffer));
    }
  }
  return TensorMapAttr::getChecked(
      emitError, context, static_cast<int64_t>(argument.getArgNumber()),
      type.getElementType(), ArrayRef<ExprAttr>(extents),
      ArrayRef<ExprAttr>(strides), ArrayRef<int64_t>(box), *swizzle);
}

KernelLowering::Piece KernelLowering::pieceOf(StoreAsyncOp op) {
  return {op.getView(), op.getOffsets(),
          tileDims(op.getView().getType(), std::nullopt)};
}

LogicalResult KernelLowering::collectTensorMaps() {
  WalkResult result = kernel.walk([&](Operation *op) {
    TensorMapAttr map;
    auto error = [&] { return op->emitError(); };
    if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
      if (!copy.getMbarriers())
        return WalkResult::advance();
      map = tensorMapOf(pieceOf(copy), copy.getBuffer().getType(),
                        copiedRows(copy), error);
    } else if (auto prefetch = dyn_cast<PrefetchOp>(op)) {
      auto type = cast<SharedType>(prefetch.getBuffer());
      map = tensorMapOf(pieceOf(prefetch), type, type.getShape()[0], error);
    } else if (auto store = dyn_cast<StoreAsyncOp>(op)) {
      map = tensorMapOf(pieceOf(store), store.getBuffer().getType(),
                        storedRows(store), error);
    } else {
      return WalkResult::advance();
    }
    if (!map)
      return WalkResult::interrupt();
    if (!llvm::is_contained(tensorMaps, map))
      tensorMaps.push_back(map);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void KernelLowering::describeTensorMaps() {
  if (!tensorMaps.empty())
    function->setAttr(getTensorMapsName(),
                      builder.getArrayAttr(SmallVector<Attribute>(
                          tensorMaps.begin(), tensorMaps.end())));
}

Value KernelLowering::tensorMapArgument(const Piece &piece, SharedType buffer,
                                        int64_t rows) {
  TensorMapAttr map =
      tensorMapOf(piece, buffer, rows, [&] { return kernel.emitError(); });
  unsigned first = function.getNumArguments() - tensorMaps.size();
  auto position = llvm::find(tensorMaps, map) - tensorMaps.begin();
  return function.getArgument(first + position);
}

SmallVector<Value> KernelLowering::boxCoordinates(Location loc,
                                                  const Piece &piece,
                                                  SharedType buffer,
                                                  const Box &box, Value row) {
  SmallVector<Value> coordinates;
  if (buffer.getBand() != 0) {
    auto divided = [&](Value value, int64_t by) -> Value {
      return arith::DivUIOp::create(builder, loc, value, word(loc, by));
    };
    Value column =
        toWord(loc, mapping.lookup(piece.offsets[piece.along.back()]));
    coordinates = {word(loc, 0), word(loc, 0),
                   divided(column, buffer.getPanelColumns()),
                   divided(row, buffer.getBand())};
    for (int64_t dim = piece.view.getType().getRank() - 1; dim >= 0; --dim)
      if (!llvm::is_contained(piece.along, dim))
        coordinates.push_back(toWord(loc, mapping.lookup(piece.offsets[dim])));
    return coordinates;
  }
  for (int64_t dim = piece.view.getType().getRank() - 1; dim >= 0; --dim) {
    Value at = dim == piece.along.front()
                   ? row
                   : toWord(loc, mapping.lookup(piece.offsets[dim]));
    if (dim == piece.along.back() && box.column != 0)
      at = arith::AddIOp::create(builder, loc, at, word(loc, box.column));
    coordinates.push_back(at);
  }
  return coordinates;
}

/// Where boxes of the piece begin along its rows, `more` rows further on.
SmallVector<Value> KernelLowering::boxRows(Location loc, const Piece &piece,
                                           ArrayRef<Box> boxes, Value more) {
  Value first = mapping.lookup(piece.offsets[piece.along.front()]);
  llvm::SmallDenseMap<int64_t, Value> known;
  SmallVector<Value> rows;
  for (const Box &box : boxes) {
    Value &row = known[box.row];
    if (!row) {
      row = toWord(loc, first);
      if (box.row != 0)
        row = arith::AddIOp::create(builder, loc, row, word(loc, box.row));
      if (piece.table)
        row = pagedRow(loc, piece, row);
      else if (more)
        row = arith::AddIOp::create(builder, loc, row, more);
    }
    rows.push_back(row);
  }
  return rows;
}

void KernelLowering::forEachBox(
    Location loc, const Piece &piece, SharedType buffer, int64_t rows,
    Value more, llvm::function_ref<void(int64_t, ValueRange)> visit) {
  SmallVector<Box> boxes = splitIntoBoxes(buffer, rows, runOf(piece, rows));
  // All of them first, so that their loads are under way together.
  SmallVector<Value> places = boxRows(loc, piece, boxes, more);
  for (auto [box, row] : llvm::zip_equal(boxes, places))
    visit(box.bytes, boxCoordinates(loc, piece, buffer, box, row));
}
