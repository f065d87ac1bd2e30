//===- Cuda.cpp - Devices, memory, streams, events ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace fake;

Call::Call(bool waits) {
  machine().advance(callCost);
  if (!machine().isInitialized)
    error = notInitialized;
  else if (!device)
    error = invalidContext;
  else if (device->error == success && device->isLost())
    device->error = unavailable;
  if (error == success)
    error = device->error;
  if (error != success || !waits || !isCapturing())
    return;
  for (auto &stream : device->streams)
    stream->isInvalid = true;
  error = captureUnsupported;
}

bool Call::isCapturing() const {
  return std::any_of(
      device->streams.begin(), device->streams.end(),
      [](const std::unique_ptr<Stream> &stream) { return !!stream->capture; });
}

int fake::waitFor(Device &device, Stream *stream) {
  double until = stream ? stream->tail : device.legacy.tail;
  bool isHung = stream ? stream->isHung : device.legacy.isHung;
  for (auto &other : device.streams)
    if (!stream || (stream == &device.legacy && other->isBlocking)) {
      until = std::max(until, other->tail);
      isHung |= other->isHung;
    }
  if (!stream)
    until = std::max(until, device.sideTail);
  while (isHung)
    pause();
  machine().waitUntil(until);
  return device.error;
}

EXPORT int cuInit(unsigned) {
  std::lock_guard<std::recursive_mutex> guard(machine().mutex);
  machine().isInitialized = true;
  return machine().devices.empty() ? 100 : success;
}

EXPORT int cuDriverGetVersion(int *version) {
  *version = options().driver;
  return success;
}

