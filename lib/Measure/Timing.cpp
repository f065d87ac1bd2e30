//===- Timing.cpp - Whether samples may be believed -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Measure/Timer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace lathe::measure;

const char *lathe::measure::methodName(Method method) {
  switch (method) {
  case Method::Events:
    return "events";
  case Method::Graph:
    return "graph";
  case Method::Cupti:
    return "cupti";
  case Method::Host:
    return "host";
  }
  return "";
}

const char *lathe::measure::honestyName(Honesty honesty) {
  switch (honesty) {
  case Honesty::Good:
    return "good";
  case Honesty::Void:
    return "void";
  case Honesty::Fault:
    return "fault";
  }
  return "";
}

// The stated rule, in µs and as fractions.
static constexpr double physicsShare = 0.02, floorSlack = 0.1;
static constexpr double agreeUs = 0.6, agreeShare = 0.12;
static constexpr double aboveUs = 0.3, aboveShare = 0.02;
static constexpr double hostUs = 3, hostShareAbove = 0.25;
static constexpr double farBelow = 0.5, farBelowUs = 5;
static constexpr double clockShare = 0.1;

static std::string us(double time) {
  char text[40];
  snprintf(text, sizeof text, "%.2f us", time);
  return text;
}

/// Why physics forbids the samples, or nothing.
static std::string findFault(const TimingQuestion &question,
                             const TimingAnswer &answer) {
  const Floors &floors = question.floors;
  if (question.extraWork)
    return "the device was still busy, or worked on another stream, when the "
           "stream was idle";
  if (question.emptyCapture)
    return "a captured launch recorded no work";
  if (std::fabs(floors.clockRatio - 1) > clockShare) {
    char text[80];
    snprintf(text, sizeof text,
             "events run at %.3f of the host's clock, expected 1",
             floors.clockRatio);
    return text;
  }
  const struct {
    Method method;
    const Summary &summary;
    double floor;
  } timed[] = {{Method::Events, answer.events, floors.events},
               {Method::Graph, answer.graph, floors.graph}};
  for (const auto &[method, summary, floor] : timed) {
    if (!summary.samples)
      continue;
    std::string found =
        std::string(methodName(method)) + " say " + us(summary.median);
    if (summary.median < question.rooflineUs * (1 - physicsShare))
      return found + ", below the roofline of " + us(question.rooflineUs);
    if (summary.median < floor - std::max(floor * physicsShare, floorSlack))
      return found + ", below the " + us(floor) + " of an empty kernel";
  }
  if (answer.host.samples && answer.events.samples) {
    double host = answer.host.median - floors.host,
           device = answer.events.median - floors.events;
    if (host < farBelow * device - farBelowUs)
      return "the host waited " + us(answer.host.median) +
             " for what events say takes " + us(answer.events.median);
  }
  return "";
}

/// How the methods disagree, or nothing.
static std::string findDisagreement(const TimingQuestion &question,
                                    const TimingAnswer &answer) {
  const Floors &floors = question.floors;
  double events = answer.events.median;
  double slack = std::max(agreeUs, agreeShare * events);
  auto report = [&](Method method, double median) {
    return std::string("events say ") + us(events) + ", " + methodName(method) +
           " " + us(median) + " (an empty kernel: " + us(floors.events) + ", ";
  };
  if (answer.graph.samples) {
    double graph = answer.graph.median;
    // Each further kernel of a graph has a floor of its own, on both sides.
    double nodes = std::max(question.graphNodes, 1u);
    if (std::fabs((events - floors.events) - (graph - floors.graph)) >
        slack * nodes)
      return report(Method::Graph, graph) + us(floors.graph) + ")";
  }
  if (answer.cupti.samples) {
    double cupti = answer.cupti.median;
    double nodes = std::max(question.graphNodes, 1u);
    if (cupti > events + std::max(aboveUs, aboveShare * events) ||
        cupti < events - (floors.events - floors.cupti) * nodes - slack)
      return report(Method::Cupti, cupti) + us(floors.cupti) + ")";
  }
  if (answer.host.samples) {
    double host = answer.host.median - floors.host,
           device = events - floors.events;
    // Whatever interrupts the host makes it slower, never faster.
    double least = answer.host.least - floors.host;
    if (host < device - std::max(hostUs, agreeShare * events) ||
        least > device * (1 + hostShareAbove) + question.hostSlackUs)
      return report(Method::Host, answer.host.median) + us(floors.host) + ")";
  }
  return "";
}

TimingAnswer lathe::measure::judge(const TimingQuestion &question) {
  TimingAnswer answer;
  const Samples &samples = question.samples;
  answer.events = summarize(samples.events);
  answer.graph = summarize(samples.graph);
  answer.cupti = summarize(samples.cupti);
  answer.host = summarize(samples.host);
  answer.timeUs = answer.events.median;
  if (answer.graph.samples &&
      (!answer.events.samples || answer.graph.median < answer.timeUs))
    answer.timeUs = answer.graph.median;

  answer.reason = findFault(question, answer);
  if (!answer.reason.empty()) {
    answer.honesty = Honesty::Fault;
    return answer;
  }
  if (question.throttled)
    answer.reason = "the device's clocks are throttled";
  else if (!answer.events.samples)
    answer.reason = samples.missing.empty() ? "no samples by events"
                                            : samples.missing.front();
  else
    answer.reason = findDisagreement(question, answer);
  if (!answer.reason.empty())
    answer.honesty = Honesty::Void;
  return answer;
}
