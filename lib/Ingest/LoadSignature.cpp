//===- LoadSignature.cpp - Dims, dtypes and operands of an operator -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadSignature.h"

#include "lathe/Ingest/Figures.h"

#include "llvm/ADT/STLExtras.h"

using namespace lathe;
using namespace lathe::yaml;
using llvm::StringRef;

static const StringRef concreteDTypes[] = {
    "f64",        "f32",    "f16",        "bf16",      "f8E4M3FN",
    "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN",
    "i64",        "i32",    "i16",        "i8",        "i1"};

void SignatureLoader::text(const Node &map, StringRef key, StringRef what,
                           std::string &value) {
  if (const Node *node = reader.find(map, key))
    if (auto found = reader.string(*node, (what + "." + key).str()))
      value = *found;
}

void SignatureLoader::claim(const Node &node, StringRef name, StringRef what) {
  auto [it, fresh] = claimed.try_emplace(name.str(), what.str());
  // Within one section it is a duplicate key, which has been reported.
  if (!fresh && it->second != what)
    reader.diagnostics.error(
        node, what + " '" + name + "': the name is taken by the " + it->second);
}

std::optional<std::string>
SignatureLoader::dtype(const Node &node, StringRef what, bool variables) {
  std::vector<StringRef> legal;
  if (variables)
    for (auto &[variable, values] : spec.dtypes)
      legal.push_back(variable);
  llvm::append_range(legal, concreteDTypes);
  return reader.oneOf(node, what, legal);
}

void SignatureLoader::load(const Node &root) {
  if (const Node *node = reader.find(root, "dtypes"))
    dtypes(*node);
  // Defaults of dims may depend on the choices.
  if (const Node *node = reader.find(root, "options"))
    options(*node);
  if (const Node *node = reader.require(root, "dims", "operator"))
    dims(*node);
  if (const Node *node = reader.find(root, "scalars"))
    scalars(*node);
  if (const Node *node = reader.require(root, "inputs", "operator"))
    operands(*node, /*outputs=*/false);
  if (const Node *node = reader.require(root, "outputs", "operator"))
    operands(*node, /*outputs=*/true);
  // Only now are all operands known that a distribution may refer to.
  const Node *inputs = reader.find(root, "inputs");
  for (const OperandSpec &operand : spec.operands) {
    const DistributionSpec &d = operand.distribution;
    if (operand.isOutput || (d.kind != "quantized" && d.kind != "scales"))
      continue;
    if (llvm::none_of(spec.operands, [&](const OperandSpec &other) {
          return !other.isOutput && other.name == d.of;
        }))
      reader.diagnostics.error(inputs ? *inputs : root,
                               "inputs." + operand.name +
                                   ".distribution.of: no input '" + d.of + "'");
  }
}

std::vector<StringRef> SignatureLoader::symbols() const {
  std::vector<StringRef> symbols;
  for (const DimSpec &dim : spec.dims)
    symbols.push_back(dim.name);
  for (const OptionSpec &option : spec.options)
    symbols.push_back(option.name);
  llvm::append_range(symbols, bytesSymbols);
  // Names that were refused are empty.
  llvm::erase(symbols, "");
  return symbols;
}

/// What is wrong with the use of `lists` in `expr`, or nothing.
static std::string listMisuse(const Expr &expr, llvm::ArrayRef<StringRef> lists,
                              bool reduced) {
  if (expr.kind() == Expr::Kind::Symbol) {
    if (reduced || !llvm::is_contained(lists, expr.symbolName()))
      return "";
    return "'" + expr.symbolName().str() +
           "' is a list, expected sum, len, min or max of it";
  }
  if (isReduction(expr)) {
    llvm::SetVector<StringRef> used;
    expr.collectSymbols(used);
    if (llvm::none_of(used, [&](StringRef symbol) {
          return llvm::is_contained(lists, symbol);
        }))
      return "expected a list in '" + expr.str() + "'";
    reduced = true;
  }
  for (const Expr &operand : expr.operands()) {
    std::string misuse = listMisuse(operand, lists, reduced);
    if (!misuse.empty())
      return misuse;
  }
  return "";
}

