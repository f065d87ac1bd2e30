//===- ScoreCommand.cpp - lathe score -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "InstanceRecords.h"
#include "MeasuredRecords.h"

#include "lathe/Ingest/Figures.h"
#include "lathe/Package/Package.h"
#include "lathe/Plan/Roofline.h"
#include "lathe/Rank/Score.h"
#include "lathe/Runtime/lathe_runtime.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lathe;
using namespace lathe::tool;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

struct ScoreOptions {
  std::string bundle, database, device;
  bool anyDriver = false, json = false, baselines = false;
};

struct BundleCloser {
  void operator()(lathe_bundle *bundle) const { lathe_close(bundle); }
};

llvm::Error malformed(const llvm::Twine &what) {
  return llvm::createStringError("error: the manifest " + what +
                                 ", expected what lathe rank writes");
}

/// The dims of an instance, and what follows from its lists.
struct SizeRecord {
  explicit SizeRecord(const json::Object &dims);
  SizeKey named(const DispatchTable &table, const lathe_explanation &why) const;

  std::map<std::string, int64_t> numbers; ///< figures too
  SizeKey lists;

private:
  void addList(StringRef name, const json::Value &value);
};

class Scorer {
public:
  explicit Scorer(const ScoreOptions &options) : options(options) {}
  ScoreQuestion ask();

private:
  void readTarget(llvm::ArrayRef<records::StoredMeasurement> rows);
  void readMeasurements();
  void addShape(const json::Object &instance);
  /// The request with its defaults filled in, and what the runtime picks.
  bool pick(const DispatchTable &table, const SizeRecord &size,
            lathe_explanation &why) const;
  CostValue costOf(const json::Object &instance) const;
  BaselineTime baselineOf(const records::MeasurementRecord &row,
                          const ScoredShape &shape) const;
  double floorOf(const records::RunRecord &run) const;

  const ScoreOptions &options;
  Bundle bundle;
  std::unique_ptr<lathe_bundle, BundleCloser> opened;
  Hardware hardware;
  MeasuredTimes times;
  /// The last row by entry and dims, then by baseline.
  std::map<std::pair<std::string, std::string>,
           std::map<std::string, records::MeasurementRecord>>
      baselines;
  std::map<std::pair<std::string, std::string>, std::string> images;
  ScoreQuestion question;
};

} // namespace

/// The first target whose kernels the records' devices run.
void Scorer::readTarget(llvm::ArrayRef<records::StoredMeasurement> rows) {
  const json::Array *targets = bundle.manifest.getArray("targets");
  if (!targets)
    failWith(malformed("has no targets"));
  for (const json::Value &value : *targets) {
    Hardware target = valueOrFail(hardwareOfRecord(value));
    if (llvm::any_of(rows, [&](const records::StoredMeasurement &stored) {
          return runsOn(target.arch, stored.run.arch);
        })) {
      hardware = std::move(target);
      return;
    }
  }
  failWith(llvm::createStringError("error: " + options.database +
                                   ": no record of an architecture that " +
                                   options.bundle + " is for"));
}

void Scorer::readMeasurements() {
  std::vector<records::StoredMeasurement> rows =
      valueOrFail(readRecords(options.database));
  readTarget(rows);
  std::vector<KernelIdentity> kernels;
  for (const DispatchTable &table : bundle.tables)
    for (const DispatchCase &row : table.cases)
      if (row.arch == hardware.arch) {
        kernels.push_back({table.entry, row.kernel, row.imageSha});
        images[{table.entry, row.kernel}] = row.imageSha;
      }
  RecordFilter filter{hardware.arch, options.device, options.anyDriver};
  RecordSelection selection =
      valueOrFail(selectRecords(std::move(rows), kernels, filter));
  times = timesOf(selection, kernels);
  // A bundle holds few of the kernels that were measured.
  selection.ignored.erase(strangers.str());
  selection.printIgnored(llvm::errs());
  if (selection.rows.empty())
    failWith(llvm::createStringError("error: " + options.database +
                                     ": no record of the kernels of " +
                                     options.bundle));
  question.device = selection.device;
  question.driver = selection.driver;
  question.target = hardware.name;
  for (const records::StoredMeasurement &stored : selection.rows) {
    const records::MeasurementRecord &row = stored.row;
    if (row.kind == "baseline" && row.timeUs > 0 && row.verdict == "PASSED")
      baselines[{row.entry, row.dims}][row.kernel] = row;
    if (double floor = row.kind == "baseline" ? 0 : floorOf(stored.run))
      question.launchFloorUs = floor;
  }
  // An empty launch of the run takes the place of the published one.
  question.isFloorMeasured = question.launchFloorUs > 0;
  if (question.isFloorMeasured)
    hardware.launchFloorUs = question.launchFloorUs;
  question.launchFloorUs = hardware.launchFloorUs;
}

