/*===- GraphCapture.c - Launches may be captured -------------------*- C
-*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* lathe-test-capture BUNDLE: captures launches of rms_norm (whose kernels    *|
|* add one to the first word of the output) into a graph, replays it, counts, *|
|* and times plain launches on the host. Needs an NVIDIA GPU.                 *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "lathe/Runtime/lathe_runtime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void *cuda;

static void check(int result, const char *what) {
  if (result == 0)
    return;
  fprintf(stderr, "%s: %d %s\n", what, result, lathe_last_error());
  exit(1);
}

typedef int (*function)();

static function get(const char *name) {
  function found = (function)dlsym(cuda, name);
  if (!found) {
    fprintf(stderr, "no %s\n", name);
    exit(1);
  }
  return found;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv) {
  lathe_bundle *bundle = NULL;
  lathe_prepared *prepared;
  check(argc != 2 || lathe_open_file(argv[1], &bundle), "open");
  check(lathe_prepare(bundle, LATHE_VENDOR_NVIDIA, 0, &prepared), "prepare");
  cuda = dlopen("libcuda.so.1", RTLD_NOW);
  void *context, *stream, *graph, *executable;
  check(get("cuDevicePrimaryCtxRetain")(&context, 0), "retain");
  check(get("cuCtxSetCurrent")(context), "current");
  check(get("cuStreamCreate")(&stream, 1), "stream");
  uint64_t memory;
  check(get("cuMemAlloc_v2")(&memory, (size_t)4096), "allocate");
  check(get("cuMemsetD32_v2")(memory, 0, (size_t)1024), "fill");

  const lathe_table *table = lathe_find_table(bundle, "rms_norm");
  void *out = (void *)(uintptr_t)memory;
  void *pointers[] = {out, out, out};
  int64_t exact[] = {17, 2048, LATHE_DIM_DEFAULT};
  int64_t generic[] = {5, 7, 9};
  int64_t none[] = {0, 7, 9};
#define LAUNCH(dims)                                                           \
  lathe_launch(prepared, table, dims, 3, pointers, 3, NULL, 0, stream)
  check(get("cuStreamBeginCapture_v2")(stream, 1), "capture");
  check(LAUNCH(exact), "launch");
  check(LAUNCH(none), "launch of nothing");
  check(LAUNCH(generic), "launch");
  check(get("cuStreamEndCapture")(stream, &graph), "end of capture");
  check(get("cuGraphInstantiateWithFlags")(&executable, graph, 0ull),
        "instantiate");
  for (int i = 0; i < 3; ++i)
    check(get("cuGraphLaunch")(executable, stream), "graph launch");
  check(get("cuStreamSynchronize")(stream), "synchronize");
  uint32_t count;
  check(get("cuMemcpyDtoH_v2")(&count, memory, (size_t)4), "copy");
  printf("%u kernels ran\n", count);

  enum { launches = 2000 };
  double start = now();
  for (int i = 0; i < launches; ++i)
    check(LAUNCH(exact), "launch");
  double each = (now() - start) / launches;
  check(get("cuStreamSynchronize")(stream), "synchronize");
  printf("%.0f ns per launch on the host\n", each);
  lathe_release(prepared);
  lathe_close(bundle);
  return count != 6;
}
