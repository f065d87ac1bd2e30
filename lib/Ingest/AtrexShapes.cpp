//===- AtrexShapes.cpp - Maps benchmark entries to dims -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtrexShapes.h"

#include "AtrexMapping.h"
#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Write.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <set>

using namespace lathe;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

/// Elements of all lists of one operator: a file can ask for many.
static constexpr size_t maxListElements = 1 << 23;

static llvm::Error fail(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static StringRef dtypeNamed(StringRef atrex) {
  return llvm::StringSwitch<StringRef>(atrex)
      .Cases({"bf16", "bfloat16"}, "bf16")
      .Cases({"fp16", "float16"}, "f16")
      .Cases({"fp32", "float32"}, "f32")
      .Cases({"fp8_e4m3", "float8_e4m3fn"}, "f8E4M3FN")
      .Case("float8_e4m3fnuz", "f8E4M3FNUZ")
      .Cases({"fp8_e5m2", "float8_e5m2"}, "f8E5M2")
      .Cases({"int8", "i8"}, "i8")
      .Cases({"int32", "i32"}, "i32")
      .Cases({"int64", "i64"}, "i64")
      .Default("");
}

const llvm::json::Value *AtrexShapeMapper::argument(const AtrexShape &shape,
                                                    StringRef key) {
  used.insert(key);
  auto it = shape.arguments.find(key);
  return it == shape.arguments.end() ? nullptr : &it->second;
}

std::vector<std::string> AtrexShapeMapper::unusedArguments() const {
  std::set<std::string> names;
  for (const AtrexShape &shape : op.shapes)
    for (auto &[key, value] : shape.arguments)
      if (!used.count(key))
        names.insert(key);
  return {names.begin(), names.end()};
}

/// What an option's argument is called: text, or true and false.
static std::string choiceText(const llvm::json::Value &value) {
  if (auto text = value.getAsString())
    return text->str();
  if (auto flag = value.getAsBoolean())
    return *flag ? "true" : "false";
  if (auto number = value.getAsNumber())
    return numberText(*number);
  return "";
}

llvm::Error AtrexShapeMapper::mapDType(const AtrexShape &shape,
                                       StringRef variable,
                                       llvm::ArrayRef<DTypeName> legal,
                                       OpSetEntry &entry) {
  // Variables that the operator does not map keep their default.
  bool isMapped = false;
  for (auto &[name, text] : spec.atrex.dtypes) {
    if (name != variable)
      continue;
    isMapped = true;
    const llvm::json::Value *value =
        argument(shape, llvm::cantFail(AtrexOption::parse(text)).key);
    if (!value)
      break;
    StringRef dtype = dtypeNamed(value->getAsString().value_or(""));
    if (!llvm::is_contained(legal, dtype))
      return fail("dtype '" + choiceText(*value) + "' is none of " +
                  llvm::join(legal, ", "));
    entry.dtypes[variable.str()] = dtype.str();
    return llvm::Error::success();
  }
  // Recorded dtypes are nominal ("bf16/fp16"): only a legal one counts.
  for (const OperandSpec &operand : spec.operands) {
    auto recorded = op.dtypes.find(operand.name);
    if (!isMapped || operand.dtype != variable || recorded == op.dtypes.end())
      continue;
    StringRef dtype = dtypeNamed(recorded->second);
    if (!llvm::is_contained(legal, dtype))
      continue;
    entry.dtypes[variable.str()] = dtype.str();
    break;
  }
  return llvm::Error::success();
}

llvm::Error AtrexShapeMapper::mapChoices(const AtrexShape &shape,
                                         OpSetEntry &entry) {
  for (auto &[name, text] : spec.atrex.options) {
    AtrexOption mapping = llvm::cantFail(AtrexOption::parse(text));
    const llvm::json::Value *value = argument(shape, mapping.key);
    if (!value)
      continue;
    std::string choice = choiceText(*value);
    if (auto it = mapping.names.find(choice); it != mapping.names.end())
      choice = it->second;
    auto option = llvm::find_if(
        spec.options, [&, &n = name](auto &o) { return o.name == n; });
    if (!llvm::is_contained(option->values, choice))
      return fail("'" + mapping.key + "' is '" + choice +
                  "', expected one of " + llvm::join(option->values, ", "));
    entry.options[name] = choice;
  }
  for (auto &[name, text] : spec.atrex.scalars) {
    AtrexOption mapping = llvm::cantFail(AtrexOption::parse(text));
    const llvm::json::Value *value = argument(shape, mapping.key);
    if (!value)
      continue;
    auto number = value->getAsNumber();
    if (!number)
      return fail("'" + mapping.key + "' is no number");
    entry.scalars[name] = *number;
  }
  for (auto &[variable, legal] : spec.dtypes)
    if (llvm::Error error = mapDType(shape, variable, legal, entry))
      return error;
  return llvm::Error::success();
}

Expected<Mapped> AtrexShapeMapper::map(const AtrexShape &shape) {
  if (!shape.problem.empty())
    return fail(shape.problem);
  Mapped result;
  result.entry = defaultEntry(spec);
  if (llvm::Error error = mapChoices(shape, result.entry))
    return std::move(error);
  Bindings dims;
  for (auto &[name, text] : spec.atrex.dims) {
    std::string malformed;
    auto value = llvm::cantFail(AtrexDim::parse(text))
                     .evaluate([&](StringRef key) -> std::optional<ExprValue> {
                       const llvm::json::Value *found = argument(shape, key);
                       auto converted =
                           found ? atrexValue(*found) : std::nullopt;
                       if (found && !converted)
                         malformed = key.str();
                       return converted;
                     });
    if (!value)
      return fail("dim '" + name + "': " + llvm::toString(value.takeError()));
    if (!malformed.empty())
      return fail("'" + malformed +
                  "' is neither an integer nor a list of them");
    if (!*value)
      continue;
    listElements += (*value)->elements.size();
    if (listElements > maxListElements)
      return fail("the lists of this operator have more than " +
                  Twine(maxListElements) + " elements");
    dims[name] = std::move(**value);
  }
  auto bound = bindDims(spec, result.entry, dims);
  if (!bound)
    return bound.takeError();
  result.dims = std::move(*bound);
  return result;
}
