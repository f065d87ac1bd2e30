/*===- fake_cuda.c - A libcuda.so.1 that records ------------------*- C -*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "FakeDriver.h"

#include <string.h>

struct fake_state fake_state;

static void *current;
static int primary;

int cuInit(unsigned flags) { return 0; }
int cuGetErrorName(int error, const char **name) {
  *name = "FAKE_ERROR";
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? 0 : 101;
}
int cuDeviceGetName(char *name, int size, int device) {
  strncpy(name, "fake", (size_t)size);
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 75 ? fake_state.major : fake_state.minor;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  ++fake_state.retained;
  *context = &primary;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  --fake_state.retained;
  return 0;
}
int cuCtxPushCurrent_v2(void *context) {
  ++fake_state.pushes;
  current = context;
  return 0;
}
int cuCtxPopCurrent_v2(void **context) {
  ++fake_state.pops;
  *context = current;
  current = 0;
  return 0;
}
int cuCtxGetCurrent(void **context) {
  *context = current;
  return 0;
}
int cuCtxGetDevice(int *device) {
  *device = 0;
  return 0;
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                       int *options, void **values) {
  if (fake_state.fail_load) {
    strcpy(values[0], "bad image");
    return 200;
  }
  ++fake_state.loads;
  fake_state.image = image;
  *module = &fake_state.loads;
  return 0;
}
int cuModuleUnload(void *module) {
  ++fake_state.unloads;
  return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  ++fake_state.resolved;
  *function = (void *)(uintptr_t)fake_state.resolved;
  return 0;
}
int cuFuncLoad(void *function) {
  ++fake_state.code_loads;
  return 0;
}
int cuFuncGetAttribute(int *value, int attribute, void *function) {
  *value = 49152;
  return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  fake_state.allowed_shared = value;
  return attribute == 8 ? 0 : 1;
}
/* The first bytes are what it was asked for. */
int cuTensorMapEncodeTiled(void *out, int type, uint32_t rank, void *at,
                           const uint64_t *extents, const uint64_t *strides,
                           const uint32_t *box, const uint32_t *element_strides,
                           int interleave, int swizzle, int promotion,
                           int fill) {
  uint64_t *words = out;
  if ((uintptr_t)out % 64 || interleave || fill)
    return 1;
  memset(out, 0, 128);
  words[0] = (uintptr_t)at;
  words[1] = (uint64_t)type << 32 | rank << 8 | (uint32_t)swizzle;
  for (uint32_t i = 0; i < rank; ++i) {
    words[2 + i] = extents[i];
    words[7 + i] = i + 1 < rank ? strides[i] : 0;
    words[12] = words[12] * 1000 + box[i];
    if (element_strides[i] != 1)
      return 1;
  }
  ++fake_state.maps;
  return 0;
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **arguments, void **extra) {
  ++fake_state.launches;
  fake_state.grid[0] = gx;
  fake_state.grid[1] = gy;
  fake_state.grid[2] = gz;
  fake_state.threads = bx * by * bz;
  fake_state.shared = shared;
  fake_state.stream = stream;
  for (int i = 0; i < fake_state.num_args; ++i)
    memcpy(&fake_state.args[i], arguments[i], 8);
  for (int i = 0; i < fake_state.num_maps; ++i)
    memcpy(fake_state.map_words[i], arguments[fake_state.num_args + i], 128);
  return current == &primary ? 0 : 201;
}
