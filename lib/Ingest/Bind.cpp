//===- Bind.cpp - Values for the symbols of an operator -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Bind.h"

#include "lathe/Ingest/Figures.h"
#include "lathe/Ingest/Yaml.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace lathe;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

unsigned lathe::dtypeBits(StringRef name) {
  return llvm::StringSwitch<unsigned>(name)
      .Cases({"f64", "i64"}, 64)
      .Cases({"f32", "i32"}, 32)
      .Cases({"f16", "bf16", "i16"}, 16)
      .Cases({"f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ"}, 8)
      .Cases({"f8E8M0FNU", "i8", "i1"}, 8)
      .Case("f4E2M1FN", 4)
      .Default(0);
}

static llvm::Error fail(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

const OpSetEntry *lathe::findEntry(const OpSet &opset, StringRef name) {
  for (const OpSetEntry &entry : opset.entries)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

OpSetEntry lathe::defaultEntry(const OperatorSpec &spec) {
  OpSetEntry entry;
  entry.name = entry.op = spec.name;
  for (const OptionSpec &option : spec.options)
    entry.options[option.name] = option.defaultValue;
  for (auto &[variable, dtypes] : spec.dtypes)
    entry.dtypes[variable] = dtypes.front();
  for (const ScalarSpec &scalar : spec.scalars)
    entry.scalars[scalar.name] = scalar.defaultValue;
  return entry;
}

DTypeName lathe::resolveDType(const OpSetEntry &entry, StringRef name) {
  auto it = entry.dtypes.find(name);
  return it == entry.dtypes.end() ? name.str() : it->second;
}

/// The value that `dims`, the entry or the default gives to `dim`.
static Expected<ExprValue> valueOf(const DimSpec &dim, const OpSetEntry &entry,
                                   const Bindings &dims,
                                   const Bindings &earlier) {
  if (auto it = dims.find(dim.name); it != dims.end())
    return it->second;
  auto fixed = entry.staticDims.find(dim.name);
  if (fixed != entry.staticDims.end() && fixed->second.size() == 1)
    return ExprValue(fixed->second.front());
  if (fixed != entry.staticDims.end())
    return fail("missing dim '" + dim.name + "', for which '" + entry.name +
                "' has several values");
  if (!dim.defaultValue)
    return fail("missing dim '" + dim.name + "'");
  auto value = dim.defaultValue->evaluate(earlier);
  if (!value)
    return fail("default of dim '" + dim.name +
                "': " + llvm::toString(value.takeError()));
  return ExprValue(*value);
}

/// A figure that is given must be the list's.
static llvm::Error checkFigure(const DimSpec &dim, const ExprValue &value,
                               const Bindings &earlier) {
  auto own = dim.defaultValue->evaluate(earlier);
  if (!own)
    return own.takeError();
  if (value.elements.front() != *own)
    return fail("dim '" + dim.name + "' is " + Twine(value.elements.front()) +
                ", expected " + Twine(*own) + ", which is " +
                dim.defaultValue->str());
  return llvm::Error::success();
}

static llvm::Error checkDim(const DimSpec &dim, const OpSetEntry &entry,
                            const ExprValue &value, const Bindings &earlier) {
  bool wantsList = dim.kind == DimKind::List;
  if (value.isList != wantsList)
    return fail("dim '" + dim.name + "': expected " +
                (wantsList ? "a list" : "an integer") + ", found " +
                (wantsList ? "an integer" : "a list"));
  if (wantsList && int64_t(value.elements.size()) > maxListLength)
    return fail("dim '" + dim.name + "' has " + Twine(value.elements.size()) +
                " values, expected at most " + Twine(maxListLength));
  for (int64_t element : value.elements)
    if (element < dim.min || element > dim.max)
      return fail("dim '" + dim.name + "' is " + Twine(element) +
                  ", expected " + Twine(dim.min) + " to " + Twine(dim.max));
  if (dim.kind == DimKind::Stride && dim.defaultValue) {
    auto inner = dim.defaultValue->evaluate(earlier);
    if (!inner)
      return inner.takeError();
    if (value.elements.front() < *inner)
      return fail("stride '" + dim.name + "' is " +
                  Twine(value.elements.front()) + ", expected at least " +
                  Twine(*inner) + ", the extent it spans");
  }
  if (dim.kind == DimKind::Figure)
    return checkFigure(dim, value, earlier);
  auto fixed = entry.staticDims.find(dim.name);
  if (fixed != entry.staticDims.end() &&
      !llvm::is_contained(fixed->second, value.elements.front()))
    return fail("dim '" + dim.name + "' is " + Twine(value.elements.front()) +
                ", which '" + entry.name + "' does not list");
  return llvm::Error::success();
}

Expected<Bindings> lathe::bindChoices(const OperatorSpec &spec,
                                      const OpSetEntry &entry) {
  Bindings result;
  for (const OptionSpec &option : spec.options) {
    auto it = entry.options.find(option.name);
    const std::string &value =
        it == entry.options.end() ? option.defaultValue : it->second;
    auto found = llvm::find(option.values, value);
    if (found == option.values.end())
      return fail("option '" + option.name + "' has no value '" + value + "'");
    result[option.name] = int64_t(found - option.values.begin());
  }
  for (auto &[variable, dtypes] : spec.dtypes) {
    auto it = entry.dtypes.find(variable);
    StringRef dtype = it == entry.dtypes.end() ? StringRef(dtypes.front())
                                               : StringRef(it->second);
    if (!llvm::is_contained(dtypes, dtype))
      return fail("dtype variable '" + variable + "' cannot be '" + dtype +
                  "'");
    result[variable + "_bytes"] = int64_t((dtypeBits(dtype) + 7) / 8);
  }
  return result;
}

Expected<Bindings> lathe::bindAll(const OperatorSpec &spec,
                                  const OpSetEntry &entry,
                                  const Bindings &dims) {
  std::vector<StringRef> known;
  for (const DimSpec &dim : spec.dims)
    known.push_back(dim.name);
  for (auto &[name, value] : dims)
    if (!llvm::is_contained(known, name))
      return fail("unknown dim '" + name + "'" + yaml::suggestion(name, known));
  auto result = bindChoices(spec, entry);
  if (!result)
    return result;
  for (const DimSpec &dim : spec.dims) {
    auto value = valueOf(dim, entry, dims, *result);
    if (!value)
      return value.takeError();
    if (llvm::Error error = checkDim(dim, entry, *value, *result))
      return std::move(error);
    (*result)[dim.name] = *value;
  }
  return result;
}

Expected<Bindings> lathe::bindDims(const OperatorSpec &spec,
                                   const OpSetEntry &entry,
                                   const Bindings &dims) {
  auto all = bindAll(spec, entry, dims);
  if (!all)
    return all;
  Bindings result;
  for (const DimSpec &dim : spec.dims)
    result[dim.name] = std::move((*all)[dim.name]);
  return result;
}

/// Whether `entry` chooses what the variant asks for.
static bool isChosen(const ToleranceVariant &variant, const OperatorSpec &spec,
                     const OpSetEntry &entry) {
  return llvm::all_of(variant.when, [&](const auto &wanted) {
    const auto &[name, value] = wanted;
    for (const OptionSpec &option : spec.options)
      if (option.name == name) {
        auto own = entry.options.find(name);
        return value ==
               (own == entry.options.end() ? option.defaultValue : own->second);
      }
    auto own = entry.dtypes.find(name);
    if (own != entry.dtypes.end())
      return value == own->second;
    return llvm::any_of(spec.dtypes,
                        [&, &name = name, &value = value](auto &d) {
                          return d.first == name && d.second.front() == value;
                        });
  });
}

const ToleranceSpec &lathe::toleranceOf(const OperatorSpec &spec,
                                        const OpSetEntry &entry,
                                        StringRef output) {
  if (auto own = spec.outputTolerance.find(output);
      own != spec.outputTolerance.end())
    return own->second;
  for (const ToleranceVariant &variant : spec.toleranceVariants)
    if (isChosen(variant, spec, entry))
      return variant.tolerance;
  return spec.tolerance;
}

Expected<CostValue> lathe::evaluateCost(const OperatorSpec &spec,
                                        const OpSetEntry &entry,
                                        const Bindings &bindings) {
  CostValue result;
  auto evaluate = [&](const Expr &expr, const Twine &what,
                      int64_t &value) -> llvm::Error {
    auto computed = expr.evaluate(bindings);
    if (!computed)
      return fail(spec.name + ": " + what + ": " +
                  llvm::toString(computed.takeError()));
    if (*computed < 0)
      return fail(spec.name + ": " + what +
                  " is negative: " + Twine(*computed));
    value = *computed;
    return llvm::Error::success();
  };
  for (auto &[dtype, expr] : spec.cost.flops) {
    int64_t value;
    if (llvm::Error error = evaluate(expr, "flops", value))
      return std::move(error);
    result.flops.emplace_back(resolveDType(entry, dtype), value);
  }
  if (llvm::Error error =
          evaluate(spec.cost.readBytes, "bytes read", result.readBytes))
    return std::move(error);
  if (llvm::Error error =
          evaluate(spec.cost.writeBytes, "bytes written", result.writeBytes))
    return std::move(error);
  return result;
}

Expected<double> lathe::rooflineUs(const CostValue &cost,
                                   const Hardware &hardware) {
  double compute = 0;
  for (auto &[dtype, flops] : cost.flops) {
    if (!flops)
      continue;
    auto peak = hardware.peakFlops.find(dtype);
    if (peak == hardware.peakFlops.end())
      return fail(hardware.name + " has no peak for " + dtype);
    compute += double(flops) / peak->second;
  }
  double bytes = double(cost.readBytes) + double(cost.writeBytes);
  return std::max(compute, bytes / hardware.bandwidth) * 1e6;
}
