//===- Nvml.cpp - A libnvidia-ml.so.1 without a GPU -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#define EXPORT extern "C" __attribute__((visibility("default")))

static constexpr int invalidArgument = 2, notFound = 6, libraryMissing = 12;
static constexpr unsigned long long thermalSlowdown = 0x20;

EXPORT int nvmlInit_v2() { return fake::options().nvml ? 0 : libraryMissing; }

/// "GPU-46414b45-0000-0000-0000-000000000001" is the second device.
EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, void **handle) {
  const char prefix[] = "GPU-46414b45-0000-0000-0000-";
  if (std::strncmp(uuid, prefix, sizeof prefix - 1) != 0)
    return notFound;
  unsigned long ordinal = std::strtoul(uuid + sizeof prefix - 1, nullptr, 16);
  if (ordinal >= unsigned(fake::options().devices))
    return notFound;
  *handle = reinterpret_cast<void *>(ordinal + 1);
  return 0;
}

EXPORT int nvmlDeviceGetClockInfo(void *, int type, unsigned *mhz) {
  if (type != 1 && type != 2)
    return invalidArgument;
  *mhz = type == 1 ? 1980 : 3201;
  return 0;
}

EXPORT int nvmlDeviceGetTemperature(void *, int sensor, unsigned *celsius) {
  *celsius = 42;
  return sensor == 0 ? 0 : invalidArgument;
}

EXPORT int nvmlDeviceGetPowerUsage(void *, unsigned *milliwatts) {
  *milliwatts = 310000;
  return 0;
}

EXPORT int nvmlDeviceGetCurrentClocksEventReasons(void *,
                                                  unsigned long long *mask) {
  static unsigned owed = 0;
  owed += fake::options().throttle;
  *mask = 0;
  if (owed >= 100) {
    owed -= 100;
    *mask = thermalSlowdown;
  }
  return 0;
}

EXPORT int nvmlSystemGetDriverVersion(char *text, unsigned size) {
  std::snprintf(text, size, "580.0.fake");
  return 0;
}
