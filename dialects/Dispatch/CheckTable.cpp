//===- CheckTable.cpp - What every dispatch table must satisfy ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dispatch/CheckTable.h"

#include "lathe/Runtime/lathe_runtime.h"
#include "lathe/Runtime/lathe_table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace lathe;
using namespace lathe::dispatch;
using llvm::StringRef;

namespace {

class Checker {
public:
  explicit Checker(const DispatchTable &table) : table(table) {}
  std::vector<TableProblem> run();

private:
  template <typename... Args> void report(const char *format, Args &&...args) {
    problems.push_back(
        {current, llvm::formatv(format, std::forward<Args>(args)...).str()});
  }

  void checkDims();
  void checkSignature();
  void checkCase(const DispatchCase &row);
  void checkGuards(const DispatchCase &row);
  void checkMaps(const DispatchCase &row);
  void checkExpr(const Expr &expr, StringRef what, size_t numDims);
  void checkKernels();
  void checkReach();
  const DispatchDim *findDim(StringRef name) const {
    auto it =
        llvm::find_if(table.dims, [&](auto &dim) { return dim.name == name; });
    return it == table.dims.end() ? nullptr : &*it;
  }
  /// What the guards leave of the dim's declared range.
  DimGuard effective(const DispatchCase &row, const DispatchDim &dim) const;
  bool subsumes(const DispatchCase &earlier, const DispatchCase &later) const;
  int64_t widestElement() const;

  const DispatchTable &table;
  std::vector<TableProblem> problems;
  int current = -1;
};

} // namespace

static bool isKnownArchForm(StringRef arch) {
  if (arch.consume_front("gfx"))
    return arch.size() >= 3 && llvm::all_of(arch, llvm::isHexDigit);
  if (!arch.consume_front("sm_"))
    return false;
  if (arch.ends_with("a") || arch.ends_with("f"))
    arch = arch.drop_back();
  return (arch.size() == 2 || arch.size() == 3) &&
         llvm::all_of(arch, llvm::isDigit);
}

static int64_t elementBytes(StringRef dtype) {
  unsigned bits = 0;
  StringRef digits = dtype.drop_until(llvm::isDigit);
  if (digits.consumeInteger(10, bits))
    return 1;
  return std::max(1u, bits / 8);
}

bool lathe::dispatch::isDispatchExpr(const Expr &expr) {
  switch (expr.kind()) {
  case Expr::Kind::Sum:
  case Expr::Kind::Len:
  case Expr::Kind::Distinct:
    return false;
  case Expr::Kind::Min:
  case Expr::Kind::Max:
    if (expr.operands().size() < 2)
      return false;
    break;
  default:
    break;
  }
  return llvm::all_of(expr.operands(), isDispatchExpr);
}

void Checker::checkExpr(const Expr &expr, StringRef what, size_t numDims) {
  if (!isDispatchExpr(expr))
    return report("{0} '{1}' uses lists, which the runtime cannot evaluate",
                  what, expr.str());
  llvm::SetVector<StringRef> symbols;
  expr.collectSymbols(symbols);
  for (StringRef symbol : symbols) {
    const DispatchDim *dim = findDim(symbol);
    if (!dim)
      report("{0} '{1}' reads '{2}', which is not a dim", what, expr.str(),
             symbol);
    else if (size_t(dim - table.dims.data()) >= numDims)
      report("{0} '{1}' reads '{2}', expected an earlier dim", what, expr.str(),
             symbol);
  }
}

void Checker::checkDims() {
  if (table.dims.size() > LATHE_MAX_DIMS)
    report("{0} dims, expected at most {1}", table.dims.size(), LATHE_MAX_DIMS);
  llvm::StringSet<> names;
  for (auto [i, dim] : llvm::enumerate(table.dims)) {
    if (dim.name.empty() || !names.insert(dim.name).second)
      report("dim '{0}' is declared twice or has no name", dim.name);
    if (dim.min > dim.max || dim.min == LATHE_DIM_DEFAULT)
      report("dim '{0}' has the empty range [{1}, {2}]", dim.name, dim.min,
             dim.max);
    if (dim.defaultValue)
      checkExpr(*dim.defaultValue, "default", i);
  }
}

