/*===- gpu.h - Just enough of the CUDA driver for the example ------*- C
-*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef LATHE_EXAMPLES_GPU_H
#define LATHE_EXAMPLES_GPU_H

#include <stddef.h>
#include <stdint.h>

/* All print their own errors and return non-zero on failure. A program that
 * links the CUDA runtime would call cudaMalloc and cudaMemcpy instead. */
int gpu_open(void); /* the first device's primary context becomes current */
int gpu_allocate(void **pointer, size_t bytes, uint16_t fill);
int gpu_read(void *to, const void *from, size_t bytes);
void gpu_close(void);

#endif
