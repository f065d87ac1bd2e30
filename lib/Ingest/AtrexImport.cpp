//===- AtrexImport.cpp - Imports an Atrex-Bench folder --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtrexShapes.h"
#include "lathe/Ingest/Atrex.h"
#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Write.h"
#include "lathe/Ingest/Yaml.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace lathe;
using llvm::Expected;
using llvm::StringRef;

static double medianCount(const AtrexOperator &op) {
  std::vector<double> counts;
  for (const AtrexShape &shape : op.shapes)
    if (shape.count)
      counts.push_back(shape.count);
  if (counts.empty())
    return 1;
  llvm::sort(counts);
  return counts[counts.size() / 2];
}

/// A name for an entry that differs from its operator's others in the values of
/// `differing` choices.
static std::string entryName(const OpSetEntry &entry,
                             const std::set<std::string> &differing) {
  std::string name = entry.op;
  for (const std::string &choice : differing) {
    std::string value;
    if (auto it = entry.options.find(choice); it != entry.options.end())
      value = it->second;
    else if (auto it = entry.dtypes.find(choice); it != entry.dtypes.end())
      value = it->second;
    else
      value = choice + numberText(entry.scalars.at(choice));
    name += '_';
    for (char c : value)
      name += llvm::isAlnum(c) ? c : '_';
  }
  return name;
}

/// Names of the options, dtypes and scalars in which two entries differ.
static void addDifferences(const OpSetEntry &a, const OpSetEntry &b,
                           std::set<std::string> &names) {
  auto compare = [&](auto &first, auto &second) {
    for (auto &[name, value] : first)
      if (second.find(name)->second != value)
        names.insert(name);
  };
  compare(a.options, b.options);
  compare(a.dtypes, b.dtypes);
  compare(a.scalars, b.scalars);
}

namespace {
struct TimedShape {
  const AtrexShape *shape;
  std::optional<Mapped> mapped;
  double time = 0; ///< us, by the rule in Atrex.h; 0: unknown
  size_t entry = 0;
};
} // namespace

/// The time that `timed` stands for, by the rule in Atrex.h.
static llvm::Error findTime(const OperatorSpec &spec, const Hardware &reference,
                            double standInCount, TimedShape &timed,
                            AtrexSummary &summary) {
  const AtrexShape &shape = *timed.shape;
  if (shape.duration) {
    ++summary.byDuration;
    timed.time = shape.duration;
    return llvm::Error::success();
  }
  double perCall = shape.production;
  if (!perCall) {
    if (!timed.mapped)
      return llvm::Error::success();
    auto bindings = bindAll(spec, timed.mapped->entry, timed.mapped->dims);
    if (!bindings)
      return bindings.takeError();
    auto cost = evaluateCost(spec, timed.mapped->entry, *bindings);
    if (!cost)
      return cost.takeError();
    auto time = rooflineUs(*cost, reference);
    if (!time)
      return time.takeError();
    perCall = *time;
  }
  ++(shape.production ? summary.byProduction : summary.byRoofline);
  summary.assumedCounts += !shape.count;
  timed.time = perCall * (shape.count ? shape.count : standInCount);
  return llvm::Error::success();
}

/// Adds one entry per combination of choices and one point per shape.
static void addOperator(const OperatorSpec &spec, const AtrexOperator &op,
                        const Hardware &reference, AtrexSummary &summary,
                        AtrexImport &result) {
  AtrexShapeMapper mapper(spec, op);
  std::vector<TimedShape> shapes;
  double standInCount = medianCount(op), total = 0;
  unsigned known = 0;
  for (const AtrexShape &shape : op.shapes) {
    TimedShape timed;
    timed.shape = &shape;
    auto problem = [&](llvm::Error error) {
      result.problems.push_back(op.name + ": shape " + shape.id + ": " +
                                llvm::toString(std::move(error)));
      timed.mapped.reset();
    };
    auto mapped = mapper.map(shape);
    if (mapped)
      timed.mapped = std::move(*mapped);
    else
      problem(mapped.takeError());
    if (llvm::Error error =
            findTime(spec, reference, standInCount, timed, summary))
      problem(std::move(error));
    known += timed.time > 0;
    total += timed.time;
    shapes.push_back(std::move(timed));
  }
  for (const std::string &name : mapper.unusedArguments())
    result.notes.push_back(op.name + ": argument '" + name +
                           "' has no counterpart");
  // A shape whose time nobody knows counts as an average one.
  double average = known ? total / known : 1;
  for (TimedShape &timed : shapes)
    if (!timed.time) {
      timed.time = average;
      total += average;
    }

  std::vector<OpSetEntry> entries;
  for (TimedShape &timed : shapes) {
    if (!timed.mapped)
      continue;
    OpSetEntry &mine = timed.mapped->entry;
    auto same = [&](const OpSetEntry &other) {
      return mine.options == other.options && mine.dtypes == other.dtypes &&
             mine.scalars == other.scalars;
    };
    timed.entry = llvm::find_if(entries, same) - entries.begin();
    if (timed.entry == entries.size())
      entries.push_back(mine);
    OpSetEntry &entry = entries[timed.entry];
    for (const DimSpec &dim : spec.dims)
      if (dim.kind == DimKind::Static) {
        int64_t value = timed.mapped->dims[dim.name].elements[0];
        std::vector<int64_t> &values = entry.staticDims[dim.name];
        if (!llvm::is_contained(values, value))
          values.insert(llvm::upper_bound(values, value), value);
      }
    entry.importance += summary.importance * timed.time / total;
  }
  std::set<std::string> differing;
  for (const OpSetEntry &entry : entries)
    addDifferences(entries.front(), entry, differing);
  std::set<std::string> taken;
  for (const OpSetEntry &entry : result.opset.entries)
    taken.insert(entry.name);
  for (OpSetEntry &entry : entries) {
    std::string name = entryName(entry, differing);
    entry.name = name;
    for (unsigned i = 2; !taken.insert(entry.name).second; ++i)
      entry.name = name + "_" + std::to_string(i);
  }

  StringRef phase = op.phase;
  if (phase != "prefill" && phase != "decode" && phase != "prefill/decode") {
    result.notes.push_back(op.name + ": phase '" + op.phase +
                           "' is unknown, taken for prefill/decode");
    phase = "prefill/decode";
  }
  for (TimedShape &timed : shapes) {
    double weight = summary.importance * timed.time / total;
    if (!timed.mapped) {
      result.histogram.unshapedWeight += weight;
      continue;
    }
    ++summary.imported;
    HistogramPoint point;
    point.entry = entries[timed.entry].name;
    point.phase = phase.str();
    point.dims = std::move(timed.mapped->dims);
    point.count = timed.shape->count;
    point.timeUs = timed.shape->duration;
    point.weight = weight;
    result.histogram.points.push_back(std::move(point));
  }
  llvm::append_range(result.opset.entries, entries);
}