std::optional<Expr> SignatureLoader::expression(const Node &node,
                                                StringRef what) const {
  auto expr = reader.expression(node, what, symbols());
  if (!expr)
    return std::nullopt;
  std::vector<StringRef> lists;
  for (const DimSpec &dim : spec.dims)
    if (dim.kind == DimKind::List)
      lists.push_back(dim.name);
  std::string misuse = listMisuse(*expr, lists, /*reduced=*/false);
  if (misuse.empty())
    return expr;
  reader.diagnostics.error(node, what + ": " + misuse);
  return std::nullopt;
}

std::optional<Expr> SignatureLoader::figureExpression(const Node &node,
                                                      StringRef what) const {
  auto expr = expression(node, what);
  return expr ? std::optional(withFigures(*expr, spec)) : std::nullopt;
}

/// Whether lists are left in `expr`.
static bool usesLists(const Expr &expr) {
  return isReduction(expr) || llvm::any_of(expr.operands(), usesLists);
}

std::optional<Expr> SignatureLoader::plainExpression(const Node &node,
                                                     StringRef what) const {
  auto expr = figureExpression(node, what);
  if (!expr || !usesLists(*expr))
    return expr;
  reader.diagnostics.error(
      node, what + ": expected nothing of lists but " +
                "sum, len or max of a single one, found '" + expr->str() + "'");
  return std::nullopt;
}

void SignatureLoader::dims(const Node &node) {
  if (!reader.map(node, "dims"))
    return;
  for (auto &[key, value] : node.entries) {
    DimSpec dim;
    std::string what = "dims." + key->text;
    if (auto name = reader.symbol(*key, "dims"))
      dim.name = *name;
    claim(*key, dim.name, "dim");
    this->dim(what, *value, dim);
    spec.dims.push_back(dim);
    if (dim.kind != DimKind::List || dim.name.empty())
      continue;
    for (DimSpec &figure : figuresOf(dim)) {
      claim(*key, figure.name, "figure of list " + dim.name);
      spec.dims.push_back(std::move(figure));
    }
  }
}

void SignatureLoader::dim(StringRef what, const Node &node, DimSpec &dim) {
  if (!reader.map(node, what, {"kind", "min", "max", "default", "doc"}))
    return;
  std::string prefix = what.str();
  text(node, "doc", what, dim.doc);
  if (const Node *kind = reader.require(node, "kind", what)) {
    auto name = reader.oneOf(*kind, prefix + ".kind",
                             {"static", "request", "stride", "list"});
    if (name)
      dim.kind = *name == "static"   ? DimKind::Static
                 : *name == "stride" ? DimKind::Stride
                 : *name == "list"   ? DimKind::List
                                     : DimKind::Request;
  }
  dim.min = dim.kind == DimKind::Static ? 1 : 0;
  if (const Node *min = reader.find(node, "min"))
    dim.min = reader.integer(*min, prefix + ".min").value_or(dim.min);
  if (const Node *max = reader.find(node, "max"))
    dim.max = reader.integer(*max, prefix + ".max", dim.min).value_or(dim.max);
  const Node *defaultNode = reader.find(node, "default");
  if (dim.kind == DimKind::Stride && !defaultNode)
    reader.diagnostics.error(
        node, prefix + ": a stride needs a default, the extent that it spans");
  if (defaultNode && dim.kind == DimKind::List)
    reader.diagnostics.error(*defaultNode,
                             prefix + ": a list can have no default");
  else if (defaultNode)
    dim.defaultValue = plainExpression(*defaultNode, prefix + ".default");
}

void SignatureLoader::options(const Node &node) {
  if (!reader.map(node, "options"))
    return;
  for (auto &[key, value] : node.entries) {
    OptionSpec option;
    std::string what = "options." + key->text;
    if (auto name = reader.symbol(*key, "options"))
      option.name = *name;
    claim(*key, option.name, "option");
    if (!reader.map(*value, what, {"values", "default", "doc"}))
      continue;
    text(*value, "doc", what, option.doc);
    const Node *values = reader.require(*value, "values", what);
    if (values && reader.sequence(*values, what + ".values"))
      for (const NodePtr &item : values->items)
        if (auto name = reader.name(*item, what + ".values")) {
          if (llvm::is_contained(option.values, *name))
            reader.diagnostics.error(*item, what + ".values: '" + *name +
                                                "' is given twice");
          option.values.push_back(*name);
        }
    if (values && values->kind == Node::Sequence && values->items.empty())
      reader.diagnostics.error(*values, what + ".values: expected a value");
    std::vector<StringRef> legal(option.values.begin(), option.values.end());
    if (const Node *chosen = reader.require(*value, "default", what))
      option.defaultValue =
          reader.oneOf(*chosen, what + ".default", legal).value_or("");
    spec.options.push_back(std::move(option));
  }
}

