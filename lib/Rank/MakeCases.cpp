//===- MakeCases.cpp - Chosen kernels to dispatch cases -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Selection.h"

#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Figures.h"
#include "lathe/Rank/Buckets.h"
#include "lathe/Verify/Trials.h"

#include <cmath>
#include <limits>

using namespace lathe;

namespace {

using Fixed = std::map<std::string, int64_t, std::less<>>;

/// Heaviest settings of the other request dims that an interval is judged at.
constexpr size_t maxSettings = 4;

/// Kernels of one static binding compete for the values of one request dim, or
/// of one figure where there are lists.
struct Axis {
  std::string dim; ///< empty: the operator has no open request dim
  const DimSpec *figure = nullptr; ///< if it is one
  int64_t lo = 0, hi = 0;
  std::vector<int64_t> hot;
  /// Everything but the axis and the strides; of a figure everything.
  std::vector<Bindings> settings;
  Fixed statics;
};

class CaseMaker {
public:
  CaseMaker(const EntryChoice &choice, const SelectOptions &options)
      : choice(choice), options(options) {}

  std::vector<DispatchCase> run();

private:
  DispatchCase base(const PlannedKernel &kernel, CaseKind kind);
  void addExact();
  void addBuckets(const Fixed &statics,
                  std::vector<const PlannedKernel *> kernels);
  Axis axisOf(const Fixed &statics);
  const DimSpec *primaryDim(const Fixed &statics) const;
  void cut(const Axis &axis, int64_t multiple,
           const std::vector<const PlannedKernel *> &kernels);
  const std::optional<ShapeFacts> &factsAt(const Axis &axis, size_t setting,
                                           int64_t value);
  KernelTime timeAt(const PlannedKernel &kernel, const Axis &axis,
                    int64_t value);
  std::pair<int64_t, int64_t> provableSizes(const Axis &axis);
  Fixed staticsOf(const Bindings &bindings) const;
  Fixed staticsOf(const PlannedKernel &kernel) const;
  std::set<Fixed> bindingsOf(const PlannedKernel &kernel) const;

  const EntryChoice &choice;
  const SelectOptions &options;
  std::map<std::pair<size_t, int64_t>, std::optional<ShapeFacts>> facts;
  std::vector<DispatchCase> cases;
};

int64_t valueOf(const Bindings &bindings, llvm::StringRef name) {
  return bindings.find(name)->second.elements.front();
}

int64_t multipleOn(const PlannedKernel &kernel, llvm::StringRef dim) {
  for (const DimGuard &guard : kernel.guards)
    if (guard.dim == dim)
      return guard.multiple;
  return 1;
}

} // namespace

Fixed CaseMaker::staticsOf(const Bindings &bindings) const {
  Fixed statics;
  for (const DimSpec &dim : choice.spec->dims)
    if (dim.kind == DimKind::Static)
      statics[dim.name] = valueOf(bindings, dim.name);
  return statics;
}

Fixed CaseMaker::staticsOf(const PlannedKernel &kernel) const {
  Fixed statics;
  for (const DimSpec &dim : choice.spec->dims)
    if (dim.kind == DimKind::Static)
      if (auto it = kernel.candidate.constants.find(dim.name);
          it != kernel.candidate.constants.end())
        statics[dim.name] = it->second;
  return statics;
}

/// Static bindings that the kernel serves: its own; those of all shapes that it
/// admits, if it takes static dims at run time.
std::set<Fixed> CaseMaker::bindingsOf(const PlannedKernel &kernel) const {
  Fixed own = staticsOf(kernel);
  size_t statics = llvm::count_if(choice.spec->dims, [](const DimSpec &dim) {
    return dim.kind == DimKind::Static;
  });
  if (own.size() == statics)
    return {own};
  std::set<Fixed> bindings;
  for (const RankedShape &shape : *choice.shapes)
    if (admits(kernel.guards, shape.facts.bindings))
      bindings.insert(staticsOf(shape.facts.bindings));
  return bindings;
}

DispatchCase CaseMaker::base(const PlannedKernel &kernel, CaseKind kind) {
  return caseOf(kernel, kind, *choice.spec, *choice.hardware, *choice.shapes);
}

/// Exact kernels are chosen at one shape each; by dims, for readers.
void CaseMaker::addExact() {
  std::vector<const PlannedKernel *> exact;
  for (const PlannedKernel *kernel : choice.chosen)
    if (kernel->role == KernelRole::Exact)
      exact.push_back(kernel);
  llvm::sort(exact, [](const PlannedKernel *a, const PlannedKernel *b) {
    return std::tie(a->candidate.constants, a->kernel) <
           std::tie(b->candidate.constants, b->kernel);
  });
  for (const PlannedKernel *kernel : exact)
    cases.push_back(base(*kernel, CaseKind::Exact));
}

