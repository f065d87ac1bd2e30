/*===- lathe_runtime.h - Open a bundle, pick a kernel, launch it ---*- C -*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The C ABI of liblathe_runtime.so. Life of a program:                       *|
|*                                                                            *|
|*   lathe_open_file    read, check every hash, build the lookup tables       *|
|*   lathe_find_table   once per operator, by the op set entry's name         *|
|*   lathe_prepare      once per device: load modules, resolve kernels        *|
|*   lathe_launch       per call: select, compute the grid, launch            *|
|*                                                                            *|
|* After lathe_open_* a bundle and its tables never change: every function    *|
|* that takes them const may run on many threads at once. lathe_select,       *|
|* lathe_grid and lathe_launch allocate nothing and take no lock.             *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef LATHE_RUNTIME_H
#define LATHE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LATHE_API __attribute__((visibility("default")))
#else
#define LATHE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Raised when a function or a struct changes in a way old callers notice.
 *  Structs only ever grow at their end; callers set `struct_size`. */
#define LATHE_RUNTIME_ABI_VERSION 1

/** Stands for "use the dim's default" in a dims array (row pitches). */
#define LATHE_DIM_DEFAULT INT64_MIN

/** More than any table holds; sizes of caller-side arrays. */
#define LATHE_MAX_DIMS 32
#define LATHE_MAX_OPERANDS 64
#define LATHE_MAX_SCALARS 32

typedef struct lathe_bundle lathe_bundle;
typedef struct lathe_table lathe_table;
typedef struct lathe_prepared lathe_prepared;

typedef enum lathe_status {
  LATHE_OK = 0,
  LATHE_INVALID_ARGUMENT = 1, /**< null, wrong count, unknown struct size */
  LATHE_IO_ERROR = 2,         /**< the file cannot be read */
  LATHE_NOT_A_BUNDLE = 3,     /**< foreign file, or a container of others */
  LATHE_TRUNCATED = 4,        /**< shorter than it says it is */
  LATHE_TAMPERED = 5,         /**< a hash does not match its bytes */
  LATHE_MALFORMED = 6,        /**< hashes match, contents make no sense */
  LATHE_UNSUPPORTED = 7,      /**< a version this runtime does not know */
  LATHE_NOT_FOUND = 8,        /**< no such operator, dim or architecture */
  LATHE_OUT_OF_RANGE = 9,     /**< a dim outside the declared range */
  LATHE_NO_CASE = 10,         /**< no kernel accepts (misaligned pointers) */
  LATHE_OVERFLOW = 11, /**< a grid, default or view does not fit 64 bits */
  LATHE_LIMIT = 12,    /**< more than the hardware takes: the grid, a view */
  LATHE_NO_DRIVER = 13,       /**< neither libcuda nor libamdhip64 usable */
  LATHE_DRIVER_ERROR = 14,    /**< the driver refused */
  LATHE_NO_IMAGE = 15,        /**< no image that this device may run */
  LATHE_OUT_OF_MEMORY = 16
} lathe_status;

typedef enum lathe_vendor {
  LATHE_VENDOR_ANY = 0, /**< the first driver that has such a device */
  LATHE_VENDOR_NVIDIA = 1,
  LATHE_VENDOR_AMD = 2
} lathe_vendor;

typedef enum lathe_case_kind {
  LATHE_CASE_EXACT = 0,
  LATHE_CASE_BUCKET = 1,
  LATHE_CASE_GENERIC = 2
} lathe_case_kind;

LATHE_API uint32_t lathe_abi_version(void);

/** A short constant name such as "tampered". */
LATHE_API const char *lathe_status_name(lathe_status status);

/** One line about the last call of this thread that failed. */
LATHE_API const char *lathe_last_error(void);

/*===-- Opening -----------------------------------------------------------===*/

/** Reads and checks a whole bundle: SHA-256 of every member, every offset, every
 *  table. On failure `*bundle` is null. */
LATHE_API lathe_status lathe_open_file(const char *path, lathe_bundle **bundle);

enum {
  /** Do not copy: the bytes are 8-byte aligned and outlive the bundle. */
  LATHE_OPEN_BORROW = 1
};
LATHE_API lathe_status lathe_open_memory(const void *bytes, size_t size,
                                         uint32_t flags, lathe_bundle **bundle);

