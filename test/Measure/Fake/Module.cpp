//===- Module.cpp - Module images that are text ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <cstring>
#include <set>
#include <sstream>

using namespace fake;

static const std::set<std::string> behaviours = {
    "add_one",       "reference",   "nothing", "half",       "constant",
    "skip_last",     "wrong_rows",  "racy",    "wrong_rare", "coarse",
    "modify_input",  "fault",       "trap",    "hang",       "slow",
    "out_of_bounds", "abort",       "segv",    "exit",       "spin_host",
    "lost",          "side_stream", "cached",  "steal",      "too_big",
    "launch_error"};
static const std::set<std::string> numberKeys = {
    "value", "quantum", "above", "from",       "to",      "by",
    "us",    "code",    "after", "until",      "beyond",  "below",
    "every", "time_us", "gbps",  "warm_cache", "cold_us", "maps"};
static const std::set<std::string> flagKeys = {"cold", "warm"};

/// "key=number" or a flag; false if it is neither.
static bool parseOption(const std::string &word, Function &function) {
  size_t equals = word.find('=');
  if (equals == std::string::npos) {
    function.numbers[word] = 1;
    return flagKeys.count(word);
  }
  std::string key = word.substr(0, equals), value = word.substr(equals + 1);
  if (key == "do") {
    function.behaviour = value;
    return behaviours.count(value);
  }
  // "warm" alone is a condition, with a number a factor.
  if (key == "warm")
    key = "warm_cache";
  char *end = nullptr;
  function.numbers[key] = std::strtod(value.c_str(), &end);
  return numberKeys.count(key) && !value.empty() && *end == 0;
}

static std::string parseText(std::istringstream &lines, Module &module) {
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word[0] == '#')
      continue;
    auto function = std::make_unique<Function>();
    function->module = &module;
    if (word != "kernel" || !(words >> function->symbol))
      return "expected 'kernel SYMBOL' in '" + line + "'";
    while (words >> word)
      if (!parseOption(word, *function))
        return "unknown '" + word + "' in '" + line + "'";
    module.functions[function->symbol] = std::move(function);
  }
  return "";
}

/// Names of entries; what they do is known by them.
static void parsePtx(const char *image, Module &module) {
  module.isPtx = true;
  for (const char *at = image; (at = std::strstr(at, ".entry"));) {
    at += strlen(".entry");
    at += std::strspn(at, " \t\n");
    size_t length = std::strcspn(at, " \t\n({");
    auto function = std::make_unique<Function>();
    function->module = &module;
    function->symbol.assign(at, length);
    module.functions[function->symbol] = std::move(function);
  }
}

std::unique_ptr<Module> fake::parseModule(const char *image, Device &device,
                                          int &result, std::string &log) {
  auto module = std::make_unique<Module>();
  module->device = &device;
  result = success;
  std::istringstream lines(image);
  std::string first, word;
  std::getline(lines, first);
  std::istringstream words(first);
  words >> word;
  if (word != "fake-module") {
    parsePtx(image, *module);
    if (module->functions.empty()) {
      result = invalidImage;
      log = "neither 'fake-module' nor PTX";
    }
    return module;
  }
  while (words >> word) {
    double number = std::strtod(word.c_str() + word.find('=') + 1, nullptr);
    if (word.compare(0, 5, "fail=") == 0) {
      result = int(number);
    } else if (word.compare(0, 5, "arch=") == 0) {
      if (int(number) / 10 != options().arch / 10)
        result = noBinary;
    } else {
      result = invalidImage;
      log = "unknown '" + word + "' in '" + first + "'";
    }
  }
  std::string error = parseText(lines, *module);
  if (!error.empty()) {
    result = invalidImage;
    log = error;
  }
  return module;
}
