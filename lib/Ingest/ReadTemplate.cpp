//===- ReadTemplate.cpp - A template and what it calls --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/ReadTemplate.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace lathe;
using llvm::StringRef;
namespace path = llvm::sys::path;

/// The names behind each `word` in a text, comments included.
static std::set<std::string> namesBehind(StringRef text, StringRef word) {
  std::set<std::string> names;
  while (true) {
    size_t at = text.find(word);
    if (at == StringRef::npos)
      return names;
    text = text.drop_front(at + word.size());
    names.insert(
        text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; })
            .str());
  }
}

static llvm::Expected<std::string> readText(StringRef file) {
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
  if (!buffer)
    return llvm::createFileError(file, buffer.getError());
  return (*buffer)->getBuffer().str();
}

llvm::Error lathe::addFunctions(TemplateSource &source, StringRef directory) {
  constexpr size_t mostFunctions = 100;
  StringRef near = path::parent_path(directory);
  std::set<std::string> known;
  auto define = [&](StringRef text) {
    known.merge(namesBehind(text, "func.func private @"));
  };
  define(source.kernel.text);
  std::vector<std::string> texts = {source.kernel.text};
  while (!texts.empty() && source.functions.size() < mostFunctions) {
    std::string text = std::move(texts.back());
    texts.pop_back();
    for (const std::string &name : namesBehind(text, "func.call @")) {
      if (!known.insert(name).second)
        continue;
      for (StringRef folder : {near, path::parent_path(near)}) {
        llvm::SmallString<256> file(folder);
        path::append(file, "functions", name + ".mlir");
        if (!llvm::sys::fs::exists(file))
          continue;
        auto found = readText(file);
        if (!found)
          return found.takeError();
        define(*found);
        texts.push_back(*found);
        source.functions.push_back(
            {"functions/" + name + ".mlir", std::move(*found)});
        break;
      }
    }
  }
  return llvm::Error::success();
}

llvm::Expected<TemplateSource> lathe::readTemplate(StringRef directory,
                                                   StringRef name) {
  llvm::SmallString<256> file(directory);
  path::append(file, name + ".mlir");
  auto text = readText(file);
  if (!text)
    return text.takeError();
  TemplateSource source;
  source.kernel = {file.str().str(), std::move(*text)};
  if (llvm::Error error = addFunctions(source, directory))
    return std::move(error);
  return source;
}
