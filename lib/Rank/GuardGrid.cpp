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

/// The most that all figures may be at once, where the largest do not fit; the
/// guards that say so. Nothing if even the least do not fit.
std::optional<std::vector<DimGuard>>
boundTogether(llvm::ArrayRef<DimGuard> open, Bindings bindings,
              llvm::function_ref<bool(const Bindings &)> fits) {
  int64_t low = INT64_MAX, high = 0;
  for (const DimGuard &range : open) {
    low = std::min(low, range.lo);
    high = std::max(high, range.hi);
  }
  auto fitsUpTo = [&](int64_t most) {
    for (const DimGuard &range : open)
      bindings[range.dim] = ExprValue(std::clamp(most, range.lo, range.hi));
    return fits(bindings);
  };
  if (!fitsUpTo(low))
    return std::nullopt;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    (fitsUpTo(middle) ? low : high) = middle;
  }
  std::vector<DimGuard> guards;
  for (const DimGuard &range : open)
    guards.push_back({range.dim, 0, std::clamp(low, range.lo, range.hi), 1});
  return guards;
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
    bool hasFigures = true;     // and nothing else
    for (const DimSpec &dim : spec.dims)
      if (symbols.contains(dim.name)) {
        DimGuard range = rangeOf(row, dim);
        largest[dim.name] = ExprValue(range.hi);
        if (range.lo == range.hi)
          continue;
        open.push_back(std::move(range));
        hasFigures &= dim.kind == DimKind::Figure;
      }
    auto fits = [&](const Bindings &bindings) {
      auto extent = extentAt(*axes[axis], bindings);
      return extent && *extent <= most;
    };
    if (fits(largest))
      continue;
    // Of other dims nobody knows which of them ought to be small.
    if (open.empty() || (open.size() != 1 && !hasFigures))
      return false;
    auto guards = boundTogether(open, largest, fits);
    if (!guards)
      return false;
    for (const DimGuard &guard : *guards)
      if (!addGuard(row.guards, guard))
        return false;
  }
  return true;
}
