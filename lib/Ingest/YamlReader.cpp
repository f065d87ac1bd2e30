//===- YamlReader.cpp - Typed access to YAML nodes ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Yaml.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace lathe;
using namespace lathe::yaml;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

/// Elements of one list of integers, and of all lists of a file.
static constexpr int64_t maxList = 1 << 20;
static constexpr int64_t maxLists = 1 << 23;

/// Text for a message: printable and short.
static std::string shown(StringRef text) {
  std::string result;
  llvm::raw_string_ostream os(result);
  llvm::printEscapedString(text.take_front(60), os);
  if (text.size() > 60)
    os << "...";
  return result;
}

std::string Reader::describe(const Node &node) {
  switch (node.kind) {
  case Node::Null:
    return "nothing";
  case Node::Scalar:
    return (node.quoted ? "text '" : "'") + shown(node.text) + "'";
  case Node::Sequence:
    return "a list";
  case Node::Map:
    return "a map";
  }
  llvm_unreachable("covered switch");
}

std::optional<std::string> yaml::nearest(StringRef name,
                                         ArrayRef<StringRef> known) {
  unsigned best = std::max<size_t>(2, name.size() / 3) + 1;
  size_t bestPrefix = 0;
  std::optional<std::string> result;
  for (StringRef candidate : known) {
    unsigned distance = name.lower() == candidate.lower()
                            ? 0
                            : name.edit_distance(candidate, true, best);
    // Names are often given in part.
    if (name.size() > 2 && candidate.starts_with(name))
      distance = std::min(distance, 1u);
    // A replacement of every letter is no likeness.
    if (distance >= std::max(name.size(), candidate.size()))
      continue;
    size_t prefix = 0;
    while (prefix < std::min(name.size(), candidate.size()) &&
           name[prefix] == candidate[prefix])
      ++prefix;
    // Of equally distant names the one that starts alike for longer.
    if (distance > best ||
        (distance == best && (!result || prefix <= bestPrefix)))
      continue;
    best = distance;
    bestPrefix = prefix;
    result = candidate.str();
  }
  return result;
}

std::string yaml::suggestion(StringRef name, ArrayRef<StringRef> known) {
  if (auto near = nearest(name, known))
    return ", did you mean '" + *near + "'?";
  if (known.empty())
    return "; none is known";
  if (known.size() > 24)
    return "";
  return "; expected one of " + llvm::join(known, ", ");
}

static bool isWordText(StringRef text) {
  return !text.empty() && text.size() <= 128 && text[0] != '-' &&
         text[0] != '.' && llvm::all_of(text, [](char c) {
           return llvm::isAlnum(c) || c == '_' || c == '-' || c == '.';
         });
}

bool Reader::map(const Node &node, StringRef what) {
  if (node.kind != Node::Map) {
    diagnostics.error(node, what + ": expected a map, found " + describe(node));
    return false;
  }
  llvm::StringMap<const Node *> seen;
  for (auto &[key, value] : node.entries) {
    if (key->kind != Node::Scalar) {
      diagnostics.error(*key,
                        what + ": expected a key, found " + describe(*key));
      continue;
    }
    auto [it, fresh] = seen.try_emplace(key->text, key.get());
    if (!fresh)
      diagnostics.error(*key, what + ": duplicate key '" + shown(key->text) +
                                  "', first given in line " +
                                  Twine(it->second->line));
  }
  return true;
}

void Reader::keys(const Node &map, StringRef what, ArrayRef<StringRef> known) {
  for (auto &[key, value] : map.entries)
    if (key->kind == Node::Scalar && !llvm::is_contained(known, key->text))
      diagnostics.error(*key, what + ": unknown key '" + shown(key->text) +
                                  "'" + suggestion(key->text, known));
}

bool Reader::map(const Node &node, StringRef what, ArrayRef<StringRef> known) {
  if (!map(node, what))
    return false;
  keys(node, what, known);
  return true;
}

