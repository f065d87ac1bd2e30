//===- TileAttrs.cpp - Layouts, extents, expression syntax ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/ExprSyntax.h"
#include "Tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;
using lathe::problem::ExprAttr;

//===----------------------------------------------------------------------===//
// Expression syntax
//===----------------------------------------------------------------------===//

static ParseResult parseSum(AsmParser &parser, std::string &text);

static ParseResult parsePrimary(AsmParser &parser, std::string &text) {
  if (succeeded(parser.parseOptionalLParen())) {
    text += "(";
    if (parseSum(parser, text) || parser.parseRParen())
      return failure();
    text += ")";
    return success();
  }
  int64_t value;
  OptionalParseResult integer = parser.parseOptionalInteger(value);
  if (integer.has_value()) {
    text += std::to_string(value);
    return *integer;
  }
  StringRef name;
  if (failed(parser.parseOptionalKeyword(&name)))
    return parser.emitError(parser.getCurrentLocation(),
                            "expected a name, an integer or '('");
  text += name;
  if (failed(parser.parseOptionalLParen()))
    return success();
  text += "(";
  do {
    if (text.back() != '(')
      text += ", ";
    if (parseSum(parser, text))
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  text += ")";
  return parser.parseRParen();
}

static ParseResult parseSum(AsmParser &parser, std::string &text) {
  if (parsePrimary(parser, text))
    return failure();
  while (true) {
    StringRef word;
    if (succeeded(parser.parseOptionalPlus()))
      text += " + ";
    else if (succeeded(parser.parseOptionalMinus()))
      text += " - ";
    else if (succeeded(parser.parseOptionalStar()))
      text += " * ";
    else if (succeeded(parser.parseOptionalKeyword(
                 &word, {"floordiv", "ceildiv", "mod"})))
      text += (" " + word + " ").str();
    else
      return success();
    if (parsePrimary(parser, text))
      return failure();
  }
}

ParseResult tile::parseExprList(AsmParser &parser,
                                SmallVectorImpl<ExprAttr> &exprs) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    SMLoc loc = parser.getCurrentLocation();
    std::string text;
    if (parseSum(parser, text))
      return ParseResult(failure());
    llvm::Expected<Expr> expr = Expr::parse(text);
    if (!expr)
      return ParseResult(parser.emitError(loc)
                         << llvm::toString(expr.takeError()));
    exprs.push_back(ExprAttr::get(parser.getContext(), *expr));
    return ParseResult(success());
  });
}

ParseResult tile::parseExprText(OpAsmParser &parser, ExprAttr &attr) {
  std::string text;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&text))
    return failure();
  llvm::Expected<Expr> expr = Expr::parse(text);
  if (!expr)
    return parser.emitError(loc) << llvm::toString(expr.takeError());
  attr = ExprAttr::get(parser.getContext(), *expr);
  return success();
}

void tile::printExprList(AsmPrinter &printer, ArrayRef<ExprAttr> exprs) {
  printer << "[";
  llvm::interleaveComma(exprs, printer,
                        [&](ExprAttr expr) { printer << expr.getText(); });
  printer << "]";
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

#include "Tile/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Tile/TileAttrs.cpp.inc"

void TileDialect::registerAttrs() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Tile/TileAttrs.cpp.inc"
      >();
}

LogicalResult ExtentsAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getExtents().size())
    return emitError() << "tile has rank " << shape.size() << ", expected "
                       << getExtents().size() << " from its extents";
  for (auto [size, extent] : llvm::zip_equal(shape, getExtents())) {
    int64_t expected =
        extent.getExpr().asConstant().value_or(ShapedType::kDynamic);
    if (size == expected)
      continue;
    InFlightDiagnostic diag = emitError();
    diag << "extent '" << extent.getText() << "' does not fit dimension ";
    if (ShapedType::isDynamic(size))
      return diag << "'?'";
    return diag << "'" << size << "'";
  }
  return success();
}

LogicalResult BlockedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> vector,
                                  ArrayRef<int64_t> threads) {
  if (vector.empty() || vector.size() != threads.size())
    return emitError() << "layout has " << vector.size() << " vector sizes and "
                       << threads.size()
                       << " thread counts, expected one of each per dimension";
  for (int64_t size : llvm::concat<const int64_t>(vector, threads))
    if (size < 1)
      return emitError() << "layout has size " << size
                         << ", expected at least 1";
  int64_t covered = 1;
  for (int64_t size : llvm::concat<const int64_t>(vector, threads))
    if (llvm::MulOverflow(covered, size, covered) ||
        covered > std::numeric_limits<int32_t>::max())
      return emitError()
             << "layout deals out more than 2147483647 elements a round";
  return success();
}

int64_t BlockedAttr::getNumThreads() const {
  int64_t count = 1;
  for (int64_t size : getThreads())
    count *= size;
  return count;
}

int64_t BlockedAttr::getRounds(int64_t dim, int64_t extent) const {
  return llvm::divideCeil(extent, getVector()[dim] * getThreads()[dim]);
}

int64_t BlockedAttr::getThreadStride(int64_t dim) const {
  int64_t stride = 1;
  for (int64_t size : getThreads().drop_front(dim + 1))
    stride *= size;
  return stride;
}

static LogicalResult
verifyLayoutRank(ArrayRef<int64_t> shape, int64_t rank,
                 function_ref<InFlightDiagnostic()> emitError) {
  if (static_cast<int64_t>(shape.size()) != rank)
    return emitError() << "tile has rank " << shape.size() << ", expected "
                       << rank << " from its layout";
  if (llvm::any_of(shape, ShapedType::isDynamic))
    return emitError() << "a tile with a layout must have constant extents";
  return success();
}

LogicalResult BlockedAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  return verifyLayoutRank(shape, getRank(), emitError);
}

LogicalResult SliceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t dim, BlockedAttr parent) {
  if (dim < 0 || dim >= parent.getRank())
    return emitError() << "slice of dimension " << dim
                       << ", expected one below the parent's rank "
                       << parent.getRank();
  return success();
}

LogicalResult
SliceAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                          function_ref<InFlightDiagnostic()> emitError) const {
  return verifyLayoutRank(shape, getParent().getRank() - 1, emitError);
}
