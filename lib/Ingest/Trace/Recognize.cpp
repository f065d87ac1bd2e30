//===- Recognize.cpp - Turns a framework's call into an operator ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace lathe;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

StringRef lathe::dtypeOfTorch(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"float", "float32", "torch.float32"}, "f32")
      .Cases({"double", "float64"}, "f64")
      .Cases({"c10::Half", "float16", "torch.float16"}, "f16")
      .Cases({"c10::BFloat16", "bfloat16", "torch.bfloat16"}, "bf16")
      .Case("c10::Float8_e4m3fn", "f8E4M3FN")
      .Case("c10::Float8_e4m3fnuz", "f8E4M3FNUZ")
      .Case("c10::Float8_e5m2", "f8E5M2")
      .Case("c10::Float8_e5m2fnuz", "f8E5M2FNUZ")
      .Case("c10::Float8_e8m0fnu", "f8E8M0FNU")
      .Cases({"long int", "int64", "long"}, "i64")
      .Cases({"int", "int32"}, "i32")
      .Cases({"short int", "int16"}, "i16")
      .Cases({"signed char", "int8"}, "i8")
      .Default("");
}

/// Lists of integers by position; a tensor list counts as absent.
static bool readLists(const json::Object &object, StringRef key,
                      std::vector<std::vector<int64_t>> &to) {
  const json::Array *lists = object.getArray(key);
  if (!lists)
    return false;
  for (const json::Value &item : *lists) {
    auto &list = to.emplace_back();
    if (const json::Array *elements = item.getAsArray())
      for (const json::Value &element : *elements) {
        auto number = element.getAsInteger();
        if (!number) {
          list.clear();
          break;
        }
        list.push_back(*number);
      }
  }
  return true;
}

static void readTexts(const json::Object &object, StringRef key,
                      std::vector<std::string> &to) {
  if (const json::Array *texts = object.getArray(key))
    for (const json::Value &item : *texts)
      to.push_back(item.getAsString().value_or("").str());
}

/// The parser recurses, and no call nests deeply.
static bool isTooDeep(StringRef text) {
  constexpr int maxDepth = 64;
  int depth = 0;
  for (char c : text) {
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (depth > maxDepth)
      return true;
  }
  return false;
}

std::optional<CallArguments> CallArguments::parse(StringRef text) {
  CallArguments arguments;
  if (text.empty())
    return arguments;
  if (isTooDeep(text))
    return std::nullopt;
  auto value = json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  const json::Object *object = value->getAsObject();
  if (!object)
    return std::nullopt;
  arguments.hasDims = readLists(*object, "dims", arguments.dims);
  arguments.hasStrides = readLists(*object, "strides", arguments.strides);
  readTexts(*object, "types", arguments.types);
  readTexts(*object, "values", arguments.values);
  return arguments;
}

llvm::Expected<PatternOption> PatternOption::parse(StringRef text) {
  PatternOption result;
  auto value = AtrexOption::parse(text);
  if (value) {
    result.value = std::move(*value);
    return result;
  }
  llvm::consumeError(value.takeError());
  auto index = AtrexDim::parse(text);
  if (!index)
    return index.takeError();
  result.index = std::move(*index);
  return result;
}

bool Pattern::matches(StringRef name) const {
  return llvm::is_contained(names, name) || (regex && regex->match(name));
}

/// The value of dims0, strides0, value0, ..., if the call has it.
static std::optional<ExprValue> lookup(const CallArguments &call,
                                       StringRef key) {
  const std::vector<std::vector<int64_t>> *lists = nullptr;
  if (key.consume_front("dims"))
    lists = &call.dims;
  else if (key.consume_front("strides"))
    lists = &call.strides;
  else if (!key.consume_front("value"))
    return std::nullopt;
  unsigned index;
  int64_t number;
  if (key.getAsInteger(10, index))
    return std::nullopt;
  if (lists)
    return index < lists->size() ? std::optional(ExprValue((*lists)[index]))
                                 : std::nullopt;
  if (index >= call.values.size())
    return std::nullopt;
  StringRef text = call.values[index];
  if (text == "True" || text == "False")
    return ExprValue(int64_t(text == "True"));
  if (text.getAsInteger(10, number))
    return std::nullopt;
  return ExprValue(number);
}

static std::string listText(llvm::ArrayRef<int64_t> list) {
  std::string text;
  for (int64_t element : list)
    text += (text.empty() ? "" : ", ") + std::to_string(element);
  return "[" + text + "]";
}

/// The pitch of rows when all leading dimensions are one; nothing if their
/// steps differ or the rows are not dense. At most one row has no pitch.
static std::optional<int64_t> rowPitch(llvm::ArrayRef<int64_t> dims,
                                       llvm::ArrayRef<int64_t> strides) {
  if (dims.empty() || dims.size() != strides.size() ||
      (dims.back() > 1 && strides.back() != 1))
    return std::nullopt;
  if (llvm::is_contained(dims, 0))
    return dims.back();
  std::optional<int64_t> pitch;
  int64_t rows = 1;
  for (size_t i = dims.size() - 1; i-- > 0;) {
    if (dims[i] == 1)
      continue;
    int64_t expected;
    if (!pitch)
      pitch = strides[i];
    else if (llvm::MulOverflow(*pitch, rows, expected) ||
             strides[i] != expected)
      return std::nullopt;
    if (llvm::MulOverflow(rows, dims[i], rows))
      return std::nullopt;
  }
  return pitch.value_or(dims.back());
}

