//===- Schedules.cpp - Binds one schedule of a template -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedules.h"
#include "lathe/Ingest/Figures.h"
#include "lathe/Plan/KernelName.h"
#include "lathe/Support/ScheduleSymbols.h"

using namespace lathe;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// Longest name of a kernel; that of its symbol is a little longer.
constexpr size_t maxName = 480;

/// The dim with this name, if kernels can know it.
const DimSpec *kernelDim(const OperatorSpec &spec, StringRef name) {
  const DimSpec *dim = findDim(spec, name);
  return dim && dim->isForKernels() ? dim : nullptr;
}

/// "H = 8192, ROWS = 8": the values that a constraint saw.
std::string valuesIn(const Expr &expr, const Bindings &bindings) {
  llvm::SetVector<StringRef> symbols;
  expr.collectSymbols(symbols);
  std::string text;
  for (StringRef symbol : symbols) {
    auto bound = bindings.find(symbol);
    if (bound == bindings.end())
      continue;
    text += (text.empty() ? "" : ", ") + symbol.str() + " = " +
            std::to_string(bound->second.elements.front());
  }
  return text;
}

/// The guard that says the same as `expr`, a condition on one dim: intervals
/// `d <op> c` and `d * k <op> c`, and divisors `d mod c == 0`.
std::optional<DimGuard> guardOf(const Expr &expr, const OperatorSpec &spec) {
  using Kind = Expr::Kind;
  Kind kind = expr.kind();
  if (expr.operands().size() != 2)
    return std::nullopt;
  Expr left = expr.operands()[0], right = expr.operands()[1];
  if (left.asConstant()) {
    std::swap(left, right);
    kind = kind == Kind::Lt   ? Kind::Gt
           : kind == Kind::Le ? Kind::Ge
           : kind == Kind::Gt ? Kind::Lt
           : kind == Kind::Ge ? Kind::Le
                              : kind;
  }
  auto bound = right.asConstant();
  if (!bound)
    return std::nullopt;
  int64_t factor = 1;
  if (left.kind() == Kind::Mul) {
    Expr a = left.operands()[0], b = left.operands()[1];
    if (a.asConstant())
      std::swap(a, b);
    factor = b.asConstant().value_or(0);
    left = a;
  } else if (left.kind() == Kind::Mod && kind == Kind::Eq && *bound == 0) {
    Expr a = left.operands()[0];
    auto divisor = left.operands()[1].asConstant();
    if (a.kind() != Kind::Symbol || !divisor || *divisor < 1 ||
        !kernelDim(spec, a.symbolName()))
      return std::nullopt;
    return DimGuard{a.symbolName().str(), 0, INT64_MAX, *divisor};
  }
  if (left.kind() != Kind::Symbol || factor < 1 || *bound < 0 ||
      !kernelDim(spec, left.symbolName()))
    return std::nullopt;
  DimGuard guard;
  guard.dim = left.symbolName().str();
  int64_t floor = *bound / factor;
  bool divides = *bound % factor == 0;
  switch (kind) {
  case Kind::Le:
    guard.hi = floor;
    return guard;
  case Kind::Lt:
    guard.hi = divides ? floor - 1 : floor;
    return guard;
  case Kind::Ge:
    guard.lo = divides ? floor : floor + 1;
    return guard;
  case Kind::Gt:
    guard.lo = floor + 1;
    return guard;
  case Kind::Eq:
    if (!divides)
      return std::nullopt;
    guard.lo = guard.hi = floor;
    return guard;
  default:
    return std::nullopt;
  }
}

/// Adds the guards that `expr` amounts to; false if it is no conjunction of
/// guards.
bool addGuardsOf(const Expr &expr, const OperatorSpec &spec,
                 std::vector<DimGuard> &guards) {
  if (expr.kind() == Expr::Kind::And)
    return llvm::all_of(expr.operands(), [&](const Expr &part) {
      return addGuardsOf(part, spec, guards);
    });
  if (auto constant = expr.asConstant())
    return *constant != 0;
  auto guard = guardOf(expr, spec);
  return guard && addGuard(guards, *guard);
}