Expected<AtrexVariant> AtrexVariant::parse(StringRef text) {
  auto [choice, value] = text.split('=');
  auto [op, option] = choice.split('.');
  if (op.empty() || option.empty() || value.empty())
    return llvm::createStringError(
        "error: expected OPERATOR.OPTION=VALUE, found '" + text + "'");
  return AtrexVariant{op.str(), option.str(), value.str()};
}

static llvm::Error fail(const AtrexVariant &variant,
                        const llvm::Twine &message) {
  return llvm::createStringError("error: " + variant.op + "." + variant.option +
                                 "=" + variant.value + ": " + message);
}

static llvm::Error checkVariant(const AtrexVariant &variant,
                                const OperatorTable &operators) {
  auto spec = operators.find(variant.op);
  if (spec == operators.end())
    return fail(variant, "unknown operator '" + variant.op + "'");
  for (const OptionSpec &option : spec->second.options) {
    if (option.name != variant.option)
      continue;
    if (llvm::is_contained(option.values, variant.value))
      return llvm::Error::success();
    return fail(variant, "expected one of " + llvm::join(option.values, ", "));
  }
  return fail(variant, "the operator has no option '" + variant.option + "'");
}

static llvm::Error addVariant(const AtrexVariant &variant,
                              AtrexImport &import) {
  std::map<std::string, std::string> names; // of entries, to their variants'
  std::vector<OpSetEntry> added;
  for (const OpSetEntry &entry : import.opset.entries) {
    if (entry.op != variant.op ||
        entry.options.find(variant.option)->second == variant.value)
      continue;
    OpSetEntry other = entry;
    other.name += "_" + variant.value;
    other.options[variant.option] = variant.value;
    other.importance = 0;
    if (findEntry(import.opset, other.name))
      return fail(variant, "another entry is called '" + other.name + "'");
    names[entry.name] = other.name;
    added.push_back(std::move(other));
  }
  if (added.empty())
    return fail(variant, "no entry has another value");
  llvm::append_range(import.opset.entries, added);
  std::vector<HistogramPoint> points;
  for (const HistogramPoint &point : import.histogram.points)
    if (auto name = names.find(point.entry); name != names.end()) {
      points.push_back(point);
      points.back().entry = name->second;
      points.back().count = points.back().timeUs = points.back().weight = 0;
    }
  llvm::append_range(import.histogram.points, points);
  return llvm::Error::success();
}

Expected<AtrexImport> lathe::importAtrex(StringRef directory,
                                         const OperatorTable &operators,
                                         const Hardware &reference,
                                         llvm::ArrayRef<AtrexVariant> also) {
  for (const AtrexVariant &variant : also)
    if (llvm::Error error = checkVariant(variant, operators))
      return std::move(error);
  auto folder = readAtrexFolder(directory);
  if (!folder)
    return folder.takeError();
  double total = 0;
  for (const AtrexOperator &op : *folder)
    total += op.importance;

  AtrexImport result;
  if (!total)
    result.notes.push_back(
        "no importance is recorded; every operator counts the same");
  for (const AtrexOperator &op : *folder) {
    AtrexSummary summary;
    summary.op = op.name;
    summary.importance =
        total ? op.importance / total : 1.0 / double(folder->size());
    summary.shapes = op.shapes.size();
    for (const std::string &problem : op.problems)
      result.problems.push_back(op.name + ": " + problem);
    for (const std::string &note : op.notes)
      result.notes.push_back(op.name + ": " + note);
    auto spec = operators.find(op.name);
    if (spec == operators.end())
      result.problems.push_back(op.name + ": unknown operator, " +
                                std::to_string(op.shapes.size()) +
                                " shapes left out");
    if (spec == operators.end() || op.shapes.empty())
      result.histogram.unshapedWeight += summary.importance;
    else
      addOperator(spec->second, op, reference, summary, result);
    result.operators.push_back(std::move(summary));
  }
  if (result.histogram.points.empty()) {
    std::string message =
        directory.str() + ": error: nothing could be imported";
    for (const std::string &problem : result.problems)
      message += "\n  " + problem;
    return llvm::make_error<yaml::InputError>(std::move(message));
  }
  for (const AtrexVariant &variant : also)
    if (llvm::Error error = addVariant(variant, result))
      return std::move(error);
  return result;
}
