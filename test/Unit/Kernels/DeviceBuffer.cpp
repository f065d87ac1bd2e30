//===- DeviceBuffer.cpp - Memory of a device under test -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceBuffer.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

using namespace lathe::measure;

static std::unique_ptr<Device> openFake() {
  setenv("LATHE_FAKE_CUDA", "fast=1", 1);
  // A library that is loaded is found by its name from then on.
  if (!dlopen(LATHE_FAKE_DIR "/libcuda.so.1", RTLD_NOW | RTLD_LOCAL))
    throw std::runtime_error(dlerror());
  return Device::open(0);
}

static bool hasRealDevice() {
  try {
    return Device::count() > 0;
  } catch (const DriverError &) {
    return false;
  }
}

DeviceUnderTest &DeviceUnderTest::get(bool mayBeReal) {
  static DeviceUnderTest *const shared = [&] {
    auto *on = new DeviceUnderTest;
    on->device = mayBeReal && hasRealDevice() ? Device::open(0) : openFake();
    std::printf("on %s\n", on->device->info().name.c_str());
    on->kernels = std::make_unique<DeviceKernels>(*on->device);
    on->stream = on->device->createStream();
    return on;
  }();
  return *shared;
}

DeviceBuffer::DeviceBuffer(DeviceUnderTest &on, const std::string &dtype,
                           std::vector<int64_t> shape,
                           std::vector<int64_t> gaps, uint64_t salt)
    : on(on), dtype(dtype), elementBytes(elementFormat(dtype)->bytes),
      salt(salt) {
  gaps.resize(shape.size(), 0);
  view.strides.resize(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    view.strides[i] = stride;
    stride = stride * shape[i] + gaps[i];
  }
  view.shape = std::move(shape);
  bytes = first + uint64_t(stride) * elementBytes + 61;
  range = on.device->allocate(bytes);
  on.kernels->poison(range, bytes, salt, on.stream);
}

DeviceBuffer::~DeviceBuffer() { on.device->release(range); }

uint64_t DeviceBuffer::elements() const {
  uint64_t count = 1;
  for (int64_t extent : view.shape)
    count *= uint64_t(extent);
  return count;
}

uint64_t DeviceBuffer::offset(uint64_t number) const {
  uint64_t offset = 0;
  for (size_t i = view.shape.size(); i-- > 0;) {
    offset += number % uint64_t(view.shape[i]) * uint64_t(view.strides[i]);
    number /= uint64_t(view.shape[i]);
  }
  return offset;
}

std::vector<char> DeviceBuffer::bytesOfRange() const {
  std::vector<char> copy(bytes);
  on.device->synchronize(on.stream);
  on.device->copyOut(copy.data(), range, bytes);
  return copy;
}

std::vector<uint64_t> DeviceBuffer::bits() const {
  std::vector<char> copy = bytesOfRange();
  std::vector<uint64_t> result(elements());
  for (uint64_t i = 0; i < result.size(); ++i)
    __builtin_memcpy(&result[i], copy.data() + first + offset(i) * elementBytes,
                     elementBytes);
  return result;
}

void DeviceBuffer::setBits(const std::vector<uint64_t> &bits) {
  std::vector<char> copy = bytesOfRange();
  for (uint64_t i = 0; i < bits.size(); ++i)
    __builtin_memcpy(copy.data() + first + offset(i) * elementBytes, &bits[i],
                     elementBytes);
  on.device->copyIn(range, copy.data(), bytes);
}

void DeviceBuffer::setByte(uint64_t offset, char value) {
  on.device->synchronize(on.stream);
  on.device->copyIn(range + offset, &value, 1);
}

uint64_t DeviceBuffer::changedPadding() const {
  return on.kernels->changedPadding(range, bytes, salt, dtype, view, first,
                                    on.stream);
}

uint64_t DeviceBuffer::unwritten() const {
  return on.kernels->unwrittenElements(range, salt, dtype, view, first,
                                       on.stream);
}

uint64_t DeviceBuffer::hash() const {
  return on.kernels->hash(dtype, view, base(), on.stream);
}
