//===- TrialWork.cpp - What it takes to try a size ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrialSizes.h"

#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Figures.h"
#include "lathe/Verify/TestMemory.h"

#include "llvm/ADT/STLExtras.h"

using namespace lathe;

static std::optional<int64_t> itemsAlong(const Expr &axis,
                                         const Bindings &bindings) {
  if (axis.kind() != Expr::Kind::Min)
    return valueOf(axis, bindings);
  std::optional<int64_t> most;
  for (const Expr &operand : axis.operands())
    if (!operand.asConstant())
      most = std::max(most, valueOf(operand, bindings));
  return most ? most : valueOf(axis, bindings);
}

std::optional<uint64_t> TrialSizes::items(const Bindings &bindings) const {
  uint64_t items = 1;
  for (const Expr *axis : {&row.gridX, &row.gridY, &row.gridZ}) {
    auto along = itemsAlong(*axis, bindings);
    if (!along || *along < 1 ||
        __builtin_mul_overflow(items, uint64_t(*along), &items))
      return std::nullopt;
  }
  return items;
}

bool TrialSizes::gridGrows() const {
  return !row.gridX.asConstant() || !row.gridY.asConstant() ||
         !row.gridZ.asConstant();
}

/// The largest size of `dim`, near that in `bindings`, with the same work
/// items; none if the grid does not follow it.
static std::optional<int64_t> fullestOf(const TrialSizes &sizes,
                                        const DimSpec &dim, Bindings bindings) {
  constexpr int64_t widestTile = 1024, largest = int64_t(1) << 60;
  auto items = sizes.items(bindings);
  int64_t &value = bindings.find(dim.name)->second.elements.front();
  if (!items || value > largest)
    return std::nullopt;
  int64_t low = value, high = value + std::max(value, widestTile);
  auto isSame = [&](int64_t size) {
    value = size;
    return sizes.items(bindings) == items;
  };
  if (isSame(high))
    return std::nullopt;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    (isSame(middle) ? low : high) = middle;
  }
  return low;
}

bool TrialSizes::gridGrowsWith(const DimSpec &dim,
                               const Bindings &bindings) const {
  return fullestOf(*this, dim, bindings).has_value();
}

/// As long as every sequence can be with as many work items.
void TrialSizes::lengthenLists(Bindings &bindings) const {
  for (const DimSpec *dim : open(DimKind::List)) {
    std::vector<int64_t> &values = bindings.find(dim->name)->second.elements;
    int64_t more = 0;
    for (Figure figure : {Figure::Sum, Figure::Max}) {
      const DimSpec &own =
          *findDim(*question.spec, figureName(figure, dim->name));
      auto most = fullestOf(*this, own, bindings);
      if (!most || values.empty())
        continue;
      int64_t now = bindings.find(own.name)->second.elements.front();
      int64_t share =
          figure == Figure::Sum ? int64_t(values.size()) : int64_t(1);
      more = std::max(more, (*most - now) / share);
    }
    for (int64_t &value : values)
      value += more;
  }
}

/// A tile takes as long when the end of a dim cuts it off.
Bindings TrialSizes::withWholeTiles(Bindings bindings) const {
  for (const DimSpec &dim : question.spec->dims)
    if ((dim.kind == DimKind::Request || dim.kind == DimKind::Static) &&
        !question.constants.count(dim.name))
      if (auto size = fullestOf(*this, dim, bindings))
        bindings[dim.name] = ExprValue(*size);
  lengthenLists(bindings);
  return bindings;
}

std::optional<double> TrialSizes::work(const Bindings &bindings) const {
  auto extent = this->extent(bindings);
  auto cost =
      evaluateCost(*question.spec, *question.entry, withWholeTiles(bindings));
  if (!cost) {
    llvm::consumeError(cost.takeError());
    return std::nullopt;
  }
  if (!extent)
    return std::nullopt;
  double work = question.budget.elementWork * double(extent->elements);
  for (const auto &[dtype, count] : cost->flops)
    work += double(count);
  return work;
}

double TrialSizes::drawWork(const Bindings &bindings) const {
  double elements = 0;
  for (const OperandSpec &operand : question.spec->operands) {
    if (operand.isOutput || operand.distribution.kind != "scales")
      continue;
    // A scale is found from all that it scales.
    for (const OperandSpec &other : question.spec->operands) {
      if (other.name != operand.distribution.of)
        continue;
      auto layout =
          layoutOf(other, resolveDType(*question.entry, other.dtype), bindings);
      if (layout)
        elements += double(layout->elements());
      else
        llvm::consumeError(layout.takeError());
    }
  }
  // Less than what reading and writing them takes.
  return elements * question.budget.elementWork / 4;
}