/// The operator's figure, or the request dim with the most values; null if
/// there is neither.
const DimSpec *CaseMaker::primaryDim(const Fixed &statics) const {
  if (const DimSpec *figure = figureAxis(*choice.spec))
    return figure;
  std::map<std::string, std::set<int64_t>> values;
  for (const RankedShape &shape : *choice.shapes)
    if (staticsOf(shape.facts.bindings) == statics)
      for (const DimSpec &dim : choice.spec->dims)
        if (dim.kind == DimKind::Request)
          values[dim.name].insert(valueOf(shape.facts.bindings, dim.name));
  const DimSpec *primary = nullptr;
  for (const DimSpec &dim : choice.spec->dims)
    if (dim.kind == DimKind::Request &&
        (!primary || values[dim.name].size() > values[primary->name].size()))
      primary = &dim;
  return primary;
}

/// The other dims are set as observed.
Axis CaseMaker::axisOf(const Fixed &statics) {
  Axis axis;
  axis.statics = statics;
  const DimSpec *primary = primaryDim(statics);
  if (primary) {
    axis.dim = primary->name;
    axis.lo = primary->min;
    axis.hi = primary->max;
    if (primary->kind == DimKind::Figure)
      axis.figure = primary;
  }
  std::vector<std::pair<double, const Bindings *>> seen;
  std::set<int64_t> hot;
  for (const RankedShape &shape : *choice.shapes) {
    if (staticsOf(shape.facts.bindings) != statics)
      continue;
    seen.emplace_back(-shape.weight, &shape.facts.bindings);
    if (primary)
      hot.insert(valueOf(shape.facts.bindings, axis.dim));
  }
  axis.hot.assign(hot.begin(), hot.end());
  std::set<std::vector<std::vector<int64_t>>> known;
  llvm::sort(seen,
             [](const auto &a, const auto &b) { return a.first < b.first; });
  for (const auto &[weight, bindings] : seen) {
    Bindings setting;
    std::vector<std::vector<int64_t>> key;
    for (const DimSpec &dim : choice.spec->dims)
      if (dim.kind != DimKind::Stride &&
          (axis.figure || dim.name != axis.dim)) {
        setting[dim.name] = bindings->find(dim.name)->second;
        key.push_back(setting[dim.name].elements);
      }
    if (axis.settings.size() < maxSettings && known.insert(key).second)
      axis.settings.push_back(std::move(setting));
  }
  return axis;
}

/// Nothing where a cost overflows.
const std::optional<ShapeFacts> &
CaseMaker::factsAt(const Axis &axis, size_t setting, int64_t value) {
  auto [it, isNew] = facts.try_emplace({setting, value});
  if (isNew) {
    Bindings dims = axis.settings[setting];
    if (axis.figure)
      dims = withFigure(*choice.spec, dims, *axis.figure, value);
    else if (!axis.dim.empty())
      dims[axis.dim] = ExprValue(value);
    auto made = factsOf(*choice.spec, *choice.entry, dims);
    if (made)
      it->second = std::move(*made);
    else
      llvm::consumeError(made.takeError());
  }
  return it->second;
}

/// Over all settings; infinite if the kernel may not run at one of them.
KernelTime CaseMaker::timeAt(const PlannedKernel &kernel, const Axis &axis,
                             int64_t value) {
  KernelTime total;
  for (size_t i = 0; i < axis.settings.size(); ++i) {
    const std::optional<ShapeFacts> &at = factsAt(axis, i, value);
    // Sizes whose cost overflows are left to the generic kernel.
    if (!at)
      return std::numeric_limits<double>::infinity();
    KernelTime time = choice.timeOf(kernel, *at);
    total.us += time.us;
    total.lowUs += time.lowUs;
    total.highUs += time.highUs;
  }
  return total;
}

/// The sizes that the gate can try a kernel at: with something to compute, and
/// in the memory that it has. A kernel could not be proven for a range without
/// any: whoever wins at the ends of these sizes holds on beyond.
std::pair<int64_t, int64_t> CaseMaker::provableSizes(const Axis &axis) {
  auto holds = [&](int64_t value, auto predicate) {
    for (size_t i = 0; i < axis.settings.size(); ++i)
      if (const auto &at = factsAt(axis, i, value); !at || !predicate(*at))
        return false;
    return true;
  };
  auto hasOutputs = [](const ShapeFacts &at) { return at.bytesWritten > 0; };
  auto fits = [](const ShapeFacts &at) {
    return TrialBudget().canMap(at.bytesRead + at.bytesWritten);
  };
  // Lists of more values take long to evaluate, and tell no more.
  constexpr int64_t longestList = 1 << 14;
  bool isLong = axis.figure && isLength(*axis.figure);
  auto sizes = std::make_pair(axis.lo, isLong ? std::min(axis.hi, longestList)
                                              : axis.hi);
  if (axis.lo < axis.hi && !holds(axis.lo, hasOutputs))
    ++sizes.first;
  if (holds(sizes.second, fits) || !holds(sizes.first, fits))
    return sizes;
  int64_t low = sizes.first, high = sizes.second;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    (holds(middle, fits) ? low : high) = middle;
  }
  sizes.second = low;
  return sizes;
}

