//===- Repair.cpp - Makes almost-JSON into JSON ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Repair.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace lathe;
using llvm::StringRef;

/// Length of the UTF-8 sequence at the start of `text`, 0 if there is none.
static size_t sequenceLength(StringRef text) {
  auto *bytes = reinterpret_cast<const llvm::UTF8 *>(text.data());
  size_t length = llvm::getNumBytesForUTF8(*bytes);
  if (length > text.size() || !llvm::isLegalUTF8Sequence(bytes, bytes + length))
    return 0;
  return length;
}

/// Whether the letters at the start of `text` are a number that JSON lacks.
static size_t specialNumber(StringRef text) {
  size_t length = text.take_while([](char c) {
                        return llvm::isAlpha(c) || c == '-' || c == '+';
                      })
                      .size();
  StringRef word = text.take_front(length);
  word.consume_front("-") || word.consume_front("+");
  bool special = word.equals_insensitive("inf") ||
                 word.equals_insensitive("nan") ||
                 word.equals_insensitive("infinity");
  return special ? length : 0;
}

void lathe::repairJson(StringRef text, std::string &result, size_t padding) {
  result.clear();
  bool inString = false;
  while (!text.empty()) {
    unsigned char c = text.front();
    size_t taken = 1;
    if (!inString) {
      if (size_t length = specialNumber(text)) {
        result += "null";
        taken = length;
      } else {
        // A word is copied whole: `nan` inside it is no number.
        taken = std::max<size_t>(
            1, text.take_while([](char c) { return llvm::isAlnum(c); }).size());
        result += c < 0x80 ? text.take_front(taken) : StringRef(" ");
        inString = c == '"';
      }
    } else if (c == '\\' && text.size() > 1) {
      bool known = StringRef("\"\\/bfnrtu").contains(text[1]);
      result += known ? text.take_front(2) : StringRef("??");
      taken = 2;
    } else if (c < 0x20) {
      result += ' ';
    } else if (c < 0x80) {
      result += char(c);
      inString = c != '"';
    } else if (size_t length = sequenceLength(text)) {
      result += text.take_front(length);
      taken = length;
    } else {
      result += '?';
    }
    text = text.drop_front(taken);
  }
  result.append(padding, '\0');
}

/// Paths, addresses and source files.
static bool isPrivate(StringRef word) {
  return word.count('/') > 1 || word.starts_with("/") || word.contains('\\') ||
         word.contains('@') || word.contains(".py") || word.contains(".cu") ||
         word.contains(".cpp");
}

std::string lathe::cleanName(StringRef name) {
  constexpr size_t maxLength = 120;
  std::string result;
  while (!name.empty()) {
    StringRef word = name.take_until(
        [](char c) { return StringRef(" (){}[]<>,;=\"'").contains(c); });
    for (char c : isPrivate(word) ? StringRef("*") : word)
      result += llvm::isPrint(c) ? c : '?';
    name = name.drop_front(word.size());
    if (!name.empty())
      result += name.front();
    name = name.drop_front(!name.empty());
  }
  if (result.size() > maxLength) {
    result.resize(maxLength - 3);
    result += "...";
  }
  return result;
}
