//===- Expr.cpp - Expression trees, folding and printing ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExprNode.h"

using namespace lathe;
using llvm::ArrayRef;
using llvm::StringRef;
using Kind = Expr::Kind;

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

Expr Expr::constant(int64_t value) {
  auto node = std::make_shared<Node>();
  node->kind = Kind::Constant;
  node->value = value;
  return Expr(std::move(node));
}

Expr Expr::symbol(StringRef name) {
  auto node = std::make_shared<Node>();
  node->kind = Kind::Symbol;
  node->name = name.str();
  return Expr(std::move(node));
}

Expr Expr::makeRaw(Kind kind, ArrayRef<Expr> operands) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->operands.assign(operands.begin(), operands.end());
  for (const Expr &operand : operands)
    node->depth = std::max(node->depth, operand.node->depth + 1);
  return Expr(std::move(node));
}

Expr Expr::make(Kind kind, ArrayRef<Expr> operands) {
  Expr raw = makeRaw(kind, operands);
  return foldOnce(raw, /*insideReduction=*/false);
}

Kind Expr::kind() const { return node->kind; }
ArrayRef<Expr> Expr::operands() const { return node->operands; }
StringRef Expr::symbolName() const { return node->name; }

std::optional<int64_t> Expr::asConstant() const {
  if (node->kind != Kind::Constant)
    return std::nullopt;
  return node->value;
}

void Expr::collectSymbols(llvm::SetVector<StringRef> &symbols) const {
  if (node->kind == Kind::Symbol)
    symbols.insert(node->name);
  for (const Expr &operand : node->operands)
    operand.collectSymbols(symbols);
}

