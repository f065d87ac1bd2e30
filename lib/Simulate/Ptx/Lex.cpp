//===- Lex.cpp - Tokens of inline PTX -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lex.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lathe::sim::ptx;

// "0x1F", "1.5e-3", "0f3F800000", "7U"
static std::string takeNumber(StringRef &rest) {
  bool isHex = rest.starts_with_insensitive("0x") ||
               rest.starts_with_insensitive("0f") ||
               rest.starts_with_insensitive("0d");
  size_t end = 0;
  for (; end < rest.size(); ++end) {
    bool isExponentSign = end && !isHex &&
                          (rest[end] == '-' || rest[end] == '+') &&
                          toLower(rest[end - 1]) == 'e';
    if (!isAlnum(rest[end]) && rest[end] != '.' && !isExponentSign)
      break;
  }
  std::string text = rest.take_front(end).str();
  rest = rest.drop_front(end);
  return text;
}

static bool startsWord(StringRef rest) {
  return isAlpha(rest[0]) || StringRef("_%.").contains(rest[0]) ||
         rest.starts_with("$$");
}

static std::string takeWord(StringRef &rest) {
  std::string text;
  while (!rest.empty()) {
    if (rest.consume_front("${:uid}"))
      continue;
    if (rest.consume_front("$$")) {
      text += '$';
      continue;
    }
    if (rest.size() > 2 && rest.starts_with("::") && isAlnum(rest[2])) {
      text += "::";
      rest = rest.drop_front(2);
      continue;
    }
    if (!isAlnum(rest[0]) && !StringRef("_%.").contains(rest[0]))
      break;
    text += rest[0];
    rest = rest.drop_front();
  }
  return text;
}

// `$3`, `${3}` or `${3:modifier}`
static Expected<Token> takeOperand(StringRef &rest) {
  Token token;
  token.kind = Token::Operand;
  StringRef whole = rest.take_front(16);
  rest = rest.drop_front();
  bool braced = rest.consume_front("{");
  if (rest.consumeInteger(10, token.index))
    return createStringError("'" + whole + "' in inline asm is no operand");
  if (braced) {
    size_t close = rest.find('}');
    if (close == StringRef::npos)
      return createStringError("'" + whole + "' in inline asm has no '}'");
    rest = rest.drop_front(close + 1);
  }
  return token;
}

Expected<std::vector<Token>> lathe::sim::ptx::lex(StringRef assembly) {
  std::vector<Token> tokens;
  StringRef rest = assembly;
  while (true) {
    rest = rest.ltrim();
    if (rest.empty())
      break;
    if (rest.starts_with("//")) {
      rest = rest.drop_until([](char c) { return c == '\n'; });
    } else if (rest.starts_with("/*")) {
      size_t end = rest.find("*/", 2);
      if (end == StringRef::npos)
        return createStringError("inline asm has a comment without an end");
      rest = rest.drop_front(end + 2);
    } else if (isDigit(rest[0])) {
      tokens.push_back({Token::Number, takeNumber(rest)});
    } else if (startsWord(rest)) {
      tokens.push_back({Token::Word, takeWord(rest)});
    } else if (rest[0] == '$') {
      if (Expected<Token> token = takeOperand(rest))
        tokens.push_back(std::move(*token));
      else
        return token.takeError();
    } else {
      tokens.push_back({Token::Mark, std::string(1, rest[0])});
      rest = rest.drop_front();
    }
  }
  tokens.emplace_back();
  return tokens;
}
