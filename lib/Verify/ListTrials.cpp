//===- ListTrials.cpp - Sequences that a dispatch case is tried with ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CasePlanner.h"

#include "lathe/Ingest/Figures.h"
#include "lathe/Verify/Inputs.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace lathe;

/// Of sequences that only their total matters of.
static constexpr int64_t usualLength = 256;
/// Of one sequence: a block may take its values one by one, which takes longer
/// than the operations that its formula counts.
static constexpr int64_t longestSequence = 1 << 13;
/// Ends are found within this part of them: long lists take long to look at.
static constexpr int64_t bisection = 64;
/// More than 16 bits count; candidate files hold every value.
static constexpr int64_t mostSequences = 70000;

/// The same lengths in every list.
Bindings CasePlanner::sequences(std::vector<int64_t> lengths) const {
  Bindings given = ragged;
  for (const DimSpec *dim : sizes.open(DimKind::List))
    given[dim->name] = ExprValue(lengths);
  return given;
}

/// Sequences of unequal lengths around `size`, an empty one among them. Lists
/// agree on some of them.
Bindings CasePlanner::unequal(int64_t size) const {
  Bindings given;
  for (auto [i, dim] : llvm::enumerate(sizes.open(DimKind::List))) {
    bool isFirst = i == 0;
    given[dim->name] = ExprValue(std::vector<int64_t>{
        size, isFirst ? 0 : 1, (size + 1) / 2, std::min<int64_t>(size, 3),
        isFirst ? 1 : 2 * size});
  }
  return given;
}

/// A shape of which the figure is `value`: one sequence as long, as many of the
/// shortest, or usual ones that add up to it.
Bindings CasePlanner::withFigure(Figure figure, int64_t value) const {
  if (figure == Figure::Max)
    return sequences({value});
  if (figure == Figure::Len)
    return sequences(std::vector<int64_t>(size_t(value), 1));
  int64_t length = std::max(usualLength, value / mostSequences + 1);
  std::vector<int64_t> lengths(size_t(value / length), length);
  if (value % length)
    lengths.push_back(value % length);
  return sequences(std::move(lengths));
}

/// Lists that the guards admit instead of those that `given` says; nothing if
/// none is like them.
std::optional<Bindings> CasePlanner::admitted(Bindings given) const {
  auto lists = sizes.lists(given);
  if (!lists)
    return std::nullopt;
  for (auto &[name, list] : *lists)
    given[name] = std::move(list);
  return given;
}

/// Calls `visit` for each figure of the first list.
void CasePlanner::forEachFigure(
    llvm::function_ref<void(Figure, const DimSpec &)> visit) const {
  auto open = sizes.open(DimKind::List);
  if (open.empty())
    return;
  for (Figure figure : allFigures)
    visit(figure,
          *findDim(*question.spec, figureName(figure, open.front()->name)));
}

/// Both ends of what the figures may be, as far as work and memory go.
bool CasePlanner::listEnds(bool needed) {
  Options options;
  options.needed = needed;
  bool isTried = false;
  forEachFigure([&](Figure figure, const DimSpec &dim) {
    DimGuard range = sizes.range(dim);
    auto isGuarded = [&](const DimGuard &guard) {
      return guard.dim == dim.name;
    };
    if (llvm::any_of(own.guards, isGuarded))
      if (auto at =
              admitted(withFigure(figure, std::max<int64_t>(range.lo, 1))))
        isTried |= add("lower end of " + dim.name, *at, options);
    int64_t low = std::max<int64_t>(range.lo, 1), high = range.hi;
    if (figure == Figure::Max)
      high = std::clamp(longestSequence, low, high);
    if (figure == Figure::Len)
      high = std::clamp(mostSequences, low, high);
    auto fitsAt = [&](int64_t value) {
      auto at = admitted(withFigure(figure, value));
      return at && fits(*at, question.budget.pairWork);
    };
    if (!fitsAt(low))
      return;
    bool isWhole = high == range.hi && fitsAt(high);
    if (!isWhole && fitsAt(high))
      low = high;
    while (!isWhole && high - low > 1 + low / bisection) {
      auto middle = int64_t(std::sqrt(double(low) * double(high)));
      middle = std::clamp(middle, low + 1, high - 1);
      (fitsAt(middle) ? low : high) = middle;
    }
    if (auto at = admitted(withFigure(figure, isWhole ? high : low)))
      isTried |=
          add((isWhole ? "upper end of " : "as much work as may be along ") +
                  dim.name,
              *at, options);
  });
  return isTried;
}

