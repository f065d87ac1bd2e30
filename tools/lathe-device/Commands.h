//===- Commands.h - Subcommands of lathe-device --------------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_DEVICE_COMMANDS_H
#define LATHE_TOOLS_LATHE_DEVICE_COMMANDS_H

#include <CLI/CLI.hpp>

#include <stdexcept>

namespace lathe::device {

/// Ends the process with the status, after the message "error: ...".
class CommandFailed : public std::runtime_error {
public:
  CommandFailed(int exitCode, const std::string &what)
      : std::runtime_error(what), exitCode(exitCode) {}
  int exitCode;
};

/// Hidden; what the program starts itself as.
inline constexpr const char *childCommand = "child";

void addListCommand(CLI::App &app);
void addProbeCommand(CLI::App &app);
void addRunCommand(CLI::App &app);

} // namespace lathe::device

#endif // LATHE_TOOLS_LATHE_DEVICE_COMMANDS_H
