//===- main.cpp - The lathe driver ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BundleText.h"
#include "Commands.h"

using namespace lathe::tool;

/// CLI11 would only say that a subcommand is required.
static void checkCommand(const CLI::App &app, const std::string &name) {
  std::vector<std::string> names;
  for (const CLI::App *command : app.get_subcommands(nullptr))
    names.push_back(command->get_name());
  if (name.rfind("-", 0) != 0 && !llvm::is_contained(names, name))
    failWith(unknownName("command", name, names));
}

int main(int argc, char **argv) {
  if (argc == 2 && llvm::StringRef(argv[1]) == workerCommand)
    return runWorker();

  CLI::App app{"Lathe: ahead-of-time kernel specialization"};
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Help of every subcommand");
  addCheckCommand(app);
  addCompileCommand(app);
  addExplainCommand(app);
  addExportCommand(app);
  addHistogramCommand(app);
  addImportCommand(app);
  addInspectCommand(app);
  addRankCommand(app);
  addReportCommand(app);
  addRooflineCommand(app);
  addScoreCommand(app);
  addSimulateCommand(app);
  addSubmitCommand(app);
  addVerifyCommand(app);
  try {
    if (argc > 1)
      checkCommand(app, argv[1]);
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error);
  } catch (const CommandFailed &failed) {
    return failed.exitCode;
  }
  return 0;
}
