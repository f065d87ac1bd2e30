//===- TensorMapGuards.cpp - What tensor maps ask of dims -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Support/TensorMap.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>
#include <optional>

using namespace lathe;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
using Wide = __int128;
using Known = llvm::function_ref<DimGuard(StringRef)>;

namespace {

/// All that is certain of an expression: its interval, and the largest divisor
/// of a stride's multiple that divides it.
struct Facts {
  Wide lo = 0, hi = 0;
  int64_t divisor = 1;
};

/// One extent or stride, and what it must be.
struct Rule {
  const Expr &expr;
  const char *what;
  uint64_t most;
  int64_t multiple;

  bool divides(const Facts &facts) const {
    return facts.divisor % multiple == 0;
  }
  bool bounds(const Facts &facts) const {
    return facts.lo >= 0 && facts.hi <= Wide(most);
  }
};

} // namespace

/// Products of two such values still fit.
static Wide clamp(Wide value) {
  constexpr Wide most = Wide(1) << 62;
  return std::clamp<Wide>(value, -most, most);
}

static int64_t divisorOf(int64_t value) {
  return std::gcd(value, int64_t(tensorStrideMultiple));
}

static std::optional<Facts> factsOf(const Expr &expr, Known known) {
  if (auto value = expr.asConstant())
    return Facts{clamp(*value), clamp(*value), divisorOf(*value)};
  if (expr.kind() == Expr::Kind::Symbol) {
    DimGuard dim = known(expr.symbolName());
    return Facts{clamp(dim.lo), clamp(dim.hi),
                 divisorOf(dim.lo == dim.hi ? dim.lo : dim.multiple)};
  }
  std::vector<Facts> operands;
  for (const Expr &operand : expr.operands()) {
    auto facts = factsOf(operand, known);
    if (!facts)
      return std::nullopt;
    operands.push_back(*facts);
  }
  if (operands.size() != 2)
    return std::nullopt;
  const Facts &a = operands[0], &b = operands[1];
  int64_t common = std::gcd(a.divisor, b.divisor);
  switch (expr.kind()) {
  case Expr::Kind::Add:
    return Facts{clamp(a.lo + b.lo), clamp(a.hi + b.hi), common};
  case Expr::Kind::Sub:
    return Facts{clamp(a.lo - b.hi), clamp(a.hi - b.lo), common};
  case Expr::Kind::Min:
    return Facts{std::min(a.lo, b.lo), std::min(a.hi, b.hi), common};
  case Expr::Kind::Max:
    return Facts{std::max(a.lo, b.lo), std::max(a.hi, b.hi), common};
  case Expr::Kind::Mul: {
    auto [lo, hi] =
        std::minmax({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
    return Facts{clamp(lo), clamp(hi), divisorOf(a.divisor * b.divisor)};
  }
  case Expr::Kind::FloorDiv:
  case Expr::Kind::CeilDiv:
    // Sizes divided by sizes; nothing else is in a view.
    if (a.lo < 0 || b.lo < 1)
      return std::nullopt;
    return Facts{a.lo / b.hi, (a.hi + b.lo - 1) / b.lo, 1};
  default:
    return std::nullopt;
  }
}

/// The guard on the rule's one dim that makes it hold; nothing if none does.
static std::optional<DimGuard> guardFor(const Rule &rule, Known known) {
  llvm::SetVector<StringRef> symbols;
  rule.expr.collectSymbols(symbols);
  if (symbols.size() != 1)
    return std::nullopt;
  DimGuard dim = known(symbols.front());
  auto at = [&](int64_t hi, int64_t multiple) {
    return factsOf(rule.expr, [&](StringRef name) {
      return DimGuard{name.str(), dim.lo, hi, std::lcm(dim.multiple, multiple)};
    });
  };
  DimGuard guard{dim.dim, 0, dim.hi, 1};
  while (!rule.divides(*at(dim.hi, guard.multiple)))
    if ((guard.multiple *= 2) > int64_t(tensorStrideMultiple))
      return std::nullopt;
  if (rule.bounds(*at(dim.hi, 1)))
    return guard;
  if (!rule.bounds(*at(dim.lo, 1)))
    return std::nullopt;
  int64_t fit = dim.lo, high = dim.hi;
  while (high - fit > 1) {
    int64_t middle = fit + (high - fit) / 2;
    (rule.bounds(*at(middle, 1)) ? fit : high) = middle;
  }
  guard.hi = fit;
  return guard;
}

Expected<std::vector<DimGuard>>
lathe::tensorMapGuards(llvm::ArrayRef<TensorMap> maps, Known known) {
  std::vector<DimGuard> guards;
  auto narrowed = [&](StringRef name) {
    return narrowedBy(known(name), guards);
  };
  auto keep = [&](const TensorMap &map, const Rule &rule) -> Error {
    auto facts = factsOf(rule.expr, narrowed);
    if (facts && rule.divides(*facts) && rule.bounds(*facts))
      return Error::success();
    auto guard = facts ? guardFor(rule, narrowed) : std::nullopt;
    if (!guard)
      return llvm::createStringError(
          "tensor map of operand " + Twine(map.operand) + ": " + rule.what +
          " '" + rule.expr.str() + "' must be a multiple of " +
          Twine(rule.multiple) + " up to " + Twine(rule.most) +
          ", and no guard on one dim says so");
    auto same = llvm::find_if(
        guards, [&](const DimGuard &one) { return one.dim == guard->dim; });
    if (same == guards.end()) {
      guards.push_back(std::move(*guard));
      return Error::success();
    }
    same->hi = std::min(same->hi, guard->hi);
    same->multiple = std::lcm(same->multiple, guard->multiple);
    return Error::success();
  };
  for (const TensorMap &map : maps) {
    for (const Expr &extent : map.extents)
      if (Error error = keep(map, {extent, "extent", maxTensorExtent, 1}))
        return std::move(error);
    for (const Expr &stride : map.strides)
      if (Error error = keep(map, {stride, "stride", tensorStrideLimit - 1,
                                   int64_t(tensorStrideMultiple)}))
        return std::move(error);
  }
  return guards;
}
