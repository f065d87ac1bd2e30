//===- ChildProtocolTest.cpp - What a child is asked and answers ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Measure/ChildProtocol.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace lathe::measure;

namespace {

std::string failureOf(const std::string &line) {
  try {
    readReply(line);
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return {};
}

TimeReply someTime() {
  TimeReply time;
  time.problem = 3;
  time.kernel = 5;
  time.rival = 2;
  time.honesty = Honesty::Void;
  time.reason = "methods disagree";
  time.timeUs = 12.5;
  time.lowUs = 12;
  time.highUs = 13;
  time.ratio = 0.75;
  time.samples = samplesText({{12.5, 12.6}, {12.25}, {}, {}, {}});
  time.clocks = "[]";
  time.evidence = "{\"sets\":3}";
  return time;
}

/// The line of `reply` with one text in place of another.
std::string changed(const ChildReply &reply, const std::string &from,
                    const std::string &to) {
  std::string line = writeReply(reply);
  size_t at = line.find(from);
  EXPECT_NE(at, std::string::npos) << line;
  return line.replace(at, from.size(), to);
}

} // namespace

TEST(ChildProtocol, TasksComeBack) {
  ChildTask task;
  task.kind = ChildTask::Retime;
  task.seed = 0xFEDCBA9876543210;
  task.kernel = 7;
  task.isTimed = false;
  task.isWatched = true;
  task.pairings = {{1, 2, 3}, {4, 5, 6}};
  task.timer.pairs = 11;
  task.timer.budgetMs = 2.5;
  ChildTask read = readTask(writeTask(task));
  EXPECT_EQ(read.kind, task.kind);
  EXPECT_EQ(read.seed, task.seed);
  EXPECT_EQ(read.kernel, 7u);
  EXPECT_FALSE(read.isTimed);
  EXPECT_TRUE(read.isWatched);
  ASSERT_EQ(read.pairings.size(), 2u);
  EXPECT_EQ(read.pairings[1].rival, 6u);
  EXPECT_EQ(read.timer.pairs, 11u);
  EXPECT_EQ(read.timer.budgetMs, 2.5);
}

TEST(ChildProtocol, RepliesComeBack) {
  auto time = std::get<TimeReply>(readReply(writeReply(someTime())));
  EXPECT_EQ(time.problem, 3u);
  EXPECT_EQ(time.rival, 2);
  EXPECT_EQ(time.honesty, Honesty::Void);
  EXPECT_EQ(time.timeUs, 12.5);
  EXPECT_EQ(time.samples, "{\"events\":[12.5,12.6],\"graph\":[12.25]}");

  VerdictReply said;
  said.verdict = DeviceVerdict::Racy;
  said.reason = "\xFF bytes \n of \x01 any kind";
  said.blame = VerdictReply::Rival;
  auto verdict = std::get<VerdictReply>(readReply(writeReply(said)));
  EXPECT_EQ(verdict.verdict, DeviceVerdict::Racy);
  EXPECT_EQ(verdict.blame, VerdictReply::Rival);
  EXPECT_EQ(writeReply(said).find('\n'), std::string::npos);

  ProbeReply probe;
  probe.device.name = "GPU";
  probe.device.l2Bytes = uint64_t(1) << 40;
  probe.floors.graph = 3.84;
  probe.isSound = true;
  auto device = std::get<ProbeReply>(readReply(writeReply(probe)));
  EXPECT_EQ(device.device.l2Bytes, uint64_t(1) << 40);
  EXPECT_EQ(device.floors.graph, 3.84);
  EXPECT_TRUE(device.isSound);

  auto phase = std::get<PhaseReply>(
      readReply(writeReply(PhaseReply{ChildPhase::Time, "timing"})));
  EXPECT_EQ(phase.phase, ChildPhase::Time);
  EXPECT_EQ(phase.text, "timing");
}

TEST(ChildProtocol, RejectsWhatIsNotSo) {
  EXPECT_EQ(failureOf("Segmentation fault"), "not JSON");
  EXPECT_EQ(failureOf("[1,2]"), "expected a JSON object");
  EXPECT_EQ(failureOf("{}"), "field 'type' is missing");
  EXPECT_EQ(failureOf("{\"type\":\"gift\",\"body\":{}}"),
            "type 'gift' is unknown");
  EXPECT_EQ(failureOf(std::string(100000, '[')), "not JSON");
  TimeReply time = someTime();
  EXPECT_EQ(failureOf(changed(time, "\"time\":12.5", "\"time\":-1.0")),
            "field 'time' is not a finite amount");
  EXPECT_EQ(failureOf(changed(time, "\"time\":12.5", "\"time\":null")),
            "field 'time' is not a finite amount");
  EXPECT_EQ(failureOf(changed(time, "\"time\":12.5", "\"time\":1e999")),
            "not JSON");
  EXPECT_EQ(failureOf(changed(time, "\"kernel\":5", "\"kernel\":5000000000")),
            "field 'kernel' is not an integer from 0 to 4294967295");
  EXPECT_EQ(failureOf(changed(time, "\"rival\":2", "\"rival\":-2")),
            "field 'rival' is not an integer from -1 to 4294967295");
  EXPECT_EQ(failureOf(changed(time, "\"honesty\":1", "\"honesty\":3")),
            "field 'honesty' is not an integer from 0 to 2");
  EXPECT_EQ(failureOf(changed(time, "\"clocks\":\"[]\"", "\"clocks\":\"[\"")),
            "field 'clocks' is not a JSON document");
  EXPECT_EQ(failureOf(changed(VerdictReply(), "CRASH", "FINE")),
            "field 'verdict' is 'FINE', expected a verdict");
}

/// Whatever bytes a broken child sends, nothing but an error comes of them.
TEST(ChildProtocol, SurvivesBrokenLines) {
  std::mt19937_64 random(1);
  ProbeReply probe;
  const std::string lines[] = {writeReply(someTime()), writeReply(probe),
                               writeReply(VerdictReply())};
  size_t rejected = 0;
  for (unsigned i = 0; i != 20000; ++i) {
    std::string line = lines[i % std::size(lines)];
    for (unsigned change = 0; change <= random() % 3; ++change)
      switch (random() % 3) {
      case 0:
        line[random() % line.size()] = char(random());
        break;
      case 1:
        line.resize(1 + random() % line.size());
        break;
      default:
        line.insert(random() % line.size(), line.substr(line.size() / 2));
      }
    rejected += !failureOf(line).empty();
  }
  EXPECT_GT(rejected, 10000u);
}

TEST(Verdict, NamesAreUnique) {
  for (auto verdict :
       {DeviceVerdict::Passed, DeviceVerdict::Wrong, DeviceVerdict::Racy,
        DeviceVerdict::Fault, DeviceVerdict::Timeout, DeviceVerdict::Crash,
        DeviceVerdict::DeviceLost, DeviceVerdict::Refused, DeviceVerdict::Void})
    EXPECT_EQ(parseDeviceVerdict(verdictName(verdict)), verdict);
  EXPECT_FALSE(parseDeviceVerdict("passed"));
}
