//===- main.cpp - Measures candidates on GPUs -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "lathe/Measure/CandidateChild.h"

#include <cstdio>
#include <cstdlib>

using namespace lathe::device;

/// `child VISIBLE ORDINAL FILE`: VISIBLE is CUDA_VISIBLE_DEVICES, or "-" where
/// it stays as it is; FILE may be empty.
static int runAsChild(char **arguments) {
  if (std::string(arguments[2]) != "-")
    setenv("CUDA_VISIBLE_DEVICES", arguments[2], 1);
  return lathe::measure::runChild(arguments[4], atoi(arguments[3]));
}

int main(int argc, char **argv) {
  if (argc == 5 && std::string(argv[1]) == childCommand)
    return runAsChild(argv);

  CLI::App app{"Measures the candidates of a file on this machine's GPUs"};
  app.set_version_flag("--version", "lathe-device " LATHE_VERSION);
  app.require_subcommand(1);
  addRunCommand(app);
  addProbeCommand(app);
  addListCommand(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 1;
  } catch (const CommandFailed &failed) {
    fprintf(stderr, "error: %s\n", failed.what());
    return failed.exitCode;
  } catch (const std::exception &error) {
    fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