CostValue Scorer::costOf(const json::Object &instance) const {
  CostValue cost;
  cost.readBytes = instance.getInteger("read").value_or(0);
  cost.writeBytes = instance.getInteger("write").value_or(0);
  if (const json::Object *flops = instance.getObject("flops"))
    for (const auto &[dtype, count] : *flops)
      cost.flops.emplace_back(dtype.str(), count.getAsInteger().value_or(0));
  return cost;
}

/// An empty kernel, by the method that gave the times; 0 if the run does not
/// say.
double Scorer::floorOf(const records::RunRecord &run) const {
  // A few numbers; nesting without end is nothing that a run writes.
  constexpr size_t most = 4096;
  double least = 0;
  if (auto floors = json::parse(StringRef(run.floors).take_front(most))) {
    if (const json::Object *object = floors->getAsObject())
      for (StringRef method : {"events", "graph"})
        if (auto us = object->getNumber(method);
            us && *us > 0 && (!least || *us < least))
          least = *us;
  } else {
    llvm::consumeError(floors.takeError());
  }
  return least;
}

/// The figures and the name of a list that an instance has, in full or in sum.
void SizeRecord::addList(StringRef name, const json::Value &value) {
  int64_t len = 0, sum = 0, max = 0;
  std::string text;
  if (const json::Array *array = value.getAsArray()) {
    std::vector<int64_t> list;
    for (const json::Value &item : *array)
      list.push_back(item.getAsInteger().value_or(0));
    len = int64_t(list.size());
    for (int64_t item : list) {
      sum += item;
      max = std::max(max, item);
    }
    text = listName(list);
  } else if (const json::Object *summary = value.getAsObject()) {
    len = summary->getInteger("count").value_or(0);
    sum = int64_t(summary->getNumber("sum").value_or(0));
    max = summary->getInteger("max").value_or(0);
    text = summary->getString("name").value_or("").str();
  }
  numbers[figureName(Figure::Len, name)] = len;
  numbers[figureName(Figure::Sum, name)] = sum;
  numbers[figureName(Figure::Max, name)] = max;
  lists[name.str()] = SizeValue::ofList(text.empty() ? "?" : text);
}

SizeRecord::SizeRecord(const json::Object &dims) {
  for (const auto &[name, value] : dims)
    if (auto number = value.getAsInteger())
      numbers[name.str()] = *number;
    else
      addList(name, value);
}

/// As records name the size: what follows from lists is left out.
SizeKey SizeRecord::named(const DispatchTable &table,
                          const lathe_explanation &why) const {
  SizeKey size = lists;
  for (auto [i, dim] : llvm::enumerate(table.dims)) {
    bool isFigure = llvm::any_of(lists, [&](const auto &list) {
      return llvm::any_of(allFigures, [&](Figure figure) {
        return dim.name == figureName(figure, list.first);
      });
    });
    if (!isFigure)
      size[dim.name] = why.dims[i];
  }
  return size;
}

bool Scorer::pick(const DispatchTable &table, const SizeRecord &size,
                  lathe_explanation &why) const {
  std::vector<int64_t> values;
  for (const DispatchDim &dim : table.dims) {
    auto value = size.numbers.find(dim.name);
    values.push_back(value != size.numbers.end() ? value->second
                                                 : LATHE_DIM_DEFAULT);
  }
  const lathe_table *opened_table =
      lathe_find_table(opened.get(), table.entry.c_str());
  uint32_t arch;
  if (lathe_find_arch(opened_table, hardware.arch.c_str(), &arch))
    return false;
  // Allocators align far beyond what any kernel asks for.
  constexpr uint64_t alignment = 256;
  why.struct_size = sizeof why;
  return lathe_explain(opened_table, arch, values.data(),
                       uint32_t(values.size()), alignment, &why, nullptr,
                       0) == LATHE_OK;
}

/// A ratio counts if it is to the very kernel that the bundle picks.
BaselineTime Scorer::baselineOf(const records::MeasurementRecord &row,
                                const ScoredShape &shape) const {
  BaselineTime baseline;
  baseline.us = row.timeUs;
  auto image = images.find({shape.entry, shape.kernel});
  if (row.ratio > 0 && row.rival == shape.kernel && image != images.end() &&
      row.rivalSha == image->second)
    baseline.pairedRatio = row.ratio;
  return baseline;
}

