//===- ImportShapesCommand.cpp - lathe import log, csv, ... ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportFiles.h"

#include "lathe/Ingest/Shapes.h"
#include "lathe/Ingest/Write.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace lathe;
using namespace lathe::tool;

namespace {
struct ImportShapesOptions {
  std::vector<std::string> inputs, templates;
  std::string output, name, source, hardware = "h200", config;
  ModelOptions model;
  bool strict = false;
};
using Importer =
    llvm::function_ref<llvm::Expected<SeenShapes>(const ShapeContext &)>;
} // namespace

static void importShapes(const ImportShapesOptions &options,
                         const std::vector<std::string> &folders,
                         const OperatorTable &operators, Importer importer) {
  Hardware reference = valueOrFail(findHardware(options.hardware, folders));
  SeenShapes shapes = valueOrFail(importer({operators, reference, folders}));
  for (auto &[line, count] : shapes.notes)
    llvm::errs() << "note: " << line << " (" << count << ")\n";
  for (auto &[line, count] : shapes.uncovered)
    llvm::errs() << "not covered: " << line << " (" << count << ")\n";
  if (options.strict && !shapes.uncovered.empty()) {
    llvm::errs() << "error: " << shapes.uncovered.size()
                 << " things are not covered, and --strict was given\n";
    throw CommandFailed{};
  }
  shapes.opset.name = shapes.histogram.name = shapes.histogram.opset =
      options.name;
  shapes.opset.source = shapes.histogram.source = options.source;
  writeImportedPair(options.output, shapes.opset, shapes.histogram, operators,
                    [&](llvm::raw_ostream &os) { writeSeenNotes(os, shapes); });
  llvm::outs() << shapes.opset.entries.size() << " entries, "
               << shapes.histogram.points.size() << " points, "
               << shapes.uncovered.size() << " things not covered\n";
}

static void importLogCommand(const ImportShapesOptions &options) {
  std::vector<std::string> folders = templateFolders(options.templates);
  OperatorTable operators = loadFolders(folders);
  std::optional<ModelImport> model;
  if (!options.config.empty()) {
    model = valueOrFail(
        importModel(options.config, options.model, operators, folders));
    for (const std::string &line : model->notes)
      llvm::errs() << "note: model: " << line << '\n';
    for (const std::string &line : model->uncovered)
      llvm::errs() << "not covered: model: " << line << '\n';
  }
  importShapes(options, folders, operators, [&](const ShapeContext &context) {
    return importLogs(options.inputs, model ? &*model : nullptr, context);
  });
}

static void
importOthers(const ImportShapesOptions &options,
             llvm::Expected<SeenShapes> (*importer)(const ImportShapesOptions &,
                                                    const ShapeContext &)) {
  std::vector<std::string> folders = templateFolders(options.templates);
  OperatorTable operators = loadFolders(folders);
  importShapes(options, folders, operators, [&](const ShapeContext &context) {
    return importer(options, context);
  });
}

static CLI::App *addCommand(CLI::App &import, const char *name,
                            const char *summary,
                            std::shared_ptr<ImportShapesOptions> options) {
  options->name = name;
  CLI::App *command = import.add_subcommand(name, summary);
  command
      ->add_option("-o,--output", options->output,
                   "Folder to write opset.yaml and histogram.yaml to")
      ->required();
  command
      ->add_option("--name", options->name,
                   "Name of the op set and the histogram")
      ->capture_default_str();
  command->add_option("--source", options->source,
                      "Where the data come from, written to both files");
  command
      ->add_option("--hardware", options->hardware,
                   "Reference hardware for weights without recorded times")
      ->capture_default_str();
  command->add_flag("--strict", options->strict,
                    "Fail if anything is not covered by an operator");
  addTemplatesOption(*command, options->templates);
  return command;
}

void tool::addImportShapesCommands(CLI::App &import) {
  auto log = std::make_shared<ImportShapesOptions>();
  CLI::App *command = addCommand(
      import, "log", "Import shapes from the logs of serving engines", log);
  command->footer(
      "Lines are recognised by patterns/shapes.yaml, to which --templates "
      "adds. "
      "With --model, the\ntokens of each step that the engine logged give the "
      "shapes of the model's operators, and\ncounts are calls. Without, lines "
      "that name a shape do; how often it ran they do not say.");
  command->add_option("files", log->inputs, "Log files")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("--model", log->config, "The model's config.json")
      ->check(CLI::ExistingFile);
  command
      ->add_option("--tp", log->model.tensorParallel,
                   "With --model: ranks that share each layer")
      ->check(CLI::Range(1, 4096));
  command
      ->add_option("--ep", log->model.expertParallel,
                   "With --model: ranks that share the experts")
      ->check(CLI::Range(1, 4096));
  command
      ->add_option("--quant", log->model.quant,
                   "With --model: how weights are stored")
      ->check(CLI::IsMember({"none", "fp8", "fp8-block", "mxfp4", "other"}));
  command->callback([log] { importLogCommand(*log); });

  auto csv = std::make_shared<ImportShapesOptions>();
  command =
      addCommand(import, "csv",
                 "Import tables of shapes: AITER's untuned files, results of "
                 "PyTorch's TunableOp",
                 csv);
  command->add_option("files", csv->inputs, "CSV files")
      ->required()
      ->check(CLI::ExistingFile);
  command->callback([csv] {
    importOthers(*csv, [](auto &options, auto &context) {
      return importCsv(options.inputs, context);
    });
  });

  auto flashinfer = std::make_shared<ImportShapesOptions>();
  command = addCommand(import, "flashinfer",
                       "Import definitions and workloads of a FlashInfer-Trace "
                       "folder",
                       flashinfer);
  command->add_option("dir", flashinfer->inputs, "The data set's folder")
      ->required()
      ->expected(1)
      ->check(CLI::ExistingDirectory);
  command->callback([flashinfer] {
    importOthers(*flashinfer, [](auto &options, auto &context) {
      return importFlashInfer(options.inputs[0], context);
    });
  });

  auto sol = std::make_shared<ImportShapesOptions>();
  command = addCommand(import, "sol",
                       "Import problems of a SOL-ExecBench folder", sol);
  command
      ->add_option("dir", sol->inputs,
                   "A folder with definition.json, or any above such")
      ->required()
      ->expected(1)
      ->check(CLI::ExistingDirectory);
  command->callback([sol] {
    importOthers(*sol, [](auto &options, auto &context) {
      return importSol(options.inputs[0], context);
    });
  });
}
