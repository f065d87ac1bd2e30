//===- RooflineCommand.cpp - lathe roofline -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "lathe/Ingest/Figures.h"
#include "lathe/Ingest/Load.h"
#include "lathe/Plan/Roofline.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace lathe;
using namespace lathe::tool;

namespace {

struct RooflineOptions {
  std::string ops, shapes;
  std::vector<std::string> targets, templates;
  bool json = false;
};

/// One instance with its cost; one answer per target.
struct Row {
  const HistogramPoint *point = nullptr;
  CostValue cost;
  std::vector<RooflineAnswer> answers;
};

} // namespace

/// "T=64,H=128"; a list as T=[1;2].
static std::string dimsText(const Bindings &dims, const OperatorSpec &spec) {
  std::string text;
  for (const DimSpec &dim : spec.dims) {
    if (!dim.isGiven())
      continue;
    const ExprValue &value = dims.find(dim.name)->second;
    text += (text.empty() ? "" : ",") + dim.name + "=";
    if (!value.isList) {
      text += std::to_string(value.elements.front());
      continue;
    }
    text += "[";
    for (size_t i = 0; i < value.elements.size(); ++i)
      text += (i ? ";" : "") + std::to_string(value.elements[i]);
    text += "]";
  }
  return text;
}

static std::string flopsText(const CostValue &cost) {
  std::string text;
  for (const auto &[dtype, count] : cost.flops)
    text += (text.empty() ? "" : "+") + std::to_string(count) + ":" + dtype;
  return text.empty() ? "0" : text;
}

static void printTable(llvm::ArrayRef<Row> rows, const Hardware &hardware,
                       size_t target, const OpSet &opset,
                       const OperatorTable &operators) {
  llvm::raw_ostream &os = llvm::outs();
  std::vector<std::string> dims, flops;
  size_t entryWidth = 5, dimsWidth = 4, flopsWidth = 1;
  for (const Row &row : rows) {
    const OpSetEntry &entry = *findEntry(opset, row.point->entry);
    dims.push_back(dimsText(row.point->dims, operators.find(entry.op)->second));
    // Sequences can be long; --json has them in full.
    if (dims.back().size() > 48)
      dims.back() = dims.back().substr(0, 45) + "...";
    flops.push_back(flopsText(row.cost));
    entryWidth = std::max(entryWidth, row.point->entry.size());
    dimsWidth = std::max(dimsWidth, dims.back().size());
    flopsWidth = std::max(flopsWidth, flops.back().size());
  }
  os << "target " << hardware.name << " (" << hardware.arch << ")\n"
     << llvm::left_justify("entry", entryWidth) << "  "
     << llvm::left_justify("phase", 14) << "  "
     << llvm::left_justify("dims", dimsWidth) << "  "
     << llvm::right_justify("W", flopsWidth)
     << llvm::format(" %15s %15s %13s %14s  regime\n", "read", "write",
                     "T_roofline us", "attainable us");
  size_t regimes[3] = {0, 0, 0};
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row &row = rows[i];
    const RooflineAnswer &answer = row.answers[target];
    ++regimes[static_cast<size_t>(answer.regime)];
    os << llvm::left_justify(row.point->entry, entryWidth) << "  "
       << llvm::left_justify(row.point->phase, 14) << "  "
       << llvm::left_justify(dims[i], dimsWidth) << "  "
       << llvm::right_justify(flops[i], flopsWidth)
       << llvm::format(" %15lld %15lld %13.4f %14.4f  ",
                       static_cast<long long>(row.cost.readBytes),
                       static_cast<long long>(row.cost.writeBytes),
                       answer.timeUs, answer.attainableUs)
       << regimeName(answer.regime) << "\n";
  }
  os << rows.size() << " instances: " << regimes[0] << " compute, "
     << regimes[1] << " memory, " << regimes[2] << " launch\n";
}

/// Whether a dim follows from a list beside it.
static bool isFigure(llvm::StringRef name, const Bindings &dims) {
  return llvm::any_of(dims, [&](const auto &dim) {
    return dim.second.isList && llvm::any_of(allFigures, [&](Figure figure) {
             return name == figureName(figure, dim.first);
           });
  });
}

