//===- Commands.h - The subcommands of lathe --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_COMMANDS_H
#define LATHE_TOOLS_LATHE_COMMANDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

namespace lathe::tool {

/// Thrown by a subcommand's callback after it has printed its error; CLI11's
/// own errors pass through.
struct CommandFailed {
  int exitCode = 1;
};

[[noreturn]] inline void failWith(llvm::Error error) {
  llvm::errs() << llvm::toString(std::move(error)) << '\n';
  throw CommandFailed{};
}

template <typename T> T valueOrFail(llvm::Expected<T> value) {
  if (!value)
    failWith(value.takeError());
  return std::move(*value);
}

void addCheckCommand(CLI::App &app);
void addExplainCommand(CLI::App &app);
void addExportCommand(CLI::App &app);
void addInspectCommand(CLI::App &app);
void addImportCommand(CLI::App &app);
void addImportModelCommand(CLI::App &import);
void addImportShapesCommands(CLI::App &import);
void addHistogramCommand(CLI::App &app);
void addImportTraceCommand(CLI::App &import);
void addCompileCommand(CLI::App &app);
void addRankCommand(CLI::App &app);
void addReportCommand(CLI::App &app);
void addRooflineCommand(CLI::App &app);
void addScoreCommand(CLI::App &app);
void addVerifyCommand(CLI::App &app);
void addSimulateCommand(CLI::App &app);
void addSubmitCommand(CLI::App &app);

/// The built-in template folder, then the user's.
std::vector<std::string> templateFolders(llvm::ArrayRef<std::string> templates);

/// The hidden subcommand that compile's worker processes run.
constexpr const char *workerCommand = "compile-worker";
int runWorker();

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_COMMANDS_H