const Node *Reader::find(const Node &map, StringRef key) {
  for (auto &[name, value] : map.entries)
    if (name->kind == Node::Scalar && name->text == key)
      return value->kind == Node::Null ? nullptr : value.get();
  return nullptr;
}

const Node *Reader::require(const Node &map, StringRef key, StringRef what) {
  const Node *node = find(map, key);
  if (!node && map.kind == Node::Map)
    diagnostics.error(map, what + ": missing key '" + key + "'");
  return node;
}

bool Reader::sequence(const Node &node, StringRef what) {
  if (node.kind == Node::Sequence)
    return true;
  diagnostics.error(node, what + ": expected a list, found " + describe(node));
  return false;
}

void Reader::each(const Node &map, StringRef key,
                  llvm::function_ref<void(const Node &)> visit) {
  const Node *list = find(map, key);
  if (list && sequence(*list, key))
    for (const NodePtr &item : list->items)
      visit(*item);
}

std::string Reader::stringAt(const Node &map, StringRef key) {
  const Node *node = find(map, key);
  return node ? string(*node, key).value_or("") : "";
}

std::optional<std::string> Reader::string(const Node &node, StringRef what) {
  if (node.kind == Node::Scalar)
    return node.text;
  diagnostics.error(node, what + ": expected text, found " + describe(node));
  return std::nullopt;
}

std::optional<std::string> Reader::symbol(const Node &node, StringRef what) {
  if (node.kind == Node::Scalar && isExprSymbol(node.text) &&
      node.text.size() <= 64)
    return node.text;
  diagnostics.error(node, what +
                              ": expected a name of letters, digits and '_' "
                              "that is no keyword, found " +
                              describe(node));
  return std::nullopt;
}

std::optional<std::string> Reader::name(const Node &node, StringRef what) {
  if (node.kind == Node::Scalar && isWordText(node.text))
    return node.text;
  diagnostics.error(node, what +
                              ": expected a name of letters, digits, '_', '-' "
                              "and '.', found " +
                              describe(node));
  return std::nullopt;
}

std::optional<std::string> Reader::oneOf(const Node &node, StringRef what,
                                         ArrayRef<StringRef> values) {
  if (node.kind == Node::Scalar && llvm::is_contained(values, node.text))
    return node.text;
  std::string text = node.kind == Node::Scalar ? node.text : "";
  diagnostics.error(node, what + ": unexpected " + describe(node) +
                              suggestion(text, values));
  return std::nullopt;
}

/// Decimal digits without a leading zero, which other readers take for octal.
static bool consumeDigits(StringRef &text) {
  StringRef digits = text.take_while(llvm::isDigit);
  text = text.drop_front(digits.size());
  return !digits.empty() && (digits.size() == 1 || digits[0] != '0');
}

static bool isNumberText(StringRef text) {
  text.consume_front("-");
  if (!consumeDigits(text))
    return false;
  if (text.consume_front("."))
    text = text.drop_while(llvm::isDigit);
  if (text.consume_front("e") || text.consume_front("E")) {
    if (!text.consume_front("-"))
      text.consume_front("+");
    if (text.empty() || !llvm::isDigit(text[0]))
      return false;
    text = text.drop_while(llvm::isDigit);
  }
  return text.empty();
}

std::optional<int64_t> Reader::integer(const Node &node, StringRef what,
                                       int64_t min, int64_t max) {
  int64_t value;
  StringRef digits = node.text;
  digits.consume_front("-");
  if (node.kind != Node::Scalar || node.quoted || !consumeDigits(digits) ||
      !digits.empty() || StringRef(node.text).getAsInteger(10, value)) {
    diagnostics.error(node, what + ": expected a decimal integer, found " +
                                describe(node));
    return std::nullopt;
  }
  if (value < min || value > max) {
    std::string range = max == INT64_MAX ? "at least " + std::to_string(min)
                                         : "between " + std::to_string(min) +
                                               " and " + std::to_string(max);
    diagnostics.error(node, what + ": expected an integer " + range +
                                ", found " + Twine(value));
    return std::nullopt;
  }
  return value;
}

