//===- Call.h - What every exported function begins with --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TEST_MEASURE_FAKE_CALL_H
#define LATHE_TEST_MEASURE_FAKE_CALL_H

#include "Machine.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace fake {

/// A call in the current context: holds the lock, takes its time, and knows
/// whether the context still works.
struct Call {
  std::lock_guard<std::recursive_mutex> guard{machine().mutex};
  Device *device = current();
  int error = success;

  /// `waits`: not allowed while a stream is captured, and spoils the capture.
  explicit Call(bool waits = false);
  Stream &stream(void *handle) const {
    return handle ? *static_cast<Stream *>(handle) : device->legacy;
  }
  bool isCapturing() const;
};

/// Waits for one stream, or with null for everything on the device.
int waitFor(Device &device, Stream *stream);

} // namespace fake

#endif // LATHE_TEST_MEASURE_FAKE_CALL_H
