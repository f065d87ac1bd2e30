//===- LoadLaunch.cpp - What an author says of a kernel -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Plan/External.h"

#include "lathe/Ingest/Yaml.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace lathe;
using lathe::yaml::Node;
using llvm::StringRef;

namespace {

class LaunchLoader {
public:
  LaunchLoader(StringRef name, const OperatorSpec &spec, bool isTemplate)
      : diagnostics(name), reader(diagnostics), spec(spec),
        isTemplate(isTemplate) {
    for (const DimSpec &dim : spec.dims)
      if (dim.isForKernels())
        dims.push_back(dim.name);
  }
  llvm::Expected<LaunchDescription> load(StringRef text);

private:
  void fix(const Node &node);
  void ranges(const Node &node);
  void multiples(const Node &node);
  void grid(const Node &node);
  void axis(const Node &node);
  void schedule(const Node &node);
  int64_t constant(const Node &map, StringRef key, int64_t min, int64_t max);
  void guard(const Node &at, const DimGuard &wanted);
  const DimSpec &dimNamed(StringRef name) const {
    return *llvm::find_if(spec.dims,
                          [&](const DimSpec &dim) { return dim.name == name; });
  }

  yaml::Diagnostics diagnostics;
  yaml::Reader reader;
  const OperatorSpec &spec;
  bool isTemplate;
  std::vector<StringRef> dims;
  Bindings bindings; ///< of fixed dims
  LaunchDescription launch;
};

} // namespace

void LaunchLoader::guard(const Node &at, const DimGuard &wanted) {
  if (!addGuard(launch.guards, wanted))
    diagnostics.error(at, "nothing is left of dim '" + wanted.dim + "'");
}

/// Values may name dims that were fixed before.
void LaunchLoader::fix(const Node &node) {
  if (!reader.map(node, "fixed", dims))
    return;
  for (const auto &[key, value] : node.entries) {
    if (!llvm::is_contained(dims, key->text))
      continue;
    std::string what = "fixed." + key->text;
    if (dimNamed(key->text).kind == DimKind::Figure) {
      diagnostics.error(*key, what + " follows from a list, expected a kernel "
                                     "that takes it at run time");
      continue;
    }
    auto expression = reader.expression(*value, what, dims);
    if (!expression)
      continue;
    auto number = expression->substitute(bindings).asConstant();
    const DimSpec &dim = dimNamed(key->text);
    if (!number || *number < dim.min || *number > dim.max) {
      diagnostics.error(*value, what + " is '" + expression->str() +
                                    "', expected a number from " +
                                    llvm::Twine(dim.min) + " to " +
                                    llvm::Twine(dim.max));
      continue;
    }
    launch.fixed[dim.name] = *number;
    bindings[dim.name] = ExprValue(*number);
    guard(*value, {dim.name, *number, *number, 1});
  }
}

void LaunchLoader::ranges(const Node &node) {
  if (!reader.map(node, "ranges", dims))
    return;
  for (const auto &[key, value] : node.entries) {
    if (!llvm::is_contained(dims, key->text))
      continue;
    auto ends = reader.integers(*value, "ranges." + key->text);
    if (!ends)
      continue;
    if (ends->size() != 2 || (*ends)[0] < 0 || (*ends)[0] > (*ends)[1])
      diagnostics.error(*value, "ranges." + key->text +
                                    " expects [least, most], both included");
    else
      guard(*value, {key->text, (*ends)[0], (*ends)[1], 1});
  }
}

void LaunchLoader::multiples(const Node &node) {
  if (!reader.map(node, "multiples", dims))
    return;
  for (const auto &[key, value] : node.entries)
    if (llvm::is_contained(dims, key->text))
      if (auto number =
              reader.integer(*value, "multiples." + key->text, 1, 1 << 30))
        guard(*value, {key->text, 0, INT64_MAX, *number});
}

/// What a dispatch table can evaluate.
static bool isTabular(const Expr &expr) {
  switch (expr.kind()) {
  case Expr::Kind::Constant:
  case Expr::Kind::Symbol:
    return true;
  case Expr::Kind::Add:
  case Expr::Kind::Sub:
  case Expr::Kind::Mul:
  case Expr::Kind::FloorDiv:
  case Expr::Kind::CeilDiv:
  case Expr::Kind::Mod:
    break;
  case Expr::Kind::Min:
  case Expr::Kind::Max:
    if (isReduction(expr))
      return false;
    break;
  default:
    return false;
  }
  return llvm::all_of(expr.operands(), isTabular);
}