/** Every lathe_prepared of it must have been released. Null is fine. */
LATHE_API void lathe_close(lathe_bundle *bundle);

/** The manifest: JSON, zero-terminated; lives as long as the bundle. */
LATHE_API const char *lathe_manifest(const lathe_bundle *bundle, size_t *size);

/*===-- Tables ------------------------------------------------------------===*/

LATHE_API uint32_t lathe_num_tables(const lathe_bundle *bundle);
LATHE_API const lathe_table *lathe_table_at(const lathe_bundle *bundle,
                                            uint32_t index);
/** Null if there is none; lathe_last_error then names the nearest. */
LATHE_API const lathe_table *lathe_find_table(const lathe_bundle *bundle,
                                              const char *entry);

typedef struct lathe_table_info {
  uint32_t struct_size; /**< in: sizeof(lathe_table_info) */
  uint32_t num_dims, num_operands, num_scalars, num_archs, num_cases;
  const char *entry; /**< op set entry, the name callers use */
  const char *op;    /**< operator */
} lathe_table_info;
LATHE_API lathe_status lathe_get_table_info(const lathe_table *table,
                                            lathe_table_info *info);

typedef struct lathe_dim_info {
  uint32_t struct_size;
  uint32_t has_default; /**< LATHE_DIM_DEFAULT may be given */
  const char *name;
  int64_t min, max; /**< both included */
} lathe_dim_info;
LATHE_API lathe_status lathe_get_dim_info(const lathe_table *table,
                                          uint32_t dim, lathe_dim_info *info);

typedef struct lathe_operand_info {
  uint32_t struct_size;
  uint32_t is_output;
  const char *name, *dtype;
} lathe_operand_info;
LATHE_API lathe_status lathe_get_operand_info(const lathe_table *table,
                                              uint32_t operand,
                                              lathe_operand_info *info);

typedef struct lathe_scalar_info {
  uint32_t struct_size;
  uint32_t reserved;
  const char *name, *dtype;
  double default_value;
} lathe_scalar_info;
LATHE_API lathe_status lathe_get_scalar_info(const lathe_table *table,
                                             uint32_t scalar,
                                             lathe_scalar_info *info);

typedef struct lathe_case_info {
  uint32_t struct_size;
  uint32_t kind; /**< lathe_case_kind */
  const char *kernel, *symbol, *arch;
  uint32_t alignment; /**< bytes that every operand's base must have */
  uint32_t num_guards;
  uint32_t block_threads;
  uint32_t shared_bytes; /**< dynamic, per block */
} lathe_case_info;
LATHE_API lathe_status lathe_get_case_info(const lathe_table *table,
                                           uint32_t index,
                                           lathe_case_info *info);

/*===-- Architectures -----------------------------------------------------===*/

/** Name of the table's architecture `arch` ("sm_90a"); null past the end. */
LATHE_API const char *lathe_arch_name(const lathe_table *table, uint32_t arch);

/** By exact name, without a device. */
LATHE_API lathe_status lathe_find_arch(const lathe_table *table,
                                       const char *name, uint32_t *arch);

typedef struct lathe_device {
  uint32_t struct_size;
  uint32_t vendor;       /**< lathe_vendor */
  uint32_t major, minor; /**< NVIDIA compute capability */
  char name[64];         /**< AMD: "gfx942"; a ":feature" tail is ignored */
} lathe_device;

/** What the driver says about a device. */
LATHE_API lathe_status lathe_query_device(lathe_vendor vendor, int ordinal,
                                          lathe_device *device);

/** The best architecture of the table that this device may run. NVIDIA: sm_XYa
 *  on X.Y only, sm_XYf on X.y with y >= Y, a cubin of sm_XY on X.y with
 *  y >= Y, PTX of sm_XY on anything not older; in this order, newest first.
 *  AMD: the same gfx name. `*is_ptx`, if wanted, says that the driver will
 *  compile. */
LATHE_API lathe_status lathe_match_arch(const lathe_table *table,
                                        const lathe_device *device,
                                        uint32_t *arch, uint32_t *is_ptx);

/*===-- Lookup ------------------------------------------------------------===*/

