//===- Trials.h - Which sizes a kernel is tried at --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pure function from what a kernel promises (its dispatch cases) to the sizes
// at which the promise is tried.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_TRIALS_H
#define LATHE_VERIFY_TRIALS_H

#include "Dispatch/DispatchTable.h"
#include "lathe/Ingest/Model.h"

#include "llvm/Support/Error.h"

#include <array>
#include <optional>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace lathe {

/// How much is tried. Elements count over all operands of a trial. Work counts
/// the operations of the operator's cost formulas, with tiles that are cut off
/// as whole ones, and each element as `elementWork` more; a core simulates some
/// 3e8 of them in a second.
struct TrialBudget {
  uint64_t smallElements = uint64_t(1) << 16;   ///< of the trial run most often
  uint64_t fullElements = uint64_t(1) << 18;    ///< beyond, blocks are sampled
  uint64_t sampledElements = uint64_t(1) << 17; ///< that sampled blocks touch
  uint64_t maxBytes = uint64_t(1) << 35; ///< of one operand, mostly untouched
  unsigned instances = 3;                ///< hot shapes
  unsigned blocks = 6;                   ///< most of a sample
  double elementWork = 64;
  double fullWork = 0x1p27;     ///< of a launch; beyond, blocks are sampled
  double sampledWork = 0x1p27;  ///< of a sample of more than the least blocks
  double pairWork = 0x1.8p28;   ///< of a block of which two are run at the ends
  double blockWork = 0x1p32;    ///< of one block; beyond, nothing is tried
  double thoroughWork = 0x1p30; ///< of all launches of one size
  double totalWork = 0x1.8p32;  ///< beyond, only what must be tried is

  /// Whether operands of so many bytes can be had.
  bool canMap(double bytes) const {
    return bytes <= static_cast<double>(maxBytes);
  }
};

struct TrialQuestion {
  const OperatorSpec *spec = nullptr;
  const OpSetEntry *entry = nullptr;
  /// Dims and options fixed at compile time.
  std::map<std::string, int64_t, std::less<>> constants;
  std::vector<DispatchCase> cases; ///< all that launch the kernel
  /// What the kernel itself admits, where its cases admit less: it is tried
  /// most often at what is small of that. Nothing: its cases say it.
  std::optional<std::vector<DimGuard>> own;
  std::vector<Bindings> instances; ///< dims of hot shapes, heaviest first
  bool canSample = false;  ///< the reference computes single rows of outputs
  /// Blocks loop over work items, whatever multiple of this the grid is of; 0:
  /// they do not.
  uint32_t gridStep = 0;
  unsigned schedules = 10; ///< that must agree, of a thorough trial
  uint64_t seed = 0;       ///< of sampled blocks, and of sizes
  TrialBudget budget;

  void print(llvm::raw_ostream &os) const;
};

struct Trial {
  std::string why;   ///< "ragged", "upper end of T", a case's name, ...
  size_t row = 0;    ///< of the question's cases
  Bindings bindings; ///< from bindAll
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::vector<uint64_t> blocks; ///< to run, ascending; empty: all
  /// Of a sample: whether the blocks with the first and the last element are in
  /// it, and whether every block has its share of the outputs.
  bool hasFirst = false, hasLast = false, hasShares = false;
  const CaseSpec *spec = nullptr;
  bool needed = false;    ///< the smallest size, or an end of a range
  bool thorough = false;  ///< every draw, permuted schedules
  unsigned schedules = 1; ///< of one of the draws
  bool aliased = false;   ///< outputs lie where they may: on inputs
  /// Sums are longer than any model's: where terms cancel, what is left of them
  /// is beyond the tolerance, so that only realistic draws tell.
  bool isLong = false;
  double work = 0;        ///< of one launch

  uint64_t totalBlocks() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
  void print(llvm::raw_ostream &os) const;
};

struct TrialPlan {
  std::vector<Trial> trials;
  std::vector<std::string> leftOut; ///< what was not tried, and why
  double work = 0;                  ///< of all launches and references
};

/// Whether outputs may be sums over more terms than rounding leaves digits of
/// where they cancel: a dim that no output has is as long.
bool sumsManyTerms(const OperatorSpec &spec, const Bindings &bindings);

/// At least one trial, and one per case that admits anything that the budget
/// may map; else an error. What is left out is said.
llvm::Expected<TrialPlan> planTrials(const TrialQuestion &question);

} // namespace lathe

#endif // LATHE_VERIFY_TRIALS_H
