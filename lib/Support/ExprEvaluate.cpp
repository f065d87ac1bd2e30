//===- ExprEvaluate.cpp - Exact evaluation of expressions -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExprNode.h"

#include <cmath>

using namespace lathe;
using llvm::Expected;
using llvm::StringRef;
using Kind = Expr::Kind;
using Wide = __int128;

template <typename... Args>
static llvm::Error fail(const char *format, Args... args) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), format,
                                 args...);
}

static llvm::Error overflow() { return fail("overflow of 128 bits"); }

static Expected<Wide> floorDivide(Wide a, Wide b) {
  if (b == 0)
    return fail("division by zero");
  Wide quotient;
  // The only quotient that overflows is minimum / -1.
  if (b == -1) {
    if (__builtin_sub_overflow(Wide(0), a, &quotient))
      return overflow();
    return quotient;
  }
  quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

/// ceil(S * E * (1 - (1 - k/E)^N)).
static Expected<Wide> distinct(Wide values, Wide rows, Wide draws, Wide scale) {
  if (values < 0 || rows < 0 || draws < 0 || scale < 0)
    return fail("distinct of a negative number");
  if (draws > values)
    return fail("distinct draws more than there are values");
  if (values > INT64_MAX || rows > INT64_MAX || scale > INT64_MAX)
    return overflow();
  if (values == 0)
    return Wide(0);
  double e = double(values);
  double untouched = std::pow(1.0 - double(draws) / e, double(rows));
  return Wide(std::ceil(double(scale) * e * (1.0 - untouched)));
}

namespace {
/// Evaluates with `position` as the current index of every list.
class Evaluator {
public:
  explicit Evaluator(const Bindings &bindings) : bindings(bindings) {}

  Expected<Wide> run(const Expr &expr);

private:
  Expected<Wide> symbol(StringRef name);
  Expected<Wide> binary(Kind kind, Wide a, Wide b);
  Expected<Wide> reduce(const Expr &expr);
  /// The length that all lists in `expr` have.
  Expected<size_t> length(const Expr &expr);

  const Bindings &bindings;
  std::optional<size_t> position;
};
} // namespace

Expected<Wide> Evaluator::symbol(StringRef name) {
  auto it = bindings.find(name);
  if (it == bindings.end())
    return fail("'%s' is not bound", name.str().c_str());
  const ExprValue &value = it->second;
  if (!value.isList)
    return Wide(value.elements.front());
  if (!position)
    return fail("'%s' is a list where a number is due", name.str().c_str());
  return Wide(value.elements[*position]);
}

Expected<size_t> Evaluator::length(const Expr &expr) {
  llvm::SetVector<StringRef> symbols;
  expr.collectSymbols(symbols);
  std::optional<size_t> length;
  StringRef first;
  for (StringRef name : symbols) {
    auto it = bindings.find(name);
    if (it == bindings.end())
      return fail("'%s' is not bound", name.str().c_str());
    if (!it->second.isList)
      continue;
    size_t size = it->second.elements.size();
    if (length && *length != size)
      return fail("'%s' has %zu elements and '%s' has %zu", first.str().c_str(),
                  *length, name.str().c_str(), size);
    if (!length)
      first = name;
    length = size;
  }
  if (!length)
    return fail("no list in '%s'", expr.str().c_str());
  return *length;
}

Expected<Wide> Evaluator::reduce(const Expr &expr) {
  const Expr &body = expr.operands()[0];
  auto count = length(body);
  if (!count)
    return count.takeError();
  if (expr.kind() == Kind::Len)
    return Wide(*count);
  if (*count == 0 && expr.kind() != Kind::Sum)
    return fail("'%s' of an empty list", expr.str().c_str());
  auto outer = position;
  std::optional<Wide> result;
  if (expr.kind() == Kind::Sum)
    result = 0;
  for (size_t i = 0; i < *count; ++i) {
    position = i;
    auto value = run(body);
    position = outer;
    if (!value)
      return value.takeError();
    if (expr.kind() == Kind::Sum) {
      if (__builtin_add_overflow(*result, *value, &*result))
        return overflow();
    } else if (!result || (expr.kind() == Kind::Min ? *value < *result
                                                    : *value > *result)) {
      result = *value;
    }
  }
  return *result;
}

Expected<Wide> Evaluator::binary(Kind kind, Wide a, Wide b) {
  Wide result;
  switch (kind) {
  case Kind::Add:
    if (__builtin_add_overflow(a, b, &result))
      return overflow();
    return result;
  case Kind::Sub:
    if (__builtin_sub_overflow(a, b, &result))
      return overflow();
    return result;
  case Kind::Mul:
    if (__builtin_mul_overflow(a, b, &result))
      return overflow();
    return result;
  case Kind::FloorDiv:
    return floorDivide(a, b);
  case Kind::CeilDiv: {
    // ceil(a / b) = floor(a / b) + (b does not divide a)
    auto quotient = floorDivide(a, b);
    if (!quotient)
      return quotient;
    return *quotient + (b != -1 && a % b != 0);
  }
  case Kind::Mod: {
    if (b == 0)
      return fail("modulo zero");
    Wide remainder = b == -1 ? 0 : a % b;
    return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b
                                                        : remainder;
  }
  case Kind::Eq:
    return Wide(a == b);
  case Kind::Ne:
    return Wide(a != b);
  case Kind::Lt:
    return Wide(a < b);
  case Kind::Le:
    return Wide(a <= b);
  case Kind::Gt:
    return Wide(a > b);
  case Kind::Ge:
    return Wide(a >= b);
  case Kind::Min:
    return std::min(a, b);
  case Kind::Max:
    return std::max(a, b);
  default:
    llvm_unreachable("not a binary operation");
  }
}

Expected<Wide> Evaluator::run(const Expr &expr) {
  if (auto value = expr.asConstant())
    return Wide(*value);
  if (expr.kind() == Kind::Symbol)
    return symbol(expr.symbolName());
  if (isReduction(expr))
    return reduce(expr);

  llvm::ArrayRef<Expr> operands = expr.operands();
  auto first = run(operands[0]);
  if (!first)
    return first;
  switch (expr.kind()) {
  case Kind::Neg:
    return binary(Kind::Sub, 0, *first);
  case Kind::Select:
    return run(operands[*first ? 1 : 2]);
  case Kind::And:
  case Kind::Or: {
    if ((*first != 0) == (expr.kind() == Kind::Or))
      return Wide(*first != 0);
    auto second = run(operands[1]);
    if (!second)
      return second;
    return Wide(*second != 0);
  }
  default:
    break;
  }

  auto second = run(operands[1]);
  if (!second)
    return second;
  if (expr.kind() == Kind::Distinct) {
    auto third = run(operands[2]);
    if (!third)
      return third;
    auto scale =
        operands.size() == 4 ? run(operands[3]) : Expected<Wide>(Wide(1));
    if (!scale)
      return scale;
    return distinct(*first, *second, *third, *scale);
  }
  auto result = binary(expr.kind(), *first, *second);
  for (size_t i = 2; result && i < operands.size(); ++i) {
    auto next = run(operands[i]);
    if (!next)
      return next;
    result = binary(expr.kind(), *result, *next);
  }
  return result;
}

Expected<int64_t> Expr::evaluate(const Bindings &bindings) const {
  auto value = Evaluator(bindings).run(*this);
  if (!value)
    return value.takeError();
  if (*value < INT64_MIN || *value > INT64_MAX)
    return fail("overflow of 64 bits");
  return int64_t(*value);
}
