//===- ResourceUsage.h - What a kernel takes of a chip ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_SUPPORT_RESOURCEUSAGE_H
#define LATHE_SUPPORT_RESOURCEUSAGE_H

#include <cstdint>

namespace lathe {

/// Read from the binary (NVIDIA: ptxas; AMD: the code object's metadata), and
/// counted in the code (PTX; AMD's machine code).
struct ResourceUsage {
  int64_t registers = 0;            ///< per thread (AMD: VGPRs)
  int64_t scalarRegisters = 0;      ///< AMD SGPRs; 0 on NVIDIA
  int64_t accumulatorRegisters = 0; ///< AMD AGPRs, part of `registers`
  int64_t spillBytes = 0;           ///< stores plus loads
  int64_t stackBytes = 0;           ///< per thread
  int64_t sharedBytes = 0;          ///< static, per block
  int64_t maxThreads = 0;           ///< block size that it was compiled for
  int64_t barriers = 0;
  int64_t matrixInstructions = 0; ///< mma and wgmma in PTX, v_mfma on AMD
  /// The innermost loop with matrix instructions: all, and those.
  int64_t loopInstructions = 0, loopMatrixInstructions = 0;
};

struct ResourceField {
  const char *name;
  int64_t ResourceUsage::*field;
};

/// The figures under the names that IR, messages and manifests give them.
inline constexpr ResourceField resourceFields[] = {
    {"registers", &ResourceUsage::registers},
    {"scalar_registers", &ResourceUsage::scalarRegisters},
    {"accumulator_registers", &ResourceUsage::accumulatorRegisters},
    {"spill_bytes", &ResourceUsage::spillBytes},
    {"stack_bytes", &ResourceUsage::stackBytes},
    {"shared_bytes", &ResourceUsage::sharedBytes},
    {"max_threads", &ResourceUsage::maxThreads},
    {"barriers", &ResourceUsage::barriers},
    {"matrix_instructions", &ResourceUsage::matrixInstructions},
    {"loop_instructions", &ResourceUsage::loopInstructions},
    {"loop_matrix_instructions", &ResourceUsage::loopMatrixInstructions}};

} // namespace lathe

#endif // LATHE_SUPPORT_RESOURCEUSAGE_H
