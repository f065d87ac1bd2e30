//===- Figures.cpp - What kernels know of a list --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Figures.h"

#include "llvm/ADT/STLExtras.h"

using namespace lathe;
using llvm::StringRef;

using Kind = Expr::Kind;

static StringRef prefixOf(Figure figure) {
  switch (figure) {
  case Figure::Len:
    return "len_";
  case Figure::Sum:
    return "sum_";
  case Figure::Max:
    return "max_";
  }
  llvm_unreachable("covered switch");
}

std::string lathe::figureName(Figure figure, StringRef list) {
  return (prefixOf(figure) + list).str();
}

std::array<DimSpec, 3> lathe::figuresOf(const DimSpec &list) {
  Expr symbol = Expr::symbol(list.name), zero = Expr::constant(0);
  Expr len = Expr::make(Kind::Len, symbol);
  // Of an empty list there is no max().
  Expr max = Expr::make(Kind::Select, {Expr::make(Kind::Eq, {len, zero}), zero,
                                       Expr::make(Kind::Max, symbol)});
  auto figure = [&](Figure figure, int64_t most, Expr value, StringRef doc) {
    DimSpec dim;
    dim.name = figureName(figure, list.name);
    dim.kind = DimKind::Figure;
    dim.max = most;
    dim.defaultValue = std::move(value);
    dim.doc = (doc + " " + list.name).str();
    return dim;
  };
  return {
      figure(Figure::Len, maxListLength, len, "number of values of"),
      figure(Figure::Sum, INT32_MAX, Expr::make(Kind::Sum, symbol), "total of"),
      figure(Figure::Max, std::min<int64_t>(list.max, INT32_MAX), max,
             "largest value of")};
}

std::string lathe::figureMeaning(StringRef name,
                                 llvm::ArrayRef<std::string> all) {
  static constexpr const char *meanings[] = {"number of sequences of ",
                                             "total of ", "largest of "};
  for (auto [figure, meaning] : llvm::zip_equal(allFigures, meanings)) {
    StringRef list = name;
    if (list.consume_front(prefixOf(figure)) &&
        llvm::all_of(allFigures, [&](Figure other) {
          return llvm::is_contained(all, figureName(other, list));
        }))
      return meaning + list.str();
  }
  return "";
}

bool lathe::isLength(const DimSpec &dim) {
  return dim.kind == DimKind::Figure &&
         StringRef(dim.name).starts_with(prefixOf(Figure::Len));
}

const DimSpec *lathe::findDim(const OperatorSpec &spec, StringRef name) {
  auto found = llvm::find_if(
      spec.dims, [&](const DimSpec &dim) { return dim.name == name; });
  return found == spec.dims.end() ? nullptr : &*found;
}

bool lathe::hasLists(const OperatorSpec &spec) {
  return llvm::any_of(
      spec.dims, [](const DimSpec &dim) { return dim.kind == DimKind::List; });
}

/// The figure that `expr` says of a single list, as a symbol.
static std::optional<Expr> figureIn(const Expr &expr,
                                    const OperatorSpec &spec) {
  if (!isReduction(expr) || expr.kind() == Kind::Min ||
      expr.operands()[0].kind() != Kind::Symbol)
    return std::nullopt;
  StringRef name = expr.operands()[0].symbolName();
  const DimSpec *dim = findDim(spec, name);
  if (!dim || dim->kind != DimKind::List)
    return std::nullopt;
  Figure figure = expr.kind() == Kind::Len   ? Figure::Len
                  : expr.kind() == Kind::Sum ? Figure::Sum
                                             : Figure::Max;
  return Expr::symbol(figureName(figure, name));
}

Expr lathe::withFigures(const Expr &expr, const OperatorSpec &spec) {
  if (auto figure = figureIn(expr, spec))
    return *figure;
  if (expr.operands().empty())
    return expr;
  llvm::SmallVector<Expr, 4> operands;
  for (const Expr &operand : expr.operands())
    operands.push_back(withFigures(operand, spec));
  return Expr::makeRaw(expr.kind(), operands);
}

const DimSpec *lathe::figureAxis(const OperatorSpec &spec) {
  auto list = llvm::find_if(
      spec.dims, [](const DimSpec &dim) { return dim.kind == DimKind::List; });
  if (list == spec.dims.end())
    return nullptr;
  llvm::SetVector<StringRef> kept;
  for (const OperandSpec &operand : spec.operands)
    if (operand.isOutput)
      for (const Expr &extent : operand.shape)
        extent.collectSymbols(kept);
  for (const DimSpec &dim : spec.dims)
    if (dim.kind == DimKind::List &&
        kept.contains(figureName(Figure::Len, dim.name)))
      return findDim(spec, figureName(Figure::Len, dim.name));
  return findDim(spec, figureName(Figure::Max, list->name));
}

static std::vector<int64_t> repeated(llvm::ArrayRef<int64_t> list, size_t count,
                                     int64_t otherwise) {
  std::vector<int64_t> result;
  result.reserve(count);
  for (size_t i = 0; i < count; ++i)
    result.push_back(list.empty() ? otherwise : list[i % list.size()]);
  return result;
}

/// `list` times `to` / `from`, within what `dim` may be.
static std::vector<int64_t> scaled(llvm::ArrayRef<int64_t> list, int64_t to,
                                   int64_t from, const DimSpec &dim) {
  std::vector<int64_t> result;
  for (int64_t value : list) {
    __int128 wide = from ? (__int128(value) * to + from / 2) / from : to;
    result.push_back(int64_t(
        std::clamp<__int128>(wide, dim.min, std::max(dim.min, dim.max))));
  }
  return result;
}

Bindings lathe::withFigure(const OperatorSpec &spec, const Bindings &dims,
                           const DimSpec &figure, int64_t value) {
  int64_t from = dims.find(figure.name)->second.elements.front();
  Bindings result;
  for (const DimSpec &dim : spec.dims) {
    auto own = dims.find(dim.name);
    if (own == dims.end())
      continue;
    const std::vector<int64_t> &list = own->second.elements;
    if (dim.kind == DimKind::List)
      result[dim.name] =
          isLength(figure)
              ? repeated(list, size_t(value), std::max<int64_t>(dim.min, 1))
              : scaled(list, value, from, dim);
    else if (dim.kind == DimKind::Static ||
             (dim.kind == DimKind::Request && !dim.defaultValue))
      result[dim.name] = own->second;
  }
  return result;
}
