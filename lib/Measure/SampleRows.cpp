//===- SampleRows.cpp - Which rows of a reference are computed ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleRows.h"

#include "OperandSet.h"
#include "SeedStream.h"

#include <algorithm>
#include <numeric>

using namespace lathe;
using namespace lathe::measure;

/// Each rectangle is a launch; fewer bands than the least are no sample.
static constexpr unsigned mostStrata = 64, leastStrata = 6;
/// Of more dimensions only two opposite corners are taken.
static constexpr unsigned mostCornerDims = 3;

static double product(const std::vector<int64_t> &extents) {
  return std::accumulate(extents.begin(), extents.end(), 1.0,
                         std::multiplies<double>());
}

/// Leading indices of every output are rows. `hasElements`: those of some
/// output end there.
static bool areOutputsOfRows(const EntryPlan &entry, const Problem &problem,
                             bool &hasElements) {
  const std::vector<int64_t> &rows = problem.referenceRows;
  hasElements = false;
  for (size_t i = 0; i != entry.operands.size(); ++i) {
    const std::vector<int64_t> &shape = problem.views[i].shape;
    if (!entry.operands[i].isOutput)
      continue;
    if (shape.size() < rows.size() ||
        !std::equal(rows.begin(), rows.end(), shape.begin()))
      return false;
    hasElements |= shape.size() == rows.size();
  }
  return true;
}

RowSample lathe::measure::sampleRows(const EntryPlan &entry,
                                     const Problem &problem, double flops) {
  RowSample sample;
  sample.rows = problem.referenceRows;
  size_t rank = sample.rows.size();
  double all = product(sample.rows);
  bool keepsLast = false;
  if (problem.flops <= flops || rank == 0 || all == 0 ||
      !areOutputsOfRows(entry, problem, keepsLast))
    return sample;
  // Thin where dimensions are outer, so that there are many.
  double budget = std::max(all * (flops / problem.flops), 1.0);
  double each = std::max(budget / (mostStrata + 2), 1.0), taken = 1;
  std::vector<int64_t> extents(rank);
  unsigned narrowed = 0;
  for (size_t dim = rank; dim-- != 0;) {
    bool isKept = keepsLast && dim + 1 == rank;
    auto room = int64_t(std::max(std::min(each / taken, 0x1p62), 1.0));
    extents[dim] = isKept ? sample.rows[dim] : std::min(sample.rows[dim], room);
    narrowed += extents[dim] != sample.rows[dim];
    taken *= double(extents[dim]);
  }
  unsigned corners = narrowed <= mostCornerDims ? 1u << narrowed : 2;
  double strata = std::clamp(budget / taken - corners, double(leastStrata),
                             double(mostStrata));
  if (narrowed == 0 || (corners + strata) * taken >= all)
    return sample;
  sample.extents = std::move(extents);
  sample.corners = corners;
  sample.strata = unsigned(strata);
  return sample;
}

void RowSample::draw(uint64_t seed) {
  if (isWhole())
    return;
  SeedStream stream(seed ^ 0x20575);
  begins.assign(rectangles(), std::vector<int64_t>(rows.size()));
  std::vector<unsigned> bands(strata);
  std::iota(bands.begin(), bands.end(), 0u);
  unsigned bit = 0;
  for (size_t dim = 0; dim != rows.size(); ++dim) {
    int64_t last = rows[dim] - extents[dim];
    if (last == 0)
      continue;
    for (unsigned corner = 0; corner != corners; ++corner)
      begins[corner][dim] = corner >> (corners == 2 ? 0 : bit) & 1 ? last : 0;
    ++bit;
    for (unsigned i = strata; i > 1; --i)
      std::swap(bands[i - 1], bands[stream.next() % i]);
    for (unsigned i = 0; i != strata; ++i) {
      double unit = double(stream.next() >> 11) * 0x1p-53;
      double begin = double(last + 1) * ((double(bands[i]) + unit) / strata);
      begins[corners + i][dim] = std::min(int64_t(begin), last);
    }
  }
}

uint64_t RowSample::distinctRows() const {
  if (isWhole())
    return uint64_t(product(rows));
  double count = product(extents) * double(begins.size());
  for (size_t i = 0; i != begins.size(); ++i)
    for (size_t j = 0; j != i; ++j) {
      double shared = 1;
      for (size_t dim = 0; dim != rows.size(); ++dim)
        shared *= double(std::max<int64_t>(
            extents[dim] - std::abs(begins[i][dim] - begins[j][dim]), 0));
      count -= shared;
    }
  return uint64_t(std::max(count, product(extents)));
}

View RowSample::narrow(View view) const {
  std::copy(extents.begin(), extents.end(), view.shape.begin());
  return view;
}

void SampledShare::add(const EntryPlan &entry, const Problem &problem,
                       const RowSample &sample) {
  if (sample.isWhole())
    return;
  ++draws;
  auto rows = uint64_t(product(sample.rows));
  for (size_t i = 0; i != entry.operands.size(); ++i) {
    if (!entry.operands[i].isOutput)
      continue;
    uint64_t count = viewElements(problem.views[i]);
    elements += count;
    compared += count / rows * sample.distinctRows();
  }
}
