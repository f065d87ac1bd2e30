//===- Template.cpp - Reads a template's schedule space -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Template.h"
#include "lathe/Ingest/ReadTemplate.h"
#include "lathe/Plan/KernelName.h"
#include "lathe/Support/ParseTemplate.h"

#include "Problem/Problem.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace mlir;
using namespace lathe;

/// A larger space is a mistake, not a search.
static constexpr uint64_t maxSpace = 1 << 16;

bool TemplateInfo::takesAtRunTime(llvm::StringRef dim) const {
  return llvm::is_contained(runtime, dim);
}

static uint64_t sizeOf(const TemplateInfo::Space &space) {
  uint64_t size = 1;
  for (const auto &parameter : space)
    size = llvm::SaturatingMultiply<uint64_t>(size, parameter.second.size());
  return size;
}

uint64_t TemplateInfo::spaceSize() const {
  uint64_t size = 0;
  for (const Space &space : spaces)
    size = llvm::SaturatingAdd(size, sizeOf(space));
  return size;
}

std::vector<int64_t> TemplateInfo::valuesOf(llvm::StringRef parameter) const {
  std::vector<int64_t> values;
  for (const Space &space : spaces)
    for (const auto &[name, mine] : space)
      for (int64_t value : mine)
        if (name == parameter && !llvm::is_contained(values, value))
          values.push_back(value);
  return values;
}

void TemplateInfo::forEachSchedule(
    llvm::function_ref<
        void(const std::map<std::string, int64_t, std::less<>> &)>
        visit) const {
  std::set<std::map<std::string, int64_t, std::less<>>> seen;
  for (const Space &space : spaces)
    for (uint64_t i = 0, size = sizeOf(space); i < size; ++i) {
      std::map<std::string, int64_t, std::less<>> schedule;
      uint64_t rest = i;
      for (const auto &[name, values] : llvm::reverse(space)) {
        schedule[name] = values[rest % values.size()];
        rest /= values.size();
      }
      if (spaces.size() == 1 || seen.insert(schedule).second)
        visit(schedule);
    }
}

TemplateLibrary::TemplateLibrary(MLIRContext &context)
    : local(context.getDialectRegistry(), MLIRContext::Threading::DISABLED) {
  local.loadDialect<problem::ProblemDialect>();
}

static llvm::Error refuse(llvm::StringRef path, const llvm::Twine &why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 path + ": error: " + why);
}

/// A list of expressions; absent is empty.
static llvm::Expected<std::vector<Expr>>
readExprs(llvm::StringRef path, Operation *op, llvm::StringRef name) {
  std::vector<Expr> exprs;
  Attribute attr = op->getAttr(name);
  if (!attr)
    return exprs;
  auto list = dyn_cast<ArrayAttr>(attr);
  if (!list)
    return refuse(path, "'" + name + "' should be a list of expressions");
  for (Attribute element : list) {
    auto expr = dyn_cast<problem::ExprAttr>(element);
    if (!expr)
      return refuse(path, "'" + name + "' should be a list of expressions");
    exprs.push_back(expr.getExpr());
  }
  return exprs;
}

/// All that are required, or none at all.
static llvm::Error readGemmHints(llvm::StringRef path, DictionaryAttr model,
                                 std::optional<GemmHints> &hints) {
  GemmHints read;
  llvm::StringRef given, missing;
  for (const GemmHint &hint : gemmHints) {
    if (auto expr = model.getAs<problem::ExprAttr>(hint.name)) {
      read.*hint.field = expr.getExpr();
      given = hint.name;
    } else if (hint.isRequired) {
      missing = hint.name;
    }
  }
  if (given.empty())
    return llvm::Error::success();
  if (!missing.empty())
    return refuse(path, "model says '" + given + "' and should say '" +
                            missing + "' too");
  hints = std::move(read);
  return llvm::Error::success();
}

