//===- Patterns.cpp - The rules of patterns/shapes.yaml -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Yaml.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace lathe;
using namespace lathe::yaml;
using llvm::StringRef;

namespace {
class PatternLoader {
public:
  PatternLoader(Diagnostics &diagnostics, ShapePatterns &patterns)
      : reader(diagnostics), patterns(patterns) {}

  void load(const Node &root) {
    if (!reader.map(root, "patterns",
                    {"dtypes", "logs", "steps", "results", "tables", "rules",
                     "definitions"}))
      return;
    for (auto &[ours, theirs] : alternatives(root, "dtypes"))
      for (const std::string &name : theirs)
        patterns.dtypes[name] = ours;
    reader.each(root, "logs",
                [&](const Node &node) { loadLine(node, patterns.logs); });
    reader.each(root, "steps",
                [&](const Node &node) { loadLine(node, patterns.steps); });
    reader.each(root, "results",
                [&](const Node &node) { loadLine(node, patterns.results); });
    reader.each(root, "tables", [&](const Node &node) {
      if (reader.map(node, "tables", {"source", "columns"}))
        patterns.tables.push_back(
            {reader.stringAt(node, "source"), words(node, "columns")});
    });
    reader.each(root, "rules", [&](const Node &node) { loadRule(node); });
    reader.each(root, "definitions",
                [&](const Node &node) { loadDefinition(node); });
  }

private:
  std::vector<std::string> words(const Node &node) {
    std::vector<std::string> result;
    if (reader.sequence(node, "list"))
      for (const NodePtr &item : node.items)
        if (auto word = reader.string(*item, "list"))
          result.push_back(*word);
    return result;
  }

  std::vector<std::string> words(const Node &map, StringRef key) {
    const Node *node = reader.find(map, key);
    return node ? words(*node) : std::vector<std::string>();
  }

  Alternatives alternatives(const Node &map, StringRef key) {
    Alternatives result;
    const Node *node = reader.find(map, key);
    if (node && reader.map(*node, key))
      for (auto &[name, value] : node->entries)
        result.emplace_back(name->text, words(*value));
    return result;
  }

  std::vector<std::pair<std::string, std::string>> pairs(const Node &map,
                                                         StringRef key) {
    std::vector<std::pair<std::string, std::string>> result;
    const Node *node = reader.find(map, key);
    if (node && reader.map(*node, key))
      for (auto &[name, value] : node->entries)
        result.emplace_back(name->text,
                            reader.string(*value, key).value_or(""));
    return result;
  }

  std::shared_ptr<llvm::Regex> regex(const Node *node, StringRef what,
                                     bool anyCase = false) {
    if (!node)
      return nullptr;
    auto text = reader.string(*node, what);
    if (!text)
      return nullptr;
    auto result = std::make_shared<llvm::Regex>(
        *text, anyCase ? llvm::Regex::IgnoreCase : llvm::Regex::NoFlags);
    std::string problem;
    if (result->isValid(problem))
      return result;
    reader.diagnostics.error(*node, what + ": " + problem);
    return nullptr;
  }

  void loadLine(const Node &node, std::vector<LinePattern> &list) {
    if (!reader.map(node, "lines",
                    {"source", "phase", "counts", "regex", "groups"}))
      return;
    LinePattern pattern;
    pattern.source = reader.stringAt(node, "source");
    pattern.groups = words(node, "groups");
    if (const Node *phase = reader.find(node, "phase"))
      pattern.phase =
          reader.oneOf(*phase, "phase", {"prefill", "decode", "prefill/decode"})
              .value_or("");
    if (const Node *counts = reader.find(node, "counts"))
      pattern.isCall =
          reader.oneOf(*counts, "counts", {"calls", "lines"}) == "calls";
    pattern.regex = regex(reader.require(node, "regex", "lines"), "regex");
    if (pattern.regex &&
        pattern.regex->getNumMatches() != pattern.groups.size())
      reader.diagnostics.error(
          node, "groups: expected " +
                    llvm::Twine(pattern.regex->getNumMatches()) +
                    " names, one for each group of the regular expression");
    list.push_back(std::move(pattern));
  }

  void loadRule(const Node &node) {
    if (!reader.map(node, "rules",
                    {"source", "match", "operator", "missing", "show", "dims",
                     "dtypes", "options"}))
      return;
    ShapeRule rule;
    rule.sources = words(node, "source");
    rule.show = words(node, "show");
    rule.op = reader.stringAt(node, "operator");
    rule.missing = reader.stringAt(node, "missing");
    rule.dims = pairs(node, "dims");
    rule.dtypes = pairs(node, "dtypes");
    const Node *options = reader.find(node, "options");
    if (options && reader.map(*options, "options"))
      for (auto &[option, text] : options->entries) {
        auto mapping = AtrexOption::parse(
            reader.string(*text, "options").value_or("none"));
        if (mapping)
          rule.options.emplace_back(option->text, std::move(*mapping));
        else
          reader.diagnostics.error(
              *text, "options: " + llvm::toString(mapping.takeError()));
      }
    const Node *match = reader.find(node, "match");
    if (match && reader.map(*match, "match"))
      for (auto &[field, text] : match->entries)
        rule.match.emplace_back(field->text, regex(text.get(), "match"));
    if (rule.op.empty() == rule.missing.empty())
      reader.diagnostics.error(
          node, "rules: expected either an operator or what is missing");
    patterns.rules.push_back(std::move(rule));
  }

