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

// On the host the threads of a launch take turns. On a GPU a warp combines what
// its threads have first: a million atomics on one address take milliseconds.
// All threads of a warp must get there.
#ifdef __NVPTX__
#define LATHE_ATOMIC(operation, to, value)                                     \
  __scoped_atomic_fetch_##operation(&(to), value, __ATOMIC_RELAXED,            \
                                    __MEMORY_SCOPE_DEVICE)

template <typename Combine>
inline uint64_t combineWarp(uint64_t value, Combine combine) {
  for (int distance = 16; distance != 0; distance /= 2) {
    auto low = uint32_t(
        __nvvm_shfl_sync_down_i32(~0u, int(uint32_t(value)), distance, 31));
    auto high = uint32_t(
        __nvvm_shfl_sync_down_i32(~0u, int(value >> 32), distance, 31));
    value = combine(value, uint64_t(high) << 32 | low);
  }
  return value;
}

inline bool isFirstOfWarp() { return __nvvm_read_ptx_sreg_laneid() == 0; }
#endif

inline void atomicAdd(uint64_t &to, uint64_t value) {
#ifdef __NVPTX__
  value = combineWarp(value, [](uint64_t a, uint64_t b) { return a + b; });
  if (value && isFirstOfWarp())
    LATHE_ATOMIC(add, to, value);
#else
  to += value;
#endif
}

inline void atomicMin(uint64_t &to, uint64_t value) {
#ifdef __NVPTX__
  value =
      combineWarp(value, [](uint64_t a, uint64_t b) { return a < b ? a : b; });
  if (value != ~uint64_t(0) && isFirstOfWarp())
    LATHE_ATOMIC(min, to, value);
#else
  to = value < to ? value : to;
#endif
}

/// Doubles that are not negative are ordered as their bits are. Any thread may
/// get there alone.
inline void atomicMaxAlone(uint64_t &to, uint64_t value) {
#ifdef __NVPTX__
  if (value)
    LATHE_ATOMIC(max, to, value);
#else
  to = value > to ? value : to;
#endif
}

inline void atomicMax(uint64_t &to, uint64_t value) {
#ifdef __NVPTX__
  value =
      combineWarp(value, [](uint64_t a, uint64_t b) { return a > b ? a : b; });
  if (!isFirstOfWarp())
    return;
#endif
  atomicMaxAlone(to, value);
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
