//===- Lex.h - Tokens of inline PTX -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_PTX_LEX_H
#define LATHE_LIB_SIMULATE_PTX_LEX_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace lathe::sim::ptx {

struct Token {
  enum Kind {
    Word,    ///< names and opcodes with all their dots: `ld.global.b32`
    Number,  ///< as written, without a sign
    Operand, ///< `$n`; the number is `index`
    Mark,    ///< one character of punctuation
    End
  } kind = End;
  std::string text;
  unsigned index = 0;

  bool is(char mark) const { return kind == Mark && text[0] == mark; }
};

/// Splits an asm string as LLVM holds it: `$$` is a dollar, `${:uid}` vanishes,
/// comments go. Ends with an End token.
llvm::Expected<std::vector<Token>> lex(llvm::StringRef assembly);

} // namespace lathe::sim::ptx

#endif // LATHE_LIB_SIMULATE_PTX_LEX_H
