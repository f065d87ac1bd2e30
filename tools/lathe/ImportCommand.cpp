//===- ImportCommand.cpp - lathe import -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "ImportFiles.h"

#include "lathe/Ingest/Atrex.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace lathe;
using namespace lathe::tool;

namespace {
struct AtrexOptions {
  std::string directory, output, source, name = "atrex", hardware = "h200";
  std::vector<std::string> templates, also;
  bool strict = false;
};
} // namespace

static void printSummary(const AtrexImport &import) {
  llvm::raw_ostream &os = llvm::outs();
  os << "operator                       importance  shapes  imported  duration"
        "  production  roofline  assumed\n";
  unsigned shapes = 0, imported = 0;
  for (const AtrexSummary &op : import.operators) {
    os << llvm::format("%-30s %9.2f%% %7u %9u %9u %11u %9u %8u\n",
                       op.op.c_str(), 100 * op.importance, op.shapes,
                       op.imported, op.byDuration, op.byProduction,
                       op.byRoofline, op.assumedCounts);
    shapes += op.shapes;
    imported += op.imported;
  }
  os << "duration, production, roofline: shapes whose time is recorded, is "
        "calls "
        "times production\ntime, or is calls times roofline time; assumed: "
        "shapes "
        "whose number of calls is not\nrecorded and taken to be the operator's "
        "median\n";
  os << llvm::format("%u of %u shapes imported, %.2f%% of the time left out\n",
                     imported, shapes, 100 * import.histogram.unshapedWeight);
}

static void importAtrexCommand(const AtrexOptions &options) {
  std::vector<std::string> templates = templateFolders(options.templates);
  OperatorTable operators = valueOrFail(loadOperators(templates));
  Hardware reference = valueOrFail(findHardware(options.hardware, templates));
  std::vector<AtrexVariant> also;
  for (const std::string &text : options.also)
    also.push_back(valueOrFail(AtrexVariant::parse(text)));
  AtrexImport import =
      valueOrFail(importAtrex(options.directory, operators, reference, also));
  for (const std::string &note : import.notes)
    llvm::errs() << "note: " << note << '\n';
  for (const std::string &problem : import.problems)
    llvm::errs() << "warning: " << problem << '\n';
  if (options.strict && !import.problems.empty()) {
    llvm::errs() << "error: " << import.problems.size()
                 << " things could not be imported, and --strict was given\n";
    throw CommandFailed{};
  }

  import.opset.name = import.histogram.name = import.histogram.opset =
      options.name;
  import.opset.source = import.histogram.source = options.source;
  import.opset.description = "Operators of an Atrex-Bench folder";
  import.histogram.description =
      "Shapes of an Atrex-Bench folder. Weight: the operator's normalised "
      "importance times the shape's share of the operator's time. Time: total "
      "duration where recorded, else calls times production time, else calls "
      "times roofline time on " +
      reference.name +
      "; calls that are not recorded are taken to be the operator's median.";
  writeImportedPair(options.output, import.opset, import.histogram, operators);
  printSummary(import);
}

void tool::addImportCommand(CLI::App &app) {
  CLI::App *import = app.add_subcommand(
      "import", "Turn other formats into an op set and a histogram");
  import->require_subcommand(1);
  addImportModelCommand(*import);
  addImportShapesCommands(*import);
  addImportTraceCommand(*import);

  auto options = std::make_shared<AtrexOptions>();
  CLI::App *atrex = import->add_subcommand(
      "atrex", "Import an Atrex-Bench folder into opset.yaml, histogram.yaml");
  atrex->footer(
      "The weight of a shape is its operator's normalised importance times its "
      "share of the\noperator's time. The time is total_duration_us where "
      "recorded, else call_count times the\nproduction time, else call_count "
      "times the roofline time on --hardware; a call_count that\nis not "
      "recorded "
      "is taken to be the operator's median. Whatever cannot be imported is\n"
      "reported, and its weight is the histogram's unshaped_weight.");
  atrex
      ->add_option("dir", options->directory,
                   "The benchmark's folder, or its data/ folder")
      ->required()
      ->check(CLI::ExistingDirectory);
  atrex
      ->add_option("-o,--output", options->output,
                   "Folder to write opset.yaml and histogram.yaml to")
      ->required();
  atrex
      ->add_option("--name", options->name,
                   "Name of the op set and the histogram")
      ->capture_default_str();
  atrex->add_option("--source", options->source,
                    "Where the data come from, written to both files");
  atrex
      ->add_option("--hardware", options->hardware,
                   "Reference hardware for shapes without a recorded time")
      ->capture_default_str();
  atrex->add_option("--templates", options->templates,
                    "Folder with more operators; later ones win");
  atrex
      ->add_option("--also", options->also,
                   "Also an entry with another value of an option, at the same "
                   "shapes and without weight: for comparison")
      ->type_name("OPERATOR.OPTION=VALUE");
  atrex->add_flag("--strict", options->strict,
                  "Fail if anything cannot be imported");
  atrex->callback([options] { importAtrexCommand(*options); });
}
