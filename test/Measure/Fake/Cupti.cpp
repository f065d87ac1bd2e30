//===- Cupti.cpp - A libcupti.so.13 for the fake driver -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The activity API, for records of kernels alone.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

enum : int {
  success = 0,
  invalidParameter = 1,
  noMoreRecords = 12,
  insufficientPrivileges = 35,
  kernelKind = 10,
};

/// CUpti_ActivityKernel10: what is read of it, at its offsets.
struct alignas(8) KernelRecord {
  unsigned char bytes[216] = {};
  template <typename T> void set(size_t offset, T value) {
    std::memcpy(bytes + offset, &value, sizeof value);
  }
};

using RequestBuffer = void (*)(uint8_t **, size_t *, size_t *);
using CompleteBuffer = void (*)(void *, uint32_t, uint8_t *, size_t, size_t);
RequestBuffer request = nullptr;
CompleteBuffer complete = nullptr;
std::deque<KernelRecord> records;
std::deque<std::string> names;

void addRecord(const char *name, double begin, double end, unsigned stream) {
  KernelRecord record;
  record.set(0, uint32_t(kernelKind));
  record.set(16, uint64_t(begin * 1000) + 1000000);
  record.set(24, uint64_t(end * 1000) + 1000000);
  record.set(48, uint32_t(stream));
  record.set(104, names.emplace_back(name).c_str());
  records.push_back(record);
}

using Trace = void (*)(bool, void (*)(const char *, double, double, unsigned));
Trace driverTrace() {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  return driver ? reinterpret_cast<Trace>(dlsym(driver, "latheFakeTrace"))
                : nullptr;
}

} // namespace

EXPORT int cuptiGetVersion(uint32_t *version) {
  *version = 130001;
  return success;
}

EXPORT int cuptiGetResultString(int result, const char **text) {
  *text = result == insufficientPrivileges
              ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
              : "CUPTI_ERROR_UNKNOWN";
  return success;
}

EXPORT int cuptiActivityRegisterCallbacks(RequestBuffer onRequest,
                                          CompleteBuffer onComplete) {
  request = onRequest;
  complete = onComplete;
  return success;
}

EXPORT int cuptiActivityEnable(int kind) {
  if (!fake::options().cupti)
    return insufficientPrivileges;
  if (kind != kernelKind || !driverTrace())
    return invalidParameter;
  driverTrace()(true, nullptr);
  return success;
}

EXPORT int cuptiActivityDisable(int kind) {
  if (kind != kernelKind || !driverTrace())
    return invalidParameter;
  driverTrace()(false, nullptr);
  return success;
}

/// Gives everything back in buffers of the caller's.
EXPORT int cuptiActivityFlushAll(uint32_t) {
  if (!driverTrace() || !request)
    return invalidParameter;
  driverTrace()(true, addRecord);
  while (!records.empty()) {
    uint8_t *buffer = nullptr;
    size_t size = 0, most = 0, used = 0;
    request(&buffer, &size, &most);
    if (size < sizeof(KernelRecord))
      return invalidParameter;
    for (; !records.empty() && used + sizeof(KernelRecord) <= size;
         used += sizeof(KernelRecord)) {
      std::memcpy(buffer + used, records.front().bytes, sizeof(KernelRecord));
      records.pop_front();
    }
    complete(nullptr, 0, buffer, size, used);
  }
  names.clear();
  return success;
}

EXPORT int cuptiActivityGetNextRecord(uint8_t *buffer, size_t validBytes,
                                      void **record) {
  uint8_t *next =
      *record ? static_cast<uint8_t *>(*record) + sizeof(KernelRecord) : buffer;
  if (next + sizeof(KernelRecord) > buffer + validBytes)
    return noMoreRecords;
  *record = next;
  return success;
}
