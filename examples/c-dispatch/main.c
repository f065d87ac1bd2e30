/*===- main.c - Open a bundle, select by shape, launch -------------*- C
-*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* c-dispatch BUNDLE OPERATOR ARCH DIM=VALUE...                               *|
|*   says which kernel of ARCH serves the shape; needs no GPU                 *|
|* c-dispatch BUNDLE OPERATOR launch DIM=VALUE...                             *|
|*   also runs it on the first GPU, every input filled with bf16 ones, and    *|
|*   prints the first numbers of the first output                             *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "gpu.h"

#include "lathe/Runtime/lathe_runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, lathe_last_error());
  return 1;
}

/* Sets the dim that "T=17" names; the others keep their default. */
static int read_dim(const lathe_table *table, const char *text, int64_t *dims) {
  const char *equals = strchr(text, '=');
  lathe_dim_info info = {.struct_size = sizeof info};
  for (uint32_t i = 0; equals && !lathe_get_dim_info(table, i, &info); ++i) {
    size_t length = (size_t)(equals - text);
    if (strlen(info.name) != length || strncmp(text, info.name, length) != 0)
      continue;
    char *end;
    dims[i] = strtoll(equals + 1, &end, 10);
    return *end != 0 || end == equals + 1;
  }
  return 1;
}

static int print_choice(const lathe_table *table, uint32_t arch,
                        const int64_t *dims, uint32_t num_dims) {
  uint32_t index, grid[3];
  /* What device allocators return is aligned to at least 256 bytes. */
  if (lathe_select(table, arch, dims, num_dims, 256, &index) ||
      lathe_grid(table, index, dims, num_dims, grid))
    return fail("no kernel");
  lathe_case_info info = {.struct_size = sizeof info};
  lathe_get_case_info(table, index, &info);
  printf("case %" PRIu32 ": %s\n", index, info.kernel);
  printf("grid %" PRIu32 " x %" PRIu32 " x %" PRIu32 ", %" PRIu32 " threads\n",
         grid[0], grid[1], grid[2], info.block_threads);
  return 0;
}

static float from_bf16(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

/* `bytes` per operand; the launch goes to the default stream. */
static int launch(const lathe_bundle *bundle, const lathe_table *table,
                  const int64_t *dims, uint32_t num_dims, size_t bytes) {
  lathe_table_info info = {.struct_size = sizeof info};
  lathe_get_table_info(table, &info);
  lathe_prepared *prepared;
  if (lathe_prepare(bundle, LATHE_VENDOR_NVIDIA, 0, &prepared))
    return fail("cannot prepare");
  uint32_t arch, is_ptx;
  if (lathe_prepared_arch(prepared, table, &arch, &is_ptx))
    return fail("cannot prepare");
  printf("device runs %s%s\n", lathe_arch_name(table, arch),
         is_ptx ? " (compiled from PTX)" : "");

  void *pointers[LATHE_MAX_OPERANDS];
  uint32_t output = UINT32_MAX;
  for (uint32_t i = 0; i < info.num_operands; ++i) {
    lathe_operand_info operand = {.struct_size = sizeof operand};
    lathe_get_operand_info(table, i, &operand);
    if (operand.is_output && output == UINT32_MAX)
      output = i;
    if (gpu_allocate(&pointers[i], bytes, operand.is_output ? 0 : 0x3F80))
      return 1;
  }
  if (print_choice(table, arch, dims, num_dims))
    return 1;
  if (lathe_launch(prepared, table, dims, num_dims, pointers, info.num_operands,
                   NULL, 0, NULL))
    return fail("cannot launch");
  uint16_t numbers[4] = {0};
  if (output != UINT32_MAX &&
      gpu_read(numbers, pointers[output], sizeof numbers))
    return 1;
  printf("out: %g %g %g %g\n", from_bf16(numbers[0]), from_bf16(numbers[1]),
         from_bf16(numbers[2]), from_bf16(numbers[3]));
  lathe_release(prepared);
  gpu_close();
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr,
            "usage: c-dispatch BUNDLE OPERATOR ARCH|launch DIM=VALUE...\n");
    return 1;
  }
  lathe_bundle *bundle;
  if (lathe_open_file(argv[1], &bundle))
    return fail(argv[1]);
  const lathe_table *table = lathe_find_table(bundle, argv[2]);
  if (!table)
    return fail("cannot dispatch");

  lathe_table_info info = {.struct_size = sizeof info};
  lathe_get_table_info(table, &info);
  int64_t dims[LATHE_MAX_DIMS];
  for (uint32_t i = 0; i < info.num_dims; ++i)
    dims[i] = LATHE_DIM_DEFAULT;
  for (int i = 4; i < argc; ++i)
    if (read_dim(table, argv[i], dims)) {
      fprintf(stderr, "'%s' is not a dim of %s and its value\n", argv[i],
              argv[2]);
      return 1;
    }

  int status;
  if (strcmp(argv[3], "launch") == 0) {
    /* Enough for any operand whose extents are these dims. */
    size_t bytes = 4;
    for (uint32_t i = 0; i < info.num_dims; ++i)
      if (dims[i] > 0)
        bytes *= (size_t)dims[i];
    status = gpu_open() || launch(bundle, table, dims, info.num_dims, bytes);
  } else {
    uint32_t arch;
    if (lathe_find_arch(table, argv[3], &arch))
      return fail("cannot dispatch");
    status = print_choice(table, arch, dims, info.num_dims);
  }
  lathe_close(bundle);
  return status;
}
