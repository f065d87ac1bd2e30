//===- HistogramCommand.cpp - lathe histogram -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BundleText.h"
#include "ImportFiles.h"

#include "lathe/Ingest/HistogramTools.h"
#include "lathe/Package/Package.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <set>

using namespace lathe;
using namespace lathe::tool;
using llvm::outs;
using llvm::StringRef;

namespace {
struct ShowOptions {
  std::string file, phase, op;
  size_t top = 20;
  int64_t budget = -1;
};
struct MergeOptions {
  std::vector<std::string> files;
  std::vector<double> shares;
  std::string output, name;
};
struct DiffOptions {
  std::string before, after, bundle;
  size_t top = 20;
};
} // namespace

static std::string percent(double share) {
  return llvm::formatv("{0:f2}%", 100 * share).str();
}

static std::string bar(double share, double most) {
  size_t width = most > 0 ? size_t(std::lround(30 * share / most)) : 0;
  return std::string(std::max<size_t>(width, share > 0), '#');
}

static std::string numberOrDash(double value) {
  return value ? llvm::formatv("{0:f1}", value).str() : "-";
}

/// Shares of something by name, heaviest first.
static void printShares(StringRef what,
                        const std::map<std::string, double> &shares) {
  std::vector<std::pair<std::string, double>> sorted(shares.begin(),
                                                     shares.end());
  llvm::sort(sorted, [](auto &a, auto &b) {
    return std::pair(b.second, a.first) < std::pair(a.second, b.first);
  });
  TextTable table({what.str(), "weight", ""});
  for (auto &[name, share] : sorted)
    table.add({name, percent(share), bar(share, sorted.front().second)});
  table.print(outs(), 2);
}

/// How much the heaviest points cover, at round numbers of points.
static void printCoverage(llvm::ArrayRef<const HistogramPoint *> points,
                          int64_t budget) {
  outs() << "a kernel for each of the heaviest shapes covers\n";
  TextTable table({"kernels", "weight", ""});
  double sum = 0;
  size_t next = 1;
  for (size_t i = 0; i < points.size(); ++i) {
    sum += points[i]->weight;
    size_t count = i + 1;
    bool wanted = budget < 0 ? count == next || count == points.size()
                             : count == std::min<size_t>(budget, points.size());
    if (!wanted)
      continue;
    table.add({std::to_string(count), percent(sum), bar(sum, 1)});
    while (next <= count)
      next *= 2;
  }
  table.print(outs(), 2);
}

static void show(const ShowOptions &options) {
  Histogram histogram = valueOrFail(loadPoints(options.file));
  llvm::erase_if(histogram.points, [&](const HistogramPoint &point) {
    return (!options.phase.empty() && point.phase != options.phase) ||
           (!options.op.empty() && point.entry != options.op);
  });
  std::vector<const HistogramPoint *> points = byWeight(histogram);
  double total = 0;
  std::map<std::string, double> phases, entries;
  for (const HistogramPoint *point : points) {
    total += point->weight;
    phases[point->phase] += point->weight;
    entries[point->entry] += point->weight;
  }
  outs() << histogram.name << ": " << points.size() << " shapes, "
         << percent(total) << " of the time, "
         << percent(histogram.unshapedWeight) << " without a shape\n";
  if (points.empty())
    return;
  if (options.budget >= 0)
    return printCoverage(points, options.budget);
  printShares("phase", phases);
  printShares("operator", entries);

  TextTable table({"#", "operator", "phase", "dims", "calls", "time us",
                   "weight", "together", ""});
  double sum = 0;
  for (size_t i = 0; i < std::min(points.size(), options.top); ++i) {
    const HistogramPoint &point = *points[i];
    sum += point.weight;
    table.add({std::to_string(i + 1), point.entry, point.phase,
               dimsText(point.dims), numberOrDash(point.count),
               numberOrDash(point.timeUs), percent(point.weight), percent(sum),
               bar(point.weight, points.front()->weight)});
  }
  table.print(outs(), 2);
  if (points.size() > options.top)
    outs() << "  and " << points.size() - options.top << " more with "
           << percent(total - sum) << '\n';
  printCoverage(points, options.budget);
}

