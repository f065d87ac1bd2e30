//===- Verdict.cpp - What the device said of a candidate ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Measure/Verdict.h"

#include <iterator>

using namespace lathe::measure;

static constexpr const char *names[] = {"PASSED",      "WRONG",   "RACY",
                                        "FAULT",       "TIMEOUT", "CRASH",
                                        "DEVICE_LOST", "REFUSED", "VOID"};

const char *lathe::measure::verdictName(DeviceVerdict verdict) {
  return names[size_t(verdict)];
}

std::optional<DeviceVerdict>
lathe::measure::parseDeviceVerdict(std::string_view name) {
  for (size_t i = 0; i != std::size(names); ++i)
    if (name == names[i])
      return DeviceVerdict(i);
  return std::nullopt;
}