void SignatureLoader::scalars(const Node &node) {
  if (!reader.map(node, "scalars"))
    return;
  for (auto &[key, value] : node.entries) {
    ScalarSpec scalar;
    std::string what = "scalars." + key->text;
    if (auto name = reader.symbol(*key, "scalars"))
      scalar.name = *name;
    claim(*key, scalar.name, "scalar");
    if (!reader.map(*value, what, {"dtype", "default", "doc"}))
      continue;
    text(*value, "doc", what, scalar.doc);
    if (const Node *dtype = reader.require(*value, "dtype", what))
      scalar.dtype =
          reader.oneOf(*dtype, what + ".dtype", {"f32"}).value_or("f32");
    if (const Node *chosen = reader.require(*value, "default", what))
      scalar.defaultValue =
          reader.number(*chosen, what + ".default").value_or(0);
    spec.scalars.push_back(std::move(scalar));
  }
}

void SignatureLoader::dtypes(const Node &node) {
  if (!reader.map(node, "dtypes"))
    return;
  for (auto &[key, value] : node.entries) {
    std::string what = "dtypes." + key->text;
    auto name = reader.symbol(*key, "dtypes");
    claim(*key, key->text, "dtype variable");
    if (name && dtypeBits(*name))
      reader.diagnostics.error(*key, "dtypes: '" + *name +
                                         "' is a dtype, expected a variable");
    std::vector<DTypeName> legal;
    if (reader.sequence(*value, what)) {
      for (const NodePtr &item : value->items)
        if (auto dtype = this->dtype(*item, what, /*variables=*/false))
          legal.push_back(*dtype);
      if (value->items.empty())
        reader.diagnostics.error(*value, what + ": expected a dtype");
    }
    claim(*key, key->text + "_bytes", "dtype variable");
    bytesSymbols.push_back(key->text + "_bytes");
    spec.dtypes.emplace_back(key->text, std::move(legal));
  }
}

void SignatureLoader::operands(const Node &node, bool outputs) {
  StringRef section = outputs ? "outputs" : "inputs";
  if (!reader.map(node, section))
    return;
  if (outputs && node.entries.empty())
    reader.diagnostics.error(node, "outputs: expected an operand");
  for (auto &[key, value] : node.entries) {
    OperandSpec operand;
    operand.isOutput = outputs;
    if (auto name = reader.symbol(*key, section))
      operand.name = *name;
    claim(*key, operand.name, outputs ? "output" : "input");
    this->operand((section + "." + key->text).str(), *value, operand);
    spec.operands.push_back(std::move(operand));
  }
}

void SignatureLoader::operand(StringRef what, const Node &node,
                              OperandSpec &operand) {
  std::string prefix = what.str();
  bool ok = operand.isOutput
                ? reader.map(node, what,
                             {"shape", "strides", "dtype", "may_alias", "doc"})
                : reader.map(node, what,
                             {"shape", "strides", "dtype", "distribution",
                              "keeps_sign", "doc"});
  if (!ok)
    return;
  text(node, "doc", what, operand.doc);
  if (const Node *dtype = reader.require(node, "dtype", what))
    operand.dtype =
        this->dtype(*dtype, prefix + ".dtype", true).value_or("f32");
  auto extents = [&](const Node &list, StringRef field,
                     std::vector<Expr> &result) {
    std::string name = (what + "." + field).str();
    if (!reader.sequence(list, name))
      return;
    for (const NodePtr &item : list.items)
      if (auto expr = figureExpression(*item, name))
        result.push_back(*expr);
  };
  const Node *shape = reader.require(node, "shape", what);
  if (shape)
    extents(*shape, "shape", operand.shape);
  if (const Node *strides = reader.find(node, "strides")) {
    extents(*strides, "strides", operand.strides);
    if (shape && strides->items.size() != shape->items.size())
      reader.diagnostics.error(*strides,
                               prefix + ".strides: expected " +
                                   std::to_string(shape->items.size()) +
                                   " strides, one per dimension, found " +
                                   std::to_string(strides->items.size()));
  }
  if (const Node *distribution = reader.find(node, "distribution"))
    this->distribution(prefix + ".distribution", *distribution,
                       operand.distribution);
  if (const Node *keeps = reader.find(node, "keeps_sign"))
    operand.keepsSign = reader.oneOf(*keeps, prefix + ".keeps_sign",
                                     {"true", "false"}) == "true";
  if (const Node *alias = reader.find(node, "may_alias")) {
    std::vector<StringRef> inputs;
    for (const OperandSpec &other : spec.operands)
      if (!other.isOutput)
        inputs.push_back(other.name);
    operand.mayAlias =
        reader.oneOf(*alias, prefix + ".may_alias", inputs).value_or("");
  }
}

