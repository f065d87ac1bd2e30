//===- Conversation.cpp - One task, one child -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversation.h"

#include "Commands.h"

#include <chrono>
#include <cmath>
#include <unistd.h>

using namespace lathe::device;
using namespace lathe::measure;
using std::chrono::milliseconds;

/// Opening a device and computing a reference take time that is not the
/// candidate's fault.
static constexpr double patience = 30;
/// After its last answer a child only has to go.
static constexpr milliseconds farewell(30000);

std::unique_ptr<ChildProcess>
lathe::device::startChild(const ChildSetup &setup,
                          const std::vector<std::string> &prefix) {
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof(self));
  if (length <= 0 || size_t(length) == sizeof(self))
    throw std::runtime_error("cannot find the path of this program");
  std::vector<std::string> command = prefix;
  command.insert(command.end(),
                 {std::string(self, size_t(length)), childCommand,
                  setup.visible, std::to_string(setup.ordinal),
                  setup.candidates});
  return std::make_unique<ChildProcess>(command, setup.limits);
}

static double phaseLimit(ChildPhase phase, double timeLimit) {
  switch (phase) {
  case ChildPhase::Start:
  case ChildPhase::Load:
    return timeLimit + patience;
  case ChildPhase::Reference:
    return 5 * timeLimit + patience;
  case ChildPhase::Launch:
  case ChildPhase::Time:
    break;
  }
  return timeLimit;
}

static std::string lastLine(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
    text.pop_back();
  return text.substr(text.rfind('\n') + 1).substr(0, 500);
}

namespace {

class Talk {
public:
  Talk(ChildProcess &child, const ChildSetup &setup)
      : child(child), setup(setup) {}
  Outcome run(const std::string &task, const std::atomic<bool> &cancel);

private:
  bool take(const std::string &line);
  void judge(const ChildEvent &event);
  void say(DeviceVerdict verdict, const std::string &reason) {
    outcome.verdict.verdict = verdict;
    outcome.verdict.reason = reason + " while " + phase.text;
  }

  /// Adds the time since the phase began to it.
  void leavePhase() {
    auto now = std::chrono::steady_clock::now();
    outcome.seconds[size_t(phase.phase)] +=
        std::chrono::duration<double>(now - entered).count();
    entered = now;
  }

  ChildProcess &child;
  const ChildSetup &setup;
  std::chrono::steady_clock::time_point entered =
      std::chrono::steady_clock::now();
  PhaseReply phase{ChildPhase::Start, "starting"};
  Outcome outcome;
};

} // namespace

/// False once nothing more is to come.
bool Talk::take(const std::string &line) {
  ChildReply reply = readReply(line);
  if (auto *next = std::get_if<PhaseReply>(&reply)) {
    leavePhase();
    phase = *next;
    return true;
  }
  if (auto *time = std::get_if<TimeReply>(&reply)) {
    outcome.times.push_back(std::move(*time));
    return true;
  }
  if (auto *probe = std::get_if<ProbeReply>(&reply)) {
    outcome.probe = std::move(*probe);
    outcome.verdict.verdict = DeviceVerdict::Passed;
    return false;
  }
  outcome.verdict = std::get<VerdictReply>(reply);
  return false;
}

void Talk::judge(const ChildEvent &event) {
  double limit = phaseLimit(phase.phase, setup.timeLimit);
  switch (event.kind) {
  case ChildEvent::TimedOut: {
    char text[64];
    snprintf(text, sizeof(text), "did not end within %g s", limit);
    if (phase.phase == ChildPhase::Reference)
      return say(DeviceVerdict::Refused, std::string("the reference ") + text);
    return say(DeviceVerdict::Timeout, text);
  }
  case ChildEvent::TooMuchMemory:
    return say(DeviceVerdict::Crash,
               "killed for more than " +
                   std::to_string(setup.limits.residentBytes >> 20) +
                   " MiB of host memory");
  case ChildEvent::TooMuchReply:
    return say(DeviceVerdict::Crash, "killed for answers without end");
  case ChildEvent::Cancelled:
    outcome.isCancelled = true;
    return;
  case ChildEvent::Ended:
  case ChildEvent::Line:
    break;
  }
  std::string printed = lastLine(child.output());
  say(DeviceVerdict::Crash, child.describeEnd());
  if (!printed.empty())
    outcome.verdict.reason += ": " + printed;
}

Outcome Talk::run(const std::string &task, const std::atomic<bool> &cancel) {
  child.send(task);
  while (true) {
    milliseconds limit(
        int64_t(std::ceil(phaseLimit(phase.phase, setup.timeLimit) * 1000)));
    ChildEvent event = child.wait(limit, cancel);
    if (event.kind != ChildEvent::Line) {
      child.kill();
      judge(event);
      break;
    }
    try {
      if (take(event.line))
        continue;
      child.finish(farewell);
    } catch (const std::runtime_error &error) {
      child.kill();
      say(DeviceVerdict::Crash,
          std::string("sent a line that is no answer (") + error.what() + ")");
    }
    break;
  }
  leavePhase();
  outcome.phase = phase.phase;
  outcome.isStuck = child.isStuck();
  outcome.exitStatus = child.exitStatus();
  outcome.output = child.output();
  return std::move(outcome);
}

Outcome lathe::device::converse(ChildProcess &child, const ChildTask &task,
                                const ChildSetup &setup,
                                const std::atomic<bool> &cancel) {
  return Talk(child, setup).run(writeTask(task), cancel);
}
