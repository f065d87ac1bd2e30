//===- ChildProcessTest.cpp - A process that may do anything --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Measure/ChildProcess.h"

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

using namespace lathe::measure;
using std::chrono::milliseconds;

namespace {

std::atomic<bool> noCancel{false};
constexpr milliseconds longTime(20000);

struct Shell : ChildProcess {
  explicit Shell(const std::string &script, const ChildLimits &limits = {})
      : ChildProcess({"/bin/sh", "-c", script}, limits) {}
};

/// Whether the process is gone, at the latest after a while: it may be an
/// orphan that somebody else still has to reap.
bool isGone(pid_t pid) {
  for (int i = 0; i != 2000; ++i) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    if (!(file >> number >> name >> state) || state == "Z")
      return true;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return false;
}

} // namespace

TEST(ChildProcess, AnswersInLines) {
  Shell child("read task <&3; echo \"got $task\" >&4; echo two >&4");
  child.send("work");
  ChildEvent event = child.wait(longTime, noCancel);
  EXPECT_EQ(event.kind, ChildEvent::Line);
  EXPECT_EQ(event.line, "got work");
  EXPECT_EQ(child.wait(longTime, noCancel).line, "two");
  EXPECT_EQ(child.wait(longTime, noCancel).kind, ChildEvent::Ended);
  EXPECT_EQ(child.describeEnd(), "exited with status 0");
  EXPECT_FALSE(child.diedBySignal());
}

TEST(ChildProcess, KeepsTheEndOfWhatItPrints) {
  ChildLimits limits;
  limits.keptOutput = 1000;
  Shell child("yes x | head -c 100000; echo last >&2; exit 7", limits);
  EXPECT_EQ(child.wait(longTime, noCancel).kind, ChildEvent::Ended);
  EXPECT_EQ(child.exitStatus(), 7);
  EXPECT_EQ(child.output().size(), 1000u);
  EXPECT_EQ(child.output().substr(995), "last\n");
}

TEST(ChildProcess, NamesTheSignal) {
  Shell child("kill -SEGV $$");
  EXPECT_EQ(child.wait(longTime, noCancel).kind, ChildEvent::Ended);
  EXPECT_TRUE(child.diedBySignal());
  EXPECT_EQ(child.describeEnd(), "died by SIGSEGV");
  EXPECT_EQ(child.exitStatus(), -1);
}

TEST(ChildProcess, StopsAnswersWithoutEnd) {
  ChildLimits limits;
  limits.lineBytes = 10000;
  limits.replyBytes = 50000;
  Shell oneLine("yes | tr -d '\\n' >&4", limits);
  EXPECT_EQ(oneLine.wait(longTime, noCancel).kind, ChildEvent::TooMuchReply);
  Shell manyLines("yes >&4", limits);
  size_t lines = 0;
  ChildEvent event;
  while ((event = manyLines.wait(longTime, noCancel)).kind == ChildEvent::Line)
    ++lines;
  EXPECT_EQ(event.kind, ChildEvent::TooMuchReply);
  EXPECT_LE(lines, limits.replyBytes);
}

TEST(ChildProcess, EndsWhatTakesTooLong) {
  Shell child("trap '' TERM INT; sleep 1000 & wait; sleep 1000");
  EXPECT_EQ(child.wait(milliseconds(50), noCancel).kind, ChildEvent::TimedOut);
  child.kill();
  EXPECT_FALSE(child.isStuck());
  EXPECT_FALSE(child.diedBySignal()) << "it was killed here";
  EXPECT_EQ(child.wait(longTime, noCancel).kind, ChildEvent::Ended);
}

TEST(ChildProcess, TakesItsGroupAlong) {
  pid_t grandchild = 0;
  {
    Shell child("sleep 1000 & echo $! >&4; wait");
    grandchild = std::stoi(child.wait(longTime, noCancel).line);
    EXPECT_FALSE(::kill(grandchild, 0));
  }
  EXPECT_TRUE(isGone(grandchild));
}

TEST(ChildProcess, TakesItsGroupAlongWhenItEndsByItself) {
  Shell child("sleep 1000 & echo $! >&4");
  pid_t grandchild = std::stoi(child.wait(longTime, noCancel).line);
  EXPECT_EQ(child.wait(longTime, noCancel).kind, ChildEvent::Ended);
  EXPECT_TRUE(isGone(grandchild));
}

TEST(ChildProcess, LimitsMemory) {
  ChildLimits limits;
  limits.residentBytes = uint64_t(48) << 20;
  Shell child("a=$(head -c 100000000 /dev/zero | tr '\\0' x); sleep 1000",
              limits);
  EXPECT_EQ(child.wait(longTime, noCancel).kind, ChildEvent::TooMuchMemory);
}

TEST(ChildProcess, IsCancelled) {
  Shell child("sleep 1000");
  std::atomic<bool> cancel{true};
  EXPECT_EQ(child.wait(longTime, cancel).kind, ChildEvent::Cancelled);
}

TEST(ChildProcess, MayBeGoneBeforeItsTask) {
  signal(SIGPIPE, SIG_IGN);
  Shell child("exec 3<&-; exit 5");
  child.finish(longTime);
  child.send(std::string(1 << 20, 'x'));
  EXPECT_EQ(child.wait(longTime, noCancel).kind, ChildEvent::Ended);
  EXPECT_EQ(child.exitStatus(), 5);
}

TEST(ChildProcess, MayTalkBeforeItListens) {
  Shell child("head -c 1000000 /dev/zero; read task <&3; echo ${#task} >&4");
  child.send(std::string(300000, 'x'));
  EXPECT_EQ(child.wait(longTime, noCancel).line, "300000");
}

TEST(ChildProcess, HasNoOtherDescriptors) {
  ASSERT_EQ(dup2(2, 37), 37);
  Shell child("ls /proc/$$/fd | tr '\\n' ' ' >&4; echo >&4");
  std::string descriptors = " " + child.wait(longTime, noCancel).line;
  close(37);
  EXPECT_NE(descriptors.find(" 0 1 "), std::string::npos) << descriptors;
  EXPECT_EQ(descriptors.find(" 37 "), std::string::npos) << descriptors;
  Shell missing("exit 0");
  ChildProcess none({"/nonexistent/program"}, {});
  EXPECT_EQ(none.wait(longTime, noCancel).kind, ChildEvent::Ended);
  EXPECT_EQ(none.exitStatus(), 127);
}