static void printJson(llvm::ArrayRef<Row> rows,
                      llvm::ArrayRef<Hardware> targets) {
  llvm::json::OStream json(llvm::outs(), /*IndentSize=*/2);
  json.array([&] {
    for (const Row &row : rows)
      json.object([&] {
        json.attribute("entry", row.point->entry);
        json.attribute("phase", row.point->phase);
        json.attributeObject("dims", [&] {
          for (const auto &dim : row.point->dims)
            if (isFigure(dim.first, row.point->dims))
              continue;
            else if (dim.second.isList)
              json.attributeArray(dim.first, [&] {
                for (int64_t element : dim.second.elements)
                  json.value(element);
              });
            else
              json.attribute(dim.first, dim.second.elements.front());
        });
        json.attribute("weight", row.point->weight);
        json.attributeObject("flops", [&] {
          for (const auto &[dtype, count] : row.cost.flops)
            json.attribute(dtype, count);
        });
        json.attribute("read_bytes", row.cost.readBytes);
        json.attribute("write_bytes", row.cost.writeBytes);
        json.attributeObject("targets", [&] {
          for (size_t i = 0; i < targets.size(); ++i)
            json.attributeObject(targets[i].name, [&] {
              json.attribute("roofline_us", row.answers[i].timeUs);
              json.attribute("attainable_us", row.answers[i].attainableUs);
              json.attribute("regime", regimeName(row.answers[i].regime));
            });
        });
      });
  });
  llvm::outs() << "\n";
}

static void roofline(const RooflineOptions &options) {
  std::vector<std::string> templates = templateFolders(options.templates);
  OperatorTable operators = valueOrFail(loadOperators(templates));
  OpSet opset = valueOrFail(loadOpSet(options.ops, operators));
  Histogram histogram =
      valueOrFail(loadHistogram(options.shapes, opset, operators));
  std::vector<Hardware> targets;
  for (const std::string &target : options.targets)
    targets.push_back(valueOrFail(findHardware(target, templates)));

  std::vector<Row> rows;
  for (const HistogramPoint &point : histogram.points) {
    const OpSetEntry &entry = *findEntry(opset, point.entry);
    const OperatorSpec &spec = operators.find(entry.op)->second;
    Row &row = rows.emplace_back();
    row.point = &point;
    Bindings bindings = valueOrFail(bindAll(spec, entry, point.dims));
    row.cost = valueOrFail(evaluateCost(spec, entry, bindings));
    for (const Hardware &hardware : targets)
      row.answers.push_back(rooflineOf(hardware, row.cost));
  }
  if (options.json)
    return printJson(rows, targets);
  for (size_t i = 0; i < targets.size(); ++i) {
    if (i)
      llvm::outs() << "\n";
    printTable(rows, targets[i], i, opset, operators);
  }
}

void tool::addRooflineCommand(CLI::App &app) {
  auto options = std::make_shared<RooflineOptions>();
  CLI::App *command = app.add_subcommand(
      "roofline", "Show the work, bytes and time bound of every shape");
  command->footer(
      "W: FLOPs by data type. read, write: bytes that must move at least. "
      "T_roofline: the larger\nof FLOPs over peak (summed over data types) and "
      "bytes over bandwidth. attainable: the same\nat the measured bandwidth, "
      "and at least one kernel launch. regime: what bounds T_roofline,\nor "
      "launch if it is shorter than an empty kernel.\n\nExample:\n  lathe "
      "roofline --ops examples/atrex/opset.yaml --shapes "
      "examples/atrex/histogram.yaml --target h200,mi300x");
  command->add_option("--ops", options->ops, "Op set (YAML)")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("--shapes", options->shapes, "Histogram (YAML)")
      ->required()
      ->check(CLI::ExistingFile);
  command
      ->add_option("--target", options->targets,
                   "Hardware by name, architecture or file: h200, gfx942, F")
      ->required()
      ->delimiter(',');
  command
      ->add_option("--templates", options->templates,
                   "Folders with operators or hardware of your own; they add "
                   "to or replace the built-in ones")
      ->check(CLI::ExistingDirectory);
  command->add_flag("--json", options->json,
                    "One JSON array, an object per instance");
  command->callback([options] { roofline(*options); });
}
