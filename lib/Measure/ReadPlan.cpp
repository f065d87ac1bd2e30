//===- ReadPlan.cpp - A candidate plan from JSON --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanFields.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <stdexcept>
#include <type_traits>

using namespace lathe::measure;
using Json = nlohmann::json;

namespace {

constexpr size_t maxJsonBytes = size_t(256) << 20;
/// Of one list: no plan comes near, and a list of the smallest items that fit
/// the text is no more.
constexpr size_t maxItems = size_t(1) << 20;
constexpr size_t maxText = size_t(1) << 16;

[[noreturn]] void fail(const std::string &path, const std::string &what) {
  throw std::runtime_error("candidates: " + path + ": " + what);
}

std::string kindOf(const Json &value) { return value.type_name(); }

class Reader {
public:
  Reader(const Json &in, const std::string &path) : in(in), path(path) {
    if (!in.is_object())
      fail(path, "found " + kindOf(in) + ", expected an object");
  }

  template <typename T> void operator()(const char *name, T &value) {
    read(at(name), path + "." + name, value);
  }
  void operator()(const char *name, uint32_t (&values)[3]) {
    std::vector<uint32_t> list;
    (*this)(name, list);
    if (list.size() != 3)
      fail(path + "." + name,
           "found " + std::to_string(list.size()) + " numbers, expected 3");
    for (size_t i = 0; i != 3; ++i)
      values[i] = list[i];
  }
  template <typename T, size_t size>
  void choice(const char *name, T &value, const char *const (&names)[size]) {
    std::string text;
    (*this)(name, text);
    for (size_t i = 0; i != size; ++i)
      if (text == names[i]) {
        value = static_cast<T>(i);
        return;
      }
    fail(path + "." + name, "unknown value '" + text.substr(0, 80) + "'");
  }

private:
  const Json &at(const char *name) const {
    auto found = in.find(name);
    if (found == in.end())
      fail(path, "has no field '" + std::string(name) + "'");
    return *found;
  }

  static void read(const Json &from, const std::string &path,
                   std::string &value) {
    if (!from.is_string())
      fail(path, "found " + kindOf(from) + ", expected a text");
    value = from.get_ref<const std::string &>();
    if (value.size() > maxText)
      fail(path, "a text of " + std::to_string(value.size()) + " bytes");
  }
  static void read(const Json &from, const std::string &path, bool &value) {
    if (!from.is_boolean())
      fail(path, "found " + kindOf(from) + ", expected true or false");
    value = from.get<bool>();
  }
  static void read(const Json &from, const std::string &path, double &value) {
    if (from.is_number())
      value = from.get<double>();
    else if (from == "inf" || from == "-inf")
      value = from == "inf" ? INFINITY : -INFINITY;
    else if (from == "nan")
      value = NAN;
    else
      fail(path, "found " + kindOf(from) + ", expected a number");
  }
  template <typename T>
  static std::enable_if_t<std::is_integral_v<T>>
  read(const Json &from, const std::string &path, T &value) {
    if (!from.is_number_integer())
      fail(path, "found " + kindOf(from) + ", expected an integer");
    bool fits =
        from.is_number_unsigned()
            ? from.get<uint64_t>() <= uint64_t(std::numeric_limits<T>::max())
            : std::is_signed_v<T> &&
                  from.get<int64_t>() >= int64_t(std::numeric_limits<T>::min());
    if (!fits)
      fail(path, "the integer is out of range");
    value = from.get<T>();
  }
  static void read(const Json &from, const std::string &path,
                   lathe::SizeValue &value) {
    if (!from.is_string()) {
      int64_t number = 0;
      read(from, path, number);
      value = number;
      return;
    }
    auto parsed = lathe::SizeValue::parse(from.get_ref<const std::string &>());
    if (!parsed || !parsed->isList())
      fail(path, "found a text, expected an integer or the name of a list");
    value = *parsed;
  }
  static void read(const Json &from, const std::string &path,
                   std::pair<std::string, std::string> &value) {
    if (!from.is_array() || from.size() != 2)
      fail(path, "expected a name and its value");
    read(from[0], path + "[0]", value.first);
    read(from[1], path + "[1]", value.second);
  }
  template <typename T>
  static void read(const Json &from, const std::string &path,
                   std::vector<T> &value) {
    if (!from.is_array())
      fail(path, "found " + kindOf(from) + ", expected a list");
    if (from.size() > maxItems)
      fail(path, "a list of " + std::to_string(from.size()) + " items");
    value.clear();
    for (size_t i = 0; i != from.size(); ++i) {
      T item{};
      read(from[i], path + "[" + std::to_string(i) + "]", item);
      value.push_back(std::move(item));
    }
  }
  template <typename T>
  static void read(const Json &from, const std::string &path,
                   std::map<std::string, T> &value) {
    if (!from.is_object())
      fail(path, "found " + kindOf(from) + ", expected an object");
    value.clear();
    for (const auto &item : from.items())
      read(item.value(), path + "." + item.key().substr(0, 80),
           value[item.key()]);
  }
  template <typename T>
  static std::enable_if_t<std::is_class_v<T>>
  read(const Json &from, const std::string &path, T &value) {
    Reader reader(from, path);
    describe(reader, value);
  }

  const Json &in;
  std::string path;
};

} // namespace

Candidates lathe::measure::readPlan(std::string_view text) {
  if (text.size() > maxJsonBytes)
    throw std::runtime_error("candidates: a plan of " +
                             std::to_string(text.size()) + " bytes");
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    throw std::runtime_error("candidates: not JSON");
  Reader reader(json, "plan");
  int64_t version = 0;
  reader("version", version);
  if (version != planVersion)
    fail("plan.version", "found " + std::to_string(version) + ", expected " +
                             std::to_string(planVersion));
  Candidates candidates;
  describe(reader, candidates);
  checkPlan(candidates);
  return candidates;
}
