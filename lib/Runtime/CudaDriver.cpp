//===- CudaDriver.cpp - libcuda.so.1, without its headers -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <cstdio>
#include <dlfcn.h>

using namespace lathe::runtime;

namespace {

// From cuda.h; the driver API's ABI is stable.
using Result = int;
using Device = int;
using Context = void *;
constexpr int computeMajor = 75, computeMinor = 76;
constexpr int errorLogBuffer = 5, errorLogSize = 6;
constexpr int maxDynamicShared = 8;

class CudaDriver final : public Driver {
public:
  bool open();

  lathe_status query(int ordinal, lathe_device &device) override;
  lathe_status retain(int ordinal, void *&context, bool &owned) override;
  void release(int ordinal) override;
  lathe_status enter(int ordinal, void *context, bool &entered) override;
  void leave(bool entered) override;
  lathe_status load(std::string_view image, Module &module) override;
  void unload(Module module) override { moduleUnload(module); }
  lathe_status resolve(Module module, const char *symbol, uint32_t sharedBytes,
                       Function &function) override;
  lathe_status expectMaps() override;
  lathe_status encodeMap(const lathe::TensorMapShape &shape, int driverType,
                         uint64_t address, void *out) override;
  lathe_status launch(Function function, const uint32_t grid[3],
                      uint32_t threads, uint32_t sharedBytes, void *stream,
                      void **arguments) override;

private:
  template <typename T>
  bool bind(T &function, const char *name, bool optional = false) {
    function = reinterpret_cast<T>(dlsym(library, name));
    if (!function && !optional)
      fail(LATHE_NO_DRIVER, "libcuda.so.1 has no %s", name);
    return function || optional;
  }
  lathe_status error(Result result, const char *what) {
    const char *name = nullptr;
    errorName(result, &name);
    return fail(LATHE_DRIVER_ERROR, "%s: %s (%d)", what,
                name ? name : "unknown error", result);
  }

  void *library = nullptr;
  Result (*init)(unsigned) = nullptr;
  Result (*errorName)(Result, const char **) = nullptr;
  Result (*deviceGet)(Device *, int) = nullptr;
  Result (*deviceName)(char *, int, Device) = nullptr;
  Result (*deviceAttribute)(int *, int, Device) = nullptr;
  Result (*primaryRetain)(Context *, Device) = nullptr;
  Result (*primaryRelease)(Device) = nullptr;
  Result (*contextPush)(Context) = nullptr;
  Result (*contextPop)(Context *) = nullptr;
  Result (*contextCurrent)(Context *) = nullptr;
  Result (*contextDevice)(Device *) = nullptr;
  Result (*moduleLoad)(Module *, const void *, unsigned, int *,
                       void **) = nullptr;
  Result (*moduleUnload)(Module) = nullptr;
  Result (*moduleFunction)(Function *, Module, const char *) = nullptr;
  Result (*functionLoad)(Function) = nullptr;
  Result (*functionGet)(int *, int, Function) = nullptr;
  Result (*functionSet)(Function, int, int) = nullptr;
  Result (*tensorMapEncode)(void *, int, uint32_t, void *, const uint64_t *,
                            const uint64_t *, const uint32_t *,
                            const uint32_t *, int, int, int, int) = nullptr;
  Result (*launchKernel)(Function, unsigned, unsigned, unsigned, unsigned,
                         unsigned, unsigned, unsigned, void *, void **,
                         void **) = nullptr;
};

} // namespace

bool CudaDriver::open() {
  library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fail(LATHE_NO_DRIVER, "libcuda.so.1 cannot be loaded");
    return false;
  }
  if (!bind(init, "cuInit") || !bind(errorName, "cuGetErrorName") ||
      !bind(deviceGet, "cuDeviceGet") || !bind(deviceName, "cuDeviceGetName") ||
      !bind(deviceAttribute, "cuDeviceGetAttribute") ||
      !bind(primaryRetain, "cuDevicePrimaryCtxRetain") ||
      !bind(primaryRelease, "cuDevicePrimaryCtxRelease_v2") ||
      !bind(contextPush, "cuCtxPushCurrent_v2") ||
      !bind(contextPop, "cuCtxPopCurrent_v2") ||
      !bind(contextCurrent, "cuCtxGetCurrent") ||
      !bind(contextDevice, "cuCtxGetDevice") ||
      !bind(moduleLoad, "cuModuleLoadDataEx") ||
      !bind(moduleUnload, "cuModuleUnload") ||
      !bind(moduleFunction, "cuModuleGetFunction") ||
      !bind(functionLoad, "cuFuncLoad", /*optional=*/true) ||
      !bind(functionGet, "cuFuncGetAttribute") ||
      !bind(functionSet, "cuFuncSetAttribute") ||
      !bind(tensorMapEncode, "cuTensorMapEncodeTiled", /*optional=*/true) ||
      !bind(launchKernel, "cuLaunchKernel"))
    return false;
  Result result = init(0);
  if (result != 0)
    error(result, "cuInit");
  return result == 0;
}