EXPORT int cuGetErrorName(int error, const char **name) {
  static const std::pair<int, const char *> names[] = {
      {success, "CUDA_SUCCESS"},
      {invalidValue, "CUDA_ERROR_INVALID_VALUE"},
      {outOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {notInitialized, "CUDA_ERROR_NOT_INITIALIZED"},
      {unavailable, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
      {100, "CUDA_ERROR_NO_DEVICE"},
      {invalidDevice, "CUDA_ERROR_INVALID_DEVICE"},
      {invalidImage, "CUDA_ERROR_INVALID_IMAGE"},
      {invalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
      {noBinary, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {invalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
      {notFound, "CUDA_ERROR_NOT_FOUND"},
      {notReady, "CUDA_ERROR_NOT_READY"},
      {illegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {outOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
      {launchFailed, "CUDA_ERROR_LAUNCH_FAILED"},
      {notSupported, "CUDA_ERROR_NOT_SUPPORTED"},
      {captureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
      {captureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"}};
  for (auto [code, text] : names)
    if (code == error) {
      *name = text;
      return success;
    }
  *name = nullptr;
  return invalidValue;
}

EXPORT int cuGetErrorString(int error, const char **text) {
  *text = "of the fake driver";
  return success;
}

EXPORT int cuDeviceGetCount(int *count) {
  *count = int(machine().devices.size());
  return machine().isInitialized ? success : notInitialized;
}

EXPORT int cuDeviceGet(int *device, int ordinal) {
  if (ordinal < 0 || size_t(ordinal) >= machine().devices.size())
    return invalidDevice;
  *device = ordinal;
  return success;
}

EXPORT int cuDeviceGetName(char *name, int size, int device) {
  std::snprintf(name, size_t(size), "Fake GPU");
  return success;
}

EXPORT int cuDeviceGetUuid_v2(void *uuid, int device) {
  unsigned char bytes[16] = {0x46, 0x41, 0x4b, 0x45};
  bytes[15] =
      static_cast<unsigned char>(machine().devices[size_t(device)]->physical);
  std::memcpy(uuid, bytes, sizeof bytes);
  return success;
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  switch (attribute) {
  case 16:
    *value = 132;
    return success;
  case 38:
    *value = int(options().l2Bytes);
    return success;
  case 75:
    *value = options().arch / 10;
    return success;
  case 76:
    *value = options().arch % 10;
    return success;
  default:
    return invalidValue;
  }
}

EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  *bytes = options().memoryBytes;
  return success;
}

EXPORT int cuDevicePrimaryCtxRetain(void **context, int ordinal) {
  Device &device = *machine().devices[size_t(ordinal)];
  if (device.isLost())
    return unavailable;
  *context = &device;
  return device.error;
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int) { return success; }

EXPORT int cuCtxSetCurrent(void *context) {
  current() = static_cast<Device *>(context);
  return success;
}

EXPORT int cuCtxGetCurrent(void **context) {
  *context = current();
  return success;
}

/// 2 is the size of the heap, of which toy kernels need none.
EXPORT int cuCtxSetLimit(int limit, size_t) {
  Call call(/*waits=*/true);
  return call.error ? call.error : limit == 2 ? success : invalidValue;
}

static thread_local std::vector<Device *> pushed;

EXPORT int cuCtxPushCurrent_v2(void *context) {
  pushed.push_back(current());
  current() = static_cast<Device *>(context);
  return success;
}

EXPORT int cuCtxPopCurrent_v2(void **context) {
  if (pushed.empty())
    return invalidContext;
  *context = current();
  current() = pushed.back();
  pushed.pop_back();
  return success;
}

EXPORT int cuCtxGetDevice(int *device) {
  if (!current())
    return invalidContext;
  *device = current()->ordinal;
  return success;
}

EXPORT int cuCtxSynchronize() {
  Call call(/*waits=*/true);
  return call.error ? call.error : waitFor(*call.device, nullptr);
}

static uint64_t pageBytes() { return uint64_t(sysconf(_SC_PAGESIZE)); }
static uint64_t mappedBytes(uint64_t bytes) {
  return (bytes + pageBytes() - 1) / pageBytes() * pageBytes();
}

EXPORT int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  Call call(/*waits=*/true);
  if (call.error)
    return call.error;
  Device &device = *call.device;
  if (bytes == 0)
    return invalidValue;
  if (bytes > options().memoryBytes - device.used)
    return outOfMemory;
  // Unmapped pages on both sides stop kernels that run as host code.
  uint64_t page = pageBytes(), mapped = mappedBytes(bytes);
  void *at = mmap(nullptr, mapped + 2 * page, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED)
    return outOfMemory;
  *pointer = uint64_t(at) + page;
  mprotect(reinterpret_cast<void *>(*pointer), mapped, PROT_READ | PROT_WRITE);
  device.allocations[*pointer] = bytes;
  device.used += bytes;
  return success;
}

EXPORT int cuMemFree_v2(uint64_t pointer) {
  Call call(/*waits=*/true);
  if (call.error)
    return call.error;
  auto found = call.device->allocations.find(pointer);
  if (found == call.device->allocations.end())
    return invalidValue;
  int error = waitFor(*call.device, nullptr);
  munmap(reinterpret_cast<void *>(pointer - pageBytes()),
         mappedBytes(found->second) + 2 * pageBytes());
  call.device->used -= found->second;
  call.device->allocations.erase(found);
  return error;
}

EXPORT int cuMemGetInfo_v2(size_t *available, size_t *total) {
  Call call;
  if (call.error)
    return call.error;
  *total = options().memoryBytes;
  *available = options().memoryBytes - call.device->used;
  return success;
}

static int copy(void *to, const void *from, uint64_t deviceSide, size_t bytes) {
  Call call(/*waits=*/true);
  if (call.error)
    return call.error;
  if (!call.device->isAllocated(deviceSide, bytes))
    return invalidValue;
  if (int error = waitFor(*call.device, &call.device->legacy))
    return error;
  std::memcpy(to, from, bytes);
  call.device->touched += bytes;
  return success;
}

EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  return copy(reinterpret_cast<void *>(to), from, to, bytes);
}

EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  return copy(to, reinterpret_cast<const void *>(from), from, bytes);
}

EXPORT int cuStreamCreate(void **handle, unsigned flags) {
  Call call;
  if (call.error)
    return call.error;
  auto stream = std::make_unique<Stream>();
  stream->device = call.device;
  stream->isBlocking = !(flags & 1);
  static unsigned streams = 0;
  stream->number = ++streams;
  *handle = stream.get();
  call.device->streams.push_back(std::move(stream));
  return success;
}

EXPORT int cuStreamDestroy_v2(void *handle) {
  Call call;
  if (call.error)
    return call.error;
  auto &streams = call.device->streams;
  auto found =
      std::find_if(streams.begin(), streams.end(),
                   [&](const auto &stream) { return stream.get() == handle; });
  if (found == streams.end())
    return invalidHandle;
  call.device->sideTail = std::max(call.device->sideTail, (*found)->tail);
  streams.erase(found);
  return success;
}

EXPORT int cuStreamSynchronize(void *handle) {
  Call call(/*waits=*/true);
  return call.error ? call.error : waitFor(*call.device, &call.stream(handle));
}

EXPORT int cuStreamQuery(void *handle) {
  Call call(/*waits=*/true);
  if (call.error)
    return call.error;
  Stream &stream = call.stream(handle);
  return stream.isHung || stream.tail > machine().now ? notReady : success;
}

EXPORT int cuStreamWaitEvent(void *handle, void *event, unsigned) {
  Call call;
  if (call.error)
    return call.error;
  Stream &stream = call.stream(handle);
  if (stream.capture)
    return captureUnsupported;
  stream.tail = std::max(stream.tail, static_cast<Event *>(event)->time);
  return success;
}

EXPORT int cuEventCreate(void **event, unsigned flags) {
  Call call;
  if (call.error)
    return call.error;
  auto *created = new Event;
  created->isTimed = !(flags & 2);
  *event = created;
  return success;
}

EXPORT int cuEventDestroy_v2(void *event) {
  delete static_cast<Event *>(event);
  return success;
}

EXPORT int cuEventRecord(void *handle, void *streamHandle) {
  Call call;
  if (call.error)
    return call.error;
  Stream &stream = call.stream(streamHandle);
  if (stream.capture)
    return captureUnsupported;
  auto &event = *static_cast<Event *>(handle);
  event.isRecorded = true;
  event.isHung = stream.isHung;
  event.time = enqueue(stream, eventCost);
  return success;
}

EXPORT int cuEventQuery(void *handle) {
  Call call;
  if (call.error)
    return call.error;
  auto &event = *static_cast<Event *>(handle);
  return event.isHung || event.time > machine().now ? notReady : success;
}

EXPORT int cuEventSynchronize(void *handle) {
  Call call(/*waits=*/true);
  if (call.error)
    return call.error;
  auto &event = *static_cast<Event *>(handle);
  while (event.isHung)
    pause();
  machine().waitUntil(event.time);
  return call.device->error;
}

EXPORT int cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  Call call;
  if (call.error)
    return call.error;
  auto &first = *static_cast<Event *>(begin),
       &last = *static_cast<Event *>(end);
  if (!first.isRecorded || !last.isRecorded || !first.isTimed || !last.isTimed)
    return invalidHandle;
  if (first.isHung || last.isHung ||
      std::max(first.time, last.time) > machine().now)
    return notReady;
  *milliseconds = float((last.time - first.time) / 1000 * options().clockScale);
  return success;
}

/// For the fake libcupti: starts anew, or stops and gives what was seen.
EXPORT void latheFakeTrace(bool on, void (*each)(const char *, double, double,
                                                 unsigned)) {
  std::lock_guard<std::recursive_mutex> guard(machine().mutex);
  machine().isTracing = on;
  for (const TraceRecord &record : machine().trace)
    if (each)
      each(record.kernel.c_str(), record.begin, record.end, record.stream);
  machine().trace.clear();
}

/// For tests' subjects that work on the host.
EXPORT void latheFakeHostWork(double us) {
  std::lock_guard<std::recursive_mutex> guard(machine().mutex);
  machine().waitUntil(machine().now + us);
}
