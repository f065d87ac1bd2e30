//===- CaseTrials.cpp - Sizes that a dispatch case is tried at ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CasePlanner.h"

#include "lathe/Verify/Inputs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>
#include <limits>

using namespace lathe;

/// Of the sums that operators' tolerances are made for.
static constexpr int64_t longestSum = 8192;

bool lathe::sumsManyTerms(const OperatorSpec &spec, const Bindings &bindings) {
  llvm::SetVector<llvm::StringRef> kept;
  for (const OperandSpec &operand : spec.operands)
    if (operand.isOutput)
      for (const Expr &extent : operand.shape)
        extent.collectSymbols(kept);
  // Beside lists a size with a default is that of the memory they lie in.
  bool canBeMemory = hasLists(spec);
  return llvm::any_of(spec.dims, [&](const DimSpec &dim) {
    auto bound = bindings.find(dim.name);
    return (dim.kind == DimKind::Request || dim.kind == DimKind::Static) &&
           !(canBeMemory && dim.defaultValue) && !kept.contains(dim.name) &&
           bound != bindings.end() &&
           bound->second.elements.front() > longestSum;
  });
}

bool CasePlanner::ends() {
  // Sizes of a kernel that is tried elsewhere may go without.
  Options needed;
  needed.needed = scope != Ends || plan.work < question.budget.totalWork / 2;
  Bindings least = ragged;
  for (const DimSpec *dim : free)
    if (auto value = sizes.legal(*dim, 1))
      least[dim->name] = ExprValue(*value);
  for (const DimSpec *dim : sizes.open(DimKind::List))
    least.erase(dim->name);
  bool isTried = add("minimal", least, needed);
  isTried |= listEnds(needed.needed);
  // One element that is rounded the other way is the whole norm.
  Bindings few = least;
  for (const DimSpec *dim : free)
    if (auto value = sizes.legal(*dim, 5); value && free.size() > 1)
      few[dim->name] = ExprValue(*value);
  for (const DimSpec *dim : free) {
    DimGuard range = sizes.range(*dim);
    auto low = sizes.legal(*dim, std::max<int64_t>(range.lo, 1));
    if (!low)
      continue;
    Bindings at = ragged, top = few;
    at[dim->name] = ExprValue(*low);
    isTried |= add("lower end of " + dim->name, at, needed);
    int64_t high = range.hi / range.multiple * range.multiple;
    auto fitsAt = [&](int64_t value, double work) {
      top[dim->name] = ExprValue(value);
      return fits(top, work);
    };
    constexpr double any = std::numeric_limits<double>::infinity();
    if (!fitsAt(high, any))
      continue; // nobody has the memory; others try how far that goes
    // Where work grows along the dim, the far end is what the budget allows.
    double most = std::max(question.budget.pairWork, itemWork(few));
    int64_t far = *low, beyond = high / range.multiple + 1;
    if (fitsAt(high, most)) {
      far = high;
    } else {
      int64_t steps = far / range.multiple;
      while (beyond - steps > 1) {
        int64_t middle = steps + (beyond - steps) / 2;
        (fitsAt(middle * range.multiple, most) ? steps : beyond) = middle;
      }
      far = steps * range.multiple;
    }
    top[dim->name] = ExprValue(far);
    isTried |=
        add((far == high ? "upper end of " : "as much work as may be along ") +
                dim->name,
            top, needed);
  }
  return isTried;
}

/// Sizes around those where the grid grows: a full block, one row more.
void CasePlanner::gridEdges() {
  for (const DimSpec *dim : free) {
    auto gridAt = [&](int64_t value) {
      Bindings given = ragged;
      given[dim->name] = ExprValue(value);
      auto bindings = sizes.complete(given);
      return bindings ? sizes.grid(*bindings) : std::nullopt;
    };
    int64_t multiple = sizes.range(*dim).multiple;
    auto start = sizes.legal(*dim, 1);
    if (!start)
      continue;
    auto first = gridAt(*start);
    constexpr int64_t furthest = 512;
    for (int64_t step = 1; first && step <= furthest; ++step) {
      auto value = sizes.legal(*dim, *start + step * multiple);
      auto grid = value ? gridAt(*value) : std::nullopt;
      if (!grid)
        break;
      if (*grid == *first)
        continue;
      int64_t edge = *value - multiple; // the last with the smaller grid
      for (int64_t size : {edge, *value, 2 * edge - multiple})
        if (size >= *start) {
          Bindings given = ragged;
          given[dim->name] = ExprValue(size);
          add("edge of a block along " + dim->name, given, {});
        }
      break;
    }
  }
}

/// Whole and broken steps of a loop along a dim that the grid does not follow.
void CasePlanner::steps() {
  if (onlyStatic())
    return;
  Bindings given = ragged;
  for (const DimSpec *dim : free)
    if (auto value = sizes.legal(*dim, 5))
      given[dim->name] = ExprValue(*value);
  auto bindings = sizes.complete(given);
  for (const DimSpec *dim : free) {
    if (dim->kind != DimKind::Static || !bindings ||
        sizes.gridGrowsWith(*dim, *bindings))
      continue;
    for (int64_t wanted : {64, 128, 192, 256, 320, 448, 1031})
      if (auto value = sizes.legal(*dim, wanted)) {
        Bindings at = given;
        at[dim->name] = ExprValue(*value);
        add("steps of " + dim->name, at, {});
      }
  }
}

