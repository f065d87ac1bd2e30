//===- Dims.cpp - Sizes as text, and names of runs ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Records/Records.h"

#include "lathe/Measure/Seed.h"

#include <ctime>

using namespace lathe;
using namespace lathe::records;

std::string
lathe::records::dimsText(const std::map<std::string, SizeValue> &dims) {
  std::string text;
  for (const auto &[name, value] : dims)
    text += (text.empty() ? "" : ",") + name + "=" + value.text();
  return text;
}

std::optional<std::map<std::string, SizeValue>>
lathe::records::parseDims(const std::string &text) {
  std::map<std::string, SizeValue> dims;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(',', at), text.size());
    size_t equal = text.find('=', at);
    if (equal == std::string::npos || equal >= end || equal == at)
      return std::nullopt;
    auto value = SizeValue::parse(
        std::string_view(text).substr(equal + 1, end - equal - 1));
    if (!value)
      return std::nullopt;
    dims[text.substr(at, equal - at)] = *value;
    at = end + 1;
  }
  // Order, repeats, zeros in front, a comma at the end.
  if (dimsText(dims) != text)
    return std::nullopt;
  return dims;
}

std::string lathe::records::newRunId() {
  std::string id;
  while (id.size() < 32)
    for (uint64_t bits = measure::randomSeed(), i = 0; i < 16; ++i, bits >>= 4)
      id += "0123456789abcdef"[bits & 15];
  return id;
}

std::string lathe::records::timestamp() {
  std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[32];
  return std::string(
      text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts));
}
