//===- main.cpp - The lathe driver ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

using namespace lathe::tool;

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
  addImportCommand(app);
  addInspectCommand(app);
  addRooflineCommand(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error);
  } catch (const CommandFailed &failed) {
    return failed.exitCode;
  }
  return 0;
}
