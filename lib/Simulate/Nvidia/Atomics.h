//===- Atomics.h - Read-modify-write of memory ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// atom and red, for intrinsics and inline PTX. Truly atomic on the host too:
// blocks may run on several of its threads.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_NVIDIA_ATOMICS_H
#define LATHE_LIB_SIMULATE_NVIDIA_ATOMICS_H

#include "../Machine.h"

namespace lathe::sim {

enum class AtomicOp {
  Add,
  Increment, ///< wraps to 0 above the operand
  Decrement, ///< wraps to the operand below 0 or above it
  Exchange,
  CompareExchange,
  And,
  Or,
  Xor,
  Min,
  Max
};
enum class AtomicType {
  B16,
  B32,
  B64,
  U32,
  S32,
  U64,
  S64,
  F16,
  BF16,
  F16x2,
  BF16x2,
  F32,
  F64
};

unsigned atomicBytes(AtomicType type);

/// Whether PTX has the combination.
bool isAtomic(AtomicOp op, AtomicType type);

/// The new bits. `flush`: subnormal f32 count as zero, as at global addresses.
uint64_t atomicResult(AtomicOp op, AtomicType type, uint64_t old,
                      uint64_t operand, uint64_t compare, bool flush);

/// Combines with what lies at `bytes`, in one step for all host threads, and
/// returns the old bits.
uint64_t atomicReplace(char *bytes, AtomicOp op, AtomicType type,
                       uint64_t operand, uint64_t compare, bool flush);

/// Checks the access, combines, and returns the old bits. Others may run
/// afterwards.
uint64_t atomicAccess(Thread &thread, const Site &site, uint64_t address,
                      AtomicOp op, AtomicType type, uint64_t operand,
                      uint64_t compare = 0);

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_NVIDIA_ATOMICS_H
