//===- TimingTest.cpp - Each rule of the judge, both ways -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Measure/Timer.h"

#include <gtest/gtest.h>

using namespace lathe::measure;

namespace {

std::vector<double> about(double us) {
  return {us, us * 1.001, us * 0.999, us, us, us * 1.002, us, us, us * 0.998};
}

/// A kernel of 10 µs that all methods agree on.
TimingQuestion agreeing() {
  TimingQuestion question;
  question.floors.events = 3.4;
  question.floors.graph = 3.8;
  question.floors.cupti = 1.0;
  question.floors.host = 8;
  question.samples.events = about(12.4);
  question.samples.graph = about(12.8);
  question.samples.cupti = about(10);
  question.samples.host = about(18);
  question.rooflineUs = 9;
  question.graphNodes = 1;
  return question;
}

void expect(const TimingQuestion &question, Honesty honesty,
            const std::string &reason) {
  TimingAnswer answer = judge(question);
  EXPECT_STREQ(honestyName(answer.honesty), honestyName(honesty))
      << answer.reason;
  EXPECT_NE(answer.reason.find(reason), std::string::npos) << answer.reason;
}

TEST(Timing, BelievesWhatAgrees) {
  TimingAnswer answer = judge(agreeing());
  EXPECT_EQ(answer.honesty, Honesty::Good);
  EXPECT_EQ(answer.reason, "");
  EXPECT_DOUBLE_EQ(answer.timeUs, 12.4);
  EXPECT_EQ(answer.cupti.samples, 9u);
}

TEST(Timing, TakesTheSmallerMedian) {
  TimingQuestion question = agreeing();
  question.samples.graph = about(12.1);
  EXPECT_DOUBLE_EQ(judge(question).timeUs, 12.1);
}

TEST(Timing, MissingMethodsDecideNothing) {
  TimingQuestion question = agreeing();
  question.samples.graph.clear();
  question.samples.cupti.clear();
  question.samples.host.clear();
  EXPECT_EQ(judge(question).honesty, Honesty::Good);
  question.samples.events.clear();
  expect(question, Honesty::Void, "no samples by events");
  question.samples.missing = {"events: too long"};
  expect(question, Honesty::Void, "events: too long");
}

TEST(Timing, Roofline) {
  TimingQuestion question = agreeing();
  question.rooflineUs = 12.6; // within 2 %
  EXPECT_EQ(judge(question).honesty, Honesty::Good);
  question.rooflineUs = 12.7;
  expect(question, Honesty::Fault, "events say 12.40 us, below the roofline");
  question = agreeing();
  question.samples.graph = about(8.5);
  expect(question, Honesty::Fault, "graph say 8.50 us, below the roofline");
}

TEST(Timing, LaunchFloor) {
  TimingQuestion question = agreeing();
  question.rooflineUs = 0;
  question.samples = {};
  question.samples.events = about(3.32); // within 0.1 µs
  EXPECT_EQ(judge(question).honesty, Honesty::Good);
  question.samples.events = about(3.28);
  expect(question, Honesty::Fault, "below the 3.40 us of an empty kernel");
}

TEST(Timing, WorkBesideTheStream) {
  TimingQuestion question = agreeing();
  question.extraWork = true;
  expect(question, Honesty::Fault, "another stream");
  question = agreeing();
  question.emptyCapture = true;
  expect(question, Honesty::Fault, "recorded no work");
}

TEST(Timing, EventClock) {
  TimingQuestion question = agreeing();
  question.floors.clockRatio = 0.92;
  EXPECT_EQ(judge(question).honesty, Honesty::Good);
  question.floors.clockRatio = 0.1;
  expect(question, Honesty::Fault, "0.100 of the host's clock");
  question.floors.clockRatio = 1.2;
  expect(question, Honesty::Fault, "host's clock");
}

TEST(Timing, HostFarBelow) {
  TimingQuestion question = agreeing();
  question.samples = {};
  question.samples.events = about(103.4);
  question.samples.host = about(50); // 42 of 100
  expect(question, Honesty::Fault, "the host waited 50.00 us");
  question.samples.host = about(80); // 72 of 100
  expect(question, Honesty::Void, "host 80.00 us");
  question.samples.host = about(100);
  EXPECT_EQ(judge(question).honesty, Honesty::Good);
}

TEST(Timing, HostFarAbove) {
  TimingQuestion question = agreeing();
  question.hostSlackUs = 20;
  question.samples.host = about(8 + 9 * 1.25 + 19);
  EXPECT_EQ(judge(question).honesty, Honesty::Good);
  question.samples.host = about(8 + 9 * 1.25 + 21);
  expect(question, Honesty::Void, "host");
  // One launch that was not interrupted is enough.
  question.samples.host.push_back(18);
  EXPECT_EQ(judge(question).honesty, Honesty::Good);
}

TEST(Timing, EventsAgainstGraph) {
  for (double graph : {12.8 + 1.4, 12.8 - 1.4}) { // 12 % are 1.49
    TimingQuestion question = agreeing();
    question.samples.graph = about(graph);
    EXPECT_EQ(judge(question).honesty, Honesty::Good) << graph;
  }
  for (double graph : {12.8 + 1.6, 12.8 - 1.6}) {
    TimingQuestion question = agreeing();
    question.samples.graph = about(graph);
    expect(question, Honesty::Void, "events say 12.40 us, graph");
  }
  TimingQuestion question = agreeing();
  question.samples.graph = about(15.5);
  question.graphNodes = 3;
  EXPECT_EQ(judge(question).honesty, Honesty::Good);
}

TEST(Timing, EventsAgainstCupti) {
  for (double cupti : {12.6, 8.7}) {
    TimingQuestion question = agreeing();
    question.samples.cupti = about(cupti);
    EXPECT_EQ(judge(question).honesty, Honesty::Good) << cupti;
  }
  for (double cupti : {12.8, 8.4}) {
    TimingQuestion question = agreeing();
    question.samples.cupti = about(cupti);
    expect(question, Honesty::Void, "events say 12.40 us, cupti");
  }
}

TEST(Timing, Throttle) {
  TimingQuestion question = agreeing();
  question.throttled = true;
  expect(question, Honesty::Void, "throttled");
  // Physics comes first.
  question.rooflineUs = 100;
  expect(question, Honesty::Fault, "roofline");
}

} // namespace
