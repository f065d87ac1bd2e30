//===- SimulateCommand.cpp - lathe simulate -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "SimulateCandidate.h"
#include "SimulateLaunch.h"
#include "SimulateModule.h"

#include "lathe/Simulate/Simulator.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace lathe;
using namespace lathe::tool;
using llvm::errs;
using llvm::outs;
namespace json = llvm::json;

namespace {
struct SimulateOptions {
  std::string file, launch, arch, kernel, dump;
  std::vector<std::string> print;
  CandidateQuestion candidate;
  bool optimize = false, random = false, json = false;
  unsigned schedules = 1;
  sim::RunOptions run;
};

/// Sums over runs of the same launch.
struct Outcome {
  bool ok = true;
  json::Array runs;
};
} // namespace

constexpr const char *launchHelp = R"(The launch file (YAML):
  kernel: name                    needed where the module has several
  grid: 4     block: [32, 2]     cluster: 2     shared: 1024 (dynamic, bytes)
  buffers:    list of {name, dtype, shape or bytes, fill, seed, readonly,
              initialized, may_race, align}. fill: normal, uniform, iota, zeros,
              ones, poison, [values], {each: expression of i} or {hex: digits};
              without it the bytes count as uninitialized
  arguments:  list of NAME, {buffer, offset} (bytes), {value, dtype} or
              {tensor_map: {buffer, offset, dtype, dims, strides, box, swizzle,
              element_strides, interleave, fill}} (innermost dimension first)
  expect:     list of {buffer, first, count, values or each or hex, tolerance,
              relative}; elements, compared bit by bit without a tolerance

Exits with 1 if the kernel has a fault, an expectation is not met, or an output
is further from the operator's reference than its tolerance.
Example: lathe simulate kernel.ll --launch launch.yaml --print y
Example: lathe simulate 05-optimized.ll --dims T=7,XS=2048 --schedules 10)";

/// `schedule` 0 is the launch as asked for; later ones permute the order.
static sim::RunOptions scheduled(const SimulateOptions &options,
                                 unsigned schedule) {
  sim::RunOptions run = options.run;
  if (options.random || schedule)
    run.interleaving = sim::Interleaving::Random;
  if (schedule)
    run.asyncTiming = sim::AsyncTiming::Random;
  run.seed += schedule;
  return run;
}

/// With a launch file: what it expects. Without: what the reference computes.
static bool check(const SimulateOptions &options,
                  const std::optional<CandidateLaunch> &candidate,
                  const LaunchSetup &setup, llvm::raw_ostream &os) {
  bool ok = setup.check(os);
  if (!candidate)
    return ok;
  if (!options.run.blocks.empty()) {
    os << "only some blocks ran: results are not compared\n";
    return ok;
  }
  return valueOrFail(candidate->compare(os)) && ok;
}

static void simulate(const SimulateOptions &options) {
  KernelModule module = valueOrFail(
      readKernelModule(options.file, options.arch, options.optimize));
  std::optional<LaunchSetup> described;
  if (!options.launch.empty())
    described = valueOrFail(LaunchSetup::read(options.launch));
  std::string symbol = module.symbol;
  if (!options.kernel.empty())
    symbol = options.kernel;
  else if (described && !described->kernel.empty())
    symbol = described->kernel;
  auto kernel = valueOrFail(sim::Kernel::load(module.bitcode, symbol));
  std::optional<CandidateLaunch> candidate;
  if (!described) {
    CandidateQuestion question = options.candidate;
    question.symbol = kernel->symbol().str();
    question.seed = options.run.seed;
    question.maps = module.maps;
    question.sharedBytes = module.sharedBytes;
    candidate =
        valueOrFail(CandidateLaunch::make(question, kernel->maxThreads()));
  }
  LaunchSetup &setup = candidate ? candidate->setup : *described;
  setup.keepBefore();

  Outcome outcome;
  for (unsigned schedule = 0; schedule < options.schedules; ++schedule) {
    if (schedule)
      setup.restore();
    sim::RunOptions run = scheduled(options, schedule);
    sim::RunReport report = valueOrFail(kernel->run(setup.launch, run));
    outcome.ok &= report.ok();
    if (options.json) {
      outcome.runs.push_back(report.toJSON());
    } else {
      if (options.schedules > 1)
        outs() << "schedule " << schedule << " (seed " << run.seed << ")\n";
      report.print(outs());
    }
    std::string differences;
    llvm::raw_string_ostream stream(differences);
    if (!report.aborted)
      outcome.ok &= check(options, candidate, setup, stream);
    (options.json ? errs() : outs()) << differences;
  }
  if (options.json)
    outs() << llvm::formatv("{0:2}\n", json::Value(json::Object{
                                           {"kernel", kernel->symbol()},
                                           {"ok", outcome.ok},
                                           {"runs", std::move(outcome.runs)}}));
  for (const std::string &name : options.print)
    if (llvm::Error error = setup.print(name, outs()))
      failWith(std::move(error));
  if (!options.dump.empty())
    if (llvm::Error error = setup.dump(options.dump, kernel->symbol()))
      failWith(std::move(error));
  if (!outcome.ok)
    throw CommandFailed{};
}

