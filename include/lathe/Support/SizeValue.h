//===- SizeValue.h - What a size says of one dim ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No LLVM: lathe-device and records know sizes as well.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_SUPPORT_SIZEVALUE_H
#define LATHE_SUPPORT_SIZEVALUE_H

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace lathe {

/// A number, or the name of a list (ListName.h).
class SizeValue {
public:
  SizeValue(int64_t number = 0) : number(number) {}
  static SizeValue ofList(std::string name) {
    SizeValue value;
    value.list = std::move(name);
    return value;
  }
  /// Nothing of a text that is neither, or not as text() says it.
  static std::optional<SizeValue> parse(std::string_view text) {
    int64_t number = 0;
    const char *end = text.data() + text.size();
    auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && rest == end)
      return std::to_string(number) == text ? std::optional(SizeValue(number))
                                            : std::nullopt;
    if (!isName(text))
      return std::nullopt;
    return ofList(std::string(text));
  }

  bool isList() const { return !list.empty(); }
  int64_t asNumber() const { return number; } ///< of a list: 0
  std::string text() const { return isList() ? list : std::to_string(number); }

  friend bool operator==(const SizeValue &a, const SizeValue &b) {
    return a.number == b.number && a.list == b.list;
  }
  friend bool operator!=(const SizeValue &a, const SizeValue &b) {
    return !(a == b);
  }
  friend bool operator<(const SizeValue &a, const SizeValue &b) {
    return std::tie(a.list, a.number) < std::tie(b.list, b.number);
  }

private:
  /// Takes `word` and the digits behind it off the text; false if they are not
  /// there.
  static bool take(std::string_view &text, std::string_view word,
                   std::string_view digits = "0123456789") {
    if (text.substr(0, word.size()) != word)
      return false;
    text.remove_prefix(word.size());
    size_t count = std::min(text.find_first_not_of(digits), text.size());
    text.remove_prefix(count);
    return count > 0;
  }
  /// Runs such as 17+0+64x2, or len..sum..max..h..
  static bool isName(std::string_view text) {
    if (text.substr(0, 3) == "len")
      return take(text, "len") && take(text, "sum") && take(text, "max") &&
             take(text, "h", "0123456789abcdef") && text.empty();
    bool isList = text.find_first_of("x+") != std::string_view::npos;
    bool isRun = take(text, "");
    while (isRun && !text.empty())
      isRun = take(text, text.front() == 'x' ? "x" : "+");
    return isList && isRun;
  }

  int64_t number;
  std::string list; ///< empty: a number
};

} // namespace lathe

#endif // LATHE_SUPPORT_SIZEVALUE_H
