//===- InspectPtx.cpp - What a PTX module asks of its surroundings --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Codegen/InspectPtx.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace llvm;

namespace lathe {

namespace {

/// Tokens: directives with their dot, identifiers, numbers, single characters.
/// Comments and strings are skipped over.
class PtxTokens {
public:
  explicit PtxTokens(StringRef text) : text(text) {}

  /// Empty at the end.
  StringRef next();
  /// Where the last token starts.
  size_t offset() const { return begin; }

private:
  void skipBlank();

  StringRef text;
  size_t at = 0, begin = 0;
};

class PtxReader {
public:
  explicit PtxReader(StringRef text) : tokens(text) { advance(); }
  Expected<PtxModule> read();

private:
  void advance() { token = tokens.next(); }
  bool take(StringRef expected) {
    if (token != expected)
      return false;
    advance();
    return true;
  }
  void function(bool isEntry);
  void variable(StringRef space, bool isExtern);
  void body();
  void call();
  /// Past the parenthesis or brace that closes the one that is open.
  void skipGroup();
  std::vector<KernelParameter> parameters();
  int64_t extents();

  PtxTokens tokens;
  StringRef token;
  PtxModule module;
  std::set<std::string> declared, defined;
};

bool isIdentifier(StringRef token) {
  return !token.empty() && (isAlpha(token.front()) || token.front() == '_' ||
                            token.front() == '$' || token.front() == '%');
}

bool isWord(char c) { return isAlnum(c) || c == '_' || c == '$'; }

} // namespace

void PtxTokens::skipBlank() {
  for (;;) {
    while (at < text.size() && isSpace(text[at]))
      ++at;
    StringRef rest = text.drop_front(std::min(at, text.size()));
    size_t length = 0;
    if (rest.starts_with("//"))
      length = std::min(rest.find('\n'), rest.size());
    else if (rest.starts_with("/*"))
      length = std::min(rest.find("*/", 2), rest.size() - 2) + 2;
    else if (rest.starts_with("\""))
      length = std::min(rest.find('"', 1), rest.size() - 1) + 1;
    if (!length)
      return;
    at += length;
  }
}

StringRef PtxTokens::next() {
  skipBlank();
  begin = at;
  if (at == text.size())
    return "";
  char first = text[at++];
  if (first == '.' || first == '%' || isWord(first)) {
    // Numbers may hold dots (1.5), names may not (call.uni is two tokens).
    bool number = isDigit(first);
    while (at < text.size() &&
           (isWord(text[at]) || (number && text[at] == '.')))
      ++at;
  }
  return text.slice(begin, at);
}

static uint64_t bytesOfType(StringRef type) {
  return StringSwitch<uint64_t>(type)
      .Cases({".b8", ".u8", ".s8"}, 1)
      .Cases({".b16", ".u16", ".s16", ".f16", ".bf16"}, 2)
      .Cases({".b32", ".u32", ".s32", ".f32", ".f16x2", ".bf16x2"}, 4)
      .Cases({".b64", ".u64", ".s64", ".f64", ".texref", ".samplerref",
              ".surfref"},
             8)
      .Case(".b128", 16)
      .Default(0);
}

void PtxReader::skipGroup() {
  for (unsigned depth = 1; depth && !token.empty(); advance()) {
    depth += token == "(" || token == "{";
    depth -= token == ")" || token == "}";
  }
}

// ".maxntid 128, 1, 1"
int64_t PtxReader::extents() {
  int64_t product = 1;
  do {
    // No axis of a block is longer.
    int64_t extent = 0;
    if (token.getAsInteger(0, extent) || extent < 1 || extent > 1024)
      return 0;
    product *= extent;
    advance();
  } while (take(","));
  return product;
}

// ".param .align 8 .b8 name[32], .param .u64 .ptr .global .align 16 other)"
std::vector<KernelParameter> PtxReader::parameters() {
  std::vector<KernelParameter> list;
  KernelParameter current;
  for (; !token.empty() && token != ")"; advance()) {
    if (token == ",") {
      list.push_back(std::exchange(current, {}));
    } else if (token == "[") {
      advance();
      uint64_t extent = 0;
      if (!token.getAsInteger(0, extent))
        current.bytes = SaturatingMultiply(current.bytes, extent);
    } else if (uint64_t bytes = bytesOfType(token)) {
      current.bytes = bytes;
    } else if (isIdentifier(token)) {
      current.name = token.str();
    }
  }
  take(")");
  if (!current.name.empty())
    list.push_back(std::move(current));
  return list;
}

// "call.uni (ret), name, (a, b), prototype;" with everything but the name left
// out at will. A register in the name's place holds an address.
void PtxReader::call() {
  while (token.starts_with("."))
    advance();
  if (take("(")) {
    skipGroup();
    take(",");
  }
  if (token.starts_with("%"))
    module.callsPointers = true;
  else if (isIdentifier(token))
    declared.insert(token.str());
}

void PtxReader::body() {
  unsigned depth = 1;
  while (depth && !token.empty()) {
    if (take("call")) {
      call();
      continue;
    }
    // Inline assembly may declare, too.
    if (take(".extern")) {
      if (take(".func"))
        function(/*isEntry=*/false);
      else
        variable(std::exchange(token, tokens.next()), /*isExtern=*/true);
      continue;
    }
    depth += token == "{";
    depth -= token == "}";
    advance();
  }
}

void PtxReader::function(bool isEntry) {
  while (token.starts_with(".")) {
    advance();
    if (take("("))
      skipGroup();
  }
  if (take("("))
    skipGroup();
  PtxEntry entry;
  entry.name = token.str();
  advance();
  if (take("("))
    entry.parameters = parameters();
  while (!token.empty() && token != "{" && token != ";") {
    bool isRequired = token == ".reqntid";
    if (take(".maxntid") || take(".reqntid")) {
      entry.maxThreads = extents();
      entry.fixedThreads = isRequired;
    } else {
      advance();
    }
  }
  declared.insert(entry.name);
  if (take(";"))
    return;
  defined.insert(entry.name);
  if (isEntry)
    module.entries.push_back(std::move(entry));
  advance(); // {
  body();
}

// "{.align 4 .b8} name[16] = {1, 2}, other;" after linkage and state space.
void PtxReader::variable(StringRef space, bool isExtern) {
  uint64_t element = 0, bytes = 0;
  std::string name;
  auto finish = [&] {
    if (name.empty())
      return;
    // Dynamic shared memory comes with the launch.
    bool isDynamic = isExtern && space == ".shared";
    declared.insert(name);
    if (!isExtern || isDynamic)
      defined.insert(name);
    if (space == ".global")
      module.stateBytes = SaturatingAdd(module.stateBytes, bytes);
    name.clear();
  };
  while (!token.empty() && !take(";")) {
    if (take(",")) {
      finish();
    } else if (take("{") || take("(")) {
      skipGroup();
    } else if (take("=")) {
      if (take("{"))
        skipGroup();
      else
        advance(); // a number, or another variable's name
    } else if (take("[")) {
      uint64_t extent = 0;
      if (!token.getAsInteger(0, extent))
        bytes = SaturatingMultiply(bytes, extent);
    } else {
      if (uint64_t size = bytesOfType(token)) {
        element = size;
      } else if (isIdentifier(token) && name.empty()) {
        name = token.str();
        bytes = element;
      }
      advance();
    }
  }
  finish();
}

Expected<PtxModule> PtxReader::read() {
  bool isExtern = false;
  while (!token.empty()) {
    StringRef word = token;
    advance();
    if (word == ".version") {
      ++module.modules;
      advance();
    } else if (word == ".target") {
      module.target = token.str();
    } else if (word == ".extern") {
      isExtern = true;
      continue;
    } else if (word == ".visible" || word == ".weak" || word == ".common") {
      continue;
    } else if (word == ".entry" || word == ".func") {
      function(word == ".entry");
    } else if (word == ".section") {
      advance(); // its name
      if (take("{"))
        skipGroup();
    } else if (word == ".global" || word == ".const" || word == ".shared" ||
               word == ".tex") {
      variable(word, isExtern);
    } else if (word == ".alias") {
      defined.insert(token.str());
    } else if (word == "{") {
      skipGroup();
    }
    isExtern = false;
  }
  if (!module.modules)
    return createStringError("no .version directive, expected PTX");
  for (const std::string &name : declared)
    if (!defined.count(name))
      module.unresolved.push_back(name);
  for (const std::string &name : defined)
    module.symbols.push_back(name);
  return std::move(module);
}

Expected<PtxModule> inspectPtx(StringRef text) {
  return PtxReader(text).read();
}

std::string renamePtx(StringRef text,
                      const std::map<std::string, std::string> &names) {
  std::string out;
  PtxTokens tokens(text);
  size_t copied = 0;
  for (StringRef token = tokens.next(); !token.empty(); token = tokens.next()) {
    auto found = names.find(token.str());
    if (found == names.end())
      continue;
    out += text.slice(copied, tokens.offset());
    out += found->second;
    copied = tokens.offset() + token.size();
  }
  out += text.substr(copied);
  return out;
}

/// What a kernel wants with a function that it does not bring along.
static StringRef purposeOf(StringRef name) {
  if (name == "vprintf")
    return " (prints)";
  if (name == "malloc" || name == "free")
    return " (takes memory)";
  if (name == "__assertfail")
    return " (an assertion)";
  if (name.starts_with("cuda") || name.starts_with("__cuda"))
    return " (the device runtime, which launches kernels)";
  for (StringRef library : {"cublas", "cudnn", "cufft", "curand", "cusolver",
                            "cusparse", "nccl", "nvshmem"})
    if (name.contains(library))
      return " (a vendor's library)";
  return "";
}

static Error checkParameters(const PtxEntry &entry,
                             ArrayRef<KernelParameter> expected) {
  auto describe = [](ArrayRef<KernelParameter> list) {
    return join(map_range(list,
                          [](const KernelParameter &parameter) {
                            return parameter.name + " (" +
                                   std::to_string(parameter.bytes) + ")";
                          }),
                ", ");
  };
  bool same =
      llvm::equal(entry.parameters, expected, [](const auto &a, const auto &b) {
        return a.bytes == b.bytes;
      });
  if (same)
    return Error::success();
  return createStringError(
      "kernel '" + entry.name + "' takes " + Twine(entry.parameters.size()) +
      " parameters, of " +
      join(map_range(entry.parameters,
                     [](auto &p) { return std::to_string(p.bytes); }),
           ", ") +
      " bytes; expected " + Twine(expected.size()) +
      ", with their bytes: " + describe(expected));
}

Error checkPtx(const PtxModule &module, const PtxExpectation &expected) {
  if (module.modules != 1)
    return createStringError("found " + Twine(module.modules) +
                             " PTX modules, expected one");
  auto names = map_range(module.entries,
                         [](const PtxEntry &entry) { return entry.name; });
  if (module.entries.empty())
    return createStringError("no kernel in the module, expected one");
  if (!expected.kernel.empty() && !is_contained(names, expected.kernel))
    return createStringError("no kernel '" + expected.kernel +
                             "' in the module, found '" + join(names, "', '") +
                             "'");
  if (module.entries.size() != 1)
    return createStringError("found the kernels '" + join(names, "', '") +
                             "', expected one");
  if (!module.unresolved.empty())
    return createStringError(
        "unresolved external symbol " +
        join(map_range(module.unresolved,
                       [](const std::string &name) {
                         return ("'" + name + "'" + purposeOf(name)).str();
                       }),
             ", ") +
        ", expected a kernel that needs nothing else");
  if (module.callsPointers)
    return createStringError(
        "calls through a pointer, expected calls of functions by name");
  const PtxEntry &entry = module.entries.front();
  if (Error error = checkParameters(entry, expected.parameters))
    return error;
  bool fits = !entry.maxThreads ||
              (entry.fixedThreads ? expected.threads == entry.maxThreads
                                  : expected.threads <= entry.maxThreads);
  if (!fits)
    return createStringError(
        "kernel '" + entry.name + "' is compiled for blocks of " +
        (entry.fixedThreads ? "" : "at most ") + Twine(entry.maxThreads) +
        " threads, its launch has " + Twine(expected.threads));
  return Error::success();
}

} // namespace lathe
