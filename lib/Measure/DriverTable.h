//===- DriverTable.h - The functions of libcuda.so.1 ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declared as in the CUDA driver API's documentation; its ABI is stable, so no
// header of a toolkit is needed.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_MEASURE_DRIVERTABLE_H
#define LATHE_LIB_MEASURE_DRIVERTABLE_H

#include <cstddef>
#include <cstdint>

namespace lathe::measure {

/// Values of cuda.h.
enum : int {
  cudaSuccess = 0,
  cudaNotReady = 600,
  nodeTypeKernel = 0,
  nodeTypeCopy = 1,
  nodeTypeFill = 2,
  nodeTypeGraph = 4,
  captureUnjoined = 904,
  captureThreadLocal = 1,
};

// LATHE_DRIVER(member, exported name, parameters): what must be there.
#define LATHE_DRIVER_FUNCTIONS(LATHE_DRIVER)                                   \
  LATHE_DRIVER(init, "cuInit", (unsigned))                                     \
  LATHE_DRIVER(driverVersion, "cuDriverGetVersion", (int *))                   \
  LATHE_DRIVER(errorName, "cuGetErrorName", (int, const char **))              \
  LATHE_DRIVER(errorString, "cuGetErrorString", (int, const char **))          \
  LATHE_DRIVER(deviceCount, "cuDeviceGetCount", (int *))                       \
  LATHE_DRIVER(deviceGet, "cuDeviceGet", (int *, int))                         \
  LATHE_DRIVER(deviceName, "cuDeviceGetName", (char *, int, int))              \
  LATHE_DRIVER(deviceAttribute, "cuDeviceGetAttribute", (int *, int, int))     \
  LATHE_DRIVER(deviceMemory, "cuDeviceTotalMem_v2", (size_t *, int))           \
  LATHE_DRIVER(primaryRetain, "cuDevicePrimaryCtxRetain", (void **, int))      \
  LATHE_DRIVER(contextSet, "cuCtxSetCurrent", (void *))                        \
  LATHE_DRIVER(contextCurrent, "cuCtxGetCurrent", (void **))                   \
  LATHE_DRIVER(contextDevice, "cuCtxGetDevice", (int *))                       \
  LATHE_DRIVER(contextSynchronize, "cuCtxSynchronize", (void))                 \
  LATHE_DRIVER(memoryAllocate, "cuMemAlloc_v2", (uint64_t *, size_t))          \
  LATHE_DRIVER(memoryFree, "cuMemFree_v2", (uint64_t))                         \
  LATHE_DRIVER(memoryInfo, "cuMemGetInfo_v2", (size_t *, size_t *))            \
  LATHE_DRIVER(copyIn, "cuMemcpyHtoD_v2", (uint64_t, const void *, size_t))    \
  LATHE_DRIVER(copyOut, "cuMemcpyDtoH_v2", (void *, uint64_t, size_t))         \
  LATHE_DRIVER(fill, "cuMemsetD8Async",                                        \
               (uint64_t, unsigned char, size_t, void *))                      \
  LATHE_DRIVER(streamCreate, "cuStreamCreate", (void **, unsigned))            \
  LATHE_DRIVER(streamDestroy, "cuStreamDestroy_v2", (void *))                  \
  LATHE_DRIVER(streamSynchronize, "cuStreamSynchronize", (void *))             \
  LATHE_DRIVER(streamQuery, "cuStreamQuery", (void *))                         \
  LATHE_DRIVER(eventCreate, "cuEventCreate", (void **, unsigned))              \
  LATHE_DRIVER(eventDestroy, "cuEventDestroy_v2", (void *))                    \
  LATHE_DRIVER(eventRecord, "cuEventRecord", (void *, void *))                 \
  LATHE_DRIVER(eventQuery, "cuEventQuery", (void *))                           \
  LATHE_DRIVER(eventElapsed, "cuEventElapsedTime", (float *, void *, void *))  \
  LATHE_DRIVER(moduleLoad, "cuModuleLoadDataEx",                               \
               (void **, const void *, unsigned, int *, void **))              \
  LATHE_DRIVER(moduleUnload, "cuModuleUnload", (void *))                       \
  LATHE_DRIVER(moduleFunction, "cuModuleGetFunction",                          \
               (void **, void *, const char *))                                \
  LATHE_DRIVER(functionGet, "cuFuncGetAttribute", (int *, int, void *))        \
  LATHE_DRIVER(functionSet, "cuFuncSetAttribute", (void *, int, int))          \
  LATHE_DRIVER(launchKernel, "cuLaunchKernel",                                 \
               (void *, unsigned, unsigned, unsigned, unsigned, unsigned,      \
                unsigned, unsigned, void *, void **, void **))                 \
  LATHE_DRIVER(captureBegin, "cuStreamBeginCapture_v2", (void *, int))         \
  LATHE_DRIVER(captureEnd, "cuStreamEndCapture", (void *, void **))            \
  LATHE_DRIVER(graphNodes, "cuGraphGetNodes", (void *, void **, size_t *))     \
  LATHE_DRIVER(graphNodeType, "cuGraphNodeGetType", (void *, int *))           \
  LATHE_DRIVER(graphInstantiate, "cuGraphInstantiateWithFlags",                \
               (void **, void *, unsigned long long))                          \
  LATHE_DRIVER(graphUpload, "cuGraphUpload", (void *, void *))                 \
  LATHE_DRIVER(graphLaunch, "cuGraphLaunch", (void *, void *))                 \
  LATHE_DRIVER(graphExecDestroy, "cuGraphExecDestroy", (void *))               \
  LATHE_DRIVER(graphDestroy, "cuGraphDestroy", (void *))

struct DriverTable {
#define LATHE_DRIVER(member, name, parameters)                                 \
  int(*member) parameters = nullptr;
  LATHE_DRIVER_FUNCTIONS(LATHE_DRIVER)
#undef LATHE_DRIVER
  /// Null in drivers before 12.4 (then functions are loaded when first run) and
  /// where only the older name is.
  int (*functionLoad)(void *) = nullptr;
  int (*deviceUuid)(void *, int) = nullptr;
  int (*contextLimit)(int, size_t) = nullptr;
  int (*tensorMapEncode)(void *, int, uint32_t, void *, const uint64_t *,
                         const uint64_t *, const uint32_t *, const uint32_t *,
                         int, int, int, int) = nullptr;
};

/// Loads the library and initializes it; throws DriverError.
const DriverTable &driverTable();

/// "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"
[[noreturn]] void throwDriverError(const DriverTable &table, int result,
                                   const char *call);

} // namespace lathe::measure

#endif // LATHE_LIB_MEASURE_DRIVERTABLE_H