void SignatureLoader::distribution(StringRef what, const Node &node,
                                   DistributionSpec &distribution) {
  std::string prefix = what.str();
  if (!reader.map(node, what))
    return;
  const Node *kind = reader.require(node, "kind", what);
  auto name =
      kind ? reader.oneOf(*kind, prefix + ".kind",
                          {"normal", "uniform", "zeros", "constant", "falling",
                           "integers", "skewed", "permuted", "iota", "softmax",
                           "lengths", "offsets", "quantized", "scales"})
           : std::nullopt;
  if (!name)
    return;
  distribution.kind = *name;
  auto any = [&](std::initializer_list<StringRef> kinds) {
    return llvm::is_contained(kinds, *name);
  };
  std::vector<StringRef> keys = {"kind"};
  if (any({"normal", "quantized"}))
    keys.insert(keys.end(), {"scale", "offset"});
  if (any({"normal"}))
    keys.insert(keys.end(), {"large", "finite", "huge", "cancels"});
  if (any({"uniform", "falling"}))
    keys.insert(keys.end(), {"low", "high"});
  if (any({"constant"}))
    keys.push_back("value");
  if (any({"integers", "permuted"}))
    keys.push_back("low");
  if (any({"integers", "skewed", "permuted", "iota"}))
    keys.push_back("bound");
  if (any({"lengths", "offsets", "quantized", "scales"}))
    keys.push_back("of");
  reader.keys(node, what, keys);
  std::pair<StringRef, double *> numbers[] = {
      {"scale", &distribution.scale}, {"offset", &distribution.offset},
      {"large", &distribution.large}, {"low", &distribution.low},
      {"value", &distribution.low},   {"high", &distribution.high}};
  for (auto &[key, target] : numbers)
    if (const Node *value = reader.find(node, key))
      *target =
          reader.number(*value, (what + "." + key).str()).value_or(*target);
  if (any({"uniform", "falling"}) && distribution.low > distribution.high)
    reader.diagnostics.error(node, prefix + ": low is greater than high");
  std::pair<StringRef, bool *> flags[] = {{"finite", &distribution.finite},
                                          {"huge", &distribution.huge},
                                          {"cancels", &distribution.cancels}};
  for (auto &[key, target] : flags)
    if (const Node *value = reader.find(node, key))
      *target = reader.oneOf(*value, (what + "." + key).str(),
                             {"true", "false"}) == "true";
  if (llvm::is_contained(keys, "bound"))
    if (const Node *bound = reader.require(node, "bound", what))
      distribution.bound = figureExpression(*bound, prefix + ".bound");
  if (!llvm::is_contained(keys, "of"))
    return;
  const Node *of = reader.require(node, "of", what);
  if (!of)
    return;
  if (any({"lengths", "offsets"})) {
    std::vector<StringRef> lists;
    for (const DimSpec &dim : spec.dims)
      if (dim.kind == DimKind::List)
        lists.push_back(dim.name);
    distribution.of = reader.oneOf(*of, prefix + ".of", lists).value_or("");
  } else {
    distribution.of = reader.symbol(*of, prefix + ".of").value_or("");
  }
}
