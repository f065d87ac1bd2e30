//===- Placement.cpp - Which histogram point a call belongs to ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement.h"

#include "lathe/Ingest/Bind.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace lathe;
using llvm::StringRef;

Placement::Placement(const PatternSet &patterns, const OperatorTable &operators,
                     const OpSet *fixed, StringRef assumedDType)
    : patterns(patterns), operators(operators), isFixed(fixed),
      assumedDType(assumedDType.str()) {
  if (fixed)
    opset = *fixed;
}

uint32_t Placement::add(StringRef name, StringRef args) {
  std::pair<uint32_t, uint32_t> key(names.add(name), arguments.add(args));
  auto [it, isNew] = ids.try_emplace(key, uint32_t(calls.size()));
  if (!isNew)
    return it->second;
  keys.push_back(key);
  auto recognized = recognize(patterns.ops, name, args, assumedDType);
  calls.push_back(recognized ? place(*recognized) : PlacedCall());
  return it->second;
}

static std::string dimsText(const Bindings &dims) {
  std::string text;
  for (auto &[name, value] : dims)
    if (!value.isList)
      text += ' ' + name + '=' + std::to_string(value.elements[0]);
  return text;
}

/// Why the operator cannot have these dtypes and options, or nothing.
static std::string checkChoices(const OperatorSpec &spec,
                                const RecognizedCall &call) {
  for (auto &[variable, dtype] : call.dtypes) {
    auto it = llvm::find_if(spec.dtypes, [&, &name = variable](auto &d) {
      return d.first == name;
    });
    if (it == spec.dtypes.end())
      return "its pattern names dtype variable " + variable +
             ", which the operator lacks";
    if (!llvm::is_contained(it->second, dtype))
      return variable + " is " + dtype + ", which the operator does not take";
  }
  for (auto &[option, value] : call.options) {
    auto it = llvm::find_if(
        spec.options, [&, &name = option](auto &o) { return o.name == name; });
    if (it == spec.options.end() || !llvm::is_contained(it->values, value))
      return "option " + option + " is '" + value +
             "', which the operator does not take";
  }
  for (auto &[dim, value] : call.dims)
    if (llvm::none_of(spec.dims, [&, &name = dim](const DimSpec &d) {
          return d.name == name;
        }))
      return "its pattern names dim " + dim + ", which the operator lacks";
  return "";
}

/// The call with the names of options that it gives by index; those that are
/// out of range stay numbers, which checkChoices refuses.
static RecognizedCall withNames(const OperatorSpec &spec,
                                const RecognizedCall &call) {
  RecognizedCall result = call;
  for (auto &[name, index] : call.optionIndices) {
    std::string &value = result.options[name] = std::to_string(index);
    for (const OptionSpec &option : spec.options)
      if (option.name == name && index >= 0 &&
          index < int64_t(option.values.size()))
        value = option.values[size_t(index)];
  }
  return result;
}

static bool closeTo(double a, double b) {
  return std::abs(a - b) <= 1e-3 * std::max(std::abs(a), std::abs(b));
}

/// Whether the entry is what the call says, where it says anything.
static bool agrees(const OpSetEntry &entry, const RecognizedCall &call,
                   bool exactScalars) {
  for (auto &[variable, dtype] : call.dtypes)
    if (auto it = entry.dtypes.find(variable);
        it != entry.dtypes.end() && it->second != dtype)
      return false;
  for (auto &[option, value] : call.options)
    if (auto it = entry.options.find(option);
        it != entry.options.end() && it->second != value)
      return false;
  if (exactScalars)
    for (auto &[scalar, value] : call.scalars)
      if (auto it = entry.scalars.find(scalar);
          it != entry.scalars.end() && !closeTo(it->second, value))
        return false;
  return true;
}

static bool hasStatics(const OpSetEntry &entry, const RecognizedCall &call) {
  for (auto &[dim, values] : entry.staticDims)
    if (auto it = call.dims.find(dim); it != call.dims.end())
      if (it->second.isList ||
          !llvm::is_contained(values, it->second.elements[0]))
        return false;
  return true;
}

/// The op set's entry for the call: one with its scalars rather than without,
/// since a kernel takes those at run time. Null if there is none.
OpSetEntry *Placement::entryFor(const OperatorSpec &spec,
                                const RecognizedCall &call) {
  for (bool exactScalars : {true, false}) {
    for (OpSetEntry &entry : opset.entries) {
      if (entry.op != spec.name || !agrees(entry, call, exactScalars) ||
          (isFixed && !hasStatics(entry, call)))
        continue;
      return &entry;
    }
    if (!isFixed)
      break;
  }
  if (isFixed)
    return nullptr;
  OpSetEntry entry = defaultEntry(spec);
  unsigned same = llvm::count_if(
      opset.entries, [&](const OpSetEntry &e) { return e.op == spec.name; });
  if (same)
    entry.name += "_" + std::to_string(same + 1);
  for (auto &[variable, dtype] : call.dtypes)
    entry.dtypes[variable] = dtype;
  for (auto &[option, value] : call.options)
    entry.options[option] = value;
  for (auto &[scalar, value] : call.scalars)
    if (entry.scalars.count(scalar))
      entry.scalars[scalar] = value;
  opset.entries.push_back(std::move(entry));
  return &opset.entries.back();
}

PlacedCall Placement::place(const RecognizedCall &recognized) {
  PlacedCall placed;
  placed.rank = PlacedCall::Recognized;
  placed.op = recognized.op;
  placed.assumedStrides = recognized.assumedStrides;
  placed.problem = recognized.problem;
  if (!placed.problem.empty())
    return placed;
  auto spec = operators.find(recognized.op);
  if (spec == operators.end()) {
    placed.problem = "there is no such operator:" + dimsText(recognized.dims);
    return placed;
  }
  RecognizedCall call = withNames(spec->second, recognized);
  placed.problem = checkChoices(spec->second, call);
  if (!placed.problem.empty())
    return placed;
  OpSetEntry *entry = entryFor(spec->second, call);
  if (!entry) {
    placed.problem = "the op set has no entry for it:" + dimsText(call.dims);
    for (auto &[variable, dtype] : call.dtypes)
      placed.problem += ' ' + variable + '=' + dtype;
    for (auto &[option, value] : call.options)
      placed.problem += ' ' + option + '=' + value;
    return placed;
  }
  OpSetEntry widened = *entry;
  if (!isFixed)
    for (const DimSpec &dim : spec->second.dims) {
      auto it = call.dims.find(dim.name);
      if (dim.kind != DimKind::Static || it == call.dims.end() ||
          it->second.isList)
        continue;
      auto &values = widened.staticDims[dim.name];
      if (!llvm::is_contained(values, it->second.elements[0]))
        values.push_back(it->second.elements[0]);
    }
  auto dims = bindDims(spec->second, widened, call.dims);
  if (!dims) {
    placed.problem = llvm::toString(dims.takeError());
    return placed;
  }
  *entry = std::move(widened);
  for (const OptionSpec &option : spec->second.options)
    if (!call.options.count(option.name))
      placed.assumed.push_back(option.name + "=" + entry->options[option.name]);
  if (call.assumedDTypes)
    placed.assumed.push_back("dtype " + assumedDType);
  placed.rank = PlacedCall::Placed;
  placed.entry = entry->name;
  placed.dims = std::move(*dims);
  return placed;
}
