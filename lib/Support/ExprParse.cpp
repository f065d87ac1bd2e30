//===- ExprParse.cpp - Parser of expressions ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExprNode.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace lathe;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
using Kind = Expr::Kind;

/// Texts come from users' files; these bound time and stack.
static constexpr size_t maxLength = 16384;
static constexpr unsigned maxDepth = 256;

char ExprParseError::ID = 0;

void ExprParseError::log(llvm::raw_ostream &os) const {
  os << "column " << column << ": " << text;
}

std::error_code ExprParseError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

namespace {
struct Function {
  Kind kind;
  unsigned minArgs, maxArgs;
};

class Parser {
public:
  explicit Parser(StringRef text) : text(text) { next(); }

  Expected<Expr> whole();

private:
  Expected<Expr> parseOr();
  Expected<Expr> parseAnd();
  Expected<Expr> parseComparison();
  Expected<Expr> parseSum();
  Expected<Expr> parseProduct();
  Expected<Expr> parseUnary();
  Expected<Expr> parseAtom();
  Expected<Expr> parseInteger(bool negative);
  Expected<Expr> parseCall(StringRef name, Function function);

  /// `operand (op operand)*`, associating to the left.
  template <typename Operand, typename Operator>
  Expected<Expr> chain(Operand operand, Operator kindOf);

  Expected<Expr> build(Kind kind, llvm::ArrayRef<Expr> operands);
  llvm::Error error(const Twine &message) const {
    return llvm::make_error<ExprParseError>(column(), message.str());
  }
  llvm::Error unexpected(StringRef expected) const;
  size_t column() const { return size_t(token.data() - text.data()) + 1; }
  void next();

  StringRef text;
  StringRef token; ///< empty at the end of the text
  size_t position = 0;
  unsigned nesting = 0;
};
} // namespace