void CasePlanner::inPlace() {
  if (!first)
    return;
  const Bindings &bindings = plan.trials[*first].bindings;
  auto mayAlias = [&](const OperandSpec &operand) {
    auto input = llvm::find_if(question.spec->operands, [&](const auto &other) {
      return other.name == operand.mayAlias;
    });
    return input != question.spec->operands.end() &&
           llvm::all_of(input->shape, [&](const Expr &extent) {
             return valueOf(extent, bindings).value_or(0) > 0;
           });
  };
  if (llvm::none_of(question.spec->operands, mayAlias))
    return;
  Trial trial = plan.trials[*first];
  trial.why = "in place";
  trial.aliased = true;
  trial.thorough = false;
  if (afford(trial, {}))
    plan.trials.push_back(std::move(trial));
  else
    leaveOut("in place: no room in the budget");
}

void CasePlanner::pitches() {
  auto strides = sizes.open(DimKind::Stride);
  if (strides.empty())
    return;
  auto dense = sizes.complete(ragged);
  if (!dense)
    return;
  Bindings given = ragged;
  for (auto [rank, dim] : llvm::enumerate(strides))
    if (auto value = sizes.padded(*dim, *dense, rank))
      given[dim->name] = ExprValue(*value);
  Options options;
  options.thorough = true;
  add("padded rows", given, options);
}

void CasePlanner::statics() {
  const DimSpec *dim = onlyStatic();
  if (!dim)
    return;
  // Whole steps of any loop among them, and more than 16 bits.
  for (int64_t wanted : {1, 2, 3, 127, 130, 1031, 4100, 8192, 65600}) {
    auto value = sizes.legal(*dim, wanted);
    if (!value)
      continue;
    Bindings given = ragged;
    given[dim->name] = ExprValue(*value);
    for (const DimSpec *other : free)
      if (auto size = sizes.legal(*other, wanted > 10000 ? 1 : 5))
        given[other->name] = ExprValue(*size);
    add("other " + dim->name, given, {});
  }
  // Mostly too much for one block; then that is said.
  Bindings widest = ragged;
  for (const DimSpec *other : free)
    if (auto size = sizes.legal(*other, 1))
      widest[other->name] = ExprValue(*size);
  DimGuard range = sizes.range(*dim);
  widest[dim->name] = ExprValue(range.hi / range.multiple * range.multiple);
  add("upper end of " + dim->name, widest, {});
}

/// Sizes between the small and the largest ones, where nothing else asks:
/// fixed ones, and two that nobody chose.
void CasePlanner::between() {
  if (free.empty())
    return;
  const DimSpec &dim = *free.front();
  DimGuard range = sizes.range(dim);
  auto addAt = [&](const llvm::Twine &why, int64_t value) {
    Bindings at = ragged;
    auto size = sizes.legal(dim, value);
    if (!size)
      return;
    at[dim.name] = ExprValue(*size);
    add(why, at, {});
  };
  int64_t full =
      sizes
          .leastWith(dim, ragged,
                     [&](const TrialSizes::Extent &extent) {
                       return extent.elements > question.budget.fullElements;
                     })
          .value_or(range.hi);
  int64_t most = sizes
                     .leastWith(dim, ragged,
                                [&](const TrialSizes::Extent &extent) {
                                  return extent.maxElements > uint64_t(1) << 31;
                                })
                     .value_or(range.hi);
  int64_t low = std::max<int64_t>(range.lo, 1);
  auto chosen = [&](uint64_t stream, int64_t from, int64_t to) {
    double unit = double(randomBits(question.seed, ~row, stream) >> 11);
    return int64_t(double(from) *
                   std::pow(double(to) / double(from), unit * 0x1p-53));
  };
  if (full > low)
    addAt("chosen " + dim.name, chosen(0, low, full - 1));
  if (!question.canSample || most <= full)
    return;
  addAt("chosen " + dim.name, chosen(1, full, most));
  for (int64_t value : {4099, 65551, 1048583})
    if (value > full && value < most)
      addAt("between ends of " + dim.name, value);
}

/// Past the bits by a little, so that what wraps lands inside.
static auto beyond(unsigned bits) {
  return [bits](const TrialSizes::Extent &extent) {
    return extent.maxElements > (uint64_t(1) << bits) + 64;
  };
}

/// Views of more than 2^31 elements, by rows far apart.
void CasePlanner::far() {
  Bindings given = ragged;
  for (const DimSpec *dim : free)
    if (auto value = sizes.legal(*dim, 3))
      given[dim->name] = ExprValue(*value);
  for (unsigned bits : {31, 32}) {
    Bindings apart = given;
    for (const DimSpec *dim : sizes.open(DimKind::Stride))
      if (auto value = sizes.leastWith(*dim, given, beyond(bits)))
        apart[dim->name] = ExprValue(*value);
    if (apart != given)
      add("rows far apart", apart, {});
  }
}

/// Views of more than 2^31 elements, by many rows.
void CasePlanner::huge() {
  if (free.empty() || !question.canSample)
    return;
  for (unsigned bits : {31, 32})
    if (auto value = sizes.leastWith(*free.front(), ragged, beyond(bits))) {
      Bindings at = ragged;
      at[free.front()->name] = ExprValue(*value);
      add("more than 2^" + llvm::Twine(bits) + " elements", at, {});
    }
}

void CasePlanner::hot() {
  unsigned taken = 0;
  for (const Bindings &shape : question.instances)
    if (taken < question.budget.instances && add("hot shape", shape, {}))
      ++taken;
}

void CasePlanner::cases() {
  for (const CaseSpec &spec : question.spec->cases) {
    Bindings given = ragged;
    bool fits = true;
    for (const auto &[name, value] : spec.dims) {
      auto fixed = question.constants.find(name);
      fits &= fixed == question.constants.end() ||
              value == ExprValue(fixed->second);
      given[name] = value;
    }
    Options options;
    options.spec = &spec;
    if (!fits || !add(spec.name, given, options))
      leaveOut(spec.name + ": its dims are not this kernel's");
  }
}
