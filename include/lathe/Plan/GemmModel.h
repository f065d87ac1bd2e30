//===- GemmModel.h - How long a matrix product should take ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pure function from a question to an answer; both print themselves. A block
// computes tiles of the output, step by step over K. The model keeps what sets
// schedules apart: what bounds a step (matrix units, shared memory, the port to
// the cache, latency), rounds of tiles over the multiprocessors and the last,
// partial one, padding of partial tiles, filling the pipeline, the epilogue,
// and what is read from memory again. Every chip number comes from Hardware.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PLAN_GEMMMODEL_H
#define LATHE_PLAN_GEMMMODEL_H

#include "lathe/Plan/Occupancy.h"

#include <optional>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace lathe {

/// How operands come to shared memory.
enum class OperandCopies {
  None,      ///< not at all: warps load what they multiply
  Registers, ///< through registers, loaded a turn ahead, one slot
  Async,     ///< by cp.async of all warps, a slot per stage
  Tma        ///< by tensor map from producer warps, a slot per stage
};
llvm::StringRef copiesName(OperandCopies copies);

struct GemmQuestion {
  const Hardware *hardware = nullptr;
  int64_t m = 0, n = 0, k = 0;
  int64_t tileM = 1, tileN = 1, tileK = 1;
  int64_t split = 1;                  ///< blocks that share the sum over K
  int64_t clusterM = 1, clusterN = 1; ///< blocks that copy for each other
  DTypeName dtype = "bf16";           ///< of A and B
  double mmaCost = 1;                 ///< see GemmHints
  double laneOps = 0;                 ///< see GemmHints
  double outBytes = 2;                ///< written per element of the output
  double epilogueBytes = 0;           ///< read for it beside A and B
  int64_t warps = 4, producers = 0;   ///< that multiply; that only copy
  int64_t stages = 1;                 ///< turns of K under way or in use
  int64_t parts = 0;                  ///< groups of warps that share K; 0: one
  int64_t vectorElements = 1; ///< per access of OperandCopies::Registers
  int64_t raster = 0;         ///< rows of tiles in a group; 0: all
  bool persistent = false;    ///< blocks take tile after tile
  bool pingpong = false;      ///< two groups of warps take tiles in turn
  int64_t staging = 0;        ///< parts of a tile on its way out; 0: the whole
  bool warpgroups = false;    ///< four warps multiply together (wgmma)
  OperandCopies copies = OperandCopies::Registers;
  bool storesByTma = false;      ///< the output leaves through shared memory
  int64_t expectedRegisters = 0; ///< by the template's hint; 0: by the tile
  std::optional<CompiledFigures> compiled;

  int64_t threads() const;
  /// Warps that multiply one tile.
  int64_t warpsOfTile() const { return pingpong ? warps / 2 : warps; }
  void print(llvm::raw_ostream &os) const;
};

struct GemmAnswer {
  bool fits = true; ///< else `limiter` names what has no room
  int64_t registers = 0, sharedBytes = 0; ///< compiled or estimated
  int64_t blocksPerSm = 0;
  llvm::StringRef limiter;
  double tiles = 0;  ///< of the output, times `split`
  double waves = 0;  ///< tiles per resident block
  double tail = 0;   ///< use of the last wave, 0 to 1
  double useful = 0; ///< share of the tiles' products that is asked for
  /// One step of K with all blocks of a multiprocessor resident, in us, and
  /// what it would take each of its parts alone.
  double stepUs = 0, matrixUs = 0, sharedUs = 0, portUs = 0, latencyUs = 0;
  double fillUs = 0;      ///< before a block's first step
  double epilogueUs = 0;  ///< of one tile
  double memoryBytes = 0; ///< moved to and from memory
  double memoryUs = 0;
  double timeUs = 0;
  double peakShare = 0;   ///< FLOPs over time, of the type's peak
  llvm::StringRef regime; ///< tensor, shared, memory, latency, launch

  void print(llvm::raw_ostream &os) const;
};

GemmAnswer predict(const GemmQuestion &question);

} // namespace lathe

#endif // LATHE_PLAN_GEMMMODEL_H
