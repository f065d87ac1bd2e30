//===- Warp.h - Instructions that lanes execute together --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Semantics over plain values, for intrinsics and for inline PTX alike. A mask
// names lanes of the caller's warp; lanes that the warp does not have are
// ignored.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_NVIDIA_WARP_H
#define LATHE_LIB_SIMULATE_NVIDIA_WARP_H

#include "../Machine.h"

namespace lathe::sim {

enum class ShuffleMode { Up, Down, Butterfly, Index };

/// Where a lane reads: `lane` itself if not `valid`.
struct ShuffleSource {
  unsigned lane = 0;
  bool valid = false;
};
/// `b`: distance, lane or xor mask; `c`: clamp in bits 0-4, segment mask in
/// bits 8-12 (PTX ISA, shfl.sync).
ShuffleSource shuffleSource(ShuffleMode mode, unsigned lane, uint32_t b,
                            uint32_t c);

struct Shuffled {
  uint32_t value = 0;
  bool valid = false;
};
Shuffled shuffle(Thread &thread, const Site &site, uint32_t mask,
                 ShuffleMode mode, uint32_t value, uint32_t b, uint32_t c);

enum class VoteMode { All, Any, Uniform, Ballot };
/// 0 or 1, or the ballot.
uint32_t vote(Thread &thread, const Site &site, uint32_t mask, VoteMode mode,
              bool predicate);

struct Matched {
  uint32_t lanes = 0;
  bool all = false;
};
/// `all`: the mask if every lane holds the same value, else nothing; otherwise
/// the lanes that hold the caller's value.
Matched match(Thread &thread, const Site &site, uint32_t mask, bool all,
              uint64_t value);

enum class ReduxOp {
  Add,
  And,
  Or,
  Xor,
  MinSigned,
  MaxSigned,
  MinUnsigned,
  MaxUnsigned,
  MinFloat,
  MaxFloat
};
struct ReduxKind {
  ReduxOp op = ReduxOp::Add;
  bool absolute = false;     ///< of floats, before
  bool propagateNaN = false; ///< of floats; else NaN counts as missing
};
/// Combines two values; exact, so that the order of lanes does not matter.
uint32_t reduxStep(ReduxKind kind, uint32_t a, uint32_t b);
uint32_t redux(Thread &thread, const Site &site, uint32_t mask, ReduxKind kind,
               uint32_t value);

struct Elected {
  uint32_t leader = 0;
  bool isLeader = false;
};
/// Any lane of the mask may lead; which one depends on the run's seed and the
/// mask alone.
Elected elect(Thread &thread, const Site &site, uint32_t mask);
unsigned electedLane(uint64_t seed, uint32_t mask);

void syncWarp(Thread &thread, const Site &site, uint32_t mask);

/// activemask: the lanes that meet here before the warp has nothing else to
/// run.
uint32_t activeLanes(Thread &thread, const Site &site);

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_NVIDIA_WARP_H
