//===- ParseDims.cpp - Sizes as command lines say them --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParseDims.h"

#include "lathe/Support/ListName.h"

using namespace lathe;
using llvm::StringRef;

/// "[1, 256 x 3000]" as "1+256x3000", which listOfName() reads.
static std::string runsOf(StringRef list) {
  std::string runs;
  for (char c : list.drop_front().drop_back())
    if (c != ' ')
      runs += c == ',' ? '+' : c;
  return runs;
}

std::vector<std::string> tool::joinLists(llvm::ArrayRef<std::string> texts) {
  std::vector<std::string> joined;
  for (const std::string &text : texts) {
    bool isOpen = !joined.empty() && StringRef(joined.back()).contains('[') &&
                  !StringRef(joined.back()).contains(']');
    if (isOpen)
      joined.back() += "," + text;
    else
      joined.push_back(text);
  }
  return joined;
}

llvm::Expected<ExprValue> tool::parseDim(StringRef text) {
  int64_t number;
  if (!text.getAsInteger(10, number))
    return ExprValue(number);
  bool isBracketed = text.starts_with("[") && text.ends_with("]");
  if (text == "[]")
    return ExprValue(std::vector<int64_t>());
  if (auto list = listOfName(isBracketed ? runsOf(text) : text.str()))
    return ExprValue(std::move(*list));
  return llvm::createStringError(
      "found '" + text +
      "', expected a number, or a list such as 256x3000, "
      "17+64x2 or [17, 64]");
}

llvm::Expected<Bindings> tool::parseDims(llvm::ArrayRef<std::string> texts) {
  Bindings dims;
  std::vector<std::string> joined = joinLists(texts);
  for (StringRef text : joined) {
    auto [name, value] = text.split('=');
    if (name.empty() || value.empty())
      return llvm::createStringError("found '" + text +
                                     "' in --dims, expected NAME=VALUE");
    auto parsed = parseDim(value);
    if (!parsed)
      return llvm::createStringError("dim '" + name + "' in --dims: " +
                                     llvm::toString(parsed.takeError()));
    dims[name.str()] = std::move(*parsed);
  }
  return dims;
}
