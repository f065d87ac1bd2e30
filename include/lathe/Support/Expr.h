//===- Expr.h - Exact arithmetic over named sizes ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one expression language of Lathe: cost formulas, tile extents, schedule
// constraints, grids and guards are all written in it.
//
//   expr    := or ; or := and ("or" and)* ; and := cmp ("and" cmp)*
//   cmp     := sum (("==" | "!=" | "<" | "<=" | ">" | ">=") sum)?
//   sum     := product (("+" | "-") product)*
//   product := unary (("*" | "floordiv" | "ceildiv" | "mod") unary)*
//   unary   := "-" unary | integer | symbol | call | "(" expr ")"
//   call    := name "(" expr ("," expr)* ")"
//   name    := "min" | "max" | "sum" | "len" | "distinct" | "select"
//
// A symbol is bound to a 64-bit integer or to a list of them. sum(e) evaluates
// e once per position of the lists in it (all must have one length) and adds;
// len(L) is a list's length; max(L) and min(L) with one list argument reduce.
// distinct(E, N, k) is the expected number of different values among
// N rows of k draws without replacement from E:
// ceil(E * (1 - (1 - k/E)^N)), computed in double precision; distinct(E, N, k,
// S) is that of S such groups of rows together: S is multiplied in before
// rounding. select(c, a, b) is a if c is non-zero, else b; the other is not
// evaluated.
//
// Comparisons do not chain; they, `and` and `or` give 0 or 1, and the last two
// stop at the first operand that decides. floordiv rounds down, ceildiv up, and
// mod has the sign of the divisor. Integers are decimal without leading zeros.
// parse() keeps the text's structure; make() and substitute() fold.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_SUPPORT_EXPR_H
#define LATHE_SUPPORT_EXPR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

/// What a symbol stands for: one integer, or one per sequence.
struct ExprValue {
  std::vector<int64_t> elements;
  bool isList = false;

  ExprValue() = default;
  ExprValue(int64_t value) : elements{value} {}
  ExprValue(std::vector<int64_t> list)
      : elements(std::move(list)), isList(true) {}

  friend bool operator==(const ExprValue &a, const ExprValue &b) {
    return a.isList == b.isList && a.elements == b.elements;
  }
};

/// Symbol name to value; ordered, so that whatever is printed from it is
/// stable.
using Bindings = std::map<std::string, ExprValue, std::less<>>;

/// An immutable, cheaply copied expression.
class Expr {
public:
  enum class Kind {
    Constant,
    Symbol,
    Add,
    Sub,
    Mul,
    FloorDiv,
    CeilDiv,
    Mod,
    Neg,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    Min,
    Max,
    Sum,
    Len,
    Distinct,
    Select
  };

  Expr() : Expr(constant(0)) {}
  static Expr constant(int64_t value);
  static Expr symbol(llvm::StringRef name);
  /// Builds and folds one operation; `operands` must match the kind's arity.
  /// Min and Max with one operand reduce a list.
  static Expr make(Kind kind, llvm::ArrayRef<Expr> operands);
  /// Builds one operation as it is.
  static Expr makeRaw(Kind kind, llvm::ArrayRef<Expr> operands);

  /// The whole of `text` must be one expression; errors name the column (they
  /// are an ExprParseError). Texts that are very long or deep are refused.
  static llvm::Expected<Expr> parse(llvm::StringRef text);

  /// Canonical text: minimal parentheses, parses back to an equal expression.
  std::string str() const;

  Kind kind() const;
  llvm::ArrayRef<Expr> operands() const;
  llvm::StringRef symbolName() const;
  std::optional<int64_t> asConstant() const;
  /// Longest path from the root to a leaf, counting both.
  unsigned depth() const;
  void collectSymbols(llvm::SetVector<llvm::StringRef> &symbols) const;

  /// Replaces the bound symbols and folds; unbound symbols stay.
  Expr substitute(const Bindings &bindings) const;

  /// Exact: overflow of 64 bits, division by zero, an unbound symbol and a list
  /// where a number is due are errors. Intermediates are 128 bits wide.
  llvm::Expected<int64_t> evaluate(const Bindings &bindings) const;

  friend bool operator==(const Expr &a, const Expr &b);
  friend bool operator!=(const Expr &a, const Expr &b) { return !(a == b); }

  struct Node;

private:
  explicit Expr(std::shared_ptr<const Node> node) : node(std::move(node)) {}
  std::shared_ptr<const Node> node;
};

/// Whether `expr` itself runs over the positions of lists in its operand.
bool isReduction(const Expr &expr);

/// Whether `name` can be a symbol: an identifier that is not reserved.
bool isExprSymbol(llvm::StringRef name);

/// What is wrong with a text that Expr::parse refused, and where.
class ExprParseError : public llvm::ErrorInfo<ExprParseError> {
public:
  static char ID;
  ExprParseError(size_t column, std::string text)
      : column(column), text(std::move(text)) {}

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

  const size_t column; ///< counted from 1
  const std::string text;
};

} // namespace lathe

#endif // LATHE_SUPPORT_EXPR_H