static void merge(const MergeOptions &options) {
  std::vector<Histogram> histograms;
  for (const std::string &file : options.files)
    histograms.push_back(valueOrFail(loadPoints(file)));
  std::vector<double> shares = options.shares;
  double total = 0;
  for (double share : shares)
    total += share;
  if (shares.empty()) {
    shares = defaultShares(histograms);
  } else if (shares.size() != histograms.size() || !(total > 0)) {
    llvm::errs() << "error: --shares has " << shares.size()
                 << " numbers, expected " << histograms.size()
                 << ", not all zero\n";
    throw CommandFailed{};
  } else {
    for (double &share : shares)
      share /= total;
  }
  Histogram merged = valueOrFail(mergeHistograms(histograms, shares));
  if (!options.name.empty())
    merged.name = options.name;
  for (auto [file, share] : llvm::zip_equal(options.files, shares))
    llvm::errs() << file << " counts " << percent(share) << '\n';
  writeImported(options.output,
                [&](llvm::raw_ostream &os) { writePoints(os, merged); });
}

/// The value of a table's dim at a point, or its default.
static std::optional<int64_t> dimValue(const DispatchDim &dim,
                                       const Bindings &dims) {
  auto it = dims.find(dim.name);
  if (it != dims.end())
    return it->second.isList ? std::nullopt
                             : std::optional(it->second.elements[0]);
  if (!dim.defaultValue)
    return std::nullopt;
  auto value = dim.defaultValue->evaluate(dims);
  if (value)
    return *value;
  llvm::consumeError(value.takeError());
  return std::nullopt;
}

/// The case that serves a point on `arch`, operands aligned as it likes.
static const DispatchCase *selectCase(const DispatchTable &table,
                                      StringRef arch, const Bindings &point) {
  Bindings dims = point;
  for (const DispatchDim &dim : table.dims)
    if (auto value = dimValue(dim, dims))
      dims[dim.name] = *value;
  for (const DispatchCase &row : table.cases)
    if (row.arch == arch &&
        llvm::all_of(row.guards, [&](const DimGuard &guard) {
          auto it = dims.find(guard.dim);
          if (it == dims.end() || it->second.isList)
            return false;
          int64_t value = it->second.elements[0];
          return value >= guard.lo && value <= guard.hi &&
                 value % guard.multiple == 0;
        }))
      return &row;
  return nullptr;
}

/// What the changed shapes mean for the kernels of a bundle.
static void printKernels(const std::string &file, const Histogram &before,
                         const Histogram &after) {
  Bundle bundle = valueOrFail(readBundle(file));
  struct Use {
    double before = 0, after = 0;
    size_t shapes = 0, fresh = 0;
    StringRef kind;
  };
  std::map<std::pair<std::string, std::string>, Use> uses;
  std::set<std::string> archs, missing;
  for (const DispatchTable &table : bundle.tables)
    for (const DispatchCase &row : table.cases)
      archs.insert(row.arch);
  std::set<std::string> old;
  for (const HistogramPoint &point : before.points)
    old.insert(point.entry + dimsText(point.dims, true));
  for (const Histogram *histogram : {&before, &after})
    for (const HistogramPoint &point : histogram->points) {
      auto table = llvm::find_if(bundle.tables, [&](const DispatchTable &t) {
        return t.entry == point.entry;
      });
      if (table == bundle.tables.end()) {
        missing.insert(point.entry);
        continue;
      }
      for (const std::string &arch : archs) {
        const DispatchCase *row = selectCase(*table, arch, point.dims);
        Use &use = uses[{arch, row ? row->kernel : point.entry + ": none"}];
        use.kind = row ? caseKindName(row->kind) : "none";
        (histogram == &before ? use.before : use.after) += point.weight;
        if (histogram == &after) {
          ++use.shapes;
          use.fresh += !old.count(point.entry + dimsText(point.dims, true));
        }
      }
    }
  outs() << "kernels of the bundle, operands taken to be aligned\n";
  TextTable text({"arch", "kernel", "kind", "old", "new", "change", "shapes",
                  "of them new"});
  std::vector<std::pair<std::pair<std::string, std::string>, Use>> sorted(
      uses.begin(), uses.end());
  llvm::sort(sorted, [](auto &a, auto &b) {
    return std::pair(std::abs(b.second.after - b.second.before), a.first) <
           std::pair(std::abs(a.second.after - a.second.before), b.first);
  });
  size_t unchanged = 0;
  for (auto &[key, use] : sorted)
    if (use.before == use.after && !use.fresh)
      ++unchanged;
    else
      text.add({key.first, key.second, use.kind.str(), percent(use.before),
                percent(use.after), percent(use.after - use.before),
                std::to_string(use.shapes), std::to_string(use.fresh)});
  text.print(outs(), 2);
  outs() << "  " << unchanged << " kernels serve what they served\n";
  for (const std::string &entry : missing)
    outs() << "  the bundle has no operator " << entry << '\n';
}

