//===- TimesText.cpp - Times as JSON --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimesText.h"

#include "lathe/Measure/ChildProtocol.h"

#include <nlohmann/json.hpp>

using namespace lathe::measure;
using Json = nlohmann::ordered_json;

/// Names come from callers, and need not be UTF-8.
static std::string dump(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

static Json summaryJson(const Summary &summary) {
  return {{"median", summary.median}, {"low", summary.low},
          {"high", summary.high},     {"spread", summary.spread},
          {"least", summary.least},   {"count", summary.samples}};
}

std::string lathe::measure::floorsText(const DeviceInfo &device,
                                       const std::string &driverVersion,
                                       const Floors &floors) {
  Json json = {{"device",
                {{"name", device.name},
                 {"uuid", device.uuid},
                 {"arch", device.arch()},
                 {"cuda", device.driverVersion},
                 {"driver", driverVersion}}},
               {"floors",
                {{"events", floors.events},
                 {"graph", floors.graph},
                 {"cupti", floors.cupti},
                 {"host", floors.host},
                 {"clock_ratio", floors.clockRatio},
                 {"missing", floors.missing}}}};
  return dump(json);
}

static Json subjectJson(const std::string &name, const TimingAnswer &answer,
                        const Samples &samples) {
  const Summary &best =
      answer.graph.samples && answer.graph.median == answer.timeUs
          ? answer.graph
          : answer.events;
  Json json = {{"name", name},
               {"honesty", honestyName(answer.honesty)},
               {"reason", answer.reason},
               {"time_us", answer.timeUs},
               {"low_us", best.low},
               {"high_us", best.high},
               {"spread", best.spread}};
  const std::pair<Method, const Summary *> methods[] = {
      {Method::Events, &answer.events},
      {Method::Graph, &answer.graph},
      {Method::Cupti, &answer.cupti},
      {Method::Host, &answer.host}};
  for (auto [method, summary] : methods)
    if (summary->samples)
      json[methodName(method)] = summaryJson(*summary);
  json["samples"] = Json::parse(samplesText(samples));
  json["missing"] = samples.missing;
  return json;
}

std::string lathe::measure::timesText(const std::vector<std::string> &names,
                                      const TimedGroup &group) {
  Json subjects = Json::array(), pairs = Json::array();
  for (size_t i = 0; i < names.size(); ++i)
    subjects.push_back(
        subjectJson(names[i], group.answers[i], group.samples[i]));
  for (size_t i = 0; i < names.size(); ++i)
    for (size_t k = i + 1; k < names.size(); ++k) {
      const std::vector<double> &a = group.samples[i].events,
                                &b = group.samples[k].events;
      if (a.empty() || a.size() != b.size())
        continue;
      PairedAnswer answer = comparePairs(a, b);
      pairs.push_back({{"first", i},
                       {"second", k},
                       {"comparison", comparisonName(answer.comparison)},
                       {"ratio", answer.ratio},
                       {"low", answer.low},
                       {"high", answer.high}});
    }
  Json json = {{"subjects", std::move(subjects)},
               {"pairs", std::move(pairs)},
               {"clocks", Json::parse(clocksText(group.clocks))}};
  return dump(json);
}
