//===- MakeRecords.cpp - Records of a device that is not there ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds what lathe-device would for every kernel of a candidate file at every
// timed problem: the model's time, unless another is asked for. Patterns search
// "ENTRY#ROLEn NAME DIMS", where the n-th of its role in the entry is meant:
// what schedules are planned is the planner's business. Prints "ENTRY#ROLEn
// NAME".
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
  std::vector<std::string> times, verdicts, voids, faults, baselines, rivals;
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

/// "norm#bucket0 NAME " per kernel.
std::vector<std::string> labelsOf(const measure::Candidates &plan) {
  std::map<std::string, unsigned> counts;
  std::vector<std::string> labels;
  for (const measure::KernelPlan &kernel : plan.kernels) {
    std::string role = plan.entries[kernel.entry].name + "#" + kernel.role;
    labels.push_back(role + std::to_string(counts[role]++) + " " + kernel.name +
                     " ");
  }
  return labels;
}

/// The row beside every kernel of the entry that PATTERN=RATIO matches.
void addBeside(const std::string &item, const measure::KernelPlan &kernel,
               const measure::Candidates &plan,
               const std::vector<std::string> &labels,
               records::MeasurementRecord time, records::Database &database) {
  auto [pattern, ratio] = split(item);
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    const measure::KernelPlan &rival = plan.kernels[i];
    if (rival.entry != kernel.entry || rival.name == kernel.name ||
        !std::regex_search(labels[i], pattern))
      continue;
    time.rival = rival.name;
    time.rivalSha = plan.images[rival.image].sha256;
    time.ratio = std::stod(ratio);
    time.ratioLow = 1 / (1 / time.ratio + 0.01);
    time.ratioHigh = 1 / (1 / time.ratio - 0.01);
    database.add(time);
  }
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
  std::vector<std::string> labels = labelsOf(plan);
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    const measure::KernelPlan &kernel = plan.kernels[i];
    if (!std::regex_search(labels[i], only))
      continue;
    std::printf("%s\n", labels[i].c_str());
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
    row.verdict = valueFor(options.verdicts, labels[i], "PASSED");
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
      std::string place = labels[i] + time.dims;
      std::string us = valueFor(options.times, place, "");
      time.timeUs = us.empty() ? launch.modelUs : std::stod(us);
      time.lowUs = time.timeUs * (1 - options.width);
      time.highUs = time.timeUs * (1 + options.width);
      time.rooflineUs = problem.rooflineUs;
      time.modelUs = launch.modelUs;
      if (valueFor(options.voids, place, "0") != "0") {
        time.verdict = "VOID";
        time.reason = "throttled";
      }
      if (valueFor(options.faults, place, "0") != "0") {
        time.verdict = "FAULT";
        time.reason = "below the roofline";
      }
      ++rows;
      if (options.rivals.empty())
        database.add(time);
      for (const std::string &item : options.rivals)
        addBeside(item, kernel, plan, labels, time, database);
    }
    if (options.kind != "time")
      continue;
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
  app.add_option("--only", options.only, "Pattern of the kernels to add");
  app.add_option("--device", options.device);
  app.add_option("--arch", options.arch);
  app.add_option("--driver", options.driver);
  app.add_option("--kind", options.kind, "time or retime");
  app.add_option("--sha", options.sha, "Another hash of every image");
  app.add_option("--width", options.width, "Half of the confidence");
  app.add_option("--us", options.times, "'PATTERN=US'");
  app.add_option("--verdict", options.verdicts, "'PATTERN=WRONG'");
  app.add_option("--void", options.voids, "'PATTERN=1'");
  app.add_option("--fault", options.faults, "'PATTERN=1'");
  app.add_option("--rival", options.rivals,
                 "'PATTERN=R': interleaved with these kernels, over them");
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
