//===- DriverTable.cpp - Binding libcuda.so.1 -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverTable.h"

#include "lathe/Measure/Device.h"

#include <dlfcn.h>

using namespace lathe::measure;

bool DriverError::isFault() const {
  switch (code) {
  case 700: // ILLEGAL_ADDRESS
  case 702: // LAUNCH_TIMEOUT
  case 710: // ASSERT
  case 714: // HARDWARE_STACK_ERROR
  case 715: // ILLEGAL_INSTRUCTION
  case 716: // MISALIGNED_ADDRESS
  case 717: // INVALID_ADDRESS_SPACE
  case 718: // INVALID_PC
  case 719: // LAUNCH_FAILED
  case 721: // TENSOR_MEMORY_LEAK
    return true;
  default:
    return false;
  }
}

bool DriverError::isDeviceLost() const {
  switch (code) {
  case 46:  // DEVICE_UNAVAILABLE
  case 100: // NO_DEVICE
  case 101: // INVALID_DEVICE
  case 214: // ECC_UNCORRECTABLE
  case 220: // NVLINK_UNCORRECTABLE
  case 226: // CONTAINED
  case 802: // SYSTEM_NOT_READY
    return true;
  default:
    return false;
  }
}

void lathe::measure::throwDriverError(const DriverTable &table, int result,
                                      const char *call) {
  const char *name = nullptr, *text = nullptr;
  if (table.errorName(result, &name) || !name)
    name = "unknown error";
  if (table.errorString(result, &text))
    text = nullptr;
  std::string what =
      std::string(call) + ": " + name + " (" + std::to_string(result) + ")";
  if (text)
    what += std::string(": ") + text;
  throw DriverError(result, what);
}

template <typename T>
static bool bind(T &function, void *library, const char *name) {
  function = reinterpret_cast<T>(dlsym(library, name));
  return function;
}

static DriverTable load() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    throw DriverError(0, std::string("libcuda.so.1 cannot be loaded: ") +
                             (why ? why : "no reason given"));
  }
  DriverTable table;
#define LATHE_DRIVER(member, name, parameters)                                 \
  if (!bind(table.member, library, name))                                      \
    throw DriverError(0, "libcuda.so.1 has no " name                           \
                         ", expected a driver for CUDA 12 or later");
  LATHE_DRIVER_FUNCTIONS(LATHE_DRIVER)
#undef LATHE_DRIVER
  bind(table.functionLoad, library, "cuFuncLoad");
  bind(table.contextLimit, library, "cuCtxSetLimit");
  bind(table.tensorMapEncode, library, "cuTensorMapEncodeTiled");
  // The second version tells the parts of a partitioned GPU apart.
  if (!bind(table.deviceUuid, library, "cuDeviceGetUuid_v2"))
    bind(table.deviceUuid, library, "cuDeviceGetUuid");
  if (int result = table.init(0))
    throwDriverError(table, result, "cuInit");
  return table;
}

const DriverTable &lathe::measure::driverTable() {
  static const DriverTable table = load();
  return table;
}
