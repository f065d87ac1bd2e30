//===- TrialSizes.cpp - Legal sizes of one dispatch case ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrialSizes.h"

#include "lathe/Ingest/Bind.h"
#include "lathe/Plan/PlannedKernel.h"
#include "lathe/Verify/TestMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace lathe;

std::optional<int64_t> lathe::valueOf(const Expr &expr,
                                      const Bindings &bindings) {
  auto value = expr.evaluate(bindings);
  if (value)
    return *value;
  llvm::consumeError(value.takeError());
  return std::nullopt;
}

TrialSizes::TrialSizes(const TrialQuestion &question, const DispatchCase &row)
    : question(question), row(row) {}

std::vector<const DimSpec *> TrialSizes::open(DimKind kind) const {
  std::vector<const DimSpec *> dims;
  for (const DimSpec &dim : question.spec->dims)
    if (dim.kind == kind && !question.constants.count(dim.name))
      dims.push_back(&dim);
  return dims;
}

DimGuard TrialSizes::range(const DimSpec &dim) const {
  DimGuard range{dim.name, dim.min, dim.max, 1};
  for (const DimGuard &guard : row.guards)
    if (guard.dim == dim.name) {
      range.lo = std::max(range.lo, guard.lo);
      range.hi = std::min(range.hi, guard.hi);
      range.multiple = guard.multiple;
    }
  return range;
}

std::optional<int64_t> TrialSizes::legal(const DimSpec &dim,
                                         int64_t value) const {
  DimGuard range = this->range(dim);
  value = std::max(value, range.lo);
  int64_t over = value % range.multiple;
  if (over && __builtin_add_overflow(value, range.multiple - over, &value))
    return std::nullopt;
  if (value > range.hi)
    return std::nullopt;
  return value;
}

std::optional<int64_t> TrialSizes::padded(const DimSpec &stride,
                                          const Bindings &dims,
                                          unsigned rank) const {
  auto least = valueOf(*stride.defaultValue, dims);
  if (!least)
    return std::nullopt;
  int64_t multiple = range(stride).multiple;
  auto value = legal(stride, *least + 1 + 2 * int64_t(rank) * multiple);
  // An even number of multiples would be rounder than asked for.
  if (value && *value / multiple % 2 == 0)
    value = legal(stride, *value + multiple);
  return value;
}

std::optional<Bindings> TrialSizes::complete(const Bindings &given) const {
  auto choices = bindChoices(*question.spec, *question.entry);
  if (!choices) {
    llvm::consumeError(choices.takeError());
    return std::nullopt;
  }
  bool saysLists = llvm::all_of(open(DimKind::List), [&](const DimSpec *dim) {
    return given.count(dim->name);
  });
  auto lists = saysLists ? std::optional<Bindings>(given) : this->lists(given);
  if (!lists)
    return std::nullopt;
  Bindings dims, known = std::move(*choices);
  for (const DimSpec &dim : question.spec->dims) {
    auto fixed = question.constants.find(dim.name);
    auto own = given.find(dim.name);
    std::optional<ExprValue> value;
    if (fixed != question.constants.end())
      value = ExprValue(fixed->second);
    else if (dim.kind == DimKind::List)
      value = lists->find(dim.name)->second;
    else if (dim.kind == DimKind::Figure)
      value = valueOf(*dim.defaultValue, known);
    else if (own != given.end())
      value = own->second;
    else if (auto usual = dim.defaultValue ? valueOf(*dim.defaultValue, known)
                                           : std::nullopt)
      value = legal(dim, *usual) ? std::optional<ExprValue>(*legal(dim, *usual))
                                 : std::nullopt;
    else if (auto least = legal(dim, 1))
      value = ExprValue(*least);
    else if (auto nothing = legal(dim, 0)) // all that is admitted
      value = ExprValue(*nothing);
    if (!value)
      return std::nullopt;
    known[dim.name] = *value;
    dims[dim.name] = std::move(*value);
  }
  auto bindings = bindAll(*question.spec, *question.entry, dims);
  if (!bindings) {
    llvm::consumeError(bindings.takeError());
    return std::nullopt;
  }
  bool admitted = llvm::all_of(row.guards, [&](const DimGuard &guard) {
    auto at = bindings->find(guard.dim);
    if (at == bindings->end() || at->second.isList)
      return false;
    int64_t value = at->second.elements.front();
    return value >= guard.lo && value <= guard.hi &&
           value % guard.multiple == 0;
  });
  // Constants are the kernel's; a shape that has other ones is not its own.
  admitted &= llvm::all_of(question.constants, [&](const auto &constant) {
    auto at = given.find(constant.first);
    return at == given.end() || at->second == ExprValue(constant.second);
  });
  return admitted ? std::optional<Bindings>(std::move(*bindings))
                  : std::nullopt;
}

std::optional<TrialSizes::Extent>
TrialSizes::extent(const Bindings &bindings) const {
  Extent extent;
  for (const OperandSpec &operand : question.spec->operands) {
    auto layout = layoutOf(
        operand, resolveDType(*question.entry, operand.dtype), bindings);
    if (!layout) {
      llvm::consumeError(layout.takeError());
      return std::nullopt;
    }
    uint64_t elements = layout->elements();
    extent.elements += elements;
    uint64_t bytes = *layout->bytes();
    extent.maxBytes = std::max(extent.maxBytes, bytes);
    extent.maxElements =
        std::max(extent.maxElements, bytes / layout->elementBytes);
  }
  return extent;
}

std::optional<int64_t>
TrialSizes::leastWith(const DimSpec &dim, Bindings dims,
                      llvm::function_ref<bool(const Extent &)> holds) const {
  auto isBeyond = [&](int64_t value) {
    auto size = legal(dim, value);
    if (!size)
      return false;
    dims[dim.name] = ExprValue(*size);
    auto bindings = complete(dims);
    if (!bindings)
      return false;
    auto extent = this->extent(*bindings);
    return !extent || holds(*extent); // no address space has so much
  };
  int64_t low = 0, high = std::min<int64_t>(range(dim).hi, int64_t(1) << 34);
  if (!isBeyond(high))
    return std::nullopt;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    (isBeyond(middle) ? high : low) = middle;
  }
  return legal(dim, high);
}

std::optional<std::array<uint32_t, 3>>
TrialSizes::grid(const Bindings &bindings) const {
  std::array<uint32_t, 3> grid;
  const Expr *axes[] = {&row.gridX, &row.gridY, &row.gridZ};
  Hardware hardware;
  hardware.vendor =
      llvm::StringRef(row.arch).starts_with("gfx") ? "amd" : "nvidia";
  for (auto [i, axis] : llvm::enumerate(axes)) {
    auto value = valueOf(*axis, bindings);
    if (!value || *value < 1 || *value > maxGrid(hardware, row.blockThreads, i))
      return std::nullopt;
    grid[i] = static_cast<uint32_t>(*value);
  }
  return grid;
}