static bool isWordStart(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool isWord(char c) { return llvm::isAlnum(c) || c == '_'; }

static std::optional<Function> functionNamed(StringRef name) {
  return llvm::StringSwitch<std::optional<Function>>(name)
      .Case("min", Function{Kind::Min, 1, 16})
      .Case("max", Function{Kind::Max, 1, 16})
      .Case("sum", Function{Kind::Sum, 1, 1})
      .Case("len", Function{Kind::Len, 1, 1})
      .Case("distinct", Function{Kind::Distinct, 3, 4})
      .Case("select", Function{Kind::Select, 3, 3})
      .Default(std::nullopt);
}

bool lathe::isExprSymbol(StringRef name) {
  return !name.empty() && isWordStart(name[0]) && llvm::all_of(name, isWord) &&
         !functionNamed(name) && name != "floordiv" && name != "ceildiv" &&
         name != "mod" && name != "and" && name != "or";
}

void Parser::next() {
  position = std::min(text.find_first_not_of(" \t\r\n", position), text.size());
  size_t start = position;
  if (start == text.size()) {
    token = text.substr(start);
    return;
  }
  if (isWord(text[start])) {
    // A number takes letters along, so that 0x10 and 1e6 are seen whole.
    while (position < text.size() && isWord(text[position]))
      ++position;
  } else {
    StringRef two = text.substr(start, 2);
    position +=
        two == "==" || two == "!=" || two == "<=" || two == ">=" ? 2 : 1;
  }
  token = text.slice(start, position);
}

llvm::Error Parser::unexpected(StringRef expected) const {
  if (token.empty())
    return error("expected " + expected + ", found the end");
  std::string shown;
  llvm::raw_string_ostream os(shown);
  llvm::printEscapedString(token.take_front(40), os);
  return error("expected " + expected + ", found '" + shown + "'");
}

Expected<Expr> Parser::build(Kind kind, llvm::ArrayRef<Expr> operands) {
  // A negated literal is a constant, since that is how constants print.
  if (kind == Kind::Neg && operands[0].asConstant() &&
      *operands[0].asConstant() != INT64_MIN)
    return Expr::constant(-*operands[0].asConstant());
  Expr expr = Expr::makeRaw(kind, operands);
  if (expr.depth() > maxDepth)
    return error("expression deeper than " + Twine(maxDepth) + " operations");
  return expr;
}

template <typename Operand, typename Operator>
Expected<Expr> Parser::chain(Operand operand, Operator kindOf) {
  auto result = (this->*operand)();
  while (result) {
    std::optional<Kind> kind = kindOf(token);
    if (!kind)
      break;
    next();
    auto right = (this->*operand)();
    if (!right)
      return right;
    result = build(*kind, {*result, *right});
  }
  return result;
}

Expected<Expr> Parser::whole() {
  if (text.size() > maxLength)
    return error("expression longer than " + Twine(maxLength) + " characters");
  auto result = parseOr();
  if (result && !token.empty())
    return unexpected("an operator");
  return result;
}

Expected<Expr> Parser::parseOr() {
  if (++nesting > maxDepth)
    return error("expression deeper than " + Twine(maxDepth) + " operations");
  auto result = chain(&Parser::parseAnd, [](StringRef token) {
    return token == "or" ? std::optional(Kind::Or) : std::nullopt;
  });
  --nesting;
  return result;
}

Expected<Expr> Parser::parseAnd() {
  return chain(&Parser::parseComparison, [](StringRef token) {
    return token == "and" ? std::optional(Kind::And) : std::nullopt;
  });
}

Expected<Expr> Parser::parseComparison() {
  auto left = parseSum();
  if (!left)
    return left;
  auto kind = llvm::StringSwitch<std::optional<Kind>>(token)
                  .Case("==", Kind::Eq)
                  .Case("!=", Kind::Ne)
                  .Case("<", Kind::Lt)
                  .Case("<=", Kind::Le)
                  .Case(">", Kind::Gt)
                  .Case(">=", Kind::Ge)
                  .Default(std::nullopt);
  if (!kind)
    return left;
  next();
  auto right = parseSum();
  if (!right)
    return right;
  return build(*kind, {*left, *right});
}

Expected<Expr> Parser::parseSum() {
  return chain(&Parser::parseProduct, [](StringRef token) {
    return llvm::StringSwitch<std::optional<Kind>>(token)
        .Case("+", Kind::Add)
        .Case("-", Kind::Sub)
        .Default(std::nullopt);
  });
}

Expected<Expr> Parser::parseProduct() {
  return chain(&Parser::parseUnary, [](StringRef token) {
    return llvm::StringSwitch<std::optional<Kind>>(token)
        .Case("*", Kind::Mul)
        .Case("floordiv", Kind::FloorDiv)
        .Case("ceildiv", Kind::CeilDiv)
        .Case("mod", Kind::Mod)
        .Default(std::nullopt);
  });
}

Expected<Expr> Parser::parseUnary() {
  if (token != "-")
    return parseAtom();
  next();
  if (!token.empty() && llvm::isDigit(token[0]))
    return parseInteger(/*negative=*/true);
  if (++nesting > maxDepth)
    return error("expression deeper than " + Twine(maxDepth) + " operations");
  auto operand = parseUnary();
  --nesting;
  if (!operand)
    return operand;
  return build(Kind::Neg, {*operand});
}

Expected<Expr> Parser::parseInteger(bool negative) {
  if (!llvm::all_of(token, llvm::isDigit))
    return unexpected("a decimal integer");
  if (token.size() > 1 && token[0] == '0')
    return unexpected("an integer without leading zeros");
  std::string digits = (negative ? "-" : "") + token.str();
  int64_t value;
  if (StringRef(digits).getAsInteger(10, value))
    return unexpected("an integer of 64 bits");
  next();
  return Expr::constant(value);
}

Expected<Expr> Parser::parseAtom() {
  if (token == "(") {
    next();
    auto inner = parseOr();
    if (!inner)
      return inner;
    if (token != ")")
      return unexpected("')'");
    next();
    return inner;
  }
  if (token.empty() || !isWord(token[0]))
    return unexpected("an operand");
  if (llvm::isDigit(token[0]))
    return parseInteger(/*negative=*/false);
  StringRef name = token;
  if (auto function = functionNamed(name)) {
    next();
    return parseCall(name, *function);
  }
  if (!isExprSymbol(name))
    return unexpected("an operand");
  next();
  return Expr::symbol(name);
}

Expected<Expr> Parser::parseCall(StringRef name, Function function) {
  if (token != "(")
    return unexpected(("'(' after '" + name + "'").str());
  llvm::SmallVector<Expr, 4> arguments;
  do {
    next();
    auto argument = parseOr();
    if (!argument)
      return argument;
    arguments.push_back(*argument);
  } while (token == ",");
  if (token != ")")
    return unexpected("',' or ')'");
  if (arguments.size() < function.minArgs ||
      arguments.size() > function.maxArgs) {
    if (function.minArgs == function.maxArgs)
      return error("'" + name + "' takes " + Twine(function.minArgs) +
                   " operands, found " + Twine(arguments.size()));
    return error("'" + name + "' takes " + Twine(function.minArgs) + " to " +
                 Twine(function.maxArgs) + " operands, found " +
                 Twine(arguments.size()));
  }
  next();
  return build(function.kind, arguments);
}

Expected<Expr> Expr::parse(StringRef text) { return Parser(text).whole(); }

unsigned Expr::depth() const { return node->depth; }
