//===- RankCommand.cpp - lathe rank ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "RankStage.h"

#include <thread>

using namespace lathe;
using namespace lathe::tool;

void tool::addRankCommand(CLI::App &app) {
  auto options = std::make_shared<RankOptions>();
  ShipOptions &ship = options->ship;
  ship.jobs = std::max(1u, std::thread::hardware_concurrency());
  ship.cacheDirectory = ArtifactCache::defaultDirectory();
  CLI::App *command = app.add_subcommand(
      "rank",
      "Choose among measured candidates and write a bundle.\n"
      "Times on the device decide, where there are any of the same binary on "
      "the same device; the model\nfills in what was not measured. What ships "
      "passes the correctness gate on the simulator too.");
  command
      ->add_option("candidates", options->candidates,
                   "What lathe compile --candidates wrote")
      ->required()
      ->check(CLI::ExistingFile);
  command
      ->add_option("--db", options->database,
                   "Records that lathe-device run wrote")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("-o,--output", ship.output, "The bundle to write")
      ->required();
  command->add_option("--budget,--max-kernels", ship.select.maxKernels,
                      "Keep the best N kernels, generic ones included; 0: no "
                      "limit");
  command
      ->add_option("--max-bytes", ship.select.maxBytes,
                   "Bytes of code; 0: no limit")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false));
  command->add_option("--device", options->device,
                      "Use records of this device: its name or part of it");
  command->add_flag("--allow-driver", options->anyDriver,
                    "Use records of other drivers than the last run's too");
  command
      ->add_option("--templates", options->templates,
                   "Folders with operators of your own, as for compile")
      ->check(CLI::ExistingDirectory);
  command->add_option("--report", ship.reportFile,
                      "Also write a page (HTML) that shows what the bundle "
                      "serves");
  command->add_flag("--explain-pruning", ship.explainPruning,
                    "One line for every kernel that was not chosen");
  command->add_flag("--regret", ship.regret,
                    "One line for every size at which three or more kernels "
                    "were measured: what the model's choice would lose");
  command->add_flag("--unproven", ship.unproven,
                    "Leave the correctness gate on the simulator out");
  command->add_option("-j,--jobs", ship.jobs, "Worker processes")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command->add_option(
      "--cache", ship.cacheDirectory,
      "Folder of the cache; empty: none. Default: $LATHE_CACHE, "
      "else ~/.cache/lathe");
  command->callback([options] { rankCandidates(*options); });
}
