//===- Device.cpp - One GPU, through its driver ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Measure/Device.h"

#include "DriverTable.h"

#include <algorithm>

using namespace lathe::measure;

// Of CUdevice_attribute and its like, in cuda.h.
static constexpr int attributeMultiprocessors = 16, attributeL2 = 38,
                     attributeMajor = 75, attributeMinor = 76;
static constexpr int errorLogBuffer = 5, errorLogSize = 6;
static constexpr int maxDynamicShared = 8;
static constexpr int limitMallocHeap = 2;
static constexpr unsigned streamNonBlocking = 1, eventDisableTiming = 2;

void Device::expect(int result, const char *call) const {
  if (result != cudaSuccess)
    throwDriverError(*table, result, call);
}

int Device::count() {
  const DriverTable &table = driverTable();
  int count = 0;
  if (int result = table.deviceCount(&count))
    throwDriverError(table, result, "cuDeviceGetCount");
  return count;
}

static std::string hexadecimal(const unsigned char (&bytes)[16]) {
  std::string text;
  for (unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::unique_ptr<Device> Device::open(int ordinal) {
  std::unique_ptr<Device> device(new Device);
  const DriverTable &table = driverTable();
  device->table = &table;
  int handle = 0, held = 0;
  device->expect(table.deviceGet(&handle, ordinal), "cuDeviceGet");
  device->handle = handle;

  void *context = nullptr;
  bool isCurrent = table.contextCurrent(&context) == cudaSuccess && context &&
                   table.contextDevice(&held) == cudaSuccess && held == handle;
  if (!isCurrent) {
    // Never released: it lives as long as the process.
    device->expect(table.primaryRetain(&context, handle),
                   "cuDevicePrimaryCtxRetain");
    device->expect(table.contextSet(context), "cuCtxSetCurrent");
  }

  DeviceInfo &facts = device->facts;
  auto attribute = [&](int which) {
    int value = 0;
    device->expect(table.deviceAttribute(&value, which, handle),
                   "cuDeviceGetAttribute");
    return value;
  };
  char name[256] = "";
  device->expect(table.deviceName(name, sizeof name, handle),
                 "cuDeviceGetName");
  facts.name = std::string(name, std::find(name, name + sizeof name, '\0'));
  unsigned char uuid[16] = {};
  if (table.deviceUuid)
    device->expect(table.deviceUuid(uuid, handle), "cuDeviceGetUuid");
  facts.uuid = hexadecimal(uuid);
  facts.major = attribute(attributeMajor);
  facts.minor = attribute(attributeMinor);
  facts.multiprocessors = attribute(attributeMultiprocessors);
  facts.l2Bytes = uint64_t(std::max(attribute(attributeL2), 0));
  size_t bytes = 0;
  device->expect(table.deviceMemory(&bytes, handle), "cuDeviceTotalMem");
  facts.memoryBytes = bytes;
  device->expect(table.driverVersion(&facts.driverVersion),
                 "cuDriverGetVersion");
  return device;
}

Device::~Device() = default;

DevicePointer Device::allocate(uint64_t bytes) {
  DevicePointer pointer = 0;
  expect(table->memoryAllocate(&pointer, std::max<uint64_t>(bytes, 1)),
         "cuMemAlloc");
  return pointer;
}

void Device::release(DevicePointer pointer) {
  if (pointer)
    expect(table->memoryFree(pointer), "cuMemFree");
}

void Device::reserveHeap(uint64_t bytes) {
  if (!table->contextLimit)
    throw DriverError(0, "libcuda.so.1 has no cuCtxSetLimit");
  expect(table->contextLimit(limitMallocHeap, bytes), "cuCtxSetLimit");
}

uint64_t Device::freeMemory() {
  size_t available = 0, total = 0;
  expect(table->memoryInfo(&available, &total), "cuMemGetInfo");
  return available;
}

void Device::copyIn(DevicePointer to, const void *from, uint64_t bytes) {
  if (!bytes)
    return;
  expect(table->copyIn(to, from, bytes), "cuMemcpyHtoD");
  // Pageable memory may still be on its way from a staging buffer; streams of
  // ours do not wait for the default one.
  expect(table->streamSynchronize(nullptr), "cuStreamSynchronize");
}

void Device::copyOut(void *to, DevicePointer from, uint64_t bytes) {
  if (bytes)
    expect(table->copyOut(to, from, bytes), "cuMemcpyDtoH");
}

void Device::fill(DevicePointer at, unsigned char value, uint64_t bytes,
                  Stream stream) {
  if (bytes)
    expect(table->fill(at, value, bytes, stream), "cuMemsetD8Async");
}

Stream Device::createStream() {
  Stream stream = nullptr;
  expect(table->streamCreate(&stream, streamNonBlocking), "cuStreamCreate");
  return stream;
}

void Device::destroyStream(Stream stream) {
  expect(table->streamDestroy(stream), "cuStreamDestroy");
}

void Device::synchronize(Stream stream) {
  expect(table->streamSynchronize(stream), "cuStreamSynchronize");
}

void Device::synchronizeAll() {
  expect(table->contextSynchronize(), "cuCtxSynchronize");
}

bool Device::isIdle(Stream stream) {
  int result = table->streamQuery(stream);
  if (result == cudaNotReady)
    return false;
  expect(result, "cuStreamQuery");
  return true;
}

Event Device::createEvent(bool timing) {
  Event event = nullptr;
  expect(table->eventCreate(&event, timing ? 0 : eventDisableTiming),
         "cuEventCreate");
  return event;
}

void Device::destroyEvent(Event event) {
  expect(table->eventDestroy(event), "cuEventDestroy");
}

void Device::record(Event event, Stream stream) {
  expect(table->eventRecord(event, stream), "cuEventRecord");
}

bool Device::isDone(Event event) {
  int result = table->eventQuery(event);
  if (result == cudaNotReady)
    return false;
  expect(result, "cuEventQuery");
  return true;
}

double Device::elapsedUs(Event begin, Event end) {
  float milliseconds = 0;
  expect(table->eventElapsed(&milliseconds, begin, end), "cuEventElapsedTime");
  return double(milliseconds) * 1000;
}

void *Device::loadModule(std::string_view image) {
  char log[1024] = "";
  int options[] = {errorLogBuffer, errorLogSize};
  void *values[] = {log, reinterpret_cast<void *>(uintptr_t(sizeof log))};
  void *module = nullptr;
  int result = table->moduleLoad(&module, image.data(), 2, options, values);
  if (result == cudaSuccess)
    return module;
  std::string call = "cuModuleLoadDataEx";
  std::string_view text(log,
                        size_t(std::find(log, log + sizeof log, '\0') - log));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.remove_suffix(1);
  if (!text.empty())
    call += ": " + std::string(text);
  std::replace(call.begin(), call.end(), '\n', ' ');
  throwDriverError(*table, result, call.c_str());
}

void Device::unloadModule(void *module) {
  expect(table->moduleUnload(module), "cuModuleUnload");
}

void *Device::function(void *module, const std::string &symbol,
                       uint32_t sharedBytes) {
  void *function = nullptr;
  expect(table->moduleFunction(&function, module, symbol.c_str()),
         ("cuModuleGetFunction " + symbol).c_str());
  // Lazy loading would put it into the first launch, which a graph capture
  // forbids.
  if (table->functionLoad)
    expect(table->functionLoad(function), ("cuFuncLoad " + symbol).c_str());
  int allowed = 0;
  expect(table->functionGet(&allowed, maxDynamicShared, function),
         "cuFuncGetAttribute");
  if (int64_t(sharedBytes) > allowed)
    expect(table->functionSet(function, maxDynamicShared, int(sharedBytes)),
           ("cuFuncSetAttribute " + symbol + ": " +
            std::to_string(sharedBytes) + " bytes of shared memory")
               .c_str());
  return function;
}

void Device::encodeMap(const TensorMapShape &shape, int driverType,
                       DevicePointer at, void *out) {
  if (TensorMapProblem problem = checkTensorMapSizes(shape, at))
    throw std::runtime_error(std::string("a tensor map has ") + problem.text);
  if (!table->tensorMapEncode)
    throw DriverError(0, "libcuda.so.1 has no cuTensorMapEncodeTiled, expected "
                         "a driver for CUDA 12 or later");
  const uint32_t ones[maxTensorMapRank] = {1, 1, 1, 1, 1};
  expect(table->tensorMapEncode(out, driverType, shape.rank,
                                reinterpret_cast<void *>(at), shape.extents,
                                shape.strides, shape.box, ones, tensorMapPlain,
                                tensorMapSwizzle(shape.swizzleBytes),
                                tensorMapPromotion, tensorMapZeroFill),
         "cuTensorMapEncodeTiled");
}

void Device::launch(void *function, const uint32_t grid[3],
                    const uint32_t block[3], uint32_t sharedBytes,
                    Stream stream, void **arguments) {
  expect(table->launchKernel(function, grid[0], grid[1], grid[2], block[0],
                             block[1], block[2], sharedBytes, stream, arguments,
                             nullptr),
         "cuLaunchKernel");
}
