//===- Options.cpp - What LATHE_FAKE_CUDA says ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

using namespace fake;

[[noreturn]] static void reject(const std::string &what) {
  std::fprintf(stderr, "fake CUDA driver: %s in LATHE_FAKE_CUDA\n",
               what.c_str());
  std::_Exit(97);
}

static void set(Options &options, const std::string &key,
                const std::string &value) {
  char *end = nullptr;
  double number = std::strtod(value.c_str(), &end);
  bool isNumber = !value.empty() && *end == 0;
  auto want = [&] {
    if (!isNumber)
      reject("'" + value + "' for '" + key + "', expected a number");
    return number;
  };
  auto onOff = [&] { return value == "on" || value == "1"; };
  if (key == "devices")
    options.devices = int(want());
  else if (key == "arch")
    options.arch = int(want());
  else if (key == "driver")
    options.driver = int(want());
  else if (key == "l2_kb")
    options.l2Bytes = uint64_t(want() * 1024);
  else if (key == "memory_mb")
    options.memoryBytes = uint64_t(want() * 1024 * 1024);
  else if (key == "seed")
    options.seed = uint64_t(want());
  else if (key == "jitter")
    options.jitter = want();
  else if (key == "clock_scale")
    options.clockScale = want();
  else if (key == "throttle")
    options.throttle = unsigned(want());
  else if (key == "nvml")
    options.nvml = onOff();
  else if (key == "cupti")
    options.cupti = onOff();
  else if (key == "graphs")
    options.graphs = onOff();
  else if (key == "fast")
    options.fast = onOff();
  else if (key == "lost")
    options.lost = value;
  else if (key == "log")
    options.log = value;
  else
    reject("unknown option '" + key + "'");
}

static Options read() {
  Options options;
  const char *text = std::getenv("LATHE_FAKE_CUDA");
  std::istringstream list(text ? text : "");
  for (std::string item; std::getline(list, item, ',');) {
    size_t equals = item.find('=');
    if (equals == std::string::npos)
      reject("'" + item + "', expected KEY=VALUE");
    set(options, item.substr(0, equals), item.substr(equals + 1));
  }
  const char *visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!visible) {
    for (int i = 0; i < options.devices; ++i)
      options.visible.push_back(i);
    return options;
  }
  // As the driver: what follows the first invalid ordinal is not visible.
  std::istringstream ordinals(visible);
  for (std::string item; std::getline(ordinals, item, ',');) {
    char *end = nullptr;
    long ordinal = std::strtol(item.c_str(), &end, 10);
    if (item.empty() || *end || ordinal < 0 || ordinal >= options.devices)
      break;
    options.visible.push_back(int(ordinal));
  }
  return options;
}

const Options &fake::options() {
  static const Options options = read();
  return options;
}
