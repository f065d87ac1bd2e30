//===- TileKernel.cpp - tile.kernel: syntax, verifier, queries ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/ExprSyntax.h"
#include "Tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringSet.h"

#include <numeric>

using namespace mlir;
using namespace lathe;
using namespace lathe::tile;
using lathe::problem::ExprAttr;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// `["T ceildiv ROWS", ...]`
static ParseResult parseExprArray(OpAsmParser &parser, Attribute &result) {
  SmallVector<Attribute> exprs;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        ExprAttr expr;
        if (parseExprText(parser, expr))
          return failure();
        exprs.push_back(expr);
        return success();
      }))
    return failure();
  result = parser.getBuilder().getArrayAttr(exprs);
  return success();
}

/// `{NAME = value, ...}`
static ParseResult
parseNamed(OpAsmParser &parser, Attribute &result,
           function_ref<ParseResult(StringRef, Attribute &)> parseValue) {
  NamedAttrList named;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] {
        StringRef name;
        Attribute value;
        SMLoc loc = parser.getCurrentLocation();
        if (parser.parseKeyword(&name) || parser.parseEqual() ||
            parseValue(name, value))
          return ParseResult(failure());
        if (named.get(name))
          return ParseResult(parser.emitError(loc)
                             << "'" << name << "' is given twice");
        named.append(name, value);
        return ParseResult(success());
      }))
    return failure();
  result = named.getDictionary(parser.getContext());
  return success();
}

static ParseResult parseSpaceValues(OpAsmParser &parser, Attribute &result) {
  SmallVector<int64_t> values;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(values.emplace_back());
      }))
    return failure();
  result = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

