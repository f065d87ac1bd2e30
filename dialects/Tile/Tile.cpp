//===- Tile.cpp - The tile dialect: registration, types -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Tile.h"
#include "Tile/ExprSyntax.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;
using lathe::problem::ExprAttr;

#include "Tile/TileDialect.cpp.inc"

static ParseResult parseSymbol(AsmParser &parser, std::string &name) {
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  name = word.str();
  return success();
}

static void printSymbol(AsmPrinter &printer, StringRef name) {
  printer << name;
}

#define GET_TYPEDEF_CLASSES
#include "Tile/TileTypes.cpp.inc"

void TileDialect::initialize() {
  registerAttrs();
  addTypes<
#define GET_TYPEDEF_LIST
#include "Tile/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Tile/TileOps.cpp.inc"
      >();
}

SmallVector<Expr> tile::getTileExtents(RankedTensorType type) {
  SmallVector<Expr> extents;
  if (auto attr = dyn_cast_or_null<ExtentsAttr>(type.getEncoding())) {
    for (ExprAttr extent : attr.getExtents())
      extents.push_back(extent.getExpr());
    return extents;
  }
  for (int64_t size : type.getShape())
    extents.push_back(Expr::constant(size));
  return extents;
}

RankedTensorType tile::getTileType(MLIRContext *context, ArrayRef<Expr> extents,
                                   Type elementType) {
  SmallVector<int64_t> shape;
  SmallVector<ExprAttr> attrs;
  bool isStatic = true;
  for (const Expr &extent : extents) {
    std::optional<int64_t> size = extent.asConstant();
    isStatic &= size.has_value();
    shape.push_back(size.value_or(ShapedType::kDynamic));
    attrs.push_back(ExprAttr::get(context, extent));
  }
  return RankedTensorType::get(shape, elementType,
                               isStatic ? Attribute()
                                        : ExtentsAttr::get(context, attrs));
}

//===----------------------------------------------------------------------===//
// ViewType
//===----------------------------------------------------------------------===//

Type ViewType::parse(AsmParser &parser) {
  SmallVector<ExprAttr> extents, strides, splits, runStrides;
  Type elementType;
  if (parser.parseLess() || parseExprList(parser, extents) ||
      parser.parseComma() || parser.parseType(elementType))
    return {};
  if (succeeded(parser.parseOptionalComma()) && parseExprList(parser, strides))
    return {};
  if (!strides.empty() && succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("split") || parseExprList(parser, splits) ||
       parser.parseComma() || parseExprList(parser, runStrides)))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ViewType>(parser.getContext(), extents, elementType,
                                     strides, splits, runStrides);
}

void ViewType::print(AsmPrinter &printer) const {
  printer << "<";
  printExprList(printer, getExtents());
  printer << ", " << getElementType();
  if (!getStrides().empty()) {
    printer << ", ";
    printExprList(printer, getStrides());
  }
  if (!getSplits().empty()) {
    printer << ", split ";
    printExprList(printer, getSplits());
    printer << ", ";
    printExprList(printer, getRunStrides());
  }
  printer << ">";
}

static bool isOne(ExprAttr expr) { return expr.getExpr().asConstant() == 1; }

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<ExprAttr> extents, Type elementType,
                               ArrayRef<ExprAttr> strides,
                               ArrayRef<ExprAttr> splits,
                               ArrayRef<ExprAttr> runStrides) {
  if (extents.empty())
    return emitError() << "view has no dimension, expected at least one";
  if (!isa<DTypeType>(elementType) && !elementType.isIntOrFloat())
    return emitError() << "view of " << elementType
                       << ", expected an integer, a float or !tile.dtype";
  if (strides.empty())
    return success();
  if (strides.size() != extents.size())
    return emitError() << "view has " << strides.size() << " strides, expected "
                       << extents.size();
  if (splits.empty() && runStrides.empty()) {
    if (!isOne(strides.back()))
      return emitError() << "last stride of view is '"
                         << strides.back().getText() << "', expected 1";
    return success();
  }
  if (splits.size() != extents.size() || runStrides.size() != extents.size())
    return emitError() << "view has " << splits.size() << " splits and "
                       << runStrides.size() << " strides of runs, expected "
                       << extents.size() << " of each";
  bool hasContiguous = false;
  for (auto [split, stride, runStride] :
       llvm::zip_equal(splits, strides, runStrides)) {
    if (std::optional<int64_t> size = split.getExpr().asConstant();
        size && *size < 1)
      return emitError() << "view is split into runs of " << *size
                         << " elements, expected at least 1";
    hasContiguous |= isOne(isOne(split) ? stride : runStride);
  }
  if (!hasContiguous)
    return emitError() << "no dimension of view is contiguous, expected one "
                          "with a stride, or a stride of runs, of 1";
  return success();
}

bool ViewType::isSplit(int64_t dim) const {
  return !getSplits().empty() && !isOne(getSplits()[dim]);
}

bool ViewType::isContiguous(int64_t dim) const {
  if (getSplits().empty())
    return dim == getRank() - 1;
  return isOne(isSplit(dim) ? getRunStrides()[dim] : getStrides()[dim]);
}

Expr ViewType::getStride(int64_t dim) const {
  if (!getStrides().empty())
    return getStrides()[dim].getExpr();
  Expr stride = Expr::constant(1);
  for (ExprAttr extent : getExtents().drop_front(dim + 1))
    stride = Expr::make(Expr::Kind::Mul, {stride, extent.getExpr()});
  return stride;
}
