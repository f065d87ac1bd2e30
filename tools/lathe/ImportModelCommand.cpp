//===- ImportModelCommand.cpp - lathe import model ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportFiles.h"

#include "lathe/Ingest/ModelConfig.h"

using namespace lathe;
using namespace lathe::tool;

namespace {
struct ImportModelOptions {
  std::string config, output, name;
  ModelOptions model;
  std::vector<std::string> templates;
  bool strict = false;
};
} // namespace

static void importModelCommand(const ImportModelOptions &options) {
  std::vector<std::string> templates = templateFolders(options.templates);
  OperatorTable operators = loadFolders(templates);
  ModelImport import = valueOrFail(
      importModel(options.config, options.model, operators, templates));
  for (const std::string &line : import.notes)
    llvm::errs() << "note: " << line << '\n';
  for (const std::string &line : import.uncovered)
    llvm::errs() << "not covered: " << line << '\n';
  if (options.strict && !import.notes.empty()) {
    llvm::errs() << "error: " << import.notes.size()
                 << " notes, and --strict was given\n";
    throw CommandFailed{};
  }
  import.opset.name = options.name;
  import.opset.description =
      "One rank's operators at " +
      std::to_string(options.model.tensorParallel) + " way tensor and " +
      std::to_string(options.model.expertParallel) +
      " way expert parallelism, quantisation " + import.quant;
  import.opset.source = "the model's config.json";
  writeImported(options.output, [&](llvm::raw_ostream &os) {
    writeModelOpSet(os, import, operators);
  });
  llvm::errs() << import.opset.entries.size() << " entries, "
               << import.uncovered.size() << " not covered by an operator, "
               << import.notes.size() << " notes\n";
}

void tool::addImportModelCommand(CLI::App &import) {
  auto options = std::make_shared<ImportModelOptions>();
  CLI::App *command = import.add_subcommand(
      "model", "Derive an op set from a model's config.json");
  command->footer(
      "What one rank runs: operators with their static dims, and how often in "
      "a "
      "step. Work that no\noperator does (matrix products with N and K), "
      "fields "
      "that were not understood and all that was\nassumed are printed, and "
      "stand as comments at the end of the file.\nExample: lathe import model "
      "config.json --tp 4 --quant fp8-block -o ops.yaml");
  command->add_option("config", options->config, "The model's config.json")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("-o,--output", options->output, "Op set to write (YAML)")
      ->required();
  command
      ->add_option("--tp", options->model.tensorParallel,
                   "Ranks that share each layer")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command
      ->add_option("--ep", options->model.expertParallel,
                   "Ranks that share the experts; the inner size of an expert "
                   "is divided by --tp over --ep")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command
      ->add_option("--quant", options->model.quant,
                   "How weights are stored; left out, as the config says")
      ->check(CLI::IsMember({"none", "fp8", "fp8-block", "mxfp4", "other"}));
  command->add_flag("--fnuz", options->model.fnuz,
                    "fp8 in the encoding of gfx942 and gfx90a");
  command
      ->add_option("--block-size", options->model.blockSize,
                   "Tokens of a block of the cache")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  options->name = "model";
  command->add_option("--name", options->name, "Name of the op set")
      ->capture_default_str();
  command->add_flag("--strict", options->strict, "Fail if there are notes");
  addTemplatesOption(*command, options->templates);
  command->callback([options] { importModelCommand(*options); });
}
