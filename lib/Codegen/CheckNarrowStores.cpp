//===- CheckNarrowStores.cpp - A store that ptxas converts ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckNarrowStores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

/// Bits of a type such as b32, u8 or f64; 0 if it is none.
static unsigned bitsOf(StringRef type) {
  unsigned bits = 0;
  if (type.size() < 2 || !StringRef("bsuf").contains(type.front()) ||
      type.drop_front().getAsInteger(10, bits))
    return 0;
  return bits;
}

/// The type that an instruction gives its result: the last of its name, but
/// the last but one where it converts.
static StringRef resultType(ArrayRef<StringRef> name) {
  if (name.front() == "cvt" && name.size() > 2)
    return name[name.size() - 2];
  return name.back();
}

Error lathe::checkNarrowStores(StringRef ptx) {
  StringMap<unsigned> floats; // bits, by register
  while (!ptx.empty()) {
    StringRef line;
    std::tie(line, ptx) = ptx.split('\n');
    StringRef text = line.trim();
    if (text.consume_front("@"))
      text = text.drop_until([](char c) { return isSpace(c); }).ltrim();
    auto [opcode, operands] = text.split('\t');
    if (operands.empty())
      std::tie(opcode, operands) = text.split(' ');
    SmallVector<StringRef, 8> name;
    opcode.rtrim(" ;").split(name, '.');
    operands = operands.trim();
    if (name.size() < 2 || operands.empty())
      continue;
    if (name.front() != "st") {
      StringRef type = resultType(name);
      if (operands.starts_with("%") && type.starts_with("f"))
        if (unsigned bits = bitsOf(type))
          floats[operands
                     .take_until([](char c) { return c == ',' || c == '|'; })
                     .trim()] = bits;
      continue;
    }
    unsigned stored = bitsOf(name.back());
    if (!stored || name.back().starts_with("f"))
      continue;
    SmallVector<StringRef, 4> values;
    operands.split(']').second.split(values, ',');
    for (StringRef value : values) {
      auto found = floats.find(value.trim(" \t,;{}"));
      if (found != floats.end() && found->second > stored)
        return createStringError(
            "the PTX stores " + Twine(stored) + " bits of " + found->first() +
            ", which holds a number of " + Twine(found->second) +
            " bits: ptxas would convert it, expected its bits to be cut by "
            "integer instructions first");
    }
  }
  return Error::success();
}