namespace {
/// Applies one pattern to one call.
class Matcher {
public:
  Matcher(const Pattern &pattern, const CallArguments &call,
          StringRef assumedDType, RecognizedCall &result)
      : pattern(pattern), call(call), assumedDType(assumedDType),
        result(result) {}

  bool run() {
    if (pattern.when) {
      auto holds = evaluate(*pattern.when);
      if (!holds || holds->isList || !holds->elements[0])
        return fail("the arguments are none that a pattern knows");
    }
    return dims() && strides() && dtypes() && scalars() && options();
  }

private:
  bool fail(const Twine &problem) {
    result.problem = problem.str();
    return false;
  }

  std::optional<ExprValue> evaluate(const AtrexDim &mapping) {
    auto value =
        mapping.evaluate([&](StringRef key) { return lookup(call, key); });
    if (value)
      return *value;
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }

  bool dims() {
    for (auto &[dim, mapping] : pattern.dims) {
      auto value = evaluate(mapping);
      if (!value)
        return fail("the arguments do not give dim " + dim);
      result.dims[dim] = *value;
    }
    return true;
  }

  bool strides() {
    for (auto &[dim, position] : pattern.strides) {
      if (position >= call.dims.size() || call.dims[position].empty())
        return fail("argument " + Twine(position) + " has no dims");
      if (position >= call.strides.size() ||
          (call.strides[position].empty() && !call.dims[position].empty())) {
        result.assumedStrides = true;
        continue;
      }
      auto pitch = rowPitch(call.dims[position], call.strides[position]);
      if (!pitch)
        return fail("argument " + Twine(position) + " with dims " +
                    listText(call.dims[position]) + " and strides " +
                    listText(call.strides[position]) +
                    " is no list of dense rows of one pitch");
      // A broadcast row is one that the operator does not describe.
      if (*pitch < call.dims[position].back())
        return fail("argument " + Twine(position) + " has overlapping rows");
      result.dims[dim] = *pitch;
    }
    return true;
  }

  StringRef typeOf(unsigned position) const {
    return position < call.types.size() ? StringRef(call.types[position]) : "";
  }

  bool dtypes() {
    for (auto &[position, dtype] : pattern.types)
      if (dtypeOfTorch(typeOf(position)) != dtype)
        return fail("argument " + Twine(position) + " has dtype '" +
                    typeOf(position) + "', expected " + dtype);
    for (auto &[variable, position] : pattern.dtypes) {
      if (call.types.empty() && !assumedDType.empty()) {
        result.dtypes[variable] = assumedDType.str();
        result.assumedDTypes = true;
        continue;
      }
      StringRef type = typeOf(position), dtype = dtypeOfTorch(type);
      if (dtype.empty())
        return fail("argument " + Twine(position) + " has dtype '" + type +
                    "'");
      result.dtypes[variable] = dtype.str();
    }
    for (auto &[variable, dtype] : pattern.fixedDTypes)
      result.dtypes[variable] = dtype;
    return true;
  }

  bool scalars() {
    for (auto &[name, position] : pattern.scalars) {
      double value;
      // An absent default argument is recorded as an empty text.
      if (position < call.values.size() &&
          !StringRef(call.values[position]).getAsDouble(value) &&
          std::isfinite(value))
        result.scalars[name] = value;
    }
    return true;
  }

  bool options() {
    for (auto &[name, option] : pattern.options) {
      const AtrexOption &mapping = option.value;
      StringRef key = mapping.key;
      unsigned position;
      if (key.empty()) {
        if (auto index = evaluate(option.index); index && !index->isList)
          result.optionIndices[name] = index->elements[0];
        continue;
      }
      if (!key.consume_front("value") || key.getAsInteger(10, position) ||
          position >= call.values.size() || call.values[position].empty())
        continue;
      std::string value = call.values[position];
      auto renamed = mapping.names.find(value);
      result.options[name] =
          renamed == mapping.names.end() ? value : renamed->second;
    }
    return true;
  }

  const Pattern &pattern;
  const CallArguments &call;
  StringRef assumedDType;
  RecognizedCall &result;
};
} // namespace

std::optional<RecognizedCall> lathe::recognize(llvm::ArrayRef<Pattern> patterns,
                                               StringRef name,
                                               StringRef arguments,
                                               StringRef assumedDType) {
  std::optional<RecognizedCall> first;
  std::optional<CallArguments> call;
  for (const Pattern &pattern : patterns) {
    if (!pattern.matches(name))
      continue;
    RecognizedCall result;
    result.op = pattern.op;
    if (!call)
      call = CallArguments::parse(arguments);
    if (!pattern.unshaped.empty())
      result.problem = pattern.unshaped;
    else if (!call)
      result.problem = "its arguments are damaged";
    else if (!call->hasDims)
      result.problem = "no shape was recorded";
    else if (Matcher(pattern, *call, assumedDType, result).run())
      return result;
    if (!first)
      first = std::move(result);
  }
  return first;
}