/// Sequences of unequal lengths, and others around those where the grid grows.
void CasePlanner::lists() {
  if (sizes.open(DimKind::List).empty())
    return;
  for (int64_t size : {33, 129}) {
    Options options;
    options.thorough = size == 33;
    Bindings given = ragged;
    for (auto &[name, list] : unequal(size))
      given[name] = list;
    if (auto at = admitted(given))
      add("unequal lengths", *at, options);
  }
  forEachFigure([&](Figure figure, const DimSpec &dim) {
    if (figure == Figure::Sum)
      return;
    auto gridAt = [&](int64_t value) {
      auto at = admitted(withFigure(figure, value));
      auto bindings = at ? sizes.complete(*at) : std::nullopt;
      return bindings ? sizes.grid(*bindings) : std::nullopt;
    };
    constexpr int64_t furthest = 512;
    auto first = gridAt(1);
    for (int64_t value = 2; first && value <= furthest; ++value) {
      auto grid = gridAt(value);
      if (!grid || *grid == *first)
        continue;
      for (int64_t size : {value - 1, value, 2 * value - 1})
        if (auto at = admitted(withFigure(figure, size)))
          add("edge of a block along " + dim.name, *at, {});
      return;
    }
  });
}

/// Lengths that nobody chose: few long ones and many short ones.
void CasePlanner::drawnLists() {
  auto open = sizes.open(DimKind::List);
  if (open.empty())
    return;
  uint64_t stream = 0;
  auto drawn = [&](int64_t low, int64_t high) {
    uint64_t bits = randomBits(question.seed, ~row, 64 + stream++);
    double unit = double(bits >> 11) * 0x1p-53;
    return int64_t(double(low) * std::pow(double(high) / double(low), unit));
  };
  for (auto [most, longest] : {std::pair(4, 1500), {300, 24}}) {
    std::vector<int64_t> lengths(size_t(drawn(2, most)));
    for (int64_t &length : lengths)
      length = drawn(1, longest);
    if (auto at = admitted(sequences(lengths)))
      add("drawn lengths", *at, {});
    // Other lists have other lengths where they may.
    Bindings given = sequences(lengths);
    for (const DimSpec *dim : llvm::drop_begin(open))
      for (int64_t &length : given[dim->name].elements)
        length = drawn(1, longest);
    if (auto at = admitted(given); at && open.size() > 1)
      add("drawn lengths, each", *at, {});
  }
}

/// Views of more than 2^31 elements, by many sequences.
void CasePlanner::hugeLists() {
  if (sizes.open(DimKind::List).empty() || !question.canSample)
    return;
  for (unsigned bits : {31, 32}) {
    auto isBeyond = [&](int64_t total) {
      auto at = admitted(withFigure(Figure::Sum, total));
      auto bindings = at ? sizes.complete(*at) : std::nullopt;
      auto extent = bindings ? sizes.extent(*bindings) : std::nullopt;
      return extent && extent->maxElements > (uint64_t(1) << bits) + 64;
    };
    int64_t low = 0, high = 1;
    while (high < INT32_MAX && !isBeyond(high)) {
      low = high;
      high = std::min<int64_t>(high * 2, INT32_MAX);
    }
    if (!isBeyond(high))
      return;
    while (high - low > 1 + low / bisection) {
      int64_t middle = low + (high - low) / 2;
      (isBeyond(middle) ? high : low) = middle;
    }
    if (auto at = admitted(withFigure(Figure::Sum, high)))
      add("more than 2^" + llvm::Twine(bits) + " elements", *at, {});
  }
}