/** The first case of `arch` whose guards hold. `dims` has one value per dim of
 *  the table, in its order; `alignment` is the largest power of two that
 *  divides every operand's address (see lathe_alignment), 0 for no limit. */
LATHE_API lathe_status lathe_select(const lathe_table *table, uint32_t arch,
                                    const int64_t *dims, uint32_t num_dims,
                                    uint64_t alignment, uint32_t *case_index);

/** Largest power of two that divides every address (null pointers divide all),
 *  at most 4096. */
LATHE_API uint64_t lathe_alignment(const void *const *pointers, uint32_t count);

/** Blocks of a case at these dims, checked against the hardware's limits. Any
 *  zero means: nothing to do. */
LATHE_API lathe_status lathe_grid(const lathe_table *table, uint32_t case_index,
                                  const int64_t *dims, uint32_t num_dims,
                                  uint32_t grid[3]);

typedef enum lathe_reason {
  LATHE_REASON_BELOW = 0,     /**< dim < lo = `limit` */
  LATHE_REASON_ABOVE = 1,     /**< dim > hi = `limit` */
  LATHE_REASON_MULTIPLE = 2,  /**< dim mod `limit` != 0 */
  LATHE_REASON_ALIGNMENT = 3  /**< a base address mod `limit` != 0 */
} lathe_reason;

/** Why a case before the chosen one did not apply: its first guard to fail. */
typedef struct lathe_rejection {
  uint32_t case_index;
  uint32_t reason; /**< lathe_reason */
  uint32_t dim;    /**< index; UINT32_MAX for the alignment */
  uint32_t reserved;
  int64_t value, limit;
} lathe_rejection;

typedef struct lathe_explanation {
  uint32_t struct_size;
  uint32_t case_index; /**< UINT32_MAX if no case applies */
  const char *kernel, *symbol, *arch;
  uint32_t kind; /**< lathe_case_kind */
  uint32_t block_threads, shared_bytes;
  uint32_t grid[3];
  uint32_t num_rejections; /**< earlier cases; may exceed the capacity */
  uint32_t num_dims;
  int64_t dims[LATHE_MAX_DIMS]; /**< after defaults */
} lathe_explanation;

/** lathe_select, slowly and in words. Fills at most `capacity` rejections. */
LATHE_API lathe_status lathe_explain(const lathe_table *table, uint32_t arch,
                                     const int64_t *dims, uint32_t num_dims,
                                     uint64_t alignment,
                                     lathe_explanation *explanation,
                                     lathe_rejection *rejections,
                                     uint32_t capacity);

/*===-- Launching ---------------------------------------------------------===*/

/** Loads what the device may run of every table and resolves every kernel, so
 *  that launches may be captured into graphs. Uses the calling thread's
 *  context if it is on that device, else the primary one. Kernels that copy by
 *  tensor maps need a driver of CUDA 12. */
LATHE_API lathe_status lathe_prepare(const lathe_bundle *bundle,
                                     lathe_vendor vendor, int ordinal,
                                     lathe_prepared **prepared);

/** Unloads. No launch may be pending or captured. Null is fine. */
LATHE_API void lathe_release(lathe_prepared *prepared);

/** The architecture that launches of this table use on the prepared device. */
LATHE_API lathe_status lathe_prepared_arch(const lathe_prepared *prepared,
                                           const lathe_table *table,
                                           uint32_t *arch, uint32_t *is_ptx);

/** Table `index` of the prepared bundle if its entry's name is `entry`, else null
 *  (generated code launches through this: no search per call). */
LATHE_API const lathe_table *
lathe_prepared_table(const lathe_prepared *prepared, uint32_t index,
                     const char *entry);

/** Selects and launches on `stream` (CUstream or hipStream_t). `pointers`: one
 *  per operand, inputs then outputs. `scalars`: one per scalar, converted to its
 *  dtype; null for all defaults. Nothing to do is success without a launch. */
LATHE_API lathe_status lathe_launch(const lathe_prepared *prepared,
                                    const lathe_table *table,
                                    const int64_t *dims, uint32_t num_dims,
                                    void *const *pointers,
                                    uint32_t num_pointers,
                                    const double *scalars, uint32_t num_scalars,
                                    void *stream);

#ifdef __cplusplus
}
#endif

#endif /* LATHE_RUNTIME_H */
