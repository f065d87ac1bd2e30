//===- SplitPtx.cpp - PTX modules into kernels ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitPtx.h"

#include "llvm/ADT/StringExtras.h"

#include <vector>

using namespace llvm;

namespace {

/// A top-level declaration with its text, comments left out.
struct Item {
  std::string text, name;
  bool isKernel = false;
};

} // namespace

static bool isNameChar(char c) {
  return isAlnum(c) || c == '_' || c == '$' || c == '%';
}

/// The declared name: behind .entry, else the last word before '[', '=' or ';'.
static void readName(Item &item) {
  StringRef text = item.text;
  size_t entry = text.find(".entry");
  if (entry != StringRef::npos) {
    item.isKernel = true;
    text = text.substr(entry + strlen(".entry")).ltrim();
    item.name = text.take_while(isNameChar).str();
    return;
  }
  text =
      text.take_until([](char c) { return c == '[' || c == '=' || c == ';'; })
          .rtrim();
  size_t length = 0;
  while (length < text.size() && isNameChar(text[text.size() - 1 - length]))
    ++length;
  item.name = text.take_back(length).str();
}

/// Whether `text` has `name` as a whole word.
static bool mentions(StringRef text, StringRef name) {
  for (size_t at = text.find(name); at != StringRef::npos;
       at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if ((at == 0 || !isNameChar(text[at - 1])) &&
        (end == text.size() || !isNameChar(text[end])))
      return true;
  }
  return false;
}

static bool isDirective(StringRef line) {
  return line.starts_with(".version") || line.starts_with(".target") ||
         line.starts_with(".address_size");
}

Expected<std::map<std::string, std::string>>
lathe::splitPtxKernels(StringRef ptx) {
  std::string directives;
  std::vector<Item> items;
  Item current;
  int depth = 0;
  bool body = false; // the item has had braces
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    ptx = rest;
    StringRef code = line.split("//").first.rtrim();
    if (code.trim().empty())
      continue;
    if (current.text.empty() && isDirective(code.trim())) {
      directives += (code.trim() + "\n").str();
      continue;
    }
    current.text += (code + "\n").str();
    for (char c : code) {
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      body |= c == '{';
    }
    if (depth > 0 || (!body && !code.ends_with(";")))
      continue;
    readName(current);
    items.push_back(std::move(current));
    current = {};
    body = false;
  }
  if (depth != 0 || !current.text.empty() || directives.empty())
    return createStringError("the PTX ends within a declaration, or has no "
                             ".version");

  std::map<std::string, std::string> kernels;
  for (const Item &item : items) {
    if (!item.isKernel)
      continue;
    std::string text = directives;
    for (const Item &other : items)
      if (!other.isKernel && mentions(item.text, other.name))
        text += other.text;
    text += item.text;
    if (!kernels.try_emplace(item.name, std::move(text)).second)
      return createStringError("the PTX has two kernels named '" + item.name +
                               "'");
  }
  return kernels;
}
