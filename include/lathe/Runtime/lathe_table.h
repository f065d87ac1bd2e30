/*===- lathe_table.h - Binary dispatch tables ----------------------*- C -*-===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What the packager writes and the runtime reads. Little-endian; every       *|
|* struct is a multiple of 8 bytes without padding, and starts 8-byte aligned *|
|* in the table. A section is an array: byte offset from the table's start,   *|
|* and the number of elements. Strings are byte offsets into the strings      *|
|* section, zero-terminated. Reserved fields are zero.                        *|
|*                                                                            *|
|* A bundle is a sequence of LLVM offload binaries, told apart by the string  *|
|* "lathe.member": "directory" (first; hashes of all others), "manifest",     *|
|* "table", "image" (cubin, PTX or code object that launches use), "link"     *|
|* (a relocatable object, for exports only), "module" (LLVM bitcode of one     *|
|* kernel, for checking it again).                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef LATHE_TABLE_H
#define LATHE_TABLE_H

#include <stdint.h>

#define LATHE_TABLE_MAGIC "LATHETBL"
#define LATHE_TABLE_VERSION 2

/* Caps that the runtime enforces when it opens a table. */
#define LATHE_TABLE_MAX_BYTES (64u << 20)
#define LATHE_TABLE_MAX_ARCHS 32
#define LATHE_TABLE_MAX_CASES 16384 /* over all architectures */
#define LATHE_TABLE_MAX_CODE 256    /* instructions of one expression */
#define LATHE_TABLE_MAX_STACK 16
#define LATHE_TABLE_MAX_THREADS 1024
#define LATHE_TABLE_MAX_SHARED (1u << 20)
#define LATHE_TABLE_MAX_ALIGNMENT 4096
#define LATHE_TABLE_MAX_MAPS 16 /* of one case */
#define LATHE_TABLE_MAX_RANK 5  /* of one map */

typedef struct lathe_table_section {
  uint32_t offset, count;
} lathe_table_section;

typedef struct lathe_table_header {
  char magic[8];
  uint32_t version;
  uint32_t size; /* bytes of the whole table, this header included */
  uint32_t entry; /* string: op set entry */
  uint32_t op;    /* string: operator */
  lathe_table_section archs;        /* lathe_table_arch */
  lathe_table_section dims;         /* lathe_table_dim */
  lathe_table_section operands;     /* lathe_table_operand, inputs first */
  lathe_table_section scalars;      /* lathe_table_scalar */
  lathe_table_section attributes;   /* lathe_table_attribute */
  lathe_table_section cases;        /* lathe_table_case */
  lathe_table_section guards;       /* lathe_table_guard */
  lathe_table_section runtime_dims; /* uint32_t: dim index */
  lathe_table_section maps;         /* lathe_table_map */
  lathe_table_section code;         /* lathe_table_instr */
  lathe_table_section strings;      /* bytes; the last one is zero */
} lathe_table_header;

/* The cases of one architecture are neighbours, in the order of trial. */
typedef struct lathe_table_arch {
  uint32_t name; /* string */
  uint32_t first_case, num_cases;
  uint32_t reserved;
} lathe_table_arch;

/* A postfix program in the code section; length 0 means: none. */
typedef struct lathe_table_code {
  uint32_t first, length;
} lathe_table_code;

typedef struct lathe_table_dim {
  int64_t min, max;
  lathe_table_code default_value; /* reads earlier dims only */
  uint32_t name;                  /* string */
  uint32_t reserved;
} lathe_table_dim;

typedef struct lathe_table_operand {
  uint32_t name, dtype; /* strings */
  uint32_t is_output;
  uint32_t reserved;
} lathe_table_operand;

typedef struct lathe_table_scalar {
  double default_value;
  uint32_t name, dtype; /* strings; dtype is f32, f64, i32 or i64 */
} lathe_table_scalar;

/* What was fixed at compile time, for people to read. */
typedef struct lathe_table_attribute {
  uint32_t is_dtype;    /* 0: option, 1: dtype variable */
  uint32_t name, value; /* strings */
  uint32_t reserved;
} lathe_table_attribute;

/* lo <= dim <= hi and dim mod multiple == 0. */
typedef struct lathe_table_guard {
  int64_t lo, hi, multiple;
  uint32_t dim;
  uint32_t reserved;
} lathe_table_guard;

typedef struct lathe_table_case {
  uint32_t kernel, symbol; /* strings */
  uint32_t kind;           /* 0 exact, 1 bucket, 2 generic */
  uint32_t alignment;      /* power of two */
  uint32_t first_guard, num_guards;
  uint32_t first_runtime_dim, num_runtime_dims;
  uint32_t block_threads;
  uint32_t shared_bytes; /* dynamic */
  lathe_table_code grid[3];
  uint32_t first_map, num_maps; /* the last arguments */
} lathe_table_case;

/* What cuTensorMapEncodeTiled is asked for, innermost dimension first. Entries
 * beyond the rank are zero. */
typedef struct lathe_table_map {
  uint32_t operand;
  uint32_t dtype;         /* string */
  uint32_t rank;          /* 1 to 5 */
  uint32_t swizzle_bytes; /* 0, 32, 64 or 128 */
  uint32_t box[LATHE_TABLE_MAX_RANK]; /* elements */
  uint32_t reserved;
  lathe_table_code extents[LATHE_TABLE_MAX_RANK];     /* elements */
  lathe_table_code strides[LATHE_TABLE_MAX_RANK - 1]; /* bytes */
} lathe_table_map;

/* Signed 64-bit operands, intermediates of 128 bits; results must fit 64. An
 * operation that fails (overflow, division by zero) poisons its result; a
 * program whose result is poisoned fails. SELECT takes the condition, then
 * both arms, and drops the other arm's poison. */
enum lathe_table_opcode {
  LATHE_OP_CONST = 0, /* push value */
  LATHE_OP_DIM = 1,   /* push dims[value] */
  LATHE_OP_ADD = 2,
  LATHE_OP_SUB = 3,
  LATHE_OP_MUL = 4,
  LATHE_OP_FLOORDIV = 5,
  LATHE_OP_CEILDIV = 6,
  LATHE_OP_MOD = 7, /* has the divisor's sign */
  LATHE_OP_MIN = 8,
  LATHE_OP_MAX = 9,
  LATHE_OP_NEG = 10,
  LATHE_OP_EQ = 11,
  LATHE_OP_NE = 12,
  LATHE_OP_LT = 13,
  LATHE_OP_LE = 14,
  LATHE_OP_GT = 15,
  LATHE_OP_GE = 16,
  LATHE_OP_AND = 17,
  LATHE_OP_OR = 18,
  LATHE_OP_SELECT = 19,
  LATHE_OP_COUNT = 20
};

typedef struct lathe_table_instr {
  uint32_t opcode;
  uint32_t reserved;
  int64_t value; /* CONST, DIM; else zero */
} lathe_table_instr;

/* The directory member's image: this header, then one record per other member
 * in file order, then SHA-256 of the directory member's bytes before it. */
#define LATHE_DIRECTORY_MAGIC "LATHEDIR"
#define LATHE_DIRECTORY_VERSION 1

typedef struct lathe_directory_header {
  char magic[8];
  uint32_t version;
  uint32_t num_members; /* the directory itself is not counted */
  uint64_t file_size;   /* of the whole bundle */
} lathe_directory_header;

typedef struct lathe_directory_record {
  uint64_t offset, size; /* of the offload binary in the file */
  uint8_t sha256[32];    /* of these bytes */
} lathe_directory_record;

#endif /* LATHE_TABLE_H */