/// What one bindSchedule call works on.
struct Binder {
  const ScheduleQuestion &q;
  PlannedKernel kernel;
  Bindings bindings;

  explicit Binder(const ScheduleQuestion &question) : q(question) {}

  void bindChoices();
  std::string fixDims();
  void setAlignment();
  std::string checkWhere();
  std::string checkLimits();
  std::string bindGemm();
  std::string onlyDims(const Expr &expr) const;
  std::string run();
};

} // namespace

void lathe::setChoices(Candidate &candidate, const OperatorSpec &spec,
                       const OpSetEntry &entry) {
  for (const OptionSpec &option : spec.options) {
    auto chosen = entry.options.find(option.name);
    StringRef value =
        chosen != entry.options.end() ? chosen->second : option.defaultValue;
    candidate.constants[option.name] =
        llvm::find(option.values, value) - option.values.begin();
  }
  for (const auto &[variable, choices] : spec.dtypes) {
    auto chosen = entry.dtypes.find(variable);
    candidate.dtypes[variable] =
        chosen != entry.dtypes.end() ? chosen->second : choices.front();
  }
}

void Binder::bindChoices() {
  Candidate &candidate = kernel.candidate;
  kernel.entry = q.entry->name;
  kernel.role = q.role;
  candidate.op = q.spec->name;
  candidate.templateName = q.info->name;
  candidate.arch = q.hardware->arch;
  candidate.schedule = q.schedule;
  candidate.constants = q.fixed;
  setChoices(candidate, *q.spec, *q.entry);
  for (const auto &[variable, dtype] : candidate.dtypes)
    bindings[variable + "_bytes"] = ExprValue((dtypeBits(dtype) + 7) / 8);
  for (const auto &[name, value] : candidate.constants)
    bindings[name] = ExprValue(value);
}

/// Every dim that kernels know must be fixed or taken at run time by the
/// template.
std::string Binder::fixDims() {
  for (const DimSpec &dim : q.spec->dims) {
    if (!dim.isForKernels() || kernel.candidate.constants.count(dim.name) ||
        q.info->takesAtRunTime(dim.name))
      continue;
    if (dim.kind == DimKind::Figure)
      return "template does not take " + dim.name +
             " at run time, as figures of lists are";
    std::optional<int64_t> value;
    if (dim.kind == DimKind::Stride && dim.defaultValue)
      value = dim.defaultValue->substitute(bindings).asConstant();
    if (!value)
      return "template needs " + dim.name + " fixed";
    kernel.candidate.constants[dim.name] = *value;
    bindings[dim.name] = ExprValue(*value);
  }
  for (const auto &[name, value] : kernel.candidate.constants)
    if (findDim(*q.spec, name))
      addGuard(kernel.guards, {name, value, value, 1});
  return "";
}

void Binder::setAlignment() {
  Candidate &candidate = kernel.candidate;
  int64_t vec = std::max<int64_t>(kernel.parameter("VEC", 1), 1), bytes = 1;
  for (const OperandSpec &operand : q.spec->operands)
    bytes = std::max<int64_t>(
        bytes, dtypeBits(resolveDType(*q.entry, operand.dtype)) / 8);
  int64_t access = vec * bytes;
  candidate.alignment = std::min<int64_t>(16, access & -access);
  if (vec == 1)
    return;
  for (const DimSpec &dim : q.spec->dims)
    if (dim.kind == DimKind::Stride && !candidate.constants.count(dim.name))
      candidate.multiples[dim.name] = vec;
}

