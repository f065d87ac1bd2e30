//===- LoadPatterns.cpp - Reads pattern files -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "lathe/Ingest/Yaml.h"

#include "llvm/Support/FileSystem.h"

#include <set>

using namespace lathe;
using namespace lathe::yaml;
using llvm::StringRef;

static std::shared_ptr<llvm::Regex> loadRegex(Reader &reader,
                                              const Node &node) {
  auto text = reader.string(node, "regex");
  if (!text)
    return nullptr;
  auto regex = std::make_shared<llvm::Regex>(*text);
  std::string problem;
  if (regex->isValid(problem))
    return regex;
  reader.diagnostics.error(node, "regex: " + problem);
  return nullptr;
}

static void loadPositions(Reader &reader, const Node &pattern, StringRef key,
                          std::vector<std::pair<std::string, unsigned>> &to) {
  const Node *node = reader.find(pattern, key);
  if (!node || !reader.map(*node, key))
    return;
  for (auto &[name, value] : node->entries)
    if (auto position = reader.integer(*value, key, 0, 255))
      to.emplace_back(name->text, unsigned(*position));
}

/// Positions of arguments, or dtypes themselves.
static void loadDTypes(Reader &reader, const Node &pattern, Pattern &to) {
  const Node *node = reader.find(pattern, "dtypes");
  if (!node || !reader.map(*node, "dtypes"))
    return;
  for (auto &[name, value] : node->entries) {
    if (value->kind == Node::Scalar && dtypeBits(value->text))
      to.fixedDTypes.emplace_back(name->text, value->text);
    else if (auto position = reader.integer(*value, "dtypes", 0, 255))
      to.dtypes.emplace_back(name->text, unsigned(*position));
  }
}

static void loadTypes(Reader &reader, const Node &pattern,
                      std::vector<std::pair<unsigned, std::string>> &to) {
  const Node *node = reader.find(pattern, "types");
  if (!node || !reader.map(*node, "types"))
    return;
  for (auto &[key, value] : node->entries) {
    auto position = reader.integer(*key, "types", 0, 255);
    auto dtype = reader.name(*value, "types");
    if (dtype && !dtypeBits(*dtype))
      reader.diagnostics.error(*value, "types: unknown dtype '" + *dtype + "'");
    else if (position && dtype)
      to.emplace_back(unsigned(*position), *dtype);
  }
}

template <typename T>
static std::optional<T> loadMapping(Reader &reader, const Node &node,
                                    StringRef what) {
  auto text = reader.string(node, what);
  if (!text)
    return std::nullopt;
  auto parsed = T::parse(*text);
  if (parsed)
    return *parsed;
  reader.diagnostics.error(node,
                           what + ": " + llvm::toString(parsed.takeError()));
  return std::nullopt;
}

template <typename T>
static void loadMappings(Reader &reader, const Node &pattern, StringRef key,
                         std::vector<std::pair<std::string, T>> &to) {
  const Node *node = reader.find(pattern, key);
  if (!node || !reader.map(*node, key))
    return;
  for (auto &[name, value] : node->entries)
    if (auto mapping = loadMapping<T>(reader, *value, key))
      to.emplace_back(name->text, std::move(*mapping));
}

static void loadPattern(Reader &reader, const Node &node,
                        std::vector<Pattern> &patterns) {
  if (!reader.map(node, "pattern",
                  {"names", "regex", "operator", "when", "dims", "strides",
                   "dtypes", "types", "scalars", "options", "unshaped"}))
    return;
  Pattern pattern;
  const Node *names = reader.find(node, "names");
  if (names && reader.sequence(*names, "names"))
    for (const NodePtr &item : names->items)
      if (auto name = reader.string(*item, "names"))
        pattern.names.push_back(*name);
  const Node *regex = reader.find(node, "regex");
  if (regex)
    pattern.regex = loadRegex(reader, *regex);
  if (!names && !regex)
    reader.diagnostics.error(node, "pattern: expected names or regex");
  if (const Node *op = reader.require(node, "operator", "pattern"))
    pattern.op = reader.name(*op, "operator").value_or("");
  if (const Node *when = reader.find(node, "when"))
    pattern.when = loadMapping<AtrexDim>(reader, *when, "when");
  if (const Node *reason = reader.find(node, "unshaped"))
    pattern.unshaped = reader.string(*reason, "unshaped").value_or("");
  loadMappings(reader, node, "dims", pattern.dims);
  loadMappings(reader, node, "options", pattern.options);
  loadPositions(reader, node, "strides", pattern.strides);
  loadDTypes(reader, node, pattern);
  loadPositions(reader, node, "scalars", pattern.scalars);
  loadTypes(reader, node, pattern.types);
  patterns.push_back(std::move(pattern));
}

static void loadStep(Reader &reader, const Node &node, bool hasPhase,
                     std::vector<StepPattern> &steps) {
  std::vector<StringRef> keys = {"regex", "batch"};
  keys.push_back(hasPhase ? "phase" : "mode");
  if (!reader.map(node, "step", keys))
    return;
  StepPattern step;
  if (const Node *regex = reader.require(node, "regex", "step"))
    step.regex = loadRegex(reader, *regex);
  if (!step.regex)
    return;
  auto group = [&](StringRef key) {
    const Node *number = reader.find(node, key);
    return number ? unsigned(reader
                                 .integer(*number, key, 1,
                                          step.regex->getNumMatches())
                                 .value_or(0))
                  : 0;
  };
  step.batchGroup = group("batch");
  if (!hasPhase)
    step.modeGroup = group("mode");
  if (hasPhase)
    if (const Node *phase = reader.require(node, "phase", "step"))
      step.phase =
          reader.oneOf(*phase, "phase", {"prefill", "decode", "prefill/decode"})
              .value_or("");
  steps.push_back(std::move(step));
}

static llvm::Error loadFile(StringRef path, PatternSet &set) {
  Diagnostics diagnostics(path);
  Reader reader(diagnostics);
  NodePtr root = parseFile(path, diagnostics);
  if (root && reader.map(*root, "patterns",
                         {"patterns", "description", "ops", "kernels", "steps",
                          "captures"})) {
    auto each = [&](StringRef key, auto &&load) {
      const Node *list = reader.find(*root, key);
      if (list && reader.sequence(*list, key))
        for (const NodePtr &item : list->items)
          load(*item);
    };
    reader.require(*root, "patterns", "patterns");
    each("ops", [&](const Node &n) { loadPattern(reader, n, set.ops); });
    each("kernels",
         [&](const Node &n) { loadPattern(reader, n, set.kernels); });
    each("steps", [&](const Node &n) { loadStep(reader, n, true, set.steps); });
    each("captures",
         [&](const Node &n) { loadStep(reader, n, false, set.captures); });
  }
  return diagnostics.take();
}

llvm::Error PatternSet::load(StringRef path) {
  if (!llvm::sys::fs::is_directory(path))
    return loadFile(path, *this);
  std::set<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(path, error), end;
       !error && it != end; it.increment(error))
    if (StringRef(it->path()).ends_with(".yaml"))
      files.insert(it->path());
  if (error)
    return llvm::createStringError(error, path + ": error: cannot read folder");
  for (const std::string &file : files)
    if (llvm::Error problem = loadFile(file, *this))
      return problem;
  return llvm::Error::success();
}
