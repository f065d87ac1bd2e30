//===- SampleRows.h - Which rows of a reference are computed ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_MEASURE_SAMPLEROWS_H
#define LATHE_LIB_MEASURE_SAMPLEROWS_H

#include "lathe/Measure/Candidates.h"

namespace lathe::measure {

/// What references, which are scalar code and a thread a row, compute in a
/// second on a large GPU; a multiply-add counts as two.
constexpr double referenceFlopsPerSecond = 4e11;
/// What one reference may take: of a check, and of a look at outputs between
/// timed launches, of which there are many.
constexpr double checkReferenceSeconds = 0.05, timedReferenceSeconds = 0.01;

/// Rectangles of a reference's outer loop, all of one form: each corner of the
/// loop, and one in each band of every dimension (a Latin hypercube).
struct RowSample {
  std::vector<int64_t> rows;    ///< Problem::referenceRows
  std::vector<int64_t> extents; ///< of a rectangle; empty: all rows
  unsigned corners = 0, strata = 0;
  /// Where the rectangles of the last draw begin.
  std::vector<std::vector<int64_t>> begins;

  bool isWhole() const { return extents.empty(); }
  unsigned rectangles() const { return corners + strata; }
  /// Other rectangles, which nobody foresees who does not know the seed.
  void draw(uint64_t seed);
  /// At least so many rows lie in the rectangles: what two of them share does
  /// not count twice.
  uint64_t distinctRows() const;
  /// The part of an output that a rectangle computes.
  View narrow(View view) const;
};

/// All rows, where `flops` suffice for them, where nobody counted the problem's
/// work, and where outputs are not made of rows. The last dimension of an
/// output is never narrowed: what is near zero depends on all of an element's
/// row.
RowSample sampleRows(const EntryPlan &entry, const Problem &problem,
                     double flops);

/// How much of outputs was compared, where not all of it was.
struct SampledShare {
  unsigned draws = 0;
  uint64_t compared = 0, elements = 0;
  /// Counts all outputs of a problem, after a draw of `sample`.
  void add(const EntryPlan &entry, const Problem &problem,
           const RowSample &sample);
};

} // namespace lathe::measure

#endif // LATHE_LIB_MEASURE_SAMPLEROWS_H
