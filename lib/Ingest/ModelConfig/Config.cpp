//===- Config.cpp - The fields of a config.json ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Config.h"

#include "../JsonFile.h"
#include "lathe/Ingest/Yaml.h"

#include <set>

using namespace lathe;
using llvm::StringRef;
namespace json = llvm::json;

/// Where multi-modal configs keep the language model.
static constexpr StringRef textModels[] = {"text_config", "llm_config",
                                           "language_config"};

void Config::add(const json::Object &object, const std::string &prefix) {
  for (auto &[key, value] : object) {
    std::string name = prefix + key.str();
    if (const json::Object *inner = value.getAsObject())
      add(*inner, name + ".");
    else if (value.kind() != json::Value::Null)
      fields.insert_or_assign(name, value);
  }
}

llvm::Expected<Config> Config::read(StringRef file) {
  auto value = readJsonFile(file);
  if (!value)
    return value.takeError();
  json::Object *object = value->getAsObject();
  if (!object)
    return llvm::make_error<yaml::InputError>(
        file.str() + ": error: expected an object, the model's config");
  Config config;
  for (StringRef name : textModels)
    if (const json::Object *text = object->getObject(name)) {
      json::Object inner = *text;
      object->erase(name);
      // Outer fields of the same name speak of the whole.
      config.add(*object, "");
      config.add(inner, "");
      return config;
    }
  config.add(*object, "");
  return config;
}

const json::Value *Config::find(StringRef field) const {
  looked.insert(field);
  auto it = fields.find(field);
  return it == fields.end() ? nullptr : &it->second;
}

std::string Config::text(StringRef field) const {
  const json::Value *value = find(field);
  auto text = value ? value->getAsString() : std::nullopt;
  return text ? text->str() : "";
}

std::vector<std::string>
Config::unread(const llvm::StringSet<> &ignored) const {
  std::set<std::string> names;
  for (auto &field : fields) {
    StringRef name = field.first, outer = name.split('.').first;
    if (!looked.contains(name) && !ignored.contains(name) &&
        !ignored.contains(outer))
      names.insert(shownText(name.count('.') > 1 ? outer : name));
  }
  return {names.begin(), names.end()};
}
