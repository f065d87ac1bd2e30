//===- CheckCommand.cpp - lathe check -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "lathe/Ingest/Load.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace lathe;

namespace {
struct CheckOptions {
  std::vector<std::string> templates, targets;
  std::string ops, shapes;
};
} // namespace

/// Null after an error, which is printed.
template <typename T> static std::optional<T> report(llvm::Expected<T> value) {
  if (value)
    return std::move(*value);
  llvm::errs() << llvm::toString(value.takeError()) << '\n';
  return std::nullopt;
}

/// Reads everything that can still be read after an error.
static bool check(const CheckOptions &options) {
  std::vector<std::string> templates = tool::templateFolders(options.templates);
  bool ok = true;
  for (const std::string &target : options.targets) {
    auto hardware = report(findHardware(target, templates));
    ok &= hardware.has_value();
    if (hardware)
      llvm::outs() << hardware->name << ": " << hardware->arch << ", "
                   << hardware->peakFlops.size() << " peaks, "
                   << llvm::format("%.2f TB/s\n", hardware->bandwidth / 1e12);
  }
  auto operators = report(loadOperators(templates));
  if (!operators)
    return false;
  unsigned served = 0;
  for (auto &[name, spec] : *operators)
    served += !spec.templates.empty();
  llvm::outs() << operators->size() << " operators, " << served
               << " with templates\n";
  if (options.ops.empty())
    return ok;
  auto opset = report(loadOpSet(options.ops, *operators));
  if (!opset)
    return false;
  llvm::outs() << "op set " << opset->name << ": " << opset->entries.size()
               << " entries\n";
  if (options.shapes.empty())
    return ok;
  auto histogram = report(loadHistogram(options.shapes, *opset, *operators));
  if (!histogram)
    return false;
  double weight = 0;
  for (const HistogramPoint &point : histogram->points)
    weight += point.weight;
  llvm::outs() << "histogram " << histogram->name << ": "
               << histogram->points.size() << " points, "
               << llvm::format("%.2f%% of the time, %.2f%% without a shape\n",
                               100 * weight, 100 * histogram->unshapedWeight);
  return ok;
}

void tool::addCheckCommand(CLI::App &app) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App *command = app.add_subcommand(
      "check",
      "Read operators, op set, histogram and hardware; report mistakes");
  CLI::Option *ops =
      command->add_option("--ops", options->ops, "Op set (YAML)");
  command->add_option("--shapes", options->shapes, "Histogram (YAML)")
      ->needs(ops);
  command->add_option("--templates", options->templates,
                      "Folder with more operators or hardware; later ones win");
  command
      ->add_option("--target", options->targets,
                   "Hardware: its name, its architecture, or a file")
      ->delimiter(',');
  command->callback([options] {
    if (!check(*options))
      throw CommandFailed{};
  });
}
