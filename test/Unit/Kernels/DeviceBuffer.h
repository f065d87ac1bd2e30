//===- DeviceBuffer.h - Memory of a device under test -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TEST_UNIT_KERNELS_DEVICEBUFFER_H
#define LATHE_TEST_UNIT_KERNELS_DEVICEBUFFER_H

#include "lathe/Measure/Kernels.h"

namespace lathe::measure {

/// The fake driver's device, or a real one where `mayBeReal` and there is one.
struct DeviceUnderTest {
  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceKernels> kernels;
  Stream stream = nullptr;

  static DeviceUnderTest &get(bool mayBeReal = false);
};

/// A poisoned range with a view in it.
struct DeviceBuffer {
  DeviceUnderTest &on;
  std::string dtype;
  View view;
  unsigned elementBytes;
  uint64_t first = 64; ///< byte where the view starts
  uint64_t bytes = 0;  ///< of the range
  uint64_t salt;
  DevicePointer range = 0;

  /// `gaps[i]` elements are left out after dimension i's slices.
  DeviceBuffer(DeviceUnderTest &on, const std::string &dtype,
               std::vector<int64_t> shape, std::vector<int64_t> gaps = {},
               uint64_t salt = 1);
  DeviceBuffer(const DeviceBuffer &) = delete;
  ~DeviceBuffer();

  DevicePointer base() const { return range + first; }
  uint64_t elements() const;
  /// Elements between the view's start and an element.
  uint64_t offset(uint64_t number) const;

  /// Bits of the elements, densely.
  std::vector<uint64_t> bits() const;
  void setBits(const std::vector<uint64_t> &bits);
  std::vector<char> bytesOfRange() const;
  void setByte(uint64_t offset, char value);

  uint64_t changedPadding() const;
  uint64_t unwritten() const;
  uint64_t hash() const;
};

} // namespace lathe::measure

#endif // LATHE_TEST_UNIT_KERNELS_DEVICEBUFFER_H