void CaseMaker::cut(const Axis &axis, int64_t multiple,
                    const std::vector<const PlannedKernel *> &kernels) {
  BucketQuestion question;
  std::tie(question.lo, question.hi) = provableSizes(axis);
  question.multiple = multiple;
  question.hot = axis.hot;
  question.tolerance = options.tolerance;
  for (const PlannedKernel *kernel : kernels)
    question.kernels.push_back(kernel->kernel);
  auto time = [&](size_t k, int64_t value) {
    return timeAt(*kernels[k], axis, value);
  };
  question.time = time;
  for (BucketInterval interval : cutBuckets(question).intervals) {
    if (interval.lo < question.lo + multiple)
      interval.lo = axis.lo;
    if (interval.hi > question.hi - multiple)
      interval.hi = axis.hi;
    const PlannedKernel &kernel = *kernels[interval.kernel];
    if (kernel.role == KernelRole::Generic ||
        multipleOn(kernel, axis.dim) != multiple)
      continue;
    DispatchCase row = base(kernel, CaseKind::Bucket);
    if (!axis.dim.empty() &&
        !addGuard(row.guards, {axis.dim, interval.lo, interval.hi, multiple}))
      continue;
    // It was judged for these alone.
    for (const auto &[dim, value] : axis.statics)
      addGuard(row.guards, {dim, value, value, 1});
    if (!guardGrid(row, *choice.spec, *choice.hardware))
      continue;
    cases.push_back(std::move(row));
  }
}

void CaseMaker::addBuckets(const Fixed &statics,
                           std::vector<const PlannedKernel *> kernels) {
  facts.clear();
  Axis axis = axisOf(statics);
  kernels.push_back(choice.generic);
  llvm::sort(kernels, [](const PlannedKernel *a, const PlannedKernel *b) {
    return isSimpler(*a, *b);
  });
  // Kernels for multiples only come first, where they win at those multiples.
  std::set<int64_t, std::greater<>> multiples{1};
  for (const PlannedKernel *kernel : kernels)
    multiples.insert(multipleOn(*kernel, axis.dim));
  for (int64_t multiple : multiples) {
    std::vector<const PlannedKernel *> able;
    for (const PlannedKernel *kernel : kernels)
      if (multiple % multipleOn(*kernel, axis.dim) == 0)
        able.push_back(kernel);
    cut(axis, multiple, able);
  }
}

std::vector<DispatchCase> CaseMaker::run() {
  addExact();
  size_t firstBucket = cases.size();
  std::map<Fixed, std::vector<const PlannedKernel *>> byStatics;
  for (const PlannedKernel *kernel : choice.chosen)
    if (kernel->role == KernelRole::Bucket)
      for (const Fixed &statics : bindingsOf(*kernel))
        byStatics[statics].push_back(kernel);
  for (const auto &[statics, kernels] : byStatics)
    addBuckets(statics, kernels);
  auto width = [](const DispatchCase &row) {
    double total = 1;
    for (const DimGuard &guard : row.guards)
      total *=
          (static_cast<double>(guard.hi) - static_cast<double>(guard.lo) + 1) /
          static_cast<double>(guard.multiple);
    return total;
  };
  auto key = [&](const DispatchCase &row) {
    std::vector<int64_t> ends;
    for (const DimGuard &guard : row.guards)
      ends.push_back(guard.lo);
    return std::make_tuple(width(row), std::move(ends), row.kernel);
  };
  llvm::sort(cases.begin() + firstBucket, cases.end(),
             [&](const DispatchCase &a, const DispatchCase &b) {
               return key(a) < key(b);
             });
  // Takes whatever is left; its alignment is that of one element.
  cases.push_back(base(*choice.generic, CaseKind::Generic));
  return std::move(cases);
}

std::vector<DispatchCase> lathe::makeCases(const EntryChoice &choice,
                                           const SelectOptions &options) {
  return CaseMaker(choice, options).run();
}

DispatchTable lathe::makeTable(const OperatorSpec &spec,
                               const OpSetEntry &entry) {
  DispatchTable table;
  table.entry = entry.name;
  table.op = entry.op;
  Bindings choices = llvm::cantFail(bindChoices(spec, entry));
  for (const DimSpec &dim : spec.dims) {
    if (!dim.isForKernels())
      continue;
    std::optional<Expr> usual;
    if (dim.defaultValue && dim.kind != DimKind::Figure)
      usual = dim.defaultValue->substitute(choices);
    table.dims.push_back({dim.name, dim.min, dim.max, std::move(usual)});
  }
  for (const OperandSpec &operand : spec.operands)
    table.operands.push_back(
        {operand.name, resolveDType(entry, operand.dtype), operand.isOutput});
  for (const ScalarSpec &scalar : spec.scalars) {
    auto given = entry.scalars.find(scalar.name);
    table.scalars.push_back(
        {scalar.name, scalar.dtype,
         given != entry.scalars.end() ? given->second : scalar.defaultValue});
  }
  for (const OptionSpec &option : spec.options) {
    auto chosen = entry.options.find(option.name);
    table.options.emplace_back(option.name, chosen != entry.options.end()
                                                ? chosen->second
                                                : option.defaultValue);
  }
  for (const auto &dtype : spec.dtypes)
    table.dtypes.emplace_back(dtype.first, resolveDType(entry, dtype.first));
  return table;
}
