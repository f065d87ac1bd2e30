//===- Clocks.cpp - Clocks and throttling by libnvidia-ml.so.1 ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declared as in NVML's documentation; without the library nothing is known.
//
//===----------------------------------------------------------------------===//

#include "lathe/Measure/Device.h"

#include <algorithm>
#include <dlfcn.h>

using namespace lathe::measure;

namespace {

struct Reason {
  uint64_t bit;
  const char *name;
  bool isThrottling;
};
// nvmlClocksEventReasons. A power cap is the device's own limit under the load
// that is measured, so it counts as what the hardware can do.
constexpr Reason reasons[] = {
    {0x1, "idle", false},
    {0x2, "application clocks", false},
    {0x4, "power cap", false},
    {0x8, "hardware slowdown", true},
    {0x10, "sync boost", false},
    {0x20, "software thermal slowdown", true},
    {0x40, "hardware thermal slowdown", true},
    {0x80, "power brake", true},
    {0x100, "display clocks", false},
};

constexpr int clockSm = 1, clockMemory = 2, temperatureGpu = 0;

} // namespace

bool ClockSample::isThrottled() const {
  return std::any_of(std::begin(reasons), std::end(reasons),
                     [&](const Reason &reason) {
                       return reason.isThrottling && (throttle & reason.bit);
                     });
}

std::string ClockSample::throttleText() const {
  std::string text;
  for (const Reason &reason : reasons)
    if (throttle & reason.bit)
      text += (text.empty() ? "" : ", ") + std::string(reason.name);
  return text;
}

struct Clocks::Impl {
  void *handle = nullptr;
  int (*init)() = nullptr;
  int (*byUuid)(const char *, void **) = nullptr;
  int (*clock)(void *, int, unsigned *) = nullptr;
  int (*temperature)(void *, int, unsigned *) = nullptr;
  int (*power)(void *, unsigned *) = nullptr;
  int (*throttle)(void *, unsigned long long *) = nullptr;
  int (*driver)(char *, unsigned) = nullptr;

  bool bind();
};

template <typename T>
static bool find(T &function, void *library, const char *name) {
  function = reinterpret_cast<T>(dlsym(library, name));
  return function;
}

bool Clocks::Impl::bind() {
  void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return false;
  return find(init, library, "nvmlInit_v2") &&
         find(byUuid, library, "nvmlDeviceGetHandleByUUID") &&
         find(clock, library, "nvmlDeviceGetClockInfo") &&
         find(temperature, library, "nvmlDeviceGetTemperature") &&
         find(power, library, "nvmlDeviceGetPowerUsage") &&
         find(driver, library, "nvmlSystemGetDriverVersion") &&
         (find(throttle, library, "nvmlDeviceGetCurrentClocksEventReasons") ||
          find(throttle, library, "nvmlDeviceGetCurrentClocksThrottleReasons"));
}

/// As NVML writes it: "GPU-01234567-89ab-cdef-0123-456789abcdef".
static std::string uuidText(const char *prefix, const std::string &digits) {
  std::string text = prefix;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20)
      text += '-';
    text += digits[i];
  }
  return text;
}

Clocks::Clocks(const DeviceInfo &device) {
  auto bound = std::make_unique<Impl>();
  if (!bound->bind() || bound->init() != 0)
    return;
  for (const char *prefix : {"GPU-", "MIG-"})
    if (!bound->handle && bound->byUuid(uuidText(prefix, device.uuid).c_str(),
                                        &bound->handle) != 0)
      bound->handle = nullptr;
  if (bound->handle)
    impl = std::move(bound);
}

Clocks::~Clocks() = default;

ClockSample Clocks::sample() const {
  ClockSample sample;
  if (!impl)
    return sample;
  unsigned long long mask = 0;
  // A device that reports no clocks may still report why they are low.
  sample.known = impl->throttle(impl->handle, &mask) == 0;
  sample.throttle = mask;
  impl->clock(impl->handle, clockSm, &sample.smMHz);
  impl->clock(impl->handle, clockMemory, &sample.memoryMHz);
  impl->temperature(impl->handle, temperatureGpu, &sample.temperature);
  impl->power(impl->handle, &sample.powerMilliwatts);
  return sample;
}

std::string Clocks::driverVersion() const {
  char text[96] = "";
  if (!impl || impl->driver(text, sizeof text) != 0)
    return "";
  return std::string(text, std::find(text, text + sizeof text, '\0'));
}