  void loadDefinition(const Node &node) {
    if (!reader.map(
            node, "definitions",
            {"name", "unless", "operator", "inputs", "outputs", "scalars"}))
      return;
    DefinitionRule rule;
    rule.op = reader.stringAt(node, "operator");
    rule.name =
        regex(reader.require(node, "name", "definitions"), "name", true);
    rule.unless = regex(reader.find(node, "unless"), "unless", true);
    rule.inputs = alternatives(node, "inputs");
    rule.outputs = alternatives(node, "outputs");
    rule.scalars = alternatives(node, "scalars");
    patterns.definitions.push_back(std::move(rule));
  }

  Reader reader;
  ShapePatterns &patterns;
};
} // namespace

llvm::Expected<ShapePatterns>
lathe::loadShapePatterns(llvm::ArrayRef<std::string> templates) {
  ShapePatterns patterns;
  for (const std::string &directory : llvm::reverse(templates)) {
    llvm::SmallString<256> file(directory);
    llvm::sys::path::append(file, "patterns", "shapes.yaml");
    if (!llvm::sys::fs::exists(file))
      continue;
    Diagnostics diagnostics(file);
    if (NodePtr root = parseFile(file, diagnostics))
      PatternLoader(diagnostics, patterns).load(*root);
    if (diagnostics.hasErrors())
      return diagnostics.take();
  }
  return patterns;
}

std::optional<ShapeFields> lathe::matchLine(const LinePattern &pattern,
                                            StringRef line) {
  llvm::SmallVector<StringRef, 8> matches;
  if (!pattern.regex->match(line, &matches))
    return std::nullopt;
  ShapeFields fields;
  for (size_t i = 0; i < pattern.groups.size() && i + 1 < matches.size(); ++i)
    fields[pattern.groups[i]] = matches[i + 1].str();
  // `rest` holds any number of further `, key:value`.
  if (auto it = fields.find("rest"); it != fields.end()) {
    std::string rest = it->second;
    llvm::SmallVector<StringRef> pairs;
    StringRef(rest).split(pairs, ',', -1, /*KeepEmpty=*/false);
    for (StringRef pair : pairs) {
      auto [key, value] = pair.trim().split(':');
      fields.try_emplace(key.str(), value.trim().str());
    }
  }
  return fields;
}

/// A rule's operator with dims, dtypes and options from the fields.
static void applyRule(const ShapeRule &rule, const OperatorSpec &spec,
                      const ShapePatterns &patterns, const ShapeFields &fields,
                      double calls, ShapeCollector &shapes) {
  SeenShape shape;
  shape.choice = defaultEntry(spec);
  shape.count = calls;
  for (auto &[dim, field] : rule.dims) {
    auto it = fields.find(field);
    int64_t value;
    if (it == fields.end())
      continue;
    if (StringRef(it->second).getAsInteger(10, value))
      return shapes.addUncovered(rule.op + ": field " + field + " is '" +
                                 it->second + "', expected an integer");
    shape.dims[dim] = value;
  }
  for (auto &[variable, field] : rule.dtypes) {
    auto it = fields.find(field);
    auto legal =
        llvm::find_if(spec.dtypes, [&, v = StringRef(variable)](auto &d) {
          return d.first == v;
        });
    if (legal == spec.dtypes.end())
      continue;
    if (it == fields.end() || it->second.empty()) {
      shapes.addNote("assumed: " + rule.op + ": " + variable + " is " +
                     legal->second.front() + ", no type is recorded");
      continue;
    }
    auto known = patterns.dtypes.find(it->second);
    if (known == patterns.dtypes.end() ||
        !llvm::is_contained(legal->second, known->second))
      return shapes.addUncovered(rule.op + ": type '" + it->second + "' of " +
                                 field);
    shape.choice.dtypes[variable] = known->second;
  }
  for (auto &[option, mapping] : rule.options) {
    auto legal =
        llvm::find_if(spec.options, [&, o = StringRef(option)](auto &own) {
          return own.name == o;
        });
    if (legal == spec.options.end())
      continue;
    auto it = fields.find(mapping.key);
    if (it == fields.end() || it->second.empty()) {
      shapes.addNote("assumed: " + rule.op + ": " + option + " is " +
                     legal->defaultValue + ", it is not recorded");
      continue;
    }
    auto renamed = mapping.names.find(it->second);
    const std::string &value =
        renamed == mapping.names.end() ? it->second : renamed->second;
    if (!llvm::is_contained(legal->values, value))
      return shapes.addUncovered(rule.op + ": field " + mapping.key + " is '" +
                                 it->second + "'");
    shape.choice.options[option] = value;
  }
  shapes.add(shape);
}

void ShapePatterns::apply(StringRef source, const ShapeFields &fields,
                          double calls, const OperatorTable &operators,
                          ShapeCollector &shapes) const {
  auto text = [&](StringRef field) {
    auto it = fields.find(field);
    return it == fields.end() ? StringRef() : StringRef(it->second);
  };
  for (const ShapeRule &rule : rules) {
    if (!llvm::is_contained(rule.sources, source) ||
        !llvm::all_of(rule.match, [&](auto &match) {
          return match.second->match(text(match.first));
        }))
      continue;
    auto spec = operators.find(rule.op);
    if (!rule.op.empty() && spec != operators.end())
      return applyRule(rule, spec->second, *this, fields, calls, shapes);
    std::string line =
        rule.op.empty() ? rule.missing : rule.op + ", which is not loaded";
    for (const std::string &field : rule.show)
      if (!text(field).empty())
        line += ", " + field + " = " + text(field).str();
    return shapes.addUncovered(line + ": no operator");
  }
  shapes.addUncovered(("shape of " + source + ": no rule").str());
}
