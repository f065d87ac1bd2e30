//===- KernelName.cpp - Mints and parses kernel names ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/KernelName.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lathe;
using llvm::StringRef;

static constexpr size_t maxLength = 4096;

bool lathe::isKernelNamePart(StringRef text) {
  if (text.empty() || !llvm::isAlpha(text.front()) || text.back() == '_')
    return false;
  for (size_t i = 1; i < text.size(); ++i)
    if (!llvm::isAlnum(text[i]) && (text[i] != '_' || text[i - 1] == '_'))
      return false;
  return true;
}

std::string lathe::kernelSymbol(StringRef name) {
  std::string symbol;
  for (char c : name)
    symbol += c == '.' ? std::string("__") : std::string(1, c);
  return symbol;
}

std::string lathe::kernelNameOfSymbol(StringRef symbol) {
  std::string name;
  for (; !symbol.empty(); symbol = symbol.drop_front())
    if (symbol.consume_front("__")) {
      name += '.';
      if (symbol.empty())
        break;
      name += symbol.front();
    } else {
      name += symbol.front();
    }
  return name;
}

std::string lathe::mintKernelName(const Candidate &candidate) {
  std::string name =
      candidate.op + "." + candidate.templateName + "." + candidate.arch;
  for (const auto &[dim, value] : candidate.constants)
    name += llvm::formatv(".c_{0}_{1}", dim, value);
  for (const auto &[variable, dtype] : candidate.dtypes)
    name += llvm::formatv(".t_{0}_{1}", variable, dtype);
  for (const auto &[parameter, value] : candidate.schedule)
    name += llvm::formatv(".s_{0}_{1}", parameter, value);
  for (const auto &[dim, value] : candidate.multiples)
    name += llvm::formatv(".m_{0}_{1}", dim, value);
  name += llvm::formatv(".a_{0}", candidate.alignment);
  return name;
}

static llvm::Error refuse(StringRef name, const llvm::Twine &why) {
  std::string shown;
  llvm::raw_string_ostream os(shown);
  llvm::printEscapedString(name.take_front(200), os);
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "'" + shown + "' is no kernel name: " + why);
}

/// "0" or a number without leading zeros that fits 63 bits.
static bool parseNumber(StringRef text, int64_t &value) {
  return !text.empty() && llvm::all_of(text, llvm::isDigit) &&
         (text.size() == 1 || text.front() != '0') &&
         !text.getAsInteger(10, value);
}

static bool isWord(StringRef text) {
  return !text.empty() && llvm::isAlpha(text.front()) &&
         llvm::all_of(text, llvm::isAlnum);
}

llvm::Expected<Candidate> lathe::parseKernelName(StringRef name) {
  if (name.size() > maxLength)
    return refuse(name, "longer than 4096 characters");
  llvm::SmallVector<StringRef> parts;
  name.split(parts, '.');
  if (parts.size() < 4)
    return refuse(name, "expected op.template.arch and fields");
  for (StringRef part : llvm::ArrayRef(parts).take_front(3))
    if (!isKernelNamePart(part))
      return refuse(name, "'" + part + "' is no identifier");
  Candidate candidate;
  candidate.op = parts[0].str();
  candidate.templateName = parts[1].str();
  candidate.arch = parts[2].str();

  for (StringRef part : llvm::ArrayRef(parts).slice(3)) {
    auto [kind, rest] = part.split('_');
    auto [ident, text] = rest.rsplit('_');
    int64_t number = 0;
    if (kind == "a") {
      if (!parseNumber(rest, number) || number < 1)
        return refuse(name, "'" + part + "' has no alignment");
      candidate.alignment = number;
      continue;
    }
    if (!isKernelNamePart(ident))
      return refuse(name, "'" + part + "' is no field");
    if (kind == "t") {
      if (!isWord(text))
        return refuse(name, "'" + part + "' has no dtype");
      candidate.dtypes[ident.str()] = text.str();
      continue;
    }
    if (!parseNumber(text, number))
      return refuse(name, "'" + part + "' has no number");
    auto *values = llvm::StringSwitch<decltype(&candidate.constants)>(kind)
                       .Case("c", &candidate.constants)
                       .Case("s", &candidate.schedule)
                       .Case("m", &candidate.multiples)
                       .Default(nullptr);
    if (!values)
      return refuse(name, "'" + part + "' is of unknown kind");
    (*values)[ident.str()] = number;
  }
  // Order, repeats and the final alignment: only one spelling is a name.
  if (mintKernelName(candidate) != name)
    return refuse(name, "fields are missing, repeated or out of order");
  return candidate;
}
