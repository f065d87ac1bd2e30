//===- Evidence.cpp - What stands behind a verdict ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evidence.h"

#include <nlohmann/json.hpp>

using namespace lathe::measure;
using Json = nlohmann::ordered_json;

static void addSampled(Json &json, const SampledShare &sampled) {
  if (sampled.draws != 0)
    json["sampled"] = {{"draws", sampled.draws},
                       {"compared", sampled.compared},
                       {"elements", sampled.elements}};
}

std::string lathe::measure::timeEvidence(const TimeEvidence &evidence) {
  Json json = {{"sets", evidence.sets},
               {"redraws", evidence.redraws},
               {"checks", evidence.checks}};
  if (evidence.isScreened)
    json["screened"] = true;
  if (evidence.isRetried)
    json["retried"] = true;
  addSampled(json, evidence.sampled);
  const TimingAnswer &answer = evidence.answer;
  for (auto [name, summary] : {std::pair("events_us", &answer.events),
                               std::pair("graph_us", &answer.graph),
                               std::pair("cupti_us", &answer.cupti),
                               std::pair("host_us", &answer.host)})
    if (summary->samples != 0)
      json[name] = summary->median;
  if (!evidence.missing.empty())
    json["missing"] = evidence.missing;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string lathe::measure::checkEvidence(const CheckReport &report) {
  Json json = {{"problems", report.checked},
               {"draws", report.draws},
               {"launches", report.launches}};
  addSampled(json, report.sampled);
  if (!report.skipped.empty())
    json["skipped"] = report.skipped;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}