std::optional<std::vector<int64_t>> Reader::integers(const Node &node,
                                                     StringRef what) {
  if (!sequence(node, what))
    return std::nullopt;
  std::vector<int64_t> values;
  bool ok = true;
  for (const NodePtr &item : node.items) {
    Node value = *item, times = *item;
    times.text = "1";
    if (item->kind == Node::Scalar && StringRef(item->text).contains(" x ")) {
      auto [first, second] = StringRef(item->text).split(" x ");
      value.text = first.str();
      times.text = second.str();
    }
    auto number = integer(value, what);
    auto count = number ? integer(times, what, 0, maxList) : std::nullopt;
    if (!count) {
      ok = false;
      continue;
    }
    if (int64_t(values.size()) + *count > maxList) {
      diagnostics.error(*item,
                        what + ": more than " + Twine(maxList) + " elements");
      return std::nullopt;
    }
    listElements += *count;
    if (listElements > maxLists) {
      diagnostics.error(*item, what +
                                   ": the lists of this file have more than " +
                                   Twine(maxLists) + " elements");
      return std::nullopt;
    }
    values.insert(values.end(), *count, *number);
  }
  if (!ok)
    return std::nullopt;
  return values;
}

std::optional<double> Reader::number(const Node &node, StringRef what) {
  double value;
  if (node.kind != Node::Scalar || node.quoted || !isNumberText(node.text) ||
      StringRef(node.text).getAsDouble(value) || !std::isfinite(value)) {
    diagnostics.error(node,
                      what + ": expected a number, found " + describe(node));
    return std::nullopt;
  }
  return value;
}

std::optional<double> Reader::number(const Node &node, StringRef what,
                                     double min, double max) {
  auto value = number(node, what);
  if (value && (*value < min || *value > max)) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << what << ": expected a number ";
    if (max >= 1e300)
      os << "of at least " << llvm::format("%g", min);
    else
      os << "between " << llvm::format("%g", min) << " and "
         << llvm::format("%g", max);
    os << ", found " << node.text;
    diagnostics.error(node, os.str());
    return std::nullopt;
  }
  return value;
}

std::optional<Expr> Reader::expression(const Node &node, StringRef what,
                                       ArrayRef<StringRef> symbols) {
  if (node.kind != Node::Scalar) {
    diagnostics.error(node, what + ": expected an expression, found " +
                                describe(node));
    return std::nullopt;
  }
  auto expr = Expr::parse(node.text);
  if (!expr) {
    // The column is exact for plain text on one line, the usual case.
    unsigned column = node.column + node.quoted;
    std::string message;
    llvm::handleAllErrors(expr.takeError(), [&](const ExprParseError &error) {
      column += error.column - 1;
      message = error.text;
    });
    diagnostics.error(node.line, column, what + ": " + message);
    return std::nullopt;
  }
  llvm::SetVector<StringRef> used;
  expr->collectSymbols(used);
  bool ok = true;
  for (StringRef symbol : used)
    if (!llvm::is_contained(symbols, symbol)) {
      diagnostics.error(node, what + ": unknown name '" + symbol + "'" +
                                  suggestion(symbol, symbols));
      ok = false;
    }
  if (!ok)
    return std::nullopt;
  return *expr;
}

std::optional<double>
Reader::quantity(const Node &node, StringRef what,
                 ArrayRef<std::pair<StringRef, double>> units) {
  StringRef text = node.text;
  StringRef digits = text.take_until([](char c) { return c == ' '; });
  StringRef unit = text.drop_front(digits.size()).trim();
  if (node.kind == Node::Scalar && !node.quoted && isNumberText(digits)) {
    double value;
    for (auto &[name, factor] : units)
      if (unit == name && !digits.getAsDouble(value) && value > 0)
        return value * factor;
  }
  std::string names;
  for (auto &unit : units)
    names += (names.empty() ? "" : ", ") + unit.first.str();
  diagnostics.error(node, what + ": expected a positive number and a unit (" +
                              names + "), such as '1 " + units.front().first +
                              "', found " + describe(node));
  return std::nullopt;
}
