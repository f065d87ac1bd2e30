//===- Rules.cpp - The rules of patterns/models.yaml ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "lathe/Ingest/Yaml.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace lathe;
using namespace lathe::yaml;
using llvm::StringRef;

namespace {
class RuleLoader {
public:
  RuleLoader(Diagnostics &diagnostics, ModelRules &rules)
      : reader(diagnostics), rules(rules) {
    for (StringRef name : {"TP", "EP", "BLOCK", "FP8", "FP8_BLOCK", "MXFP4",
                           "QUANTIZED", "GN", "GK"})
      known.push_back(name.str());
    for (const ModelSymbol &symbol : rules.symbols)
      known.push_back(symbol.name);
  }

  void load(const Node &root) {
    if (!reader.map(root, "model rules",
                    {"symbols", "requires", "architectures", "gemm_operators",
                     "items", "ignored"}))
      return;
    reader.each(root, "symbols", [&](const Node &node) { loadSymbol(node); });
    reader.each(root, "requires", [&](const Node &node) {
      if (!reader.map(node, "requires", {"expr", "message"}))
        return;
      ModelRequirement requirement;
      if (auto expr =
              expression(reader.require(node, "expr", "requires"), "expr", {}))
        requirement.expr = *expr;
      requirement.message = reader.stringAt(node, "message");
      rules.requirements.push_back(std::move(requirement));
    });
    reader.each(root, "architectures",
                [&](const Node &node) { loadArchitecture(node); });
    reader.each(root, "gemm_operators", [&](const Node &node) {
      loadItem(node, "gemm_operators", {"N", "K"}, rules.gemmOperators);
    });
    reader.each(root, "items", [&](const Node &node) {
      loadItem(node, "items", {}, rules.items);
    });
    reader.each(root, "ignored", [&](const Node &node) {
      for (std::string &name : words(&node, "ignored"))
        rules.ignored.insert(name);
    });
  }

private:
  bool flag(const Node &map, StringRef key) {
    const Node *node = reader.find(map, key);
    return node && reader.oneOf(*node, key, {"no", "yes"}) == "yes";
  }

  std::vector<std::string> words(const Node *node, StringRef what) {
    std::vector<std::string> result;
    if (!node || !reader.sequence(*node, what))
      return result;
    for (const NodePtr &item : node->items)
      if (auto word = reader.string(*item, what))
        result.push_back(*word);
    return result;
  }

  std::optional<Expr> expression(const Node *node, StringRef what,
                                 llvm::ArrayRef<StringRef> extra) {
    if (!node)
      return std::nullopt;
    std::vector<StringRef> symbols(known.begin(), known.end());
    symbols.insert(symbols.end(), extra.begin(), extra.end());
    return reader.expression(*node, what, symbols);
  }

  NamedExprs expressions(const Node *map, StringRef what,
                         llvm::ArrayRef<StringRef> extra) {
    NamedExprs result;
    if (!map || !reader.map(*map, what))
      return result;
    for (auto &[key, value] : map->entries)
      if (auto expr = expression(value.get(), what, extra))
        result.emplace_back(key->text, *expr);
    return result;
  }

  void loadSymbol(const Node &node) {
    if (!reader.map(node, "symbols",
                    {"name", "fields", "index", "count", "equals", "times",
                     "present", "length", "value"}))
      return;
    ModelSymbol symbol;
    if (const Node *name = reader.require(node, "name", "symbols"))
      symbol.name = reader.symbol(*name, "name").value_or("");
    symbol.fields = words(reader.find(node, "fields"), "fields");
    symbol.count = words(reader.find(node, "count"), "count");
    symbol.equals = words(reader.find(node, "equals"), "equals");
    symbol.times = reader.stringAt(node, "times");
    symbol.present = flag(node, "present");
    symbol.length = flag(node, "length");
    if (const Node *index = reader.find(node, "index"))
      symbol.index = reader.integer(*index, "index", 0, 1024);
    symbol.value = expression(reader.find(node, "value"), "value", {});
    known.push_back(symbol.name);
    rules.symbols.push_back(std::move(symbol));
  }

  void loadArchitecture(const Node &node) {
    if (!reader.map(node, "architectures", {"model", "set", "notes"}))
      return;
    ModelArchitecture architecture;
    architecture.models = words(reader.find(node, "model"), "model");
    architecture.notes = words(reader.find(node, "notes"), "notes");
    std::vector<StringRef> legal(known.begin(), known.end());
    const Node *set = reader.find(node, "set");
    if (set && reader.map(*set, "set", legal))
      for (auto &[key, value] : set->entries)
        architecture.set[key->text] = reader.integer(*value, "set").value_or(0);
    rules.architectures.push_back(std::move(architecture));
  }

  void loadItem(const Node &node, StringRef what,
                llvm::ArrayRef<StringRef> extra, std::vector<ModelItem> &list) {
    if (!reader.map(node, what,
                    {"name", "operator", "gemm", "missing", "when", "static",
                     "options", "scalars", "calls", "request", "plain",
                     "grouped", "note", "module"}))
      return;
    ModelItem item;
    item.name = reader.stringAt(node, "name");
    item.op = reader.stringAt(node, "operator");
    item.missing = reader.stringAt(node, "missing");
    item.note = reader.stringAt(node, "note");
    item.module = reader.stringAt(node, "module");
    item.plain = flag(node, "plain");
    if (auto when = expression(reader.find(node, "when"), "when", extra))
      item.when = *when;
    if (auto calls = expression(reader.find(node, "calls"), "calls", extra))
      item.calls = *calls;
    item.grouped = expression(reader.find(node, "grouped"), "grouped", extra);
    item.staticDims = expressions(reader.find(node, "static"), "static", extra);
    item.request = expressions(reader.find(node, "request"), "request", {"T"});
    if (const Node *gemm = reader.find(node, "gemm");
        gemm && reader.map(*gemm, "gemm", {"N", "K"})) {
      item.n = expression(reader.require(*gemm, "N", "gemm"), "gemm.N", {});
      item.k = expression(reader.require(*gemm, "K", "gemm"), "gemm.K", {});
    }
    if (const Node *options = reader.find(node, "options");
        options && reader.map(*options, "options"))
      for (auto &[key, value] : options->entries)
        item.options.emplace_back(
            key->text, reader.string(*value, "options").value_or(""));
    if (const Node *scalars = reader.find(node, "scalars");
        scalars && reader.map(*scalars, "scalars"))
      for (auto &[key, value] : scalars->entries)
        item.scalars.emplace_back(key->text, words(value.get(), "scalars"));
    if (item.op.empty() && item.missing.empty() && !item.n)
      reader.diagnostics.error(
          node, what + ": expected an operator, a gemm or what is missing");
    list.push_back(std::move(item));
  }

  Reader reader;
  ModelRules &rules;
  std::vector<std::string> known;
};
} // namespace

llvm::Expected<ModelRules>
lathe::loadModelRules(llvm::ArrayRef<std::string> templates) {
  ModelRules rules;
  for (const std::string &directory : templates) {
    llvm::SmallString<256> file(directory);
    llvm::sys::path::append(file, "patterns", "models.yaml");
    if (!llvm::sys::fs::exists(file))
      continue;
    Diagnostics diagnostics(file);
    if (NodePtr root = parseFile(file, diagnostics))
      RuleLoader(diagnostics, rules).load(*root);
    if (diagnostics.hasErrors())
      return diagnostics.take();
  }
  return rules;
}
