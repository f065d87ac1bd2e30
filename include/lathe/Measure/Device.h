//===- Device.h - One GPU, through its driver -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libcuda.so.1, loaded at run time; no header and no library of a CUDA toolkit
// is needed. Everything throws DriverError.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_MEASURE_DEVICE_H
#define LATHE_MEASURE_DEVICE_H

#include "lathe/Support/TensorMapRules.h"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::measure {

class DriverError : public std::runtime_error {
public:
  DriverError(int code, const std::string &what)
      : std::runtime_error(what), code(code) {}
  /// A CUresult; 0 if the library itself is missing.
  int code;
  /// The context is lost: an illegal access, a trap, a hardware exception.
  bool isFault() const;
  /// The device itself is gone (CUDA_ERROR_NO_DEVICE, DEVICE_UNAVAILABLE,
  /// ECC_UNCORRECTABLE, NVLINK_UNCORRECTABLE, SYSTEM_NOT_READY).
  bool isDeviceLost() const;
};

using DevicePointer = uint64_t;
using Stream = void *;
using Event = void *;

struct DeviceInfo {
  std::string name, uuid; ///< uuid: 32 hexadecimal digits
  int major = 0, minor = 0;
  int driverVersion = 0; ///< 13000 is CUDA 13.0
  int multiprocessors = 0;
  uint64_t l2Bytes = 0, memoryBytes = 0;
  /// "sm_90"; the candidate file's "sm_90a" runs on it.
  std::string arch() const {
    return "sm_" + std::to_string(major * 10 + minor);
  }
};

/// The driver's functions; lib/Measure/DriverTable.h.
struct DriverTable;

/// A device with its primary context current on the calling thread, for the
/// process's lifetime.
class Device {
public:
  /// How many there are.
  static int count();
  /// Uses the context that is current, if it is on the device (a process that
  /// PyTorch has set up), else the primary one.
  static std::unique_ptr<Device> open(int ordinal);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const DeviceInfo &info() const { return facts; }
  const DriverTable &driver() const { return *table; }

  /// At least one byte, aligned to 256.
  DevicePointer allocate(uint64_t bytes);
  void release(DevicePointer pointer);
  /// Bytes that kernels may allocate themselves; before any that does is run.
  void reserveHeap(uint64_t bytes);
  /// What is free now.
  uint64_t freeMemory();
  /// Copies have happened when they return, but know nothing of streams:
  /// synchronize first with what writes or reads there.
  void copyIn(DevicePointer to, const void *from, uint64_t bytes);
  void copyOut(void *to, DevicePointer from, uint64_t bytes);
  /// Asynchronous on `stream`.
  void fill(DevicePointer at, unsigned char value, uint64_t bytes,
            Stream stream);

  /// Does not wait for the legacy default stream, nor it for this one.
  Stream createStream();
  void destroyStream(Stream stream);
  void synchronize(Stream stream);
  void synchronizeAll();
  /// Nothing is queued or runs on the stream.
  bool isIdle(Stream stream);

  Event createEvent(bool timing);
  void destroyEvent(Event event);
  void record(Event event, Stream stream);
  /// What was before the event's recording has ended.
  bool isDone(Event event);
  double elapsedUs(Event begin, Event end);

  /// Throws with the driver's log if the image is not loadable. PTX ends in a
  /// zero byte.
  void *loadModule(std::string_view image);
  void unloadModule(void *module);
  /// Allows the kernel `sharedBytes` of dynamic shared memory and loads its
  /// code.
  void *function(void *module, const std::string &symbol, uint32_t sharedBytes);
  /// Writes the 128 bytes of a tensor map to `out`, which is aligned to 64.
  /// `driverType` is a CUtensorMapDataType.
  void encodeMap(const TensorMapShape &shape, int driverType, DevicePointer at,
                 void *out);
  void launch(void *function, const uint32_t grid[3], const uint32_t block[3],
              uint32_t sharedBytes, Stream stream, void **arguments);

private:
  Device() = default;
  void expect(int result, const char *call) const;

  const DriverTable *table = nullptr;
  DeviceInfo facts;
  int handle = 0;
};

/// What NVML says at one moment; `known` is false without libnvidia-ml.so.1.
struct ClockSample {
  bool known = false;
  unsigned smMHz = 0, memoryMHz = 0, temperature = 0, powerMilliwatts = 0;
  uint64_t throttle = 0; ///< nvmlClocksEventReasons, as a mask
  /// Reasons that make a time say less than the hardware can: power brake,
  /// thermal and hardware slowdowns. Idle and application clocks do not count.
  bool isThrottled() const;
  std::string throttleText() const;
};

/// Clocks of a device; usable without NVML, and then says nothing.
class Clocks {
public:
  explicit Clocks(const DeviceInfo &device);
  ~Clocks();
  ClockSample sample() const;
  std::string driverVersion() const; ///< "580.159.04", or empty

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// Kernel begin and end by CUPTI's activity records, where libcupti is.
class KernelTracer {
public:
  /// Null, with the reason in `why`, if CUPTI is missing or refuses.
  static std::unique_ptr<KernelTracer> open(std::string &why);
  virtual ~KernelTracer() = default;
  struct Record {
    std::string kernel;
    double beginUs = 0, endUs = 0; ///< of one clock
    uint32_t stream = 0;
  };
  virtual void start() = 0;
  /// Records since `start`, by begin. Nothing may be queued any more.
  virtual std::vector<Record> stop() = 0;
};

} // namespace lathe::measure

#endif // LATHE_MEASURE_DEVICE_H
