//===- MakeRecords.cpp - Records of a device that is not there ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds what lathe-device would for every kernel of a candidate file at every
// timed problem: the model's time, times the factors that are asked for.
//
//===----------------------------------------------------------------------===//

#include "lathe/Measure/Candidates.h"
#include "lathe/Records/Records.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdio>
#include <regex>

using namespace lathe;

namespace {

struct Options {
  std::string candidates, database, only = ".*";
  std::string device = "NVIDIA H200", arch = "sm_90", driver = "580.1";
  std::string kind = "time", sha;
  double width = 0.002;
  std::vector<std::string> factors, verdicts, voids, baselines;
};

/// PATTERN=REST, where the pattern may hold '=' itself.
std::pair<std::regex, std::string> split(const std::string &text) {
  size_t at = text.rfind('=');
  if (at == std::string::npos)
    throw std::runtime_error("expected PATTERN=VALUE, found " + text);
  return {std::regex(text.substr(0, at)), text.substr(at + 1)};
}

/// The last that matches wins.
std::string valueFor(const std::vector<std::string> &items,
                     const std::string &name, const std::string &otherwise) {
  std::string value = otherwise;
  for (const std::string &item : items) {
    auto [pattern, rest] = split(item);
    if (std::regex_search(name, pattern))
      value = rest;
  }
  return value;
}

void add(const Options &options) {
  measure::CandidateFile file =
      measure::CandidateFile::open(options.candidates);
  const measure::Candidates &plan = file.plan();
  records::Database database = records::Database::open(options.database);
  records::RunRecord run;
  run.id = records::newRunId();
  run.started = records::timestamp();
  run.tool = "lathe-test-records";
  run.candidates = file.hash();
  run.device = options.device;
  run.arch = options.arch;
  run.driver = options.driver;
  run.floors = "{\"events\": 2.25, \"graph\": 1.75}";
  database.add(run);
  unsigned rows = 0;
  std::regex only(options.only);
  for (const measure::KernelPlan &kernel : plan.kernels) {
    if (!std::regex_search(kernel.name, only))
      continue;
    records::MeasurementRecord row;
    row.run = run.id;
    row.entry = plan.entries[kernel.entry].name;
    row.op = plan.entries[kernel.entry].op;
    row.kernel = kernel.name;
    row.kernelSha =
        options.sha.empty() ? plan.images[kernel.image].sha256 : options.sha;
    row.templateName = kernel.templateName;
    row.schedule = kernel.schedule;
    row.origin = kernel.origin;
    row.verdict = valueFor(options.verdicts, kernel.name, "PASSED");
    if (row.verdict != "PASSED")
      row.reason = "as the test says";
    for (const measure::LaunchPlan &launch : kernel.launches) {
      const measure::Problem &problem = plan.problems[launch.problem];
      if (!problem.timed || row.verdict != "PASSED" ||
          !std::isfinite(launch.modelUs))
        continue;
      records::MeasurementRecord time = row;
      time.kind = options.kind;
      time.dims = records::dimsText(problem.dims);
      std::string place = kernel.name + " " + time.dims;
      time.timeUs =
          launch.modelUs * std::stod(valueFor(options.factors, place, "1"));
      time.lowUs = time.timeUs * (1 - options.width);
      time.highUs = time.timeUs * (1 + options.width);
      time.rooflineUs = problem.rooflineUs;
      time.modelUs = launch.modelUs;
      if (valueFor(options.voids, place, "0") != "0") {
        time.verdict = "VOID";
        time.reason = "throttled";
      }
      database.add(time);
      ++rows;
    }
    row.kind = "verdict";
    database.add(row);
    ++rows;
  }
  for (const std::string &item : options.baselines) {
    size_t at = item.rfind('=');
    for (const measure::Problem &problem : plan.problems) {
      if (!problem.timed || problem.weight <= 0)
        continue;
      records::MeasurementRecord row;
      row.run = run.id;
      row.kind = row.origin = "baseline";
      row.entry = plan.entries[problem.entry].name;
      row.kernel = item.substr(0, at);
      row.dims = records::dimsText(problem.dims);
      row.verdict = "PASSED";
      row.timeUs = std::stod(item.substr(at + 1)) * problem.rooflineUs;
      database.add(row);
      ++rows;
    }
  }
  std::printf("added %u rows\n", rows);
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app{"Adds records of a device that is not there"};
  app.add_option("candidates", options.candidates)->required();
  app.add_option("--db", options.database)->required();
  app.add_option("--only", options.only, "Kernels, by a regular expression");
  app.add_option("--device", options.device);
  app.add_option("--arch", options.arch);
  app.add_option("--driver", options.driver);
  app.add_option("--kind", options.kind, "time or retime");
  app.add_option("--sha", options.sha, "Another hash of every image");
  app.add_option("--width", options.width, "Half of the confidence");
  app.add_option("--factor", options.factors,
                 "'PATTERN=F': of 'KERNEL DIMS', over the model's time");
  app.add_option("--verdict", options.verdicts, "'PATTERN=WRONG': of kernels");
  app.add_option("--void", options.voids, "'PATTERN=1': of 'KERNEL DIMS'");
  app.add_option("--baseline", options.baselines,
                 "'NAME=F': over the roofline, at every hot problem");
  CLI11_PARSE(app, argc, argv);
  try {
    add(options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