void LaunchLoader::axis(const Node &node) {
  auto extent = reader.expression(node, "grid", dims);
  if (!extent)
    return;
  if (!isTabular(*extent))
    diagnostics.error(node, "grid is '" + extent->str() +
                                "', expected an expression of + - * floordiv "
                                "ceildiv mod min max");
  else
    launch.grid.push_back(extent->substitute(bindings));
}

void LaunchLoader::grid(const Node &node) {
  if (node.kind != Node::Sequence)
    return axis(node);
  if (node.items.empty() || node.items.size() > 3)
    diagnostics.error(node, "grid has " + llvm::Twine(node.items.size()) +
                                " axes, expected one to three");
  for (const yaml::NodePtr &item : node.items)
    axis(*item);
}

/// A number, or an expression over the fixed dims.
int64_t LaunchLoader::constant(const Node &map, StringRef key, int64_t min,
                               int64_t max) {
  const Node *node = reader.find(map, key);
  if (!node)
    return min;
  auto expression = reader.expression(*node, key, dims);
  if (!expression)
    return min;
  auto number = expression->substitute(bindings).asConstant();
  if (number && *number >= min && *number <= max)
    return *number;
  diagnostics.error(*node, key + " is '" + expression->str() +
                               "', expected a number from " + llvm::Twine(min) +
                               " to " + llvm::Twine(max) +
                               ", or an expression over fixed dims");
  return min;
}

void LaunchLoader::schedule(const Node &node) {
  if (!reader.map(node, "schedule"))
    return;
  for (const auto &[key, value] : node.entries)
    if (auto name = reader.symbol(*key, "schedule"))
      if (auto number =
              reader.integer(*value, "schedule." + *name, 0, INT64_MAX))
        launch.schedule[*name] = *number;
}

llvm::Expected<LaunchDescription> LaunchLoader::load(StringRef text) {
  yaml::NodePtr root = yaml::parseText(text, diagnostics);
  std::vector<StringRef> keys = {"fixed", "ranges", "multiples"};
  if (isTemplate)
    keys.push_back("schedule");
  else
    llvm::append_range(keys, std::initializer_list<StringRef>{"kernel", "grid",
                                                              "block", "shared",
                                                              "alignment"});
  if (!root || !reader.map(*root, "launch description", keys))
    return diagnostics.take();
  if (const Node *node = reader.find(*root, "fixed"))
    fix(*node);
  if (const Node *node = reader.find(*root, "ranges"))
    ranges(*node);
  if (const Node *node = reader.find(*root, "multiples"))
    multiples(*node);
  if (isTemplate) {
    if (const Node *node = reader.find(*root, "schedule"))
      schedule(*node);
  } else {
    if (const Node *node = reader.find(*root, "kernel"))
      launch.kernel = reader.string(*node, "kernel").value_or("");
    if (const Node *node = reader.require(*root, "grid", "launch description"))
      grid(*node);
    reader.require(*root, "block", "launch description");
    launch.threads = constant(*root, "block", 1, 1024);
    launch.sharedBytes = constant(*root, "shared", 0, 1 << 20);
    launch.alignment = constant(*root, "alignment", 0, 4096);
    if (launch.alignment && !llvm::isPowerOf2_64(uint64_t(launch.alignment)))
      diagnostics.error(*root, "alignment is " + llvm::Twine(launch.alignment) +
                                   ", expected a power of two");
  }
  if (llvm::Error error = diagnostics.take())
    return std::move(error);
  return std::move(launch);
}

std::string lathe::launchTextOf(StringRef source) {
  std::string text;
  bool any = false;
  while (!source.empty()) {
    auto [line, rest] = source.split('\n');
    StringRef words = line.trim();
    if (words.consume_front("//") &&
        (words = words.ltrim(" "), words.consume_front("lathe:"))) {
      words.consume_front(" ");
      text += words.str();
      any = true;
    }
    text += '\n';
    source = rest;
  }
  return any ? text : "";
}

llvm::Expected<LaunchDescription> lathe::loadLaunch(StringRef text,
                                                    StringRef name,
                                                    const OperatorSpec &spec,
                                                    bool isTemplate) {
  return LaunchLoader(name, spec, isTemplate).load(text);
}
