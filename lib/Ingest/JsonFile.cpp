//===- JsonFile.cpp - Small JSON files that others wrote ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonFile.h"

#include "lathe/Ingest/Yaml.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace lathe;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;
namespace json = llvm::json;

static constexpr uint64_t maxBytes = 16 << 20;
static constexpr unsigned maxDepth = 64;

static llvm::Error fail(const Twine &message) {
  return llvm::make_error<yaml::InputError>(message.str());
}

/// Deepest nesting outside of strings.
static unsigned nesting(StringRef text) {
  unsigned depth = 0, deepest = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth) {
      --depth;
    }
  }
  return deepest;
}

Expected<json::Value> lathe::parseJson(StringRef text, StringRef where) {
  if (nesting(text) > maxDepth)
    return fail(where + ": error: nested deeper than " + Twine(maxDepth) +
                " levels");
  auto value = json::parse(text);
  if (!value)
    return fail(where + ": error: " + llvm::toString(value.takeError()));
  return value;
}

Expected<std::string> lathe::readSmallFile(StringRef file) {
  // Checked first, so that a directory or a device is not read.
  fs::file_status status;
  if (std::error_code error = fs::status(file, status))
    return fail(file + ": error: cannot read: " + error.message());
  if (status.type() != fs::file_type::regular_file)
    return fail(file + ": error: cannot read: not a regular file");
  if (status.getSize() > maxBytes)
    return fail(file + ": error: file has " + Twine(status.getSize()) +
                " bytes, expected at most " + Twine(maxBytes));
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return fail(file + ": error: cannot read: " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

Expected<json::Value> lathe::readJsonFile(StringRef file) {
  auto text = readSmallFile(file);
  if (!text)
    return text.takeError();
  return parseJson(*text, file);
}

std::string lathe::shownText(StringRef text) {
  std::string result;
  llvm::raw_string_ostream os(result);
  llvm::printEscapedString(text.take_front(80), os);
  if (text.size() > 80)
    os << "...";
  return result;
}