static void diff(const DiffOptions &options) {
  Histogram before = valueOrFail(loadPoints(options.before));
  Histogram after = valueOrFail(loadPoints(options.after));
  std::vector<PointChange> changes = compareHistograms(before, after);
  size_t fresh = 0, gone = 0;
  double moved = std::abs(after.unshapedWeight - before.unshapedWeight);
  std::map<std::string, double> entries;
  for (const PointChange &change : changes) {
    fresh += !change.wasThere;
    gone += !change.isThere;
    moved += std::abs(change.newWeight - change.oldWeight);
    entries[change.point.entry] += change.newWeight - change.oldWeight;
  }
  outs() << percent(moved / 2) << " of the time moved: " << changes.size()
         << " shapes changed, of them " << fresh << " new and " << gone
         << " gone; without a shape " << percent(before.unshapedWeight)
         << " -> " << percent(after.unshapedWeight) << '\n';
  TextTable table({"operator", "phase", "dims", "old", "new", "change", ""});
  for (size_t i = 0; i < std::min(changes.size(), options.top); ++i) {
    const PointChange &change = changes[i];
    table.add({change.point.entry, change.point.phase,
               dimsText(change.point.dims), percent(change.oldWeight),
               percent(change.newWeight),
               percent(change.newWeight - change.oldWeight),
               !change.wasThere  ? "new"
               : !change.isThere ? "gone"
                                 : ""});
  }
  table.print(outs(), 2);
  if (changes.size() > options.top)
    outs() << "  and " << changes.size() - options.top << " more\n";
  TextTable sums({"operator", "change"});
  for (auto &[entry, change] : entries)
    sums.add({entry, percent(change)});
  sums.print(outs(), 2);
  if (!options.bundle.empty())
    printKernels(options.bundle, before, after);
}

void tool::addHistogramCommand(CLI::App &app) {
  CLI::App *histogram =
      app.add_subcommand("histogram", "Show, merge and compare histograms");
  histogram->require_subcommand(1);

  auto showOptions = std::make_shared<ShowOptions>();
  CLI::App *command = histogram->add_subcommand(
      "show", "Print the heaviest shapes, by operator and by phase");
  command->add_option("file", showOptions->file, "Histogram (YAML)")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("--top", showOptions->top, "Shapes to print")
      ->capture_default_str();
  command->add_option("--phase", showOptions->phase, "Only this phase")
      ->check(CLI::IsMember({"prefill", "decode", "prefill/decode"}));
  command->add_option("--op", showOptions->op, "Only this operator");
  command
      ->add_option("--sample-budget", showOptions->budget,
                   "Only say how much of the time this many kernels cover")
      ->check(CLI::Range(1, 1000000));
  command->callback([showOptions] { show(*showOptions); });

  auto mergeOptions = std::make_shared<MergeOptions>();
  command = histogram->add_subcommand(
      "merge", "Add histograms of one op set, such as those of several hosts");
  command->footer(
      "Weights count by each file's recorded time where every shape has one, "
      "else equally, or by --shares.\nCounts and times add up.");
  command->add_option("files", mergeOptions->files, "Histograms (YAML)")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("-o,--output", mergeOptions->output, "File to write")
      ->required();
  command
      ->add_option("--shares", mergeOptions->shares,
                   "How much each file counts, as many numbers as files")
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber);
  command->add_option("--name", mergeOptions->name,
                      "Name of the result; the first file's by default");
  command->callback([mergeOptions] { merge(*mergeOptions); });

  auto diffOptions = std::make_shared<DiffOptions>();
  command = histogram->add_subcommand("diff",
                                      "Say which shapes gained or lost weight");
  command->add_option("old", diffOptions->before, "Histogram (YAML)")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("new", diffOptions->after, "Histogram (YAML)")
      ->required()
      ->check(CLI::ExistingFile);
  command
      ->add_option("--bundle", diffOptions->bundle,
                   "Say which of its kernels the changes concern")
      ->check(CLI::ExistingFile);
  command->add_option("--top", diffOptions->top, "Shapes to print")
      ->capture_default_str();
  command->callback([diffOptions] { diff(*diffOptions); });
}