bool lathe::operator==(const Expr &a, const Expr &b) {
  if (a.node == b.node)
    return true;
  return a.node->kind == b.node->kind && a.node->value == b.node->value &&
         a.node->name == b.node->name && a.node->operands == b.node->operands;
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

bool lathe::isReduction(const Expr &expr) {
  switch (expr.kind()) {
  case Kind::Sum:
  case Kind::Len:
    return true;
  case Kind::Min:
  case Kind::Max:
    return expr.operands().size() == 1;
  default:
    return false;
  }
}

/// Whether the value is always 0 or 1.
static bool isTruth(const Expr &expr) {
  switch (expr.kind()) {
  case Kind::Eq:
  case Kind::Ne:
  case Kind::Lt:
  case Kind::Le:
  case Kind::Gt:
  case Kind::Ge:
  case Kind::And:
  case Kind::Or:
    return true;
  case Kind::Constant:
    return *expr.asConstant() == 0 || *expr.asConstant() == 1;
  default:
    return false;
  }
}

static Expr truthOf(const Expr &expr) {
  if (isTruth(expr))
    return expr;
  return Expr::make(Kind::Ne, {expr, Expr::constant(0)});
}

/// Neutral and absorbing constants of the operations with two operands.
static std::optional<Expr> foldIdentity(const Expr &expr,
                                        bool insideReduction) {
  const Expr &a = expr.operands()[0], &b = expr.operands()[1];
  auto is = [](const Expr &e, int64_t value) {
    return e.asConstant() == std::optional<int64_t>(value);
  };
  switch (expr.kind()) {
  case Kind::Add:
    if (is(a, 0))
      return b;
    return is(b, 0) ? std::optional(a) : std::nullopt;
  case Kind::Sub:
    return is(b, 0) ? std::optional(a) : std::nullopt;
  case Kind::Mul:
    // A factor 0 must not hide the list that a surrounding sum counts over.
    if (!insideReduction && (is(a, 0) || is(b, 0)))
      return Expr::constant(0);
    if (is(a, 1))
      return b;
    return is(b, 1) ? std::optional(a) : std::nullopt;
  case Kind::FloorDiv:
  case Kind::CeilDiv:
    return is(b, 1) ? std::optional(a) : std::nullopt;
  case Kind::Mod:
    return is(b, 1) && !insideReduction ? std::optional(Expr::constant(0))
                                        : std::nullopt;
  case Kind::And:
  case Kind::Or: {
    int64_t absorbing = expr.kind() == Kind::Or;
    for (int i = 0; i < 2; ++i) {
      auto value = expr.operands()[i].asConstant();
      if (!value)
        continue;
      if ((*value != 0) == absorbing)
        return insideReduction ? std::nullopt
                               : std::optional(Expr::constant(absorbing));
      return truthOf(expr.operands()[1 - i]);
    }
    return std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

Expr lathe::foldOnce(const Expr &expr, bool insideReduction) {
  ArrayRef<Expr> operands = expr.operands();
  if (operands.empty())
    return expr;
  if (expr.kind() == Kind::Select) {
    auto condition = operands[0].asConstant();
    if (condition && !insideReduction)
      return operands[*condition ? 1 : 2];
  }
  if (llvm::all_of(operands, [](const Expr &e) { return !!e.asConstant(); }) &&
      !isReduction(expr)) {
    // What cannot be computed (x mod 0, overflow) stays, to be reported when
    // it is evaluated.
    auto value = expr.evaluate({});
    if (value)
      return Expr::constant(*value);
    llvm::consumeError(value.takeError());
    return expr;
  }
  if (operands.size() == 2)
    if (auto folded = foldIdentity(expr, insideReduction))
      return *folded;
  return expr;
}

static Expr substituteIn(const Expr &expr, const Bindings &bindings,
                         bool insideReduction) {
  if (expr.kind() == Kind::Symbol) {
    auto it = bindings.find(expr.symbolName());
    if (it == bindings.end() || it->second.isList)
      return expr;
    return Expr::constant(it->second.elements.front());
  }
  if (expr.operands().empty())
    return expr;
  if (isReduction(expr)) {
    auto value = expr.evaluate(bindings);
    if (value)
      return Expr::constant(*value);
    llvm::consumeError(value.takeError());
    insideReduction = true;
  }
  llvm::SmallVector<Expr, 4> operands;
  for (const Expr &operand : expr.operands())
    operands.push_back(substituteIn(operand, bindings, insideReduction));
  return foldOnce(Expr::makeRaw(expr.kind(), operands), insideReduction);
}

Expr Expr::substitute(const Bindings &bindings) const {
  return substituteIn(*this, bindings, /*insideReduction=*/false);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

namespace {
enum Precedence {
  OrLevel = 1,
  AndLevel,
  CmpLevel,
  SumLevel,
  ProductLevel,
  UnaryLevel,
  AtomLevel
};

struct Spelling {
  StringRef text;
  int level;
};
} // namespace

static Spelling spellingOf(const Expr &expr) {
  switch (expr.kind()) {
  case Kind::Constant:
    return {"", *expr.asConstant() < 0 ? UnaryLevel : AtomLevel};
  case Kind::Symbol:
    return {"", AtomLevel};
  case Kind::Add:
    return {" + ", SumLevel};
  case Kind::Sub:
    return {" - ", SumLevel};
  case Kind::Mul:
    return {" * ", ProductLevel};
  case Kind::FloorDiv:
    return {" floordiv ", ProductLevel};
  case Kind::CeilDiv:
    return {" ceildiv ", ProductLevel};
  case Kind::Mod:
    return {" mod ", ProductLevel};
  case Kind::Neg:
    return {"-", UnaryLevel};
  case Kind::Eq:
    return {" == ", CmpLevel};
  case Kind::Ne:
    return {" != ", CmpLevel};
  case Kind::Lt:
    return {" < ", CmpLevel};
  case Kind::Le:
    return {" <= ", CmpLevel};
  case Kind::Gt:
    return {" > ", CmpLevel};
  case Kind::Ge:
    return {" >= ", CmpLevel};
  case Kind::And:
    return {" and ", AndLevel};
  case Kind::Or:
    return {" or ", OrLevel};
  case Kind::Min:
    return {"min", AtomLevel};
  case Kind::Max:
    return {"max", AtomLevel};
  case Kind::Sum:
    return {"sum", AtomLevel};
  case Kind::Len:
    return {"len", AtomLevel};
  case Kind::Distinct:
    return {"distinct", AtomLevel};
  case Kind::Select:
    return {"select", AtomLevel};
  }
  llvm_unreachable("covered switch");
}

static void print(const Expr &expr, int minimum, std::string &out) {
  Spelling spelling = spellingOf(expr);
  ArrayRef<Expr> operands = expr.operands();
  bool parenthesize = spelling.level < minimum;
  if (parenthesize)
    out += '(';
  if (auto value = expr.asConstant()) {
    out += std::to_string(*value);
  } else if (expr.kind() == Kind::Symbol) {
    out += expr.symbolName();
  } else if (expr.kind() == Kind::Neg) {
    out += '-';
    print(operands[0], UnaryLevel, out);
  } else if (spelling.level == AtomLevel) {
    out += spelling.text;
    out += '(';
    for (size_t i = 0; i < operands.size(); ++i) {
      if (i)
        out += ", ";
      print(operands[i], OrLevel, out);
    }
    out += ')';
  } else {
    // Operators associate to the left, comparisons not at all.
    bool chains = spelling.level != CmpLevel;
    print(operands[0], spelling.level + !chains, out);
    out += spelling.text;
    print(operands[1], spelling.level + 1, out);
  }
  if (parenthesize)
    out += ')';
}

std::string Expr::str() const {
  std::string text;
  print(*this, OrLevel, text);
  return text;
}
