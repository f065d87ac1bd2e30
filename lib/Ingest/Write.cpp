//===- Write.cpp - Writes op sets and histograms as YAML ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Write.h"

#include "lathe/Ingest/Bind.h"

#include <cmath>

using namespace lathe;
using llvm::StringRef;

std::string lathe::numberText(double value, int maxDigits) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return std::to_string(int64_t(value));
  char text[40];
  for (int digits = 3; digits <= maxDigits; ++digits) {
    snprintf(text, sizeof(text), "%.*g", digits, value);
    if (strtod(text, nullptr) == value)
      break;
  }
  return text;
}

/// Text in double quotes, so that nothing in it means anything to YAML.
static std::string quoted(StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    if (c == '\n')
      result += "\\n";
    else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f)
      result += c;
  }
  return result + '"';
}

/// `{a: 1, b: 2}` from pairs that are text already.
static void writeMap(llvm::raw_ostream &os, StringRef key,
                     llvm::ArrayRef<std::pair<std::string, std::string>> map) {
  if (map.empty())
    return;
  os << ", " << key << ": {";
  StringRef separator = "";
  for (auto &[name, value] : map) {
    os << separator << name << ": " << value;
    separator = ", ";
  }
  os << '}';
}

static void writeHead(llvm::raw_ostream &os, StringRef description,
                      StringRef source) {
  if (!description.empty())
    os << "description: " << quoted(description) << '\n';
  if (!source.empty())
    os << "source: " << quoted(source) << '\n';
}

void lathe::writeOpSet(llvm::raw_ostream &os, const OpSet &opset,
                       const OperatorTable &operators) {
  os << "opset: " << opset.name << '\n';
  writeHead(os, opset.description, opset.source);
  os << "operators:\n";
  for (const OpSetEntry &entry : opset.entries) {
    using Pairs = std::vector<std::pair<std::string, std::string>>;
    Pairs dims, options, dtypes, scalars;
    const OperatorSpec &spec = operators.find(entry.op)->second;
    for (const DimSpec &dim : spec.dims) {
      auto it = entry.staticDims.find(dim.name);
      if (it == entry.staticDims.end())
        continue;
      std::string list;
      for (int64_t value : it->second)
        list += (list.empty() ? "" : ", ") + std::to_string(value);
      dims.emplace_back(dim.name, '[' + list + ']');
    }
    for (const OptionSpec &option : spec.options)
      options.emplace_back(option.name, entry.options.at(option.name));
    for (auto &variable : spec.dtypes)
      dtypes.emplace_back(variable.first, entry.dtypes.at(variable.first));
    for (const ScalarSpec &scalar : spec.scalars)
      scalars.emplace_back(scalar.name,
                           numberText(entry.scalars.at(scalar.name)));
    os << "  - {name: " << entry.name << ", operator: " << entry.op;
    writeMap(os, "static", dims);
    writeMap(os, "options", options);
    writeMap(os, "dtypes", dtypes);
    writeMap(os, "scalars", scalars);
    os << ", importance: " << numberText(entry.importance, 9) << "}\n";
  }
}

std::string lathe::listText(llvm::ArrayRef<int64_t> values) {
  std::string text;
  while (!values.empty()) {
    size_t times = 1;
    while (times < values.size() && values[times] == values.front())
      ++times;
    text += (text.empty() ? "" : ", ") + std::to_string(values.front());
    if (times > 1)
      text += " x " + std::to_string(times);
    values = values.drop_front(times);
  }
  return '[' + text + ']';
}

/// Whether a point need not say this dim. `known`: the choices too.
static bool isDefault(const DimSpec &dim, const Bindings &known) {
  if (dim.kind == DimKind::Static || !dim.defaultValue)
    return false;
  auto value = dim.defaultValue->evaluate(known);
  if (!value) {
    llvm::consumeError(value.takeError());
    return false;
  }
  return known.find(dim.name)->second == ExprValue(*value);
}

void lathe::writeHistogram(llvm::raw_ostream &os, const Histogram &histogram,
                           const OpSet &opset, const OperatorTable &operators) {
  os << "histogram: " << histogram.name << '\n';
  os << "opset: " << histogram.opset << '\n';
  writeHead(os, histogram.description, histogram.source);
  os << "unshaped_weight: " << numberText(histogram.unshapedWeight, 9) << '\n';
  os << "points:\n";
  for (const HistogramPoint &point : histogram.points) {
    const OpSetEntry *entry = findEntry(opset, point.entry);
    std::vector<std::pair<std::string, std::string>> dims;
    const OperatorSpec &spec = operators.find(entry->op)->second;
    Bindings known = llvm::cantFail(bindChoices(spec, *entry));
    known.insert(point.dims.begin(), point.dims.end());
    for (const DimSpec &dim : spec.dims) {
      const ExprValue &value = point.dims.find(dim.name)->second;
      if (!isDefault(dim, known))
        dims.emplace_back(dim.name, value.isList
                                        ? listText(value.elements)
                                        : std::to_string(value.elements[0]));
    }
    os << "  - {operator: " << point.entry << ", phase: " << point.phase;
    writeMap(os, "dims", dims);
    if (point.count)
      os << ", count: " << numberText(point.count);
    if (point.timeUs)
      os << ", time_us: " << numberText(point.timeUs);
    os << ", weight: " << numberText(point.weight, 9) << "}\n";
  }
}
