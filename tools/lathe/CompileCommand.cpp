//===- CompileCommand.cpp - lathe compile ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "CompileDriver.h"

#include "lathe/Codegen/ArtifactCache.h"

#include <thread>

using namespace lathe;
using namespace lathe::tool;

void tool::addCompileCommand(CLI::App &app) {
  auto options = std::make_shared<CompileOptions>();
  options->ship.jobs = std::max(1u, std::thread::hardware_concurrency());
  options->ship.cacheDirectory = ArtifactCache::defaultDirectory();

  CLI::App *compile = app.add_subcommand(
      "compile",
      "Compile an op set for the shapes of a histogram into a bundle.\n"
      "Plans kernels by the model, builds them, chooses under the budget, and "
      "links what ships.\nOnly kernels ship that pass the correctness gate on "
      "the simulator.");
  compile->add_option("--ops", options->ops, "Op set (YAML)")
      ->required()
      ->check(CLI::ExistingFile);
  compile->add_option("--shapes", options->shapes, "Histogram (YAML)")
      ->required()
      ->check(CLI::ExistingFile);
  compile
      ->add_option("--target", options->targets,
                   "Hardware or architectures: h200, mi300x, sm_80, a file")
      ->required()
      ->delimiter(',');
  compile->add_option("-o,--output", options->ship.output,
                      "The bundle to write");
  compile
      ->add_option(
          "--templates", options->templates,
          "Folders with operators or hardware of your own; they add to "
          "or replace the built-in ones")
      ->check(CLI::ExistingDirectory);
  compile->add_option("--max-kernels,--budget", options->ship.select.maxKernels,
                      "Kernels per architecture, generic ones included; 0: no "
                      "limit");
  compile
      ->add_option("--max-bytes", options->ship.select.maxBytes,
                   "Bytes of code per architecture; 0: no limit")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false));
  compile
      ->add_option("--schedules", options->schedules,
                   "Schedules built per static shape and architecture")
      ->capture_default_str();
  compile
      ->add_option("--exact", options->exact,
                   "Heaviest shapes per static shape that may get a kernel of "
                   "their own")
      ->capture_default_str();
  compile
      ->add_option(
          "--spill-allowance", options->spillAllowance,
          "Bytes that a thread may spill before its kernel is rejected")
      ->capture_default_str();
  compile
      ->add_option("--require-arch", options->ship.requireArchs,
                   "Fail, and name the hole, unless every served operator "
                   "has a kernel for these")
      ->delimiter(',');
  compile->add_option(
      "--dump-ir", options->dumpDirectory,
      "Write every stage's IR below this folder; lathe-opt takes "
      "each up again");
  compile
      ->add_option("--stop-after", options->stopAfter,
                   "Stop after a stage and write no bundle: import, roofline, "
                   "plan, specialize, tile, gpu, target, build, select")
      ->check(CLI::IsMember(stageNames()));
  compile
      ->add_option("--candidates", options->candidates.file,
                   "Also write every kernel that could be built, with all that "
                   "lathe-device needs to measure them")
      ->excludes("--stop-after");
  CLI::Option *measure = compile->add_flag(
      "--measure", options->measure,
      "Measure on this machine's GPUs with lathe-device, which is found beside "
      "lathe or on PATH, and choose by what it says");
  measure->excludes("--stop-after");
  compile
      ->add_option("--db", options->database,
                   "Keep what --measure records in this SQLite file")
      ->needs(measure);
  compile
      ->add_option("--between", options->candidates.plan.between,
                   "Sizes between the hot ones that are measured too, per "
                   "static shape")
      ->capture_default_str()
      ->check(CLI::Range(0, 64));
  compile
      ->add_option("--best", options->candidates.plan.best,
                   "Of the kernels for many sizes, so many are timed at a "
                   "size: those that the model thinks fastest")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  compile
      ->add_option("--report", options->ship.reportFile,
                   "Also write a page (HTML) that shows what the bundle serves")
      ->excludes("--stop-after");
  compile->add_flag("--explain-pruning", options->ship.explainPruning,
                    "One line for every schedule and kernel that was dropped");
  compile->add_flag("--unproven", options->ship.unproven,
                    "Leave the correctness gate out: for experiments; the "
                    "bundle says that its kernels are unproven");
  compile->add_option("-j,--jobs", options->ship.jobs, "Worker processes")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  compile->add_option(
      "--cache", options->ship.cacheDirectory,
      "Folder of the cache; empty: none. Default: $LATHE_CACHE, "
      "else ~/.cache/lathe");
  compile->callback([options] {
    if (options->ship.output.empty() && options->stopAfter.empty() &&
        options->candidates.file.empty())
      throw CLI::RequiredError("--output, --candidates or --stop-after");
    if (options->measure && options->ship.output.empty())
      throw CLI::RequiredError("--output");
    CompileDriver(*options).run();
  });
}
