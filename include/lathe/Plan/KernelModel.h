//===- KernelModel.h - How long a schedule should take ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pure function from a question to an answer; both print themselves. The
// model keeps what tells schedules apart: occupancy, bytes in flight (Little's
// law), the last wave, idle lanes, issue slots, repeated reads, the launch.
// Every chip number comes from Hardware.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PLAN_KERNELMODEL_H
#define LATHE_PLAN_KERNELMODEL_H

#include "lathe/Plan/GemmModel.h"

namespace lathe {

struct KernelQuestion {
  const Hardware *hardware = nullptr;
  double bytesRead = 0, bytesWritten = 0; ///< once each
  double flops = 0;
  int64_t workItems = 0;      ///< blocks, or turns of persistent blocks
  int64_t threads = 0;        ///< per block
  int64_t liveElements = 1;   ///< f32 values that a thread keeps
  int64_t vectorElements = 1; ///< per access
  int64_t elementBytes = 2;   ///< widest element type
  double usefulElements = 0;  ///< of the largest input; 0: lanes all busy
  int64_t passes = 1;         ///< how often the inputs are read
  bool persistent = false;
  bool partialBlocks = false;    ///< a block may have less work than others
  int64_t runtimeDims = 0;       ///< sizes that the kernel reads and masks with
  int64_t expectedRegisters = 0; ///< by the template's hint; 0: by `live`
  std::optional<CompiledFigures> compiled;
  /// A kernel that is a matrix product is judged by that model instead.
  std::optional<GemmQuestion> gemm;

  void print(llvm::raw_ostream &os) const;
};

struct KernelAnswer {
  bool fits = true;      ///< else `limiter` names what has no room
  int64_t registers = 0; ///< compiled or estimated
  int64_t blocksPerSm = 0;
  llvm::StringRef limiter;      ///< threads, registers, shared memory or blocks
  double occupancy = 0;         ///< resident threads of those possible
  double waves = 0;             ///< work items per resident block
  double tail = 0;              ///< use of the last wave, 0 to 1
  double laneUse = 1;           ///< share of lanes that hold an element
  double inFlightPerSm = 0;     ///< bytes
  double bandwidthFraction = 0; ///< of the published bandwidth
  double timeUs = 0;
  llvm::StringRef regime; ///< launch, latency, memory, issue; or GemmAnswer's

  void print(llvm::raw_ostream &os) const;
};

KernelAnswer predict(const KernelQuestion &question);

/// Registers per thread that a schedule will about need.
int64_t estimateRegisters(int64_t liveElements);

} // namespace lathe

#endif // LATHE_PLAN_KERNELMODEL_H
