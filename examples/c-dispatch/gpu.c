/*===- gpu.c - Just enough of the CUDA driver for the example ------*- C
-*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "gpu.h"

#include <dlfcn.h>
#include <stdio.h>

static void *library;
static void *context;

typedef int (*init_fn)(unsigned);
typedef int (*retain_fn)(void **, int);
typedef int (*release_fn)(int);
typedef int (*set_fn)(void *);
typedef int (*allocate_fn)(uint64_t *, size_t);
typedef int (*fill_fn)(uint64_t, unsigned short, size_t);
typedef int (*copy_fn)(void *, uint64_t, size_t);

static int check(int result, const char *what) {
  if (result != 0)
    fprintf(stderr, "%s failed with %d\n", what, result);
  return result != 0;
}

int gpu_open(void) {
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) {
    fprintf(stderr, "no CUDA driver on this machine\n");
    return 1;
  }
  init_fn init = (init_fn)dlsym(library, "cuInit");
  retain_fn retain = (retain_fn)dlsym(library, "cuDevicePrimaryCtxRetain");
  set_fn set = (set_fn)dlsym(library, "cuCtxSetCurrent");
  return check(init(0), "cuInit") ||
         check(retain(&context, 0), "cuDevicePrimaryCtxRetain") ||
         check(set(context), "cuCtxSetCurrent");
}

int gpu_allocate(void **pointer, size_t bytes, uint16_t fill) {
  allocate_fn allocate = (allocate_fn)dlsym(library, "cuMemAlloc_v2");
  fill_fn set = (fill_fn)dlsym(library, "cuMemsetD16_v2");
  uint64_t address;
  if (check(allocate(&address, bytes), "cuMemAlloc") ||
      check(set(address, fill, bytes / 2), "cuMemsetD16"))
    return 1;
  *pointer = (void *)(uintptr_t)address;
  return 0;
}

int gpu_read(void *to, const void *from, size_t bytes) {
  copy_fn copy = (copy_fn)dlsym(library, "cuMemcpyDtoH_v2");
  return check(copy(to, (uint64_t)(uintptr_t)from, bytes), "cuMemcpyDtoH");
}

void gpu_close(void) {
  release_fn release =
      (release_fn)dlsym(library, "cuDevicePrimaryCtxRelease_v2");
  release(0); /* frees the allocations, too */
}
