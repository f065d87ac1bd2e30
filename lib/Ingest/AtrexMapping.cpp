//===- AtrexMapping.cpp - How Atrex-Bench arguments become dims -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtrexMapping.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace lathe;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static llvm::Error fail(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static bool isWord(char c) { return llvm::isAlnum(c) || c == '_'; }

/// `key[i]` or `key[i:j]`, where i and j may be left out.
Expected<AtrexDim::Access> AtrexDim::parseAccess(StringRef text) {
  Access access;
  auto [key, index] = text.split('[');
  access.key = key.trim().str();
  if (!isExprSymbol(access.key) || !index.consume_back("]"))
    return fail("expected key[index], found '" + text + "'");
  auto number = [](StringRef digits, int64_t absent, int64_t &value) {
    digits = digits.trim();
    value = absent;
    return digits.empty() || !digits.getAsInteger(10, value);
  };
  bool ok;
  if (index.contains(':')) {
    auto [first, last] = index.split(':');
    access.isProduct = true;
    ok = number(first, 0, access.first) && number(last, INT64_MAX, access.last);
  } else {
    ok = !index.trim().empty() && number(index, 0, access.first);
  }
  if (!ok)
    return fail("expected an index, found '" + index + "'");
  return access;
}

Expected<AtrexDim> AtrexDim::parse(StringRef text) {
  AtrexDim result;
  StringRef rest = text.trim(), times;
  if (rest.consume_front("repeat(")) {
    if (!rest.consume_back(")") || !rest.contains(','))
      return fail("expected repeat(value, times), found '" + text + "'");
    std::tie(rest, times) = rest.rsplit(',');
    auto count = Expr::parse(times);
    if (!count)
      return count.takeError();
    result.times = *count;
  }
  // Replaces each access to a list by a symbol of its own.
  std::string rewritten;
  while (!rest.empty()) {
    size_t open = rest.find('[');
    if (open == StringRef::npos)
      break;
    size_t close = rest.find(']', open);
    if (close == StringRef::npos)
      return fail("expected ']' in '" + text + "'");
    size_t start = open;
    while (start && isWord(rest[start - 1]))
      --start;
    auto access = parseAccess(rest.slice(start, close + 1));
    if (!access)
      return access.takeError();
    StringRef before = rest.take_front(start);
    rest = rest.drop_front(close + 1);
    if (before.ends_with("product(")) {
      if (!access->isProduct || !rest.consume_front(")"))
        return fail("expected product(key[i:j]) in '" + text + "'");
      before = before.drop_back(StringRef("product(").size());
    } else if (access->isProduct) {
      return fail("a slice needs product(...) in '" + text + "'");
    }
    access->symbol = "element_" + std::to_string(result.accesses.size());
    rewritten += before.str() + access->symbol;
    result.accesses.push_back(std::move(*access));
  }
  rewritten += rest;
  auto value = Expr::parse(rewritten);
  if (!value)
    return value.takeError();
  result.value = *value;
  return result;
}

Expected<std::optional<ExprValue>> AtrexDim::evaluate(Lookup lookup) const {
  constexpr int64_t maxTimes = 1 << 20;
  Bindings bindings;
  for (const Access &access : accesses) {
    auto list = lookup(access.key);
    if (!list)
      return std::nullopt;
    if (!list->isList)
      return fail("'" + access.key + "' is no list");
    int64_t size = list->elements.size();
    auto position = [&](int64_t index) {
      return index < 0 ? index + size : index;
    };
    if (access.isProduct) {
      int64_t product = 1;
      int64_t last = std::min(position(access.last), size);
      for (int64_t i = std::max<int64_t>(position(access.first), 0); i < last;
           ++i)
        if (llvm::MulOverflow(product, list->elements[i], product))
          return fail("product of '" + access.key + "' overflows");
      bindings[access.symbol] = product;
      continue;
    }
    int64_t at = position(access.first);
    if (at < 0 || at >= size)
      return fail("'" + access.key + "' has " + Twine(size) +
                  " elements, none at " + Twine(access.first));
    bindings[access.symbol] = list->elements[at];
  }
  auto bind = [&](const Expr &expr) {
    llvm::SetVector<StringRef> symbols;
    expr.collectSymbols(symbols);
    for (StringRef symbol : symbols)
      if (!bindings.count(symbol)) {
        auto value = lookup(symbol);
        if (!value)
          return false;
        bindings[symbol.str()] = std::move(*value);
      }
    return true;
  };
  if (!bind(value) || (times && !bind(*times)))
    return std::nullopt;
  if (value.kind() == Expr::Kind::Symbol && !times)
    return bindings.find(value.symbolName())->second;
  auto number = value.evaluate(bindings);
  if (!number)
    return number.takeError();
  if (!times)
    return ExprValue(*number);
  auto count = times->evaluate(bindings);
  if (!count)
    return count.takeError();
  if (*count < 0 || *count > maxTimes)
    return fail("cannot repeat a value " + Twine(*count) + " times");
  return ExprValue(std::vector<int64_t>(*count, *number));
}

Expected<AtrexOption> AtrexOption::parse(StringRef text) {
  AtrexOption result;
  auto [key, rest] = text.split('(');
  result.key = key.trim().str();
  if (!isExprSymbol(result.key))
    return fail("expected a key, found '" + text + "'");
  if (key.size() == text.size())
    return result;
  if (!rest.consume_back(")"))
    return fail("expected ')' at the end of '" + text + "'");
  while (!rest.empty()) {
    StringRef pair;
    std::tie(pair, rest) = rest.split(',');
    auto [from, to] = pair.split('=');
    if (from.trim().empty() || to.trim().empty())
      return fail("expected value=name, found '" + pair + "'");
    result.names[from.trim().str()] = to.trim().str();
  }
  return result;
}