void tool::addSimulateCommand(CLI::App &app) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App *command = app.add_subcommand(
      "simulate", "Run a kernel on this machine's processor and check every "
                  "access: the module that the GPU's backend would receive");
  command->footer(launchHelp);
  command
      ->add_option(
          "file", options->file,
          "The kernel: LLVM IR or bitcode for nvptx64 or amdgcn, CUDA C++ "
          "(.cu, with --arch), or "
          "MLIR as --dump-ir writes it after the template")
      ->required()
      ->check(CLI::ExistingFile);
  auto *launch =
      command->add_option("--launch", options->launch, "What to launch (YAML)")
          ->check(CLI::ExistingFile);
  CandidateQuestion &candidate = options->candidate;
  command
      ->add_option("--dims", candidate.dims,
                   "Without --launch: the operator's dims, T=4,XS=2048, and "
                   "lists, LQ=256x3000 or LQ=[17, 64 x 2]; the "
                   "kernel's name says the rest, operands are drawn")
      ->delimiter(',')
      ->excludes(launch);
  command
      ->add_option("--draw", candidate.draw,
                   "Operands: realistic, adversarial, edge, or a case of the "
                   "operator")
      ->excludes(launch);
  command
      ->add_option("--grid", candidate.grid,
                   "Blocks, instead of the template's grid")
      ->delimiter(',')
      ->expected(1, 3)
      ->check(CLI::PositiveNumber)
      ->excludes(launch);
  command
      ->add_option("--templates", candidate.templates,
                   "Folders with operators of your own")
      ->check(CLI::ExistingDirectory)
      ->excludes(launch);
  command->add_option("--kernel", options->kernel, "The kernel's symbol");
  command->add_option("--arch", options->arch,
                      "Architecture, where the file does not say it");
  command->add_flag("--optimize", options->optimize,
                    "Run the GPU's optimization pipeline first");
  command->add_option("--seed", options->run.seed,
                      "Of random schedules and timings");
  command
      ->add_option("--schedules", options->schedules,
                   "Run so often; all but the first in random order, with "
                   "asynchronous copies at random times")
      ->check(CLI::Range(1, 10000));
  command->add_flag("--random", options->random,
                    "Threads and blocks in random order");
  const std::map<std::string, sim::AsyncTiming> timings = {
      {"immediate", sim::AsyncTiming::Immediate},
      {"late", sim::AsyncTiming::Late},
      {"random", sim::AsyncTiming::Random}};
  command
      ->add_option("--async", options->run.asyncTiming,
                   "When asynchronous copies land: immediate, late, random")
      ->transform(CLI::CheckedTransformer(timings));
  command
      ->add_option("--blocks", options->run.blocks,
                   "Linear indices of the blocks to run; default: all")
      ->delimiter(',');
  command->add_option("--budget", options->run.budget,
                      "LLVM instructions until the launch counts as endless");
  command->add_option("-j,--jobs", options->run.threads, "Host threads")
      ->check(CLI::Range(1, 1024));
  command->add_flag("--statistics", options->run.statistics,
                    "Count bank conflicts and memory sectors by instruction");
  command->add_flag(
      "--narrow-fp8", options->run.narrowFp8Accumulation,
      "Add FP8 products with the fraction bits that Hopper keeps");
  command->add_option("--print", options->print,
                      "Print these buffers after the launch");
  command->add_option("--dump", options->dump,
                      "Write all buffers, before and after, and launch.json "
                      "to this folder");
  command->add_flag("--json", options->json, "The report as JSON");
  command->callback([options] { simulate(*options); });
}
