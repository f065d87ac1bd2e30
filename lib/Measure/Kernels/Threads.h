//===- Threads.h - What the kernels are made of -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Freestanding. A kernel is a function of one thread's place among all; any
// number of threads may share the work.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_MEASURE_KERNELS_THREADS_H
#define LATHE_LIB_MEASURE_KERNELS_THREADS_H

#include "Arguments.h"

#include "lathe/Verify/DrawMath.h"

namespace lathe::measure {

struct Thread {
  uint64_t index = 0, count = 1;
};

// On the host the threads of a launch take turns.
#ifdef __NVPTX__
#define LATHE_ATOMIC(operation, to, value)                                     \
  __scoped_atomic_fetch_##operation(&(to), value, __ATOMIC_RELAXED,            \
                                    __MEMORY_SCOPE_DEVICE)
#endif

inline void atomicAdd(uint64_t &to, uint64_t value) {
#ifdef __NVPTX__
  if (value)
    LATHE_ATOMIC(add, to, value);
#else
  to += value;
#endif
}

inline void atomicMin(uint64_t &to, uint64_t value) {
#ifdef __NVPTX__
  if (value != ~uint64_t(0))
    LATHE_ATOMIC(min, to, value);
#else
  to = value < to ? value : to;
#endif
}

/// Doubles that are not negative are ordered as their bits are.
inline void atomicMax(uint64_t &to, uint64_t value) {
#ifdef __NVPTX__
  if (value)
    LATHE_ATOMIC(max, to, value);
#else
  to = value > to ? value : to;
#endif
}

inline uint64_t divide(uint64_t a, uint64_t b) {
  // GPUs have no 64-bit division.
  return (a | b) >> 32 ? a / b : uint32_t(a) / uint32_t(b);
}

/// Where an element of a view lies, in elements; `index` counts row-major.
inline uint64_t elementOffset(const ViewArgument &view, uint64_t index) {
  uint64_t offset = 0;
  for (uint32_t i = view.rank; i-- > 1;) {
    uint64_t outer = divide(index, view.shape[i]);
    offset += (index - outer * view.shape[i]) * view.strides[i];
    index = outer;
  }
  return view.rank ? offset + index * view.strides[0] : offset;
}

/// Whether an element of a view covers a byte. Strides descend, and what lies
/// inside one is shorter than it.
inline bool coversByte(const ViewArgument &view, uint64_t byte) {
  uint64_t rest = divide(byte, view.bytes);
  for (uint32_t i = 0; i < view.rank; ++i) {
    uint64_t at = divide(rest, view.strides[i]);
    at = at < view.shape[i] ? at : view.shape[i] - 1;
    rest -= at * view.strides[i];
  }
  return view.elements && rest == 0;
}

/// Eight bytes of poison.
inline uint64_t poisonWord(uint64_t salt, uint64_t word) {
  return randomBits(salt, 0x706F69736F6E, word);
}

inline uint8_t poisonByte(uint64_t salt, uint64_t offset) {
  return uint8_t(poisonWord(salt, offset / 8) >> offset % 8 * 8);
}

} // namespace lathe::measure

#endif // LATHE_LIB_MEASURE_KERNELS_THREADS_H
