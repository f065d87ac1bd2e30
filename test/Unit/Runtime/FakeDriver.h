/*===- FakeDriver.h - What the stand-in drivers record -------------*- C
-*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef LATHE_TEST_UNIT_RUNTIME_FAKEDRIVER_H
#define LATHE_TEST_UNIT_RUNTIME_FAKEDRIVER_H

#include <stdint.h>

/* Exported by each stand-in as `fake_state`. */
struct fake_state {
  int major, minor; /* what the NVIDIA device says */
  int fail_load;
  int loads, unloads, resolved, code_loads, launches;
  int pushes, pops, retained;
  int allowed_shared;
  int maps; /* encoded */
  int num_args; /* how many the launches have */
  uint64_t args[64];
  int num_maps; /* how many arguments behind them are maps */
  uint64_t map_words[16][16];
  uint32_t grid[3], threads, shared;
  void *stream;
  const void *image;
};

#endif
