//===- LoadOpSet.cpp - Reads an op set ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RefuseFigures.h"
#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Load.h"
#include "lathe/Ingest/Yaml.h"

#include "llvm/ADT/STLExtras.h"

using namespace lathe;
using namespace lathe::yaml;
using llvm::Expected;
using llvm::StringRef;

static void loadStatic(Reader &reader, const Node *node, const Node &at,
                       const OperatorSpec &spec, OpSetEntry &entry) {
  std::vector<StringRef> known;
  for (const DimSpec &dim : spec.dims)
    if (dim.kind == DimKind::Static)
      known.push_back(dim.name);
  if (node)
    mapWithoutFigures(reader, *node, "static", known, spec);
  if (node && node->kind == Node::Map) {
    for (auto &[key, value] : node->entries) {
      if (!llvm::is_contained(known, key->text))
        continue;
      const DimSpec *dim = findDim(spec, key->text);
      std::string what = "static." + key->text;
      std::vector<int64_t> &values = entry.staticDims[key->text];
      auto add = [&](const Node &item) {
        auto number = reader.integer(item, what, dim->min, dim->max);
        if (number && llvm::is_contained(values, *number))
          reader.diagnostics.error(item,
                                   what + ": " + item.text + " is given twice");
        else if (number)
          values.push_back(*number);
      };
      if (value->kind != Node::Sequence) {
        add(*value);
        continue;
      }
      for (const NodePtr &item : value->items)
        add(*item);
      if (value->items.empty())
        reader.diagnostics.error(*value, what + ": expected a value");
    }
  }
  for (StringRef name : known) {
    if (entry.staticDims.count(name))
      continue;
    const std::optional<Expr> &otherwise = findDim(spec, name)->defaultValue;
    if (auto value = otherwise ? otherwise->asConstant() : std::nullopt)
      entry.staticDims[name.str()] = {*value};
    else if (!otherwise)
      reader.diagnostics.error(node ? *node : at, "missing static dim '" +
                                                      name + "' of operator '" +
                                                      spec.name + "'");
  }
}

static void loadChoices(Reader &reader, const Node &map,
                        const OperatorSpec &spec, OpSetEntry &entry) {
  if (const Node *node = reader.find(map, "options")) {
    std::vector<StringRef> known;
    for (const OptionSpec &option : spec.options)
      known.push_back(option.name);
    if (reader.map(*node, "options", known))
      for (const OptionSpec &option : spec.options)
        if (const Node *value = reader.find(*node, option.name)) {
          std::vector<StringRef> legal(option.values.begin(),
                                       option.values.end());
          if (auto name = reader.oneOf(*value, "options." + option.name, legal))
            entry.options[option.name] = *name;
        }
  }
  if (const Node *node = reader.find(map, "dtypes")) {
    std::vector<StringRef> known;
    for (auto &variable : spec.dtypes)
      known.push_back(variable.first);
    if (reader.map(*node, "dtypes", known))
      for (auto &[variable, dtypes] : spec.dtypes)
        if (const Node *value = reader.find(*node, variable)) {
          std::vector<StringRef> legal(dtypes.begin(), dtypes.end());
          if (auto name = reader.oneOf(*value, "dtypes." + variable, legal))
            entry.dtypes[variable] = *name;
        }
  }
  if (const Node *node = reader.find(map, "scalars")) {
    std::vector<StringRef> known;
    for (const ScalarSpec &scalar : spec.scalars)
      known.push_back(scalar.name);
    if (reader.map(*node, "scalars", known))
      for (const ScalarSpec &scalar : spec.scalars)
        if (const Node *value = reader.find(*node, scalar.name))
          if (auto number = reader.number(*value, "scalars." + scalar.name))
            entry.scalars[scalar.name] = *number;
  }
}

static void loadEntry(Reader &reader, const Node &node,
                      const OperatorTable &operators, OpSet &opset) {
  if (!reader.map(node, "operators",
                  {"name", "operator", "static", "options", "dtypes", "scalars",
                   "importance"}))
    return;
  const Node *op = reader.require(node, "operator", "operators");
  if (!op)
    return;
  std::vector<StringRef> known;
  for (auto &named : operators)
    known.push_back(named.first);
  auto opName = reader.oneOf(*op, "operator", known);
  if (!opName)
    return;
  const OperatorSpec &spec = operators.find(*opName)->second;
  OpSetEntry entry = defaultEntry(spec);
  if (const Node *name = reader.find(node, "name")) {
    entry.name = reader.name(*name, "name").value_or("");
  }
  if (findEntry(opset, entry.name))
    reader.diagnostics.error(node, "another entry is called '" + entry.name +
                                       "', expected a name of its own");
  loadStatic(reader, reader.find(node, "static"), node, spec, entry);
  loadChoices(reader, node, spec, entry);
  if (const Node *importance = reader.find(node, "importance"))
    entry.importance =
        reader.number(*importance, "importance", 0, 1).value_or(0);
  opset.entries.push_back(std::move(entry));
}

Expected<OpSet> lathe::loadOpSet(StringRef file,
                                 const OperatorTable &operators) {
  Diagnostics diagnostics(file);
  Reader reader(diagnostics);
  OpSet opset;
  NodePtr root = parseFile(file, diagnostics);
  if (root && reader.map(*root, "op set",
                         {"opset", "description", "source", "operators"})) {
    if (const Node *name = reader.require(*root, "opset", "op set"))
      opset.name = reader.name(*name, "opset").value_or("");
    if (const Node *node = reader.find(*root, "description"))
      opset.description = reader.string(*node, "description").value_or("");
    if (const Node *node = reader.find(*root, "source"))
      opset.source = reader.string(*node, "source").value_or("");
    const Node *entries = reader.require(*root, "operators", "op set");
    if (entries && reader.sequence(*entries, "operators")) {
      for (const NodePtr &item : entries->items)
        loadEntry(reader, *item, operators, opset);
      if (entries->items.empty())
        diagnostics.error(*entries, "operators: expected an entry");
    }
  }
  if (diagnostics.hasErrors())
    return diagnostics.take();
  return opset;
}