static llvm::Expected<TemplateInfo> readKernel(llvm::StringRef path,
                                               Operation *op) {
  TemplateInfo info;
  auto spaces = op->getAttrOfType<ArrayAttr>("space");
  if (!spaces)
    info.spaces.emplace_back();
  for (Attribute space :
       spaces ? spaces : ArrayAttr::get(op->getContext(), {})) {
    info.spaces.emplace_back();
    for (NamedAttribute parameter : cast<DictionaryAttr>(space)) {
      auto values = dyn_cast<DenseI64ArrayAttr>(parameter.getValue());
      std::string name = parameter.getName().str();
      if (!values || values.empty() ||
          llvm::any_of(values.asArrayRef(), [](int64_t v) { return v < 0; }))
        return refuse(path, "parameter '" + name +
                                "' should list integers of 0 or more");
      if (!isKernelNamePart(name))
        return refuse(path, "parameter '" + name +
                                "' should be letters, digits and inner '_'");
      info.spaces.back().emplace_back(name, values.asArrayRef().vec());
    }
  }
  if (info.spaceSize() > maxSpace)
    return refuse(path, "space has " + llvm::Twine(info.spaceSize()) +
                            " schedules when it should have at most " +
                            llvm::Twine(maxSpace));
  auto where = readExprs(path, op, "where");
  if (!where)
    return where.takeError();
  auto grid = readExprs(path, op, "grid");
  if (!grid)
    return grid.takeError();
  if (grid->empty() || grid->size() > 3)
    return refuse(path, "grid should have 1 to 3 axes, found " +
                            llvm::Twine(grid->size()));
  info.where = std::move(*where);
  info.grid = std::move(*grid);
  if (auto runtime = op->getAttrOfType<ArrayAttr>("runtime"))
    for (Attribute dim : runtime)
      if (auto name = dyn_cast<StringAttr>(dim))
        info.runtime.push_back(name.str());
  llvm::sort(info.runtime);
  if (auto model = op->getAttrOfType<DictionaryAttr>("model")) {
    if (auto live = model.getAs<problem::ExprAttr>("live"))
      info.live = live.getExpr();
    if (auto passes = model.getAs<problem::ExprAttr>("passes"))
      info.passes = passes.getExpr();
    if (auto registers = model.getAs<problem::ExprAttr>("registers"))
      info.registers = registers.getExpr();
    if (llvm::Error error = readGemmHints(path, model, info.gemm))
      return std::move(error);
  }
  return info;
}

llvm::Expected<TemplateInfo> TemplateLibrary::read(llvm::StringRef directory,
                                                   llvm::StringRef name) {
  llvm::SmallString<256> path(directory);
  llvm::sys::path::append(path, name + ".mlir");
  std::string diagnostics;
  ScopedDiagnosticHandler handler(&local, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream os(diagnostics);
    if (!diagnostics.empty())
      os << "\n";
    auto loc = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
    os << (loc ? loc.getFilename().getValue() : path.str());
    if (loc)
      os << ":" << loc.getLine() << ":" << loc.getColumn();
    os << ": "
       << (diagnostic.getSeverity() == DiagnosticSeverity::Error ? "error: "
                                                                 : "note: ")
       << diagnostic;
    return success();
  });
  auto source = readTemplate(directory, name);
  if (!source) {
    llvm::consumeError(source.takeError());
    return refuse(path, "cannot be read");
  }
  auto module = parseTemplate(local, *source);
  if (!module)
    return diagnostics.empty() ? refuse(path, "cannot be read")
                               : llvm::createStringError(diagnostics);
  Operation *kernel = nullptr;
  for (Operation &op : *module->getBody()) {
    if (op.getName().getStringRef() != "tile.kernel")
      continue;
    if (kernel)
      return refuse(path, "should hold one tile.kernel, found more");
    kernel = &op;
  }
  if (!kernel)
    return refuse(path, "should hold one tile.kernel, found none");
  auto info = readKernel(path, kernel);
  if (info) {
    info->name = name.str();
    kernel->walk([&](Operation *op) {
      info->multiplies |= op->getName().getStringRef() == "tile.dot";
    });
  }
  return info;
}
