//===- RunLog.cpp - Rows of a run, and what earlier ones left -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunLog.h"

#include "AskedHash.h"
#include "lathe/Measure/Seed.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace lathe;
using namespace lathe::device;
using namespace lathe::measure;
using records::MeasurementRecord;
using Json = nlohmann::ordered_json;

static std::string cudaVersion(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

RunLog::RunLog(records::Database database, const CandidateFile &file)
    : database(std::move(database)), file(file), plan(file.plan()) {
  for (uint32_t kernel = 0; kernel != plan.kernels.size(); ++kernel)
    plans.push_back(askedHash(plan, kernel));
}

std::string RunLog::begin(const ProbeReply &device) {
  records::RunRecord run;
  run.id = records::newRunId();
  run.started = records::timestamp();
  run.tool = toolName;
  run.toolchain = plan.tools;
  run.candidates = file.hash();
  run.device = device.device.name;
  run.deviceUuid = device.device.uuid;
  run.arch = device.device.arch();
  run.driver = device.driver;
  run.cuda = cudaVersion(device.device.driverVersion);
  Json floors = Json::parse(floorsText(device.floors));
  floors["fill_bytes_per_second"] = device.fillBytesPerSecond;
  run.floors = floors.dump();
  std::lock_guard<std::mutex> lock(mutex);
  database.add(run);
  return run.id;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static std::string dtypesText(const EntryPlan &entry) {
  std::string text;
  for (const auto &[name, dtype] : entry.dtypes)
    text += (text.empty() ? "" : ",") + name + "=" + dtype;
  return text;
}

static double finiteOrZero(double value) {
  return std::isfinite(value) ? value : 0;
}

MeasurementRecord RunLog::describe(const std::string &run, const char *kind,
                                   uint32_t kernel, uint64_t seed) const {
  const KernelPlan &own = plan.kernels[kernel];
  const EntryPlan &entry = plan.entries[own.entry];
  MeasurementRecord row;
  row.run = run;
  row.kind = kind;
  row.entry = entry.name;
  row.op = entry.op;
  row.dtypes = dtypesText(entry);
  row.kernel = own.name;
  row.kernelSha = plan.images[own.image].sha256;
  row.templateName = own.templateName;
  row.schedule = own.schedule;
  row.origin = own.origin;
  row.seeds = "[\"" + seedText(seed) + "\"]";
  return row;
}

MeasurementRecord RunLog::describe(const std::string &run, const char *kind,
                                   uint64_t seed, const TimeReply &time) const {
  MeasurementRecord row = describe(run, kind, time.kernel, seed);
  const Problem &problem = plan.problems[time.problem];
  row.dims = records::dimsText(problem.dims);
  row.verdict =
      verdictName(time.honesty == Honesty::Good   ? DeviceVerdict::Passed
                  : time.honesty == Honesty::Void ? DeviceVerdict::Void
                                                  : DeviceVerdict::Fault);
  row.reason = time.reason;
  row.evidence = time.evidence;
  row.samples = time.samples;
  row.clocks = time.clocks;
  row.timeUs = time.timeUs;
  row.lowUs = time.lowUs;
  row.highUs = time.highUs;
  row.spread = time.spread;
  row.rooflineUs = problem.rooflineUs;
  for (const LaunchPlan &launch : plan.kernels[time.kernel].launches)
    if (launch.problem == time.problem)
      row.modelUs = launch.modelUs;
  if (time.rival >= 0) {
    const KernelPlan &rival = plan.kernels[size_t(time.rival)];
    row.rival = rival.name;
    row.rivalSha = plan.images[rival.image].sha256;
    row.ratio = finiteOrZero(time.ratio);
    row.ratioLow = finiteOrZero(time.ratioLow);
    row.ratioHigh = finiteOrZero(time.ratioHigh);
  }
  return row;
}

/// Whether a child may say so: it names what the plan has.
static void checkTime(const Candidates &plan, const TimeReply &time) {
  if (time.problem >= plan.problems.size() ||
      time.kernel >= plan.kernels.size() ||
      time.rival >= int64_t(plan.kernels.size()))
    throw std::runtime_error("a child sent a time of what is not planned");
}

void RunLog::forget(uint32_t kernel) {
  for (auto &[problem, times] : best)
    times.erase(std::remove_if(times.begin(), times.end(),
                               [&](const KernelTime &time) {
                                 return time.kernel == kernel;
                               }),
                times.end());
}

void RunLog::keep(uint32_t kernel, uint32_t problem, double timeUs) {
  std::vector<KernelTime> &times = best[problem];
  KernelTime own{kernel, timeUs, plan.problems[problem].rooflineUs};
  // The last word counts.
  times.erase(std::remove_if(times.begin(), times.end(),
                             [&](const KernelTime &time) {
                               return time.kernel == kernel;
                             }),
              times.end());
  times.insert(std::upper_bound(times.begin(), times.end(), own,
                                [](const KernelTime &a, const KernelTime &b) {
                                  return a.timeUs < b.timeUs;
                                }),
               own);
}

void RunLog::addSeconds(const PhaseSeconds &seconds) {
  for (size_t phase = 0; phase != childPhases; ++phase)
    spent[phase] += seconds[phase];
}

PhaseSeconds RunLog::seconds() const {
  std::lock_guard<std::mutex> lock(mutex);
  return spent;
}

void RunLog::addSampled(const std::vector<MeasurementRecord> &rows) {
  for (const MeasurementRecord &row : rows) {
    Json evidence = Json::parse(row.evidence, nullptr, false);
    auto found = evidence.find("sampled");
    if (!evidence.is_object() || found == evidence.end() || !found->is_object())
      continue;
    for (auto [name, total] : {std::pair("draws", &sampledTotals.draws),
                               std::pair("compared", &sampledTotals.compared),
                               std::pair("elements", &sampledTotals.elements)})
      if (auto count = found->find(name);
          count != found->end() && count->is_number_unsigned())
        *total += count->get<uint64_t>();
  }
}

SampledTotals RunLog::sampled() const {
  std::lock_guard<std::mutex> lock(mutex);
  return sampledTotals;
}

void RunLog::add(const std::string &run, uint32_t kernel, uint64_t seed,
                 const Outcome &outcome, bool isTimed) {
  std::vector<MeasurementRecord> rows;
  for (const TimeReply &time : outcome.times) {
    checkTime(plan, time);
    rows.push_back(describe(run, "time", seed, time));
  }
  MeasurementRecord row = describe(run, "verdict", kernel, seed);
  row.verdict = verdictName(outcome.verdict.verdict);
  row.reason = outcome.verdict.reason;
  Json evidence = Json::parse(outcome.verdict.evidence);
  evidence["asked"] = plans[kernel];
  evidence["timed"] = isTimed;
  for (size_t phase = 0; phase != childPhases; ++phase)
    evidence["seconds"][phaseName(ChildPhase(phase))] = outcome.seconds[phase];
  if (!outcome.output.empty())
    evidence["output"] = outcome.output;
  row.evidence = evidence.dump(-1, ' ', false, Json::error_handler_t::replace);
  rows.push_back(std::move(row));
  std::lock_guard<std::mutex> lock(mutex);
  database.add(rows);
  addSeconds(outcome.seconds);
  addSampled(rows);
  verdicts[kernel] = {outcome.verdict.verdict, outcome.verdict.reason};
  if (outcome.verdict.verdict != DeviceVerdict::Passed)
    forget(kernel);
  else
    for (const TimeReply &time : outcome.times)
      if (time.honesty == Honesty::Good)
        keep(kernel, time.problem, time.timeUs);
}

void RunLog::addRetimed(const std::string &run, uint64_t seed,
                        const Outcome &outcome) {
  std::vector<MeasurementRecord> rows;
  for (const TimeReply &time : outcome.times) {
    checkTime(plan, time);
    rows.push_back(describe(run, "retime", seed, time));
  }
  std::lock_guard<std::mutex> lock(mutex);
  database.add(rows);
  addSeconds(outcome.seconds);
  if (!rows.empty()) // each has the totals of both subjects
    addSampled({rows.front()});
  for (const MeasurementRecord &row : rows)
    retimed.insert(retimeKey(row.kernelSha, row.rivalSha, row.dims));
  for (const TimeReply &time : outcome.times)
    if (time.honesty == Honesty::Good)
      keep(time.kernel, time.problem, time.timeUs);
}

//===----------------------------------------------------------------------===//
// Resuming
//===----------------------------------------------------------------------===//

std::string RunLog::retimeKey(const std::string &kernelSha,
                              const std::string &rivalSha,
                              const std::string &dims) const {
  return kernelSha + " " + rivalSha + " " + dims;
}

void RunLog::resume(const ProbeReply &device, bool wantTimes) {
  records::RecordQuery query;
  query.device = device.device.name;
  query.arch = device.device.arch();
  std::map<std::string, uint32_t> kernels;
  for (uint32_t i = 0; i != plan.kernels.size(); ++i)
    kernels.emplace(plan.entries[plan.kernels[i].entry].name + " " +
                        plan.kernels[i].name + " " +
                        plan.images[plan.kernels[i].image].sha256,
                    i);
  std::map<std::pair<uint32_t, std::string>, uint32_t> problems;
  for (uint32_t i = 0; i != plan.problems.size(); ++i)
    if (plan.problems[i].timed)
      problems.emplace(std::pair(plan.problems[i].entry,
                                 records::dimsText(plan.problems[i].dims)),
                       i);
  std::lock_guard<std::mutex> lock(mutex);
  // Times come before the verdict that they were added with.
  std::map<uint32_t, std::map<uint32_t, double>> pending;
  for (const records::StoredMeasurement &stored : database.find(query)) {
    const MeasurementRecord &row = stored.row;
    auto kernel =
        kernels.find(row.entry + " " + row.kernel + " " + row.kernelSha);
    if (kernel == kernels.end() || stored.run.driver != device.driver ||
        stored.run.cuda != cudaVersion(device.device.driverVersion) ||
        stored.run.tool != toolName)
      continue;
    uint32_t index = kernel->second;
    if (row.kind == "verdict") {
      Json evidence = Json::parse(row.evidence, nullptr, false);
      auto verdict = parseDeviceVerdict(row.verdict);
      bool isAsked = evidence.is_object() &&
                     evidence.value("asked", std::string()) == plans[index];
      bool isTimed = evidence.is_object() && evidence.value("timed", false);
      bool isFinal =
          verdict && *verdict != DeviceVerdict::DeviceLost &&
          (isTimed || !wantTimes || *verdict != DeviceVerdict::Passed);
      verdicts.erase(index); // the last word counts
      forget(index);
      if (isAsked && isFinal) {
        verdicts[index] = {*verdict, row.reason};
        if (*verdict == DeviceVerdict::Passed)
          for (auto [problem, timeUs] : pending[index])
            keep(index, problem, timeUs);
      }
      pending.erase(index);
      continue;
    }
    auto problem =
        problems.find(std::pair(plan.kernels[index].entry, row.dims));
    if (problem == problems.end())
      continue;
    if (row.kind == "retime")
      retimed.insert(retimeKey(row.kernelSha, row.rivalSha, row.dims));
    if (row.verdict != verdictName(DeviceVerdict::Passed))
      continue;
    if (row.kind == "time")
      pending[index][problem->second] = row.timeUs;
    else if (row.kind == "retime" && verdicts.count(index) &&
             verdicts[index].verdict == DeviceVerdict::Passed)
      keep(index, problem->second, row.timeUs);
  }
}

bool RunLog::isDone(uint32_t kernel) const {
  return verdict(kernel).has_value();
}

std::optional<DeviceVerdict> RunLog::verdict(uint32_t kernel) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = verdicts.find(kernel);
  if (found == verdicts.end())
    return std::nullopt;
  return found->second.verdict;
}

std::string RunLog::reason(uint32_t kernel) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = verdicts.find(kernel);
  return found == verdicts.end() ? std::string() : found->second.reason;
}

bool RunLog::isRetimed(const ChildTask::Pairing &pairing) const {
  auto sha = [&](uint32_t kernel) {
    return plan.images[plan.kernels[kernel].image].sha256;
  };
  std::string rival = pairing.rival == pairing.kernel ? "" : sha(pairing.rival);
  std::lock_guard<std::mutex> lock(mutex);
  return retimed.count(retimeKey(
             sha(pairing.kernel), rival,
             records::dimsText(plan.problems[pairing.problem].dims))) != 0;
}

std::vector<KernelTime> RunLog::times(uint32_t problem) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = best.find(problem);
  return found == best.end() ? std::vector<KernelTime>() : found->second;
}
