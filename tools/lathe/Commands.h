//===- Commands.h - The subcommands of lathe --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_COMMANDS_H
#define LATHE_TOOLS_LATHE_COMMANDS_H

#include <CLI/CLI.hpp>

namespace lathe::tool {

/// Each adds one subcommand. Its callback throws CommandFailed after it has
/// printed its error; CLI11's own errors pass through.
struct CommandFailed {
  int exitCode = 1;
};

void addImportCommand(CLI::App &app);

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_COMMANDS_H
