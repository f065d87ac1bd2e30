//===- WritePlan.cpp - A candidate plan to JSON ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanFields.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <type_traits>

using namespace lathe::measure;
using Json = nlohmann::ordered_json;

namespace {

template <typename T> Json toJson(const T &value);

Json toJson(const std::string &value) { return value; }

/// JSON has no word for what is not finite.
Json toJson(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  return value;
}

Json toJson(const lathe::SizeValue &value) {
  return value.isList() ? Json(value.text()) : Json(value.asNumber());
}

/// In their order, which matters.
Json toJson(const std::pair<std::string, std::string> &pair) {
  return Json::array({pair.first, pair.second});
}

template <typename T> Json toJson(const std::vector<T> &list) {
  Json out = Json::array();
  for (const T &item : list)
    out.push_back(toJson(item));
  return out;
}

template <typename T> Json toJson(const std::map<std::string, T> &map) {
  Json out = Json::object();
  for (const auto &[name, value] : map)
    out[name] = toJson(value);
  return out;
}

struct Writer {
  Json out = Json::object();

  template <typename T> void operator()(const char *name, const T &value) {
    out[name] = toJson(value);
  }
  void operator()(const char *name, const uint32_t (&values)[3]) {
    out[name] = Json::array({values[0], values[1], values[2]});
  }
  template <typename T, size_t size>
  void choice(const char *name, T value, const char *const (&names)[size]) {
    out[name] = names[static_cast<size_t>(value)];
  }
};

template <typename T> Json toJson(const T &value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return value;
  } else {
    Writer writer;
    // One list of fields serves readers too; writing changes nothing.
    describe(writer, const_cast<T &>(value));
    return std::move(writer.out);
  }
}

} // namespace

std::string lathe::measure::writePlan(const Candidates &candidates) {
  Json out = toJson(candidates);
  out["version"] = planVersion;
  // Names come from files that people write, in whatever encoding.
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}