void Scorer::addShape(const json::Object &instance) {
  ScoredShape shape;
  shape.entry = instance.getString("entry").value_or("").str();
  shape.phase = instance.getString("phase").value_or("").str();
  const json::Object *dims = instance.getObject("dims");
  if (shape.entry.empty() || !dims)
    failWith(malformed("has an instance without entry or dims"));
  auto table = llvm::find_if(bundle.tables, [&](const DispatchTable &item) {
    return item.entry == shape.entry;
  });
  if (table == bundle.tables.end()) {
    if (!llvm::is_contained(question.unserved, shape.entry))
      question.unserved.push_back(shape.entry);
    return;
  }
  RooflineAnswer roofline = rooflineOf(hardware, costOf(instance));
  shape.rooflineUs = roofline.timeUs;
  shape.floorUs = roofline.attainableUs;
  lathe_explanation why = {};
  SizeRecord size(*dims);
  if (pick(*table, size, why)) {
    SizeKey bound = size.named(*table, why);
    shape.dims = records::dimsText(bound);
    shape.kernel = why.kernel;
    shape.caseName = caseKindName(static_cast<CaseKind>(why.kind)).str();
    const MeasuredKernel *kernel = times.find(shape.entry, shape.kernel);
    if (kernel && kernel->refused.empty())
      if (auto time = kernel->times.find(bound); time != kernel->times.end()) {
        shape.us = time->second.us;
        shape.lowUs = time->second.lowUs;
        shape.highUs = time->second.highUs;
      }
    if (auto others = baselines.find({shape.entry, shape.dims});
        others != baselines.end())
      for (const auto &[name, row] : others->second)
        shape.baselines[name] = baselineOf(row, shape);
  } else {
    shape.dims = llvm::formatv("{0}", json::Value(json::Object(*dims)));
    shape.caseName = "none";
  }
  question.shapes.push_back(std::move(shape));
}

ScoreQuestion Scorer::ask() {
  bundle = valueOrFail(readBundle(options.bundle));
  lathe_bundle *raw;
  if (lathe_open_file(options.bundle.c_str(), &raw))
    failWith(
        llvm::createStringError("error: " + StringRef(lathe_last_error())));
  opened.reset(raw);
  readMeasurements();
  if (const json::Object *opset = bundle.manifest.getObject("opset"))
    if (const json::Object *importance = opset->getObject("importance"))
      for (const auto &[entry, weight] : *importance)
        question.importance[entry.str()] = weight.getAsNumber().value_or(0);
  const json::Array *instances = bundle.manifest.getArray("instances");
  if (!instances)
    failWith(malformed("has no instances"));
  for (const json::Value &value : *instances)
    if (const json::Object *instance = value.getAsObject())
      addShape(*instance);
  return std::move(question);
}

void tool::addScoreCommand(CLI::App &app) {
  auto options = std::make_shared<ScoreOptions>();
  CLI::App *command = app.add_subcommand(
      "score", "Say how near a bundle's kernels come to the roofline");
  command->footer(
      "S: T_roofline over the time measured of the kernel that the bundle's "
      "table picks. Per operator the\nmedian over its measured shapes, S_agg "
      "the "
      "mean of those by importance. T_floor, and attainable\nfrom it: the "
      "bound "
      "at measured ceilings, at least an empty launch of the same run. ratio: "
      "best\nbaseline's time over ours, geometric mean; slower: shapes that "
      "lose "
      "by more than 1 %.\nShapes without a record are listed as unmeasured and "
      "never estimated.");
  command->add_option("bundle", options->bundle, "The bundle")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("--db", options->database, "Records of lathe-device run")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("--device", options->device,
                      "Use records of this device: its name or part of it");
  command->add_flag("--allow-driver", options->anyDriver,
                    "Use records of other drivers than the last run's too");
  command->add_flag("--baselines", options->baselines,
                    "Show every baseline of a shape, not only the best");
  command->add_flag("--json", options->json, "As one JSON object");
  command->callback([options] {
    ScoreQuestion question = Scorer(*options).ask();
    ScoreAnswer answer = scoreOf(question);
    if (options->json)
      llvm::outs() << llvm::formatv("{0:2}\n", answer.toJSON(question));
    else
      answer.print(llvm::outs(), question, options->baselines);
  });
}
