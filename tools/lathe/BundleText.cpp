//===- BundleText.cpp - Bundles in words ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BundleText.h"

#include "lathe/Package/Package.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lathe;
using namespace lathe::tool;
using llvm::StringRef;
namespace json = llvm::json;

std::string tool::guardsText(const DispatchTable &table,
                             const DispatchCase &row) {
  std::string text;
  auto add = [&](const std::string &part) {
    text += text.empty() ? part : ", " + part;
  };
  for (const DimGuard &guard : row.guards) {
    auto dim = llvm::find_if(
        table.dims, [&](const DispatchDim &d) { return d.name == guard.dim; });
    bool low = dim == table.dims.end() || guard.lo > dim->min;
    bool high = dim == table.dims.end() || guard.hi < dim->max;
    if (guard.lo == guard.hi)
      add(llvm::formatv("{0} = {1}", guard.dim, guard.lo).str());
    else if (low && high)
      add(llvm::formatv("{0} in [{1}, {2}]", guard.dim, guard.lo, guard.hi)
              .str());
    else if (low)
      add(llvm::formatv("{0} >= {1}", guard.dim, guard.lo).str());
    else if (high)
      add(llvm::formatv("{0} <= {1}", guard.dim, guard.hi).str());
    if (guard.multiple != 1)
      add(llvm::formatv("{0} multiple of {1}", guard.dim, guard.multiple)
              .str());
  }
  if (row.alignment > 1)
    add(llvm::formatv("aligned to {0}", row.alignment).str());
  return text.empty() ? "always" : text;
}

std::string tool::mapText(const DispatchTable &table, const TensorMap &map) {
  std::string text = map.operand < table.operands.size()
                         ? table.operands[map.operand].name
                         : std::to_string(map.operand);
  text += ": " + map.dtype + " ";
  auto add = [&](llvm::StringRef separator, const auto &items, auto textOf) {
    for (auto [i, item] : llvm::enumerate(items))
      text += (i ? separator.str() : "") + textOf(item);
  };
  auto expression = [](const Expr &expr) {
    std::string inner = expr.str();
    return inner.find(' ') == std::string::npos ? inner : "(" + inner + ")";
  };
  add(" x ", map.extents, expression);
  text += map.strides.empty() ? "" : ", strides of ";
  add(" and ", map.strides, [](const Expr &expr) { return expr.str(); });
  text += map.strides.empty() ? ", box " : " bytes, box ";
  add(" x ", map.box, [](uint32_t size) { return std::to_string(size); });
  return text + ", swizzle " + std::to_string(map.swizzle);
}

std::string tool::measuredText(const MeasuredCase &measured) {
  return llvm::formatv("{0:F3} us ({1:F3} to {2:F3})", measured.us,
                       measured.lowUs, measured.highUs);
}

std::string tool::runnerUpText(const MeasuredCase &measured) {
  if (measured.runnerUp.empty())
    return "none was measured there";
  double percent = (measured.ratio - 1) * 100;
  double low = (measured.ratioLow - 1) * 100;
  double high = (measured.ratioHigh - 1) * 100;
  const char *word = "slower";
  if (percent < 0) {
    word = "faster";
    percent = -percent;
    std::swap(low, high);
    low = -low;
    high = -high;
  }
  return llvm::formatv("{0}, {1:F1} % {2} ({3:F1} to {4:F1} %){5}",
                       measured.runnerUp, percent, word, low, high,
                       low <= 0 ? ": a tie" : "");
}

llvm::Error tool::unknownName(StringRef what, StringRef name,
                              llvm::ArrayRef<std::string> legal) {
  std::string near = nearestName(name, legal);
  std::string hint = !near.empty()   ? "did you mean '" + near + "'?"
                     : legal.empty() ? "there are none"
                                     : "expected " + llvm::join(legal, ", ");
  return llvm::createStringError("error: unknown " + what + " '" + name +
                                 "', " + hint);
}

static json::Object caseToJson(const DispatchCase &row) {
  json::Array guards;
  for (const DimGuard &guard : row.guards)
    guards.push_back(json::Object{{"dim", guard.dim},
                                  {"lo", guard.lo},
                                  {"hi", guard.hi},
                                  {"multiple", guard.multiple}});
  return json::Object{
      {"kind", caseKindName(row.kind)},
      {"arch", row.arch},
      {"kernel", row.kernel},
      {"symbol", row.symbol},
      {"guards", std::move(guards)},
      {"alignment", row.alignment},
      {"grid", json::Array{row.gridX.str(), row.gridY.str(), row.gridZ.str()}},
      {"threads", row.blockThreads},
      {"shared_bytes", row.sharedBytes},
      {"arguments", json::Array(row.runtimeDims)},
      {"tensor_maps", tensorMapsToJSON(row.maps)}};
}

json::Object tool::tableToJson(const DispatchTable &table) {
  json::Array dims, operands, scalars, cases;
  for (const DispatchDim &dim : table.dims) {
    json::Object out{{"name", dim.name}, {"min", dim.min}, {"max", dim.max}};
    if (dim.defaultValue)
      out["default"] = dim.defaultValue->str();
    dims.push_back(std::move(out));
  }
  for (const DispatchOperand &operand : table.operands)
    operands.push_back(json::Object{{"name", operand.name},
                                    {"dtype", operand.dtype},
                                    {"output", operand.isOutput}});
  for (const DispatchScalar &scalar : table.scalars)
    scalars.push_back(json::Object{{"name", scalar.name},
                                   {"dtype", scalar.dtype},
                                   {"default", scalar.defaultValue}});
  for (const DispatchCase &row : table.cases)
    cases.push_back(caseToJson(row));
  auto pairs = [](auto &list) {
    json::Object out;
    for (auto &[name, value] : list)
      out[name] = value;
    return out;
  };
  return json::Object{
      {"entry", table.entry},          {"operator", table.op},
      {"dims", std::move(dims)},       {"operands", std::move(operands)},
      {"scalars", std::move(scalars)}, {"options", pairs(table.options)},
      {"dtypes", pairs(table.dtypes)}, {"cases", std::move(cases)}};
}

static bool looksNumeric(StringRef text) {
  return !text.empty() && llvm::all_of(text, [](char c) {
    return llvm::isDigit(c) || c == '.' || c == '-';
  });
}

void TextTable::print(llvm::raw_ostream &os, unsigned indent) const {
  std::vector<size_t> widths;
  for (const auto &row : rows)
    for (auto [i, cell] : llvm::enumerate(row)) {
      widths.resize(std::max(widths.size(), i + 1));
      widths[i] = std::max(widths[i], cell.size());
    }
  for (const auto &row : rows) {
    std::string line(indent, ' ');
    for (auto [i, cell] : llvm::enumerate(row)) {
      std::string padding(widths[i] - cell.size(), ' ');
      line += (i ? "  " : "");
      line += looksNumeric(cell) ? padding + cell : cell + padding;
    }
    os << StringRef(line).rtrim() << '\n';
  }
}
