//===- LoadCases.cpp - Tolerances and cases of operator.yaml --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadCases.h"
#include "RefuseFigures.h"

#include "llvm/ADT/STLExtras.h"

using namespace lathe;
using namespace lathe::yaml;
using llvm::StringRef;

static void toleranceFields(Reader &reader, const Node &map, StringRef what,
                            ToleranceSpec &tolerance) {
  struct {
    StringRef key;
    double max;
    double *target;
    bool needed;
  } fields[] = {{"ulp", 1e6, &tolerance.ulp, true},
                {"near_zero", 1, &tolerance.nearZero, true},
                {"norm", 1, &tolerance.norm, false},
                {"drift", 1e6, &tolerance.drift, false},
                {"flips", 1, &tolerance.flips, false},
                {"flip_ulp", 1e6, &tolerance.flipUlp, false},
                {"absolute", 1, &tolerance.absolute, false},
                {"cancellation", 1, &tolerance.cancellation, false}};
  for (auto &[key, max, target, needed] : fields) {
    const Node *node =
        needed ? reader.require(map, key, what) : reader.find(map, key);
    if (node)
      *target =
          reader.number(*node, (what + "." + key).str(), 0, max).value_or(0);
  }
}

static constexpr StringRef toleranceKeys[] = {
    "ulp",   "near_zero", "norm",     "drift",
    "flips", "flip_ulp",  "absolute", "cancellation"};

/// What an entry must choose for a variant: values of options, dtypes.
static void choices(Reader &reader, const Node &node, StringRef what,
                    const OperatorSpec &spec, ToleranceVariant &variant) {
  std::map<StringRef, std::vector<StringRef>> legal;
  for (const OptionSpec &option : spec.options)
    legal[option.name].assign(option.values.begin(), option.values.end());
  for (auto &[variable, dtypes] : spec.dtypes)
    legal[variable].assign(dtypes.begin(), dtypes.end());
  std::vector<StringRef> names;
  for (auto &[name, values] : legal)
    names.push_back(name);
  if (!reader.map(node, what, names))
    return;
  if (node.entries.empty())
    reader.diagnostics.error(node, what + ": expected an option or a dtype");
  for (auto &[key, value] : node.entries)
    if (auto chosen = reader.oneOf(*value, (what + "." + key->text).str(),
                                   legal[key->text]))
      variant.when[key->text] = *chosen;
}

static void toleranceVariants(Reader &reader, const Node &node,
                              OperatorSpec &spec) {
  StringRef what = "tolerance.variants";
  if (!reader.sequence(node, what))
    return;
  std::vector<StringRef> keys = {"when"};
  llvm::append_range(keys, toleranceKeys);
  for (const NodePtr &item : node.items) {
    if (!reader.map(*item, what, keys))
      continue;
    ToleranceVariant &variant = spec.toleranceVariants.emplace_back();
    if (const Node *when = reader.require(*item, "when", what))
      choices(reader, *when, "tolerance.variants.when", spec, variant);
    toleranceFields(reader, *item, what, variant.tolerance);
  }
}

void lathe::loadTolerance(Reader &reader, const Node &node,
                          OperatorSpec &spec) {
  std::vector<StringRef> keys = {"variants", "outputs"};
  llvm::append_range(keys, toleranceKeys);
  if (!reader.map(node, "tolerance", keys))
    return;
  toleranceFields(reader, node, "tolerance", spec.tolerance);
  if (const Node *variants = reader.find(node, "variants"))
    toleranceVariants(reader, *variants, spec);
  const Node *outputs = reader.find(node, "outputs");
  if (!outputs)
    return;
  std::vector<StringRef> names;
  for (const OperandSpec &operand : spec.operands)
    if (operand.isOutput)
      names.push_back(operand.name);
  if (!reader.map(*outputs, "tolerance.outputs", names))
    return;
  for (auto &[key, value] : outputs->entries) {
    std::string what = "tolerance.outputs." + key->text;
    if (reader.map(*value, what, toleranceKeys))
      toleranceFields(reader, *value, what, spec.outputTolerance[key->text]);
  }
}

static void caseDims(Reader &reader, const Node &node, StringRef what,
                     const OperatorSpec &spec, CaseSpec &result) {
  if (!mapWithoutFigures(reader, node, what, givenDims(spec), spec))
    return;
  for (auto &[key, value] : node.entries) {
    auto dim = llvm::find_if(
        spec.dims, [&, k = key.get()](auto &d) { return d.name == k->text; });
    if (dim == spec.dims.end())
      continue;
    std::string field = (what + "." + key->text).str();
    if (dim->kind != DimKind::List) {
      if (auto size = reader.integer(*value, field, dim->min, dim->max))
        result.dims[dim->name] = ExprValue(*size);
      continue;
    }
    auto sizes = reader.integers(*value, field);
    if (!sizes)
      continue;
    for (int64_t size : *sizes)
      if (size < dim->min || size > dim->max)
        reader.diagnostics.error(*value, field + ": expected values from " +
                                             std::to_string(dim->min) + " to " +
                                             std::to_string(dim->max) +
                                             ", found " + std::to_string(size));
    result.dims[dim->name] = ExprValue(std::move(*sizes));
  }
}

static void loadCase(Reader &reader, const Node &node, StringRef what,
                     SignatureLoader &signature, const OperatorSpec &spec,
                     CaseSpec &result) {
  std::string prefix = what.str();
  if (!reader.map(node, what, {"kind", "doc", "inputs", "dims", "scalars"}))
    return;
  if (const Node *kind = reader.require(node, "kind", what))
    result.kind = reader.oneOf(*kind, prefix + ".kind", {"adversarial", "edge"})
                      .value_or("edge");
  if (const Node *doc = reader.find(node, "doc"))
    result.doc = reader.string(*doc, prefix + ".doc").value_or("");
  if (const Node *dims = reader.find(node, "dims"))
    caseDims(reader, *dims, prefix + ".dims", spec, result);

  std::vector<StringRef> names;
  for (const OperandSpec &operand : spec.operands)
    if (!operand.isOutput)
      names.push_back(operand.name);
  const Node *inputs = reader.find(node, "inputs");
  if (inputs && reader.map(*inputs, prefix + ".inputs", names))
    for (auto &[key, value] : inputs->entries)
      signature.distribution(prefix + ".inputs." + key->text, *value,
                             result.inputs[key->text]);

  names.clear();
  for (const ScalarSpec &scalar : spec.scalars)
    names.push_back(scalar.name);
  const Node *scalars = reader.find(node, "scalars");
  if (scalars && reader.map(*scalars, prefix + ".scalars", names))
    for (auto &[key, value] : scalars->entries)
      if (auto number = reader.number(*value, prefix + ".scalars." + key->text))
        result.scalars[key->text] = *number;
}

void lathe::loadCases(Reader &reader, const Node &node,
                      SignatureLoader &signature, OperatorSpec &spec) {
  if (!reader.map(node, "cases"))
    return;
  for (auto &[key, value] : node.entries) {
    CaseSpec result;
    result.name = reader.symbol(*key, "cases").value_or("");
    loadCase(reader, *value, "cases." + key->text, signature, spec, result);
    spec.cases.push_back(std::move(result));
  }
}
