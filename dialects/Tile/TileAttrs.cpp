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
#include "Tile/TileInterfaces.cpp.inc"

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
