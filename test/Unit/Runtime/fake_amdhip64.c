/*===- fake_amdhip64.c - A libamdhip64.so that records ------------*- C -*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "FakeDriver.h"

#include <string.h>

struct fake_state fake_state;

int hipInit(unsigned flags) { return 0; }
const char *hipGetErrorName(int error) { return "hipErrorFake"; }
int hipGetDeviceCount(int *count) {
  *count = 1;
  return 0;
}
int hipGetDevice(int *device) {
  *device = 0;
  return 0;
}
int hipSetDevice(int device) { return device; }
int hipGetDevicePropertiesR0600(void *properties, int device) {
  strcpy(properties, "AMD Instinct");
  strcpy((char *)properties + 1160, "gfx942:sramecc+:xnack-");
  return 0;
}
int hipModuleLoadData(void **module, const void *image) {
  ++fake_state.loads;
  fake_state.image = image;
  *module = &fake_state.loads;
  return 0;
}
int hipModuleUnload(void *module) {
  ++fake_state.unloads;
  return 0;
}
int hipModuleGetFunction(void **function, void *module, const char *name) {
  ++fake_state.resolved;
  *function = &fake_state.resolved;
  return 0;
}
int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                          unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **arguments,
                          void **extra) {
  ++fake_state.launches;
  fake_state.grid[0] = gx;
  fake_state.threads = bx * by * bz;
  for (int i = 0; i < fake_state.num_args; ++i)
    memcpy(&fake_state.args[i], arguments[i], 8);
  return 0;
}
