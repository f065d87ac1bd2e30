//===- TrialSizes.h - Legal sizes of one dispatch case ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_VERIFY_TRIALSIZES_H
#define LATHE_LIB_VERIFY_TRIALSIZES_H

#include "lathe/Verify/Trials.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lathe {

/// The dims of one case that are open, and sizes that its guards admit.
class TrialSizes {
public:
  TrialSizes(const TrialQuestion &question, const DispatchCase &row);

  const DispatchCase &dispatchCase() const { return row; }
  /// Dims that the kernel takes at run time, by kind, in the spec's order.
  std::vector<const DimSpec *> open(DimKind kind) const;
  /// What guards and the declaration leave of `dim`.
  DimGuard range(const DimSpec &dim) const;
  /// The least legal value that is at least `value`.
  std::optional<int64_t> legal(const DimSpec &dim, int64_t value) const;
  /// A small legal row pitch with room to spare, and not rounder than the
  /// guards ask for; another one for every `rank`.
  std::optional<int64_t> padded(const DimSpec &stride, const Bindings &dims,
                                unsigned rank) const;

  /// Values for all lists, as many in each, that are like `wanted` as far as
  /// guards on their figures admit that; lists that it does not have are like
  /// the first that it has, or of one short sequence. Nothing if none is legal.
  std::optional<Bindings> lists(const Bindings &wanted) const;

  /// Completes the dims: constants, then `given`, then defaults, then the
  /// smallest legal values. Figures follow from lists. Nothing if that is not
  /// legal.
  std::optional<Bindings> complete(const Bindings &given) const;
  /// Elements over all operands, and bytes of the largest one; nothing if that
  /// overflows.
  struct Extent {
    uint64_t elements = 0, maxBytes = 0, maxElements = 0;
  };
  std::optional<Extent> extent(const Bindings &bindings) const;
  /// The least legal value of `dim` whose extent holds, with `dims` given;
  /// extents grow with their dims.
  std::optional<int64_t>
  leastWith(const DimSpec &dim, Bindings dims,
            llvm::function_ref<bool(const Extent &)> holds) const;
  std::optional<std::array<uint32_t, 3>> grid(const Bindings &bindings) const;
  /// Blocks, or turns of blocks where a cap makes them take several.
  std::optional<uint64_t> items(const Bindings &bindings) const;
  /// Whether an axis of the grid depends on anything.
  bool gridGrows() const;
  /// Whether there are more work items when `dim` is larger than in `bindings`.
  bool gridGrowsWith(const DimSpec &dim, const Bindings &bindings) const;
  /// Of a launch, as TrialBudget counts it; nothing if that overflows.
  std::optional<double> work(const Bindings &bindings) const;
  /// Of drawing inputs whose values need many others; of all else it is part of
  /// work().
  double drawWork(const Bindings &bindings) const;

private:
  Bindings withWholeTiles(Bindings bindings) const;
  void lengthenLists(Bindings &bindings) const;

  const TrialQuestion &question;
  const DispatchCase &row;
};

/// The number that an expression has, or nothing.
std::optional<int64_t> valueOf(const Expr &expr, const Bindings &bindings);

} // namespace lathe

#endif // LATHE_LIB_VERIFY_TRIALSIZES_H