std::string Binder::checkWhere() {
  for (const auto &[name, value] : q.schedule)
    bindings[name] = ExprValue(value);
  bindHardwareSymbols(bindings, q.hardware->warpSize,
                      q.hardware->sharedPerBlock, q.hardware->features);
  for (const Expr &constraint : q.info->where) {
    Expr left = constraint.substitute(bindings);
    if (auto constant = left.asConstant()) {
      if (*constant == 0)
        return "constraint '" + constraint.str() + "' is false at " +
               valuesIn(constraint, bindings);
    } else if (!addGuardsOf(left, *q.spec, kernel.guards)) {
      return "constraint '" + left.str() + "' is no guard on a run-time dim";
    }
  }
  for (const auto &[dim, multiple] : kernel.candidate.multiples)
    if (!addGuard(kernel.guards, {dim, 0, INT64_MAX, multiple}))
      return "no legal " + dim + " is a multiple of " +
             std::to_string(multiple);
  return "";
}

std::string Binder::onlyDims(const Expr &expr) const {
  llvm::SetVector<StringRef> symbols;
  expr.collectSymbols(symbols);
  for (StringRef symbol : symbols)
    if (!kernelDim(*q.spec, symbol))
      return "template uses unknown symbol '" + symbol.str() + "'";
  return "";
}

/// A block's tile is a matter of the schedule alone.
std::string Binder::bindGemm() {
  if (!q.info->gemm)
    return "";
  kernel.gemm = q.info->gemm;
  for (const GemmHint &hint : gemmHints) {
    Expr &expr = (*kernel.gemm).*hint.field;
    expr = expr.substitute(bindings);
    if (std::string reason = onlyDims(expr); !reason.empty())
      return reason;
    if (hint.name.starts_with("tile_") && expr.asConstant().value_or(0) < 1)
      return "model hint '" + hint.name.str() + "' is '" + expr.str() +
             "', expected a constant of at least 1";
  }
  return "";
}

std::string Binder::checkLimits() {
  for (const Expr &axis : q.info->grid) {
    kernel.grid.push_back(axis.substitute(bindings));
    if (std::string reason = onlyDims(kernel.grid.back()); !reason.empty())
      return reason;
  }
  kernel.multiplies = q.info->multiplies;
  if (std::string reason = bindGemm(); !reason.empty())
    return reason;
  kernel.live = q.info->live.substitute(bindings);
  kernel.passes = q.info->passes.substitute(bindings);
  if (std::string reason = onlyDims(kernel.live); !reason.empty())
    return reason;
  if (std::string reason = onlyDims(kernel.passes); !reason.empty())
    return reason;

  auto parameter = [&](StringRef name, int64_t otherwise) {
    return kernel.parameter(name, otherwise);
  };
  kernel.threads = blockThreads(parameter, q.hardware->warpSize).value_or(0);
  if (kernel.threads < 1)
    return "has no threads";
  if (kernel.threads > q.hardware->maxThreadsPerBlock)
    return "needs " + std::to_string(kernel.threads) + " threads of " +
           std::to_string(q.hardware->maxThreadsPerBlock);
  int64_t most = q.hardware->maxRegistersPerThread;
  if (int64_t all = q.hardware->registersPerSm)
    most = std::min(most, all / kernel.threads / 8 * 8);
  if (q.info->registers)
    kernel.expectedRegisters =
        q.info->registers->substitute(bindings).asConstant().value_or(0);
  int64_t needed = kernel.expectedRegisters;
  if (auto live = kernel.live.asConstant(); live && !needed)
    needed = estimateRegisters(*live);
  if (most > 0 && needed > most)
    return "needs about " + std::to_string(needed) +
           " registers per thread of " + std::to_string(most);
  return "";
}

std::string Binder::run() {
  bindChoices();
  std::string reason = fixDims();
  setAlignment();
  kernel.kernel = mintKernelName(kernel.candidate);
  if (reason.empty())
    reason = checkWhere();
  if (reason.empty())
    reason = checkLimits();
  if (reason.empty() && kernel.kernel.size() > maxName)
    reason = "name is longer than " + std::to_string(maxName) + " characters";
  return reason;
}

ScheduleAnswer lathe::bindSchedule(const ScheduleQuestion &question) {
  Binder binder(question);
  std::string reason = binder.run();
  return {std::move(binder.kernel), std::move(reason)};
}