static ParseResult parseSpaces(OpAsmParser &parser, Attribute &result) {
  SmallVector<Attribute> spaces;
  if (parser.parseCommaSeparatedList([&] {
        return parseNamed(parser, spaces.emplace_back(),
                          [&](StringRef, Attribute &values) {
                            return parseSpaceValues(parser, values);
                          });
      }))
    return failure();
  result = parser.getBuilder().getArrayAttr(spaces);
  return success();
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren,
                               /*allowType=*/true, /*allowAttrs=*/false))
    return failure();
  SmallVector<Type> types;
  for (OpAsmParser::Argument &argument : arguments)
    types.push_back(argument.type);
  result.addAttribute(getFunctionTypeAttrName(result.name),
                      TypeAttr::get(builder.getFunctionType(types, {})));

  auto clause =
      [&](StringRef keyword, StringAttr attrName,
          function_ref<ParseResult(Attribute &)> parse) -> ParseResult {
    Attribute value;
    if (failed(parser.parseOptionalKeyword(keyword)))
      return success();
    if (parse(value))
      return failure();
    result.addAttribute(attrName, value);
    return success();
  };
  auto strings = [&](Attribute &value) { return parser.parseAttribute(value); };
  if (clause("space", getSpaceAttrName(result.name),
             [&](Attribute &value) { return parseSpaces(parser, value); }) ||
      clause("where", getWhereAttrName(result.name),
             [&](Attribute &value) { return parseExprArray(parser, value); }) ||
      clause("grid", getGridAttrName(result.name),
             [&](Attribute &value) { return parseExprArray(parser, value); }) ||
      clause("runtime", getRuntimeAttrName(result.name), strings) ||
      clause("model", getModelAttrName(result.name), [&](Attribute &value) {
        return parseNamed(parser, value, [&](StringRef, Attribute &v) {
          ExprAttr expr;
          if (parseExprText(parser, expr))
            return ParseResult(failure());
          v = expr;
          return ParseResult(success());
        });
      }))
    return failure();
  if (!result.attributes.get(getGridAttrName(result.name)))
    return parser.emitError(parser.getCurrentLocation(),
                            "expected 'grid' with the number of work items");
  return failure(parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

static void printExprs(OpAsmPrinter &printer, ArrayAttr exprs) {
  printer << "[";
  llvm::interleaveComma(exprs, printer, [&](Attribute expr) {
    printer << '"' << cast<ExprAttr>(expr).getText() << '"';
  });
  printer << "]";
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << "(";
  llvm::interleaveComma(
      getBody().getArguments(), printer,
      [&](BlockArgument arg) { printer.printRegionArgument(arg); });
  printer << ")";
  auto newline = [&] {
    printer.printNewline();
    printer << "    ";
  };
  if (getSpace()) {
    newline();
    printer << "space ";
    llvm::interleaveComma(getSpaceAttr(), printer, [&](Attribute space) {
      printer << "{";
      llvm::interleaveComma(
          cast<DictionaryAttr>(space), printer, [&](NamedAttribute entry) {
            printer << entry.getName().getValue() << " = [";
            llvm::interleaveComma(
                cast<DenseI64ArrayAttr>(entry.getValue()).asArrayRef(),
                printer);
            printer << "]";
          });
      printer << "}";
    });
  }
  if (getWhere()) {
    newline();
    printer << "where ";
    printExprs(printer, *getWhere());
  }
  newline();
  printer << "grid ";
  printExprs(printer, getGrid());
  if (getRuntime())
    printer << " runtime " << *getRuntime();
  if (getModel()) {
    newline();
    printer << "model {";
    llvm::interleaveComma(getModelAttr(), printer, [&](NamedAttribute entry) {
      printer << entry.getName().getValue() << " = \""
              << cast<ExprAttr>(entry.getValue()).getText() << '"';
    });
    printer << "}";
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getFunctionTypeAttrName(), getSpaceAttrName(),
       getWhereAttrName(), getGridAttrName(), getRuntimeAttrName(),
       getModelAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

LogicalResult KernelOp::verifySpaces() {
  if (getSpaceAttr().empty())
    return emitOpError("lists no space, expected at least one");
  DictionaryAttr first;
  for (Attribute attr : getSpaceAttr()) {
    auto space = dyn_cast<DictionaryAttr>(attr);
    if (!space)
      return emitOpError() << "has a space " << attr
                           << ", expected parameters and their values";
    for (NamedAttribute entry : space) {
      auto values = dyn_cast<DenseI64ArrayAttr>(entry.getValue());
      if (!values || values.empty())
        return emitOpError() << "has no values for schedule parameter '"
                             << entry.getName().getValue() << "'";
    }
    first = first ? first : space;
    for (auto [one, other] : {std::pair(first, space), {space, first}})
      for (NamedAttribute entry : one)
        if (!other.contains(entry.getName()))
          return emitOpError()
                 << "has schedule parameter '" << entry.getName().getValue()
                 << "' in one space and not in another";
  }
  return success();
}

LogicalResult KernelOp::verify() {
  if (!getFunctionType().getResults().empty())
    return emitOpError("has results, expected none");
  if (getBody().empty() ||
      getBody().front().getArgumentTypes() != getFunctionType().getInputs())
    return emitOpError("has a body whose arguments differ from its type");
  if (getBody().front().empty() || !isa<ReturnOp>(getBody().front().back()))
    return emitOpError("has a body that does not end in tile.return");
  if (getGrid().empty() || getGrid().size() > 3)
    return emitOpError() << "has " << getGrid().size()
                         << " grid axes, expected 1 to 3";
  auto allExprs = [](ArrayAttr array) {
    return llvm::all_of(array, llvm::IsaPred<ExprAttr>);
  };
  if (!allExprs(getGrid()) || (getWhere() && !allExprs(*getWhere())))
    return emitOpError("has a grid or condition that is not an expression");
  if (getSpace() && failed(verifySpaces()))
    return failure();
  if (getModel())
    for (NamedAttribute entry : getModelAttr())
      if (!isa<ExprAttr>(entry.getValue()))
        return emitOpError()
               << "has a model hint '" << entry.getName().getValue()
               << "' that is not an expression";

  llvm::StringSet<> seen;
  size_t numDims = getDims() ? getDims()->size() : 0;
  size_t numArgs = getBody().getNumArguments();
  if (numDims > numArgs)
    return emitOpError() << "has " << numDims << " run-time dims but "
                         << numArgs << " arguments";
  bool scalarsBegan = false;
  for (auto [index, type] : llvm::enumerate(getFunctionType().getInputs())) {
    bool isDim = index + numDims >= numArgs;
    if (isDim && !type.isIndex())
      return emitOpError() << "passes run-time dim "
                           << (*getDims())[index + numDims - numArgs] << " as "
                           << type << ", expected index";
    if (!isDim && isa<ViewType>(type) && scalarsBegan)
      return emitOpError("has a view after a scalar argument");
    if (!isDim && !isa<ViewType>(type) && !type.isIntOrFloat())
      return emitOpError() << "has an argument of " << type
                           << ", expected a view or a number";
    scalarsBegan |= !isa<ViewType>(type);
  }
  if (getDims())
    for (Attribute dim : getDimsAttr())
      if (!seen.insert(cast<StringAttr>(dim).getValue()).second)
        return emitOpError() << "lists run-time dim " << dim << " twice";
  if (DenseI64ArrayAttr mayAlias = getMayAliasAttr())
    for (int64_t index : mayAlias.asArrayRef())
      if (index < 0 || index >= static_cast<int64_t>(numArgs) ||
          !isa<ViewType>(getBody().getArgument(index).getType()))
        return emitOpError() << "names argument " << index
                             << " in 'may_alias', expected a view";
  if (getThreads() && (*getThreads() < 1 || !getWave() || *getWave() < 1 ||
                       *getThreads() % *getWave() != 0))
    return emitOpError() << "has " << *getThreads()
                         << " threads, expected a positive multiple of 'wave'";
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  SmallPtrSet<Value, 4> written = findWrittenViews(*this);
  WalkResult result = walk([&](LoadElementOp load) {
    if (!written.contains(load.getView()))
      return WalkResult::advance();
    load.emitOpError("loads from a view that the kernel stores to, expected "
                     "one that it only reads");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

SmallPtrSet<Value, 4> tile::findWrittenViews(KernelOp kernel) {
  SmallPtrSet<Value, 4> written;
  kernel.walk([&](StoreOp store) { written.insert(store.getView()); });
  kernel.walk([&](StoreAsyncOp store) { written.insert(store.getView()); });
  DenseI64ArrayAttr mayAlias = kernel.getMayAliasAttr();
  if (!mayAlias)
    return written;
  SmallVector<Value> aliases;
  for (int64_t index : mayAlias.asArrayRef())
    aliases.push_back(kernel.getBody().getArgument(index));
  if (llvm::any_of(aliases, [&](Value view) { return written.contains(view); }))
    written.insert(aliases.begin(), aliases.end());
  return written;
}

static SmallVector<Expr> getExprs(ArrayAttr array) {
  SmallVector<Expr> exprs;
  if (array)
    for (Attribute attr : array)
      exprs.push_back(cast<ExprAttr>(attr).getExpr());
  return exprs;
}

SmallVector<Expr> KernelOp::getGridExprs() { return getExprs(getGrid()); }

SmallVector<Expr> KernelOp::getWhereExprs() {
  return getExprs(getWhere().value_or(ArrayAttr()));
}

Value KernelOp::getDimArgument(StringRef name) {
  if (!getDims())
    return {};
  size_t first = getBody().getNumArguments() - getDims()->size();
  for (auto [index, dim] : llvm::enumerate(getDimsAttr()))
    if (cast<StringAttr>(dim).getValue() == name)
      return getBody().getArgument(first + index);
  return {};
}

std::optional<int64_t> KernelOp::getScheduleValue(StringRef name) {
  if (!getSchedule())
    return std::nullopt;
  if (auto value = getSchedule()->getAs<IntegerAttr>(name))
    return value.getInt();
  return std::nullopt;
}

int64_t KernelOp::getKnownDivisor(const Expr &expr) {
  if (std::optional<int64_t> value = expr.asConstant())
    return std::abs(*value);
  switch (expr.kind()) {
  case Expr::Kind::Symbol:
    if (getMultiples())
      if (auto value = getMultiples()->getAs<IntegerAttr>(expr.symbolName()))
        return value.getInt();
    return 1;
  case Expr::Kind::Add:
  case Expr::Kind::Sub:
    return std::gcd(getKnownDivisor(expr.operands()[0]),
                    getKnownDivisor(expr.operands()[1]));
  case Expr::Kind::Mul: {
    int64_t product;
    if (llvm::MulOverflow(getKnownDivisor(expr.operands()[0]),
                          getKnownDivisor(expr.operands()[1]), product))
      return 1;
    return product;
  }
  case Expr::Kind::FloorDiv: {
    int64_t divisor = getKnownDivisor(expr.operands()[0]);
    std::optional<int64_t> by = expr.operands()[1].asConstant();
    return by && *by > 0 && divisor % *by == 0 ? divisor / *by : 1;
  }
  default:
    return 1;
  }
}
