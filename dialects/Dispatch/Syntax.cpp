//===- Syntax.cpp - Readable lists in dispatch assembly -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dispatch/Syntax.h"

#include "Dispatch/Dispatch.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace lathe::dispatch;
using lathe::problem::ExprAttr;

/// `(` element (`,` element)* `)`; `parseOne` returns a null attribute on
/// error.
template <typename ParseOne>
static ParseResult parseList(OpAsmParser &parser, ArrayAttr &list,
                             ParseOne parseOne) {
  SmallVector<Attribute> elements;
  auto element = [&]() -> ParseResult {
    Attribute attr = parseOne();
    if (!attr)
      return failure();
    elements.push_back(attr);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, element))
    return failure();
  list = parser.getBuilder().getArrayAttr(elements);
  return success();
}

template <typename Attr, typename PrintOne>
static void printList(OpAsmPrinter &printer, ArrayRef<Attribute> list,
                      PrintOne printOne) {
  printer << '(';
  llvm::interleaveComma(list, printer,
                        [&](Attribute attr) { printOne(cast<Attr>(attr)); });
  printer << ')';
}

/// An expression in quotes; errors point at the text.
static ExprAttr parseExpr(OpAsmParser &parser) {
  std::string text;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&text))
    return {};
  auto expr = lathe::Expr::parse(text);
  if (!expr) {
    parser.emitError(loc, "expected an expression: ")
        << llvm::toString(expr.takeError());
    return {};
  }
  return ExprAttr::get(parser.getContext(), *expr);
}

static void printExpr(OpAsmPrinter &printer, ExprAttr expr) {
  printer.printString(expr.getText());
}

/// lo `to` hi
static ParseResult parseRange(OpAsmParser &parser, int64_t &lo, int64_t &hi) {
  return failure(parser.parseInteger(lo) || parser.parseKeyword("to") ||
                 parser.parseInteger(hi));
}

ParseResult lathe::dispatch::parseDims(OpAsmParser &parser, ArrayAttr &dims) {
  return parseList(parser, dims, [&]() -> Attribute {
    std::string name;
    int64_t min, max;
    ExprAttr init;
    if (parser.parseKeywordOrString(&name) || parser.parseColon() ||
        parseRange(parser, min, max))
      return {};
    if (succeeded(parser.parseOptionalEqual()) && !(init = parseExpr(parser)))
      return {};
    return DimAttr::get(parser.getContext(), name, min, max, init);
  });
}

void lathe::dispatch::printDims(OpAsmPrinter &printer, Operation *,
                                ArrayAttr dims) {
  printList<DimAttr>(printer, dims.getValue(), [&](DimAttr dim) {
    printer.printKeywordOrString(dim.getName());
    printer << ": " << dim.getMin() << " to " << dim.getMax();
    if (!dim.getInit())
      return;
    printer << " = ";
    printExpr(printer, dim.getInit());
  });
}

ParseResult lathe::dispatch::parseOperands(OpAsmParser &parser,
                                           ArrayAttr &operands) {
  ArrayAttr groups[2];
  for (bool output : {false, true}) {
    if (output && parser.parseArrow())
      return failure();
    if (parseList(parser, groups[output], [&]() -> Attribute {
          std::string name, dtype;
          if (parser.parseKeywordOrString(&name) || parser.parseColon() ||
              parser.parseKeywordOrString(&dtype))
            return {};
          return OperandAttr::get(parser.getContext(), name, dtype, output);
        }))
      return failure();
  }
  SmallVector<Attribute> all(groups[0].getValue());
  llvm::append_range(all, groups[1].getValue());
  operands = parser.getBuilder().getArrayAttr(all);
  return success();
}

void lathe::dispatch::printOperands(OpAsmPrinter &printer, Operation *,
                                    ArrayAttr operands) {
  for (bool output : {false, true}) {
    SmallVector<Attribute> group;
    for (Attribute attr : operands)
      if (cast<OperandAttr>(attr).getOutput() == output)
        group.push_back(attr);
    if (output)
      printer << " -> ";
    printList<OperandAttr>(printer, group, [&](OperandAttr operand) {
      printer.printKeywordOrString(operand.getName());
      printer << ": ";
      printer.printKeywordOrString(operand.getDtype());
    });
  }
}

ParseResult lathe::dispatch::parseScalars(OpAsmParser &parser,
                                          ArrayAttr &scalars) {
  return parseList(parser, scalars, [&]() -> Attribute {
    std::string name, dtype;
    FloatAttr init;
    if (parser.parseKeywordOrString(&name) || parser.parseColon() ||
        parser.parseKeywordOrString(&dtype) || parser.parseEqual() ||
        parser.parseAttribute(init, parser.getBuilder().getF64Type()))
      return {};
    return ScalarAttr::get(parser.getContext(), name, dtype, init);
  });
}