void Checker::checkSignature() {
  if (table.entry.empty() || table.op.empty())
    report("expected names of an op set entry and an operator");
  if (table.operands.size() > LATHE_MAX_OPERANDS)
    report("{0} operands, expected at most {1}", table.operands.size(),
           LATHE_MAX_OPERANDS);
  llvm::StringSet<> names;
  bool output = false;
  for (const DispatchOperand &operand : table.operands) {
    if (operand.name.empty() || !names.insert(operand.name).second)
      report("operand '{0}' appears twice or has no name", operand.name);
    if (output && !operand.isOutput)
      report("input '{0}' follows an output", operand.name);
    output = operand.isOutput;
  }
  if (table.scalars.size() > LATHE_MAX_SCALARS)
    report("{0} scalars, expected at most {1}", table.scalars.size(),
           LATHE_MAX_SCALARS);
  for (const DispatchScalar &scalar : table.scalars) {
    if (scalar.name.empty() || !names.insert(scalar.name).second)
      report("scalar '{0}' appears twice or has no name", scalar.name);
    if (!llvm::is_contained({"f32", "f64", "i32", "i64"}, scalar.dtype))
      report("scalar '{0}' is '{1}', expected f32, f64, i32 or i64",
             scalar.name, scalar.dtype);
  }
}

int64_t Checker::widestElement() const {
  int64_t widest = 1;
  for (const DispatchOperand &operand : table.operands)
    widest = std::max(widest, elementBytes(operand.dtype));
  return widest;
}

DimGuard Checker::effective(const DispatchCase &row,
                            const DispatchDim &dim) const {
  DimGuard result{dim.name, dim.min, dim.max, 1};
  for (const DimGuard &guard : row.guards)
    if (guard.dim == dim.name)
      result = {dim.name, std::max(dim.min, guard.lo),
                std::min(dim.max, guard.hi), guard.multiple};
  return result;
}

void Checker::checkGuards(const DispatchCase &row) {
  llvm::StringSet<> guarded;
  for (const DimGuard &guard : row.guards) {
    const DispatchDim *dim = findDim(guard.dim);
    if (!dim) {
      report("guard on '{0}', which is not a dim", guard.dim);
      continue;
    }
    if (!guarded.insert(guard.dim).second)
      report("two guards on dim '{0}'", guard.dim);
    if (guard.multiple < 1)
      report("guard on '{0}' has multiple {1}, expected at least 1", guard.dim,
             guard.multiple);
    if (guard.lo > guard.hi)
      report("guard on '{0}' has lo {1} above hi {2}", guard.dim, guard.lo,
             guard.hi);
    else if (guard.hi < dim->min || guard.lo > dim->max)
      report("guard on '{0}' never holds: [{1}, {2}] is outside the declared "
             "[{3}, {4}]",
             guard.dim, guard.lo, guard.hi, dim->min, dim->max);
  }
}

/// The driver refuses a map that breaks a rule; guards must not let it come to
/// that.
void Checker::checkMaps(const DispatchCase &row) {
  if (row.maps.empty())
    return;
  if (row.maps.size() > maxTensorMaps)
    report("{0} tensor maps, expected at most {1}", row.maps.size(),
           maxTensorMaps);
  if (!StringRef(row.arch).starts_with("sm_"))
    report("tensor maps for {0}, which has none", row.arch);
  if (row.alignment % tensorAddressMultiple)
    report("tensor maps with alignment {0}, expected a multiple of {1}",
           row.alignment, tensorAddressMultiple);
  size_t before = problems.size();
  for (const TensorMap &map : row.maps) {
    if (llvm::Error error = checkTensorMap(map))
      report("{0}", llvm::toString(std::move(error)));
    if (map.operand >= table.operands.size())
      report("tensor map of operand {0}, there are {1}", map.operand,
             table.operands.size());
    for (const std::vector<Expr> *exprs : {&map.extents, &map.strides})
      for (const Expr &expr : *exprs)
        checkExpr(expr, "tensor map", table.dims.size());
  }
  if (problems.size() != before)
    return;
  auto guards = tensorMapGuards(
      row.maps, [&](StringRef name) { return effective(row, *findDim(name)); });
  if (!guards)
    return report("{0}", llvm::toString(guards.takeError()));
  for (const DimGuard &guard : *guards)
    report("tensor maps need '{0}' up to {1} by {2}, and no guard says so",
           guard.dim, guard.hi, guard.multiple);
}

void Checker::checkCase(const DispatchCase &row) {
  if (row.kernel.empty() || row.symbol.empty())
    report("expected a kernel and its symbol");
  if (!isKnownArchForm(row.arch))
    report("architecture '{0}', expected a name like sm_80, sm_90a or gfx942",
           row.arch);
  checkGuards(row);
  if (row.alignment < 1 || row.alignment > LATHE_TABLE_MAX_ALIGNMENT ||
      !llvm::isPowerOf2_64(row.alignment))
    report("alignment {0}, expected a power of two up to {1}", row.alignment,
           LATHE_TABLE_MAX_ALIGNMENT);
  if (row.blockThreads < 1 || row.blockThreads > LATHE_TABLE_MAX_THREADS)
    report("{0} threads, expected 1 to {1}", row.blockThreads,
           LATHE_TABLE_MAX_THREADS);
  if (row.sharedBytes < 0 || row.sharedBytes > LATHE_TABLE_MAX_SHARED)
    report("{0} bytes of shared memory, expected 0 to {1}", row.sharedBytes,
           LATHE_TABLE_MAX_SHARED);
  for (const Expr *expr : {&row.gridX, &row.gridY, &row.gridZ}) {
    checkExpr(*expr, "grid", table.dims.size());
    if (expr->asConstant().value_or(1) < 1)
      report("grid '{0}' never launches anything", expr->str());
  }
  checkMaps(row);
  llvm::StringSet<> passed;
  for (const std::string &name : row.runtimeDims) {
    if (!findDim(name))
      report("run-time dim '{0}' is not a dim", name);
    if (!passed.insert(name).second)
      report("run-time dim '{0}' is passed twice", name);
  }
}