lathe_status CudaDriver::query(int ordinal, lathe_device &device) {
  Device handle;
  if (Result result = deviceGet(&handle, ordinal))
    return error(result, "cuDeviceGet");
  int major = 0, minor = 0;
  if (Result result = deviceAttribute(&major, computeMajor, handle))
    return error(result, "cuDeviceGetAttribute");
  if (Result result = deviceAttribute(&minor, computeMinor, handle))
    return error(result, "cuDeviceGetAttribute");
  device = {};
  device.struct_size = sizeof device;
  device.vendor = LATHE_VENDOR_NVIDIA;
  device.major = uint32_t(major);
  device.minor = uint32_t(minor);
  deviceName(device.name, sizeof device.name, handle);
  return LATHE_OK;
}

lathe_status CudaDriver::retain(int ordinal, void *&context, bool &owned) {
  Device handle, current;
  if (Result result = deviceGet(&handle, ordinal))
    return error(result, "cuDeviceGet");
  owned = false;
  if (contextCurrent(&context) == 0 && context &&
      contextDevice(&current) == 0 && current == handle)
    return LATHE_OK;
  owned = true;
  if (Result result = primaryRetain(&context, handle))
    return error(result, "cuDevicePrimaryCtxRetain");
  return LATHE_OK;
}

void CudaDriver::release(int ordinal) {
  Device handle;
  if (deviceGet(&handle, ordinal) == 0)
    primaryRelease(handle);
}

lathe_status CudaDriver::enter(int ordinal, void *context, bool &entered) {
  Context current = nullptr;
  entered = false;
  if (contextCurrent(&current) == 0 && current == context)
    return LATHE_OK;
  if (Result result = contextPush(context))
    return error(result, "cuCtxPushCurrent");
  entered = true;
  return LATHE_OK;
}

void CudaDriver::leave(bool entered) {
  Context ignored;
  if (entered)
    contextPop(&ignored);
}

lathe_status CudaDriver::load(std::string_view image, Module &module) {
  char log[256] = "";
  int options[] = {errorLogBuffer, errorLogSize};
  void *values[] = {log, reinterpret_cast<void *>(uintptr_t(sizeof log))};
  Result result = moduleLoad(&module, image.data(), 2, options, values);
  if (result == 0)
    return LATHE_OK;
  char what[300];
  snprintf(what, sizeof what, "cuModuleLoadDataEx%s%.*s", log[0] ? ": " : "",
           int(sizeof log), log);
  return error(result, what);
}

lathe_status CudaDriver::resolve(Module module, const char *symbol,
                                 uint32_t sharedBytes, Function &function) {
  if (Result result = moduleFunction(&function, module, symbol))
    return error(result, symbol);
  // Lazy loading would otherwise load code at the first launch, which a graph
  // capture forbids.
  if (functionLoad)
    if (Result result = functionLoad(function))
      return error(result, symbol);
  int allowed = 0;
  if (Result result = functionGet(&allowed, maxDynamicShared, function))
    return error(result, symbol);
  if (int64_t(sharedBytes) <= allowed)
    return LATHE_OK;
  if (Result result = functionSet(function, maxDynamicShared, int(sharedBytes)))
    return error(result, symbol);
  return LATHE_OK;
}

lathe_status CudaDriver::expectMaps() {
  return tensorMapEncode ? LATHE_OK
                         : fail(LATHE_NO_DRIVER, "libcuda.so.1 has no "
                                                 "cuTensorMapEncodeTiled: a "
                                                 "driver of CUDA 12 is needed");
}

lathe_status CudaDriver::encodeMap(const lathe::TensorMapShape &shape,
                                   int driverType, uint64_t address,
                                   void *out) {
  const uint32_t ones[lathe::maxTensorMapRank] = {1, 1, 1, 1, 1};
  Result result = tensorMapEncode(
      out, driverType, shape.rank, reinterpret_cast<void *>(address),
      shape.extents, shape.strides, shape.box, ones, lathe::tensorMapPlain,
      lathe::tensorMapSwizzle(shape.swizzleBytes), lathe::tensorMapPromotion,
      lathe::tensorMapZeroFill);
  return result == 0 ? LATHE_OK : error(result, "cuTensorMapEncodeTiled");
}

lathe_status CudaDriver::launch(Function function, const uint32_t grid[3],
                                uint32_t threads, uint32_t sharedBytes,
                                void *stream, void **arguments) {
  Result result = launchKernel(function, grid[0], grid[1], grid[2], threads, 1,
                               1, sharedBytes, stream, arguments, nullptr);
  return result == 0 ? LATHE_OK : error(result, "cuLaunchKernel");
}

Driver *lathe::runtime::cudaDriver() {
  static CudaDriver driver;
  static const bool opened = driver.open();
  if (!opened)
    fail(LATHE_NO_DRIVER, "no usable libcuda.so.1");
  return opened ? &driver : nullptr;
}
