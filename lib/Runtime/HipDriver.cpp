//===- HipDriver.cpp - libamdhip64, without its headers -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <cstring>
#include <dlfcn.h>

using namespace lathe::runtime;

namespace {

using Result = int;

class HipDriver final : public Driver {
public:
  bool open();

  lathe_status query(int ordinal, lathe_device &device) override;
  lathe_status retain(int ordinal, void *&context, bool &owned) override;
  void release(int) override {}
  lathe_status enter(int ordinal, void *context, bool &entered) override;
  void leave(bool entered) override;
  lathe_status load(std::string_view image, Module &module) override;
  void unload(Module module) override { moduleUnload(module); }
  lathe_status resolve(Module module, const char *symbol, uint32_t sharedBytes,
                       Function &function) override;
  lathe_status expectMaps() override {
    return fail(LATHE_UNSUPPORTED, "tensor maps are NVIDIA's: HIP has none");
  }
  lathe_status encodeMap(const lathe::TensorMapShape &, int, uint64_t,
                         void *) override {
    return expectMaps();
  }
  lathe_status launch(Function function, const uint32_t grid[3],
                      uint32_t threads, uint32_t sharedBytes, void *stream,
                      void **arguments) override;

private:
  template <typename T> bool bind(T &function, const char *name) {
    function = reinterpret_cast<T>(dlsym(library, name));
    return function != nullptr;
  }
  lathe_status error(Result result, const char *what) {
    const char *name = errorName(result);
    return fail(LATHE_DRIVER_ERROR, "%s: %s (%d)", what,
                name ? name : "unknown error", result);
  }

  void *library = nullptr;
  Result (*init)(unsigned) = nullptr;
  const char *(*errorName)(Result) = nullptr;
  Result (*deviceCount)(int *) = nullptr;
  Result (*deviceGet)(int *) = nullptr;
  Result (*deviceSet)(int) = nullptr;
  Result (*deviceProperties)(void *, int) = nullptr;
  Result (*moduleLoad)(Module *, const void *) = nullptr;
  Result (*moduleUnload)(Module) = nullptr;
  Result (*moduleFunction)(Function *, Module, const char *) = nullptr;
  Result (*launchKernel)(Function, unsigned, unsigned, unsigned, unsigned,
                         unsigned, unsigned, unsigned, void *, void **,
                         void **) = nullptr;
};

/// The device to go back to, per thread, between enter and leave.
thread_local int previousDevice;

} // namespace

bool HipDriver::open() {
  for (const char *name : {"libamdhip64.so.7", "libamdhip64.so.6",
                           "libamdhip64.so.5", "libamdhip64.so"})
    if ((library = dlopen(name, RTLD_NOW | RTLD_LOCAL)))
      break;
  if (!library)
    return false;
  // The plain name fills the older struct on newer libraries, too.
  bool properties = bind(deviceProperties, "hipGetDevicePropertiesR0600") ||
                    bind(deviceProperties, "hipGetDeviceProperties");
  return properties && bind(init, "hipInit") &&
         bind(errorName, "hipGetErrorName") &&
         bind(deviceCount, "hipGetDeviceCount") &&
         bind(deviceGet, "hipGetDevice") && bind(deviceSet, "hipSetDevice") &&
         bind(moduleLoad, "hipModuleLoadData") &&
         bind(moduleUnload, "hipModuleUnload") &&
         bind(moduleFunction, "hipModuleGetFunction") &&
         bind(launchKernel, "hipModuleLaunchKernel") && init(0) == 0;
}

lathe_status HipDriver::query(int ordinal, lathe_device &device) {
  int count = 0;
  if (Result result = deviceCount(&count))
    return error(result, "hipGetDeviceCount");
  if (ordinal < 0 || ordinal >= count)
    return fail(LATHE_NO_DRIVER, "no AMD device %d, there are %d", ordinal,
                count);
  // The struct's layout differs between ROCm releases, and all of them are much
  // smaller than this; the architecture is the only text that starts with gfx.
  alignas(16) char properties[16384] = {};
  if (Result result = deviceProperties(properties, ordinal))
    return error(result, "hipGetDeviceProperties");
  for (size_t i = 0; i + sizeof device.name < sizeof properties; ++i) {
    const char *text = properties + i;
    if (memcmp(text, "gfx", 3) != 0 || text[3] < '0' || text[3] > '9')
      continue;
    device = {};
    device.struct_size = sizeof device;
    device.vendor = LATHE_VENDOR_AMD;
    size_t length = strcspn(text, ":");
    if (length >= sizeof device.name)
      continue;
    memcpy(device.name, text, length);
    return LATHE_OK;
  }
  return fail(LATHE_DRIVER_ERROR, "AMD device %d does not say what it is",
              ordinal);
}

lathe_status HipDriver::retain(int, void *&context, bool &owned) {
  context = nullptr;
  owned = false;
  return LATHE_OK;
}

lathe_status HipDriver::enter(int ordinal, void *, bool &entered) {
  entered = false;
  int current = -1;
  if (deviceGet(&current) == 0 && current == ordinal)
    return LATHE_OK;
  if (Result result = deviceSet(ordinal))
    return error(result, "hipSetDevice");
  previousDevice = current;
  entered = true;
  return LATHE_OK;
}

void HipDriver::leave(bool entered) {
  if (entered && previousDevice >= 0)
    deviceSet(previousDevice);
}

lathe_status HipDriver::load(std::string_view image, Module &module) {
  Result result = moduleLoad(&module, image.data());
  return result == 0 ? LATHE_OK : error(result, "hipModuleLoadData");
}

lathe_status HipDriver::resolve(Module module, const char *symbol, uint32_t,
                                Function &function) {
  Result result = moduleFunction(&function, module, symbol);
  return result == 0 ? LATHE_OK : error(result, symbol);
}

lathe_status HipDriver::launch(Function function, const uint32_t grid[3],
                               uint32_t threads, uint32_t sharedBytes,
                               void *stream, void **arguments) {
  Result result = launchKernel(function, grid[0], grid[1], grid[2], threads, 1,
                               1, sharedBytes, stream, arguments, nullptr);
  return result == 0 ? LATHE_OK : error(result, "hipModuleLaunchKernel");
}

Driver *lathe::runtime::hipDriver() {
  static HipDriver driver;
  static const bool opened = driver.open();
  if (!opened)
    fail(LATHE_NO_DRIVER, "no usable libamdhip64.so");
  return opened ? &driver : nullptr;
}