/// A kernel is one thing: the same wherever a case names it.
void Checker::checkKernels() {
  llvm::StringMap<const DispatchCase *> known;
  for (auto [i, row] : llvm::enumerate(table.cases)) {
    current = int(i);
    auto [it, isNew] = known.try_emplace(row.kernel, &row);
    if (isNew)
      continue;
    const DispatchCase &first = *it->second;
    if (first.arch != row.arch)
      report("kernel '{0}' is built for {1} and cannot serve {2}", row.kernel,
             first.arch, row.arch);
    else if (first.symbol != row.symbol ||
             first.blockThreads != row.blockThreads ||
             first.runtimeDims != row.runtimeDims || first.maps != row.maps)
      report("kernel '{0}' has another symbol, block size or argument list "
             "than in an earlier case",
             row.kernel);
  }
}

bool Checker::subsumes(const DispatchCase &earlier,
                       const DispatchCase &later) const {
  if (earlier.arch != later.arch || earlier.alignment > later.alignment)
    return false;
  return llvm::all_of(earlier.guards, [&](const DimGuard &guard) {
    const DispatchDim *dim = findDim(guard.dim);
    DimGuard rest = effective(later, *dim);
    bool divides = guard.multiple == 1 || rest.multiple % guard.multiple == 0 ||
                   (rest.lo == rest.hi && rest.lo % guard.multiple == 0);
    return guard.lo <= rest.lo && rest.hi <= guard.hi && divides;
  });
}

void Checker::checkReach() {
  llvm::StringMap<std::vector<int>> archs;
  std::vector<StringRef> order;
  for (auto [i, row] : llvm::enumerate(table.cases)) {
    current = int(i);
    auto [it, isNew] = archs.try_emplace(row.arch);
    if (isNew)
      order.push_back(it->getKey());
    for (int earlier : it->second)
      if (subsumes(table.cases[earlier], row)) {
        bool same = subsumes(row, table.cases[earlier]);
        report(same ? "duplicate of case {0} ('{1}')"
                    : "unreachable: case {0} ('{1}') takes all it could serve",
               earlier, table.cases[earlier].kernel);
        break;
      }
    it->second.push_back(int(i));
  }
  for (StringRef arch : order) {
    current = archs[arch].back();
    const DispatchCase &last = table.cases[current];
    for (const DispatchDim &dim : table.dims) {
      DimGuard rest = effective(last, dim);
      if (rest.lo > dim.min || rest.hi < dim.max || rest.multiple != 1)
        report("the last case for {0} must take every '{1}' in [{2}, {3}], and "
               "takes [{4}, {5}] by {6}",
               arch, dim.name, dim.min, dim.max, rest.lo, rest.hi,
               rest.multiple);
    }
    if (last.alignment > widestElement())
      report("the last case for {0} needs bases aligned to {1} bytes, expected "
             "no more than one element ({2})",
             arch, last.alignment, widestElement());
  }
}

std::vector<TableProblem> Checker::run() {
  checkSignature();
  checkDims();
  if (table.cases.empty())
    report("no cases");
  if (table.cases.size() > LATHE_TABLE_MAX_CASES)
    report("{0} cases, expected at most {1}", table.cases.size(),
           LATHE_TABLE_MAX_CASES);
  for (auto [i, row] : llvm::enumerate(table.cases)) {
    current = int(i);
    checkCase(row);
  }
  // Reachability is only meaningful between well-formed cases.
  if (problems.empty()) {
    checkKernels();
    checkReach();
  }
  return std::move(problems);
}

std::vector<TableProblem>
lathe::dispatch::checkTable(const DispatchTable &table) {
  return Checker(table).run();
}

llvm::Error lathe::dispatch::verifyTable(const DispatchTable &table) {
  std::vector<TableProblem> problems = checkTable(table);
  if (problems.empty())
    return llvm::Error::success();
  std::string text;
  for (const TableProblem &problem : problems) {
    if (!text.empty())
      text += '\n';
    text += "dispatch table '" + table.entry + "': ";
    if (problem.caseIndex >= 0)
      text += "case " + std::to_string(problem.caseIndex) + ": ";
    text += problem.message;
  }
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}
