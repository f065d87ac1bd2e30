//===- GuardGrid.cpp - Keeps grids within what can be launched ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Selection.h"

using namespace lathe;

namespace {

/// The grid along one axis, as far as it can be evaluated.
std::optional<int64_t> extentAt(const Expr &expr, const Bindings &bindings) {
  auto value = expr.evaluate(bindings);
  if (value)
    return *value;
  llvm::consumeError(value.takeError());
  return std::nullopt;
}

/// What the guards leave of the dim's declared range.
DimGuard rangeOf(const DispatchCase &row, const DimSpec &dim) {
  DimGuard range{dim.name, dim.min, dim.max, 1};
  for (const DimGuard &guard : row.guards)
    if (guard.dim == dim.name) {
      range.lo = std::max(range.lo, guard.lo);
      range.hi = std::min(range.hi, guard.hi);
    }
  return range;
}

} // namespace

/// Grids grow with their dims, so the largest dims give the largest grid.
bool lathe::guardGrid(DispatchCase &row, const OperatorSpec &spec,
                      const Hardware &hardware) {
  const Expr *axes[] = {&row.gridX, &row.gridY, &row.gridZ};
  for (size_t axis = 0; axis < 3; ++axis) {
    int64_t most = maxGrid(hardware, row.blockThreads, axis);
    llvm::SetVector<llvm::StringRef> symbols;
    axes[axis]->collectSymbols(symbols);
    Bindings largest;
    std::vector<DimGuard> open; // of more than one value
    for (const DimSpec &dim : spec.dims)
      if (symbols.contains(dim.name)) {
        DimGuard range = rangeOf(row, dim);
        largest[dim.name] = ExprValue(range.hi);
        if (range.lo < range.hi)
          open.push_back(std::move(range));
      }
    auto fits = [&](const Bindings &bindings) {
      auto extent = extentAt(*axes[axis], bindings);
      return extent && *extent <= most;
    };
    if (fits(largest))
      continue;
    if (open.size() != 1)
      return false;
    // Bisect for the largest value that can still be launched.
    const DimGuard &range = open.front();
    Bindings bindings = largest;
    bindings[range.dim] = ExprValue(range.lo);
    if (!fits(bindings))
      return false;
    int64_t fit = range.lo, high = range.hi;
    while (high - fit > 1) {
      int64_t middle = fit + (high - fit) / 2;
      bindings[range.dim] = ExprValue(middle);
      (fits(bindings) ? fit : high) = middle;
    }
    if (!addGuard(row.guards, {range.dim, 0, fit, 1}))
      return false;
  }
  return true;
}