void lathe::dispatch::printScalars(OpAsmPrinter &printer, Operation *,
                                   ArrayAttr scalars) {
  printList<ScalarAttr>(printer, scalars.getValue(), [&](ScalarAttr scalar) {
    printer.printKeywordOrString(scalar.getName());
    printer << ": ";
    printer.printKeywordOrString(scalar.getDtype());
    printer << " = ";
    printer.printAttributeWithoutType(scalar.getInit());
  });
}

ParseResult lathe::dispatch::parseBindings(OpAsmParser &parser,
                                           ArrayAttr &bindings) {
  return parseList(parser, bindings, [&]() -> Attribute {
    std::string name, value;
    if (parser.parseKeywordOrString(&name) || parser.parseEqual() ||
        parser.parseKeywordOrString(&value))
      return {};
    return BindingAttr::get(parser.getContext(), name, value);
  });
}

void lathe::dispatch::printBindings(OpAsmPrinter &printer, Operation *,
                                    ArrayAttr bindings) {
  printList<BindingAttr>(printer, bindings.getValue(), [&](BindingAttr one) {
    printer.printKeywordOrString(one.getName());
    printer << " = ";
    printer.printKeywordOrString(one.getValue());
  });
}

ParseResult lathe::dispatch::parseGuards(OpAsmParser &parser,
                                         ArrayAttr &guards) {
  return parseList(parser, guards, [&]() -> Attribute {
    std::string dim;
    int64_t lo = INT64_MIN, hi = INT64_MAX, multiple = 1;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeywordOrString(&dim))
      return {};
    bool any = false;
    if (succeeded(parser.parseOptionalKeyword("in"))) {
      any = true;
      if (parseRange(parser, lo, hi))
        return {};
    }
    if (succeeded(parser.parseOptionalKeyword("multiple"))) {
      any = true;
      if (parser.parseInteger(multiple))
        return {};
    }
    if (!any) {
      parser.emitError(parser.getCurrentLocation(),
                       "expected 'in' or 'multiple'");
      return {};
    }
    return GuardAttr::getChecked([&] { return parser.emitError(loc); },
                                 parser.getContext(), StringRef(dim), lo, hi,
                                 multiple);
  });
}

void lathe::dispatch::printGuards(OpAsmPrinter &printer, Operation *,
                                  ArrayAttr guards) {
  printList<GuardAttr>(printer, guards.getValue(), [&](GuardAttr guard) {
    printer.printKeywordOrString(guard.getDim());
    bool range = guard.getLo() != INT64_MIN || guard.getHi() != INT64_MAX;
    if (range || guard.getMultiple() == 1)
      printer << " in " << guard.getLo() << " to " << guard.getHi();
    if (guard.getMultiple() != 1)
      printer << " multiple " << guard.getMultiple();
  });
}

ParseResult lathe::dispatch::parseGrid(OpAsmParser &parser, ArrayAttr &grid) {
  return parseList(parser, grid,
                   [&]() -> Attribute { return parseExpr(parser); });
}

void lathe::dispatch::printGrid(OpAsmPrinter &printer, Operation *,
                                ArrayAttr grid) {
  printList<ExprAttr>(printer, grid.getValue(),
                      [&](ExprAttr expr) { printExpr(printer, expr); });
}

ParseResult lathe::dispatch::parseNames(OpAsmParser &parser, ArrayAttr &names) {
  return parseList(parser, names, [&]() -> Attribute {
    std::string name;
    if (parser.parseKeywordOrString(&name))
      return {};
    return parser.getBuilder().getStringAttr(name);
  });
}

void lathe::dispatch::printNames(OpAsmPrinter &printer, Operation *,
                                 ArrayAttr names) {
  printList<StringAttr>(printer, names.getValue(), [&](StringAttr name) {
    printer.printKeywordOrString(name.getValue());
  });
}

ParseResult lathe::dispatch::parseMaps(OpAsmParser &parser, ArrayAttr &maps) {
  return parseList(parser, maps, [&]() -> Attribute {
    lathe::problem::TensorMapAttr map;
    if (parser.parseCustomAttributeWithFallback(map))
      return {};
    return map;
  });
}

void lathe::dispatch::printMaps(OpAsmPrinter &printer, Operation *,
                                ArrayAttr maps) {
  printList<lathe::problem::TensorMapAttr>(
      printer, maps.getValue(), [&](lathe::problem::TensorMapAttr map) {
        printer.printStrippedAttrOrType(map);
      });
}

ParseResult lathe::dispatch::parseCaseKind(OpAsmParser &parser,
                                           StringAttr &kind) {
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  kind = parser.getBuilder().getStringAttr(word);
  return success();
}

void lathe::dispatch::printCaseKind(OpAsmPrinter &printer, Operation *,
                                    StringAttr kind) {
  printer << kind.getValue();
}

ParseResult lathe::dispatch::parseInt(OpAsmParser &parser, IntegerAttr &value) {
  int64_t number;
  if (parser.parseInteger(number))
    return failure();
  value = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}

void lathe::dispatch::printInt(OpAsmPrinter &printer, Operation *,
                               IntegerAttr value) {
  printer << value.getInt();
}
