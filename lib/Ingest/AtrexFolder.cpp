//===- AtrexFolder.cpp - The files of one Atrex-Bench operator ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtrexFolder.h"
#include "JsonFile.h"

#include "lathe/Ingest/Yaml.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace lathe;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;
namespace json = llvm::json;
namespace path = llvm::sys::path;

static llvm::Error fail(const Twine &message) {
  return llvm::make_error<yaml::InputError>(message.str());
}

/// The object in `file`. Files that are missing or wrong become problems.
static json::Object readObject(StringRef folder, StringRef name,
                               std::vector<std::string> &problems) {
  llvm::SmallString<256> file(folder);
  path::append(file, name);
  if (!fs::exists(file)) {
    problems.push_back((file + ": error: no such file").str());
    return {};
  }
  auto value = readJsonFile(file);
  if (!value)
    problems.push_back(llvm::toString(value.takeError()));
  else if (json::Object *object = value->getAsObject())
    return std::move(*object);
  else
    problems.push_back((file + ": error: expected an object").str());
  return {};
}

/// A number greater than zero that may be missing, null or something else.
static double positive(const json::Object *object, StringRef key) {
  auto number = object ? object->getNumber(key) : std::nullopt;
  return number && *number > 0 && std::isfinite(*number) ? *number : 0;
}

/// Of several devices' times the first by name, the same for every shape.
static double productionTime(const json::Object *metadata) {
  const json::Object *devices =
      metadata ? metadata->getObject("production_performance") : nullptr;
  if (!devices)
    return 0;
  std::map<StringRef, double> times;
  for (auto &[device, value] : *devices)
    if (double time = positive(value.getAsObject(), "performance_us"))
      times[device] = time;
  return times.empty() ? 0 : times.begin()->second;
}

static void addArguments(const json::Value *value, AtrexShape &shape) {
  const json::Object *arguments = value ? value->getAsObject() : nullptr;
  if (!arguments) {
    if (value && value->kind() != json::Value::Null)
      shape.problem = "arguments are no object";
    return;
  }
  for (auto &[key, argument] : *arguments) {
    if (argument.kind() == json::Value::Null)
      continue;
    auto [it, fresh] = shape.arguments.try_emplace(key.str(), argument);
    if (!fresh && it->second != argument)
      shape.problem =
          "init_kwargs and input_kwargs disagree about '" + key.str() + "'";
  }
}

static void readShapes(const json::Object &shapes, const json::Object *metadata,
                       AtrexOperator &op) {
  std::vector<StringRef> ids;
  for (auto &[id, value] : shapes)
    ids.push_back(id);
  llvm::sort(ids,
             [](StringRef a, StringRef b) { return a.compare_numeric(b) < 0; });
  for (StringRef id : ids) {
    AtrexShape shape;
    shape.id = id.str();
    if (const json::Object *entry = shapes.getObject(id)) {
      addArguments(entry->get("init_kwargs"), shape);
      addArguments(entry->get("input_kwargs"), shape);
    } else {
      shape.problem = "entry is no object";
    }
    const json::Object *recorded = metadata ? metadata->getObject(id) : nullptr;
    shape.duration = positive(recorded, "total_duration_us");
    shape.count = positive(recorded, "call_count");
    shape.production = productionTime(recorded);
    op.shapes.push_back(std::move(shape));
  }
}

static AtrexOperator readOperator(StringRef folder) {
  AtrexOperator op;
  op.name = path::filename(folder).str();
  json::Object shapes = readObject(folder, "shapes.json", op.problems);
  json::Object metadata = readObject(folder, "metadata.json", op.notes);
  op.importance = positive(&metadata, "importance_score");
  if (auto phase = metadata.getString("phase"))
    op.phase = phase->str();
  for (StringRef key : {"output_dtypes", "input_dtypes"})
    if (const json::Object *dtypes = metadata.getObject(key))
      for (auto &[operand, value] : *dtypes)
        if (auto dtype = value.getAsString())
          op.dtypes[operand.str()] = dtype->str();
  readShapes(shapes, metadata.getObject("shapes"), op);
  return op;
}

Expected<std::vector<AtrexOperator>>
lathe::readAtrexFolder(StringRef directory) {
  llvm::SmallString<256> folder(directory);
  path::append(folder, "data");
  if (!fs::is_directory(folder))
    folder = directory;

  std::map<std::string, AtrexOperator> operators;
  std::error_code error;
  fs::directory_iterator it(folder, error), end;
  for (; !error && it != end; it.increment(error)) {
    llvm::SmallString<256> shapes(it->path());
    path::append(shapes, "shapes.json");
    if (fs::is_directory(it->path()) && fs::exists(shapes)) {
      AtrexOperator op = readOperator(it->path());
      operators[op.name] = std::move(op);
    }
  }
  if (error)
    return fail(folder.str() +
                ": error: cannot read folder: " + error.message());
  if (operators.empty())
    return fail(folder.str() + ": error: expected folders with shapes.json, "
                               "one per operator");

  llvm::SmallString<256> file(folder);
  path::append(file, "operator_importance.json");
  json::Value importance = nullptr;
  if (fs::exists(file)) {
    auto value = readJsonFile(file);
    if (!value)
      return value.takeError();
    importance = std::move(*value);
  }
  const json::Object *root = importance.getAsObject();
  if (const json::Object *scores =
          root ? root->getObject("operators") : nullptr)
    for (auto &[key, value] : *scores) {
      AtrexOperator &op = operators[key.str()];
      if (op.name.empty())
        op.problems.push_back("no folder with shapes");
      op.name = key.str();
      const json::Object *entry = value.getAsObject();
      if (double score = positive(entry, "importance_score"))
        op.importance = score;
      if (op.phase.empty() && entry)
        op.phase = entry->getString("phase").value_or("").str();
    }
  std::vector<AtrexOperator> result;
  for (auto &[name, op] : operators)
    result.push_back(std::move(op));
  return result;
}

std::optional<ExprValue> lathe::atrexValue(const json::Value &value) {
  if (auto integer = value.getAsInteger())
    return ExprValue(*integer);
  const json::Array *array = value.getAsArray();
  if (!array)
    return std::nullopt;
  std::vector<int64_t> elements;
  for (const json::Value &element : *array) {
    auto integer = element.getAsInteger();
    if (!integer)
      return std::nullopt;
    elements.push_back(*integer);
  }
  return ExprValue(std::move(elements));
}
