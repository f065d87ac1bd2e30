//===- CandidateChild.cpp - What runs in a child process ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Measure/CandidateChild.h"

#include "Evidence.h"
#include "TimeKernel.h"
#include "lathe/Measure/ChildProcess.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <unistd.h>

using namespace lathe;
using namespace lathe::measure;

static constexpr size_t maxTask = size_t(1) << 24;

//===----------------------------------------------------------------------===//
// Talking
//===----------------------------------------------------------------------===//

static void reply(const ChildReply &message) {
  std::string text = writeReply(message) + "\n";
  size_t sent = 0;
  while (sent < text.size()) {
    ssize_t count =
        write(replyDescriptor, text.data() + sent, text.size() - sent);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0) // nobody listens any more
      _exit(1);
    sent += size_t(count);
  }
}

static std::string readTaskLine() {
  std::string line;
  char buffer[65536];
  while (line.size() <= maxTask) {
    ssize_t count = read(requestDescriptor, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      throw std::runtime_error("no task came");
    line.append(buffer, size_t(count));
    if (size_t end = line.find('\n'); end != std::string::npos)
      return line.substr(0, end);
  }
  throw std::runtime_error("the task is too long");
}

/// What the child is busy with, for reasons.
static std::string busyWith = "starting";

static void enter(ChildPhase phase, const std::string &text) {
  busyWith = text;
  reply(PhaseReply{phase, text});
}

//===----------------------------------------------------------------------===//
// Probe
//===----------------------------------------------------------------------===//

/// Poison in a few MiB, and whether it is found again.
static bool isSound(Device &device, Stream stream) {
  constexpr uint64_t bytes = uint64_t(4) << 20, salt = 0x10CA1;
  DeviceKernels kernels(device);
  DeviceMemory memory(device, bytes);
  kernels.poison(memory.pointer(), bytes, salt, stream);
  if (kernels.changedBytes(memory.pointer(), bytes, salt, stream) != 0)
    return false;
  device.fill(memory.pointer() + bytes / 2, 0, 64, stream);
  uint64_t changed =
      kernels.changedBytes(memory.pointer(), bytes, salt, stream);
  // A byte of poison may be zero.
  return changed > 32 && changed <= 64;
}

static double fillSpeed(Device &device, Stream stream) {
  uint64_t bytes = std::min(uint64_t(1) << 30, device.info().memoryBytes / 8);
  DeviceMemory memory(device, bytes);
  Event begin = device.createEvent(true), end = device.createEvent(true);
  double least = 0;
  for (int i = 0; i != 5; ++i) {
    device.record(begin, stream);
    device.fill(memory.pointer(), (unsigned char)i, bytes, stream);
    device.record(end, stream);
    device.synchronize(stream);
    double time = device.elapsedUs(begin, end);
    least = i == 0 ? time : std::min(least, time);
  }
  return least > 0 ? double(bytes) / least * 1e6 : 0;
}

static ProbeReply probe(Device &device) {
  ProbeReply answer;
  answer.device = device.info();
  answer.devices = Device::count();
  Stream stream = device.createStream();
  answer.isSound = isSound(device, stream);
  answer.fillBytesPerSecond = fillSpeed(device, stream);
  Timer timer(device, {});
  answer.floors = timer.floors();
  Clocks clocks(device.info());
  answer.driver = clocks.driverVersion();
  answer.clocks = clocks.sample();
  return answer;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

namespace {

class CandidateRun {
public:
  CandidateRun(Device &device, const Candidates &plan, const ChildTask &task)
      : device(device), plan(plan), task(task), kernels(device),
        references(device, plan), timer(device, task.timer),
        context{device, kernels, references, plan, device.createStream(),
                enter},
        seeds(task.seed) {}

  VerdictReply checkAndTime();
  VerdictReply retime();

private:
  LoadedKernel &load(uint32_t kernel);
  /// Replies the times; the kernel's own is the first.
  std::vector<TimeReply> time(uint32_t problem, LoadedKernel &kernel,
                              LoadedKernel *rival, bool mayScreen);

  Device &device;
  const Candidates &plan;
  const ChildTask &task;
  DeviceKernels kernels;
  References references;
  Timer timer;
  ChildContext context;
  SeedStream seeds;
  std::map<uint32_t, std::unique_ptr<LoadedKernel>> loaded;
};

} // namespace

LoadedKernel &CandidateRun::load(uint32_t kernel) {
  auto &slot = loaded[kernel];
  if (!slot)
    slot = std::make_unique<LoadedKernel>(device, plan, kernel);
  return *slot;
}

std::vector<TimeReply> CandidateRun::time(uint32_t problem,
                                          LoadedKernel &kernel,
                                          LoadedKernel *rival, bool mayScreen) {
  TimeQuestion question;
  question.problem = problem;
  question.seed = seeds.next();
  question.timer = task.timer;
  question.mayScreen = mayScreen;
  std::vector<TimeReply> replies =
      timeKernel(context, timer, kernel, rival, question);
  // A candidate's rival has its own row from its own run.
  reply(replies.front());
  if (task.kind == ChildTask::Retime && replies.size() == 2)
    reply(replies.back());
  return replies;
}

VerdictReply CandidateRun::checkAndTime() {
  VerdictReply answer;
  answer.blame = VerdictReply::Own;
  enter(ChildPhase::Load, "loading");
  LoadedKernel &own = load(task.kernel);
  CheckReport report =
      checkKernel(context, own, {seeds.next(), task.isWatched});
  answer.evidence = checkEvidence(report);
  if (report.finding) {
    answer.verdict = report.finding->verdict;
    answer.reason = report.finding->reason;
    return answer;
  }
  answer.verdict = DeviceVerdict::Passed;
  if (!task.isTimed)
    return answer;
  unsigned wanted = 0, timed = 0;
  std::string why;
  for (const LaunchPlan &launch : own.kernel().launches) {
    if (!plan.problems[launch.problem].timed || launch.grid[0] == 0)
      continue;
    ++wanted;
    LoadedKernel *rival = nullptr;
    for (const ChildTask::Pairing &pairing : task.pairings)
      if (pairing.problem == launch.problem && pairing.rival != task.kernel)
        rival = &load(pairing.rival);
    try {
      TimeReply time = this->time(launch.problem, own, rival, true).front();
      if (time.honesty == Honesty::Fault) {
        answer.verdict = DeviceVerdict::Fault;
        answer.reason =
            time.reason + " at " + problemText(plan.problems[launch.problem]);
        return answer;
      }
      timed += time.honesty == Honesty::Good;
      why = time.reason;
    } catch (const TooLittleMemory &error) {
      why = error.what();
    } catch (const FoundWhileTimed &found) {
      answer.verdict = found.finding.verdict;
      answer.reason = found.finding.reason;
      answer.blame =
          found.kernel == task.kernel ? VerdictReply::Own : VerdictReply::Rival;
      return answer;
    }
  }
  if (wanted != 0 && timed == 0) {
    answer.verdict = DeviceVerdict::Void;
    answer.reason = why;
  }
  return answer;
}

VerdictReply CandidateRun::retime() {
  VerdictReply answer;
  answer.verdict = DeviceVerdict::Passed;
  for (const ChildTask::Pairing &pairing : task.pairings) {
    enter(ChildPhase::Load, "loading");
    LoadedKernel *rival =
        pairing.rival == pairing.kernel ? nullptr : &load(pairing.rival);
    for (const TimeReply &time :
         time(pairing.problem, load(pairing.kernel), rival, false))
      if (time.honesty == Honesty::Fault) {
        answer.verdict = DeviceVerdict::Fault;
        answer.reason =
            time.reason + " at " + problemText(plan.problems[time.problem]);
        return answer;
      }
  }
  return answer;
}

/// Everything of the task lies in the plan.
static void checkTask(const ChildTask &task, const Candidates &plan) {
  auto expectLaunch = [&](uint32_t kernel, uint32_t problem) {
    if (kernel < plan.kernels.size())
      for (const LaunchPlan &launch : plan.kernels[kernel].launches)
        if (launch.problem == problem)
          return;
    throw std::runtime_error("the task names a launch that is not planned");
  };
  if (task.kind == ChildTask::Candidate && task.kernel >= plan.kernels.size())
    throw std::runtime_error("the task names a kernel that is not planned");
  for (const ChildTask::Pairing &pairing : task.pairings) {
    expectLaunch(pairing.rival, pairing.problem);
    expectLaunch(pairing.kernel, pairing.problem);
  }
}

static VerdictReply work(Device &device, const Candidates &plan,
                         const ChildTask &task) {
  VerdictReply answer;
  try {
    CandidateRun run(device, plan, task);
    return task.kind == ChildTask::Retime ? run.retime() : run.checkAndTime();
  } catch (const DriverError &error) {
    answer.verdict = error.isDeviceLost() ? DeviceVerdict::DeviceLost
                     : error.isFault()    ? DeviceVerdict::Fault
                                          : DeviceVerdict::Refused;
    answer.reason = std::string(error.what()) + " while " + busyWith;
  } catch (const WrongAnswer &error) {
    answer.verdict = DeviceVerdict::Wrong;
    answer.reason = error.what();
  } catch (const std::exception &error) {
    answer.verdict = DeviceVerdict::Refused;
    answer.reason = error.what();
  }
  return answer;
}

int lathe::measure::runChild(const std::string &path, int ordinal) try {
  std::optional<CandidateFile> file;
  if (!path.empty())
    file.emplace(CandidateFile::open(path));
  // Loading the driver takes long and gives the device nothing to do.
  Device::count();
  ChildTask task = readTask(readTaskLine());
  if (task.kind != ChildTask::Probe) {
    if (!file)
      throw std::runtime_error("the task needs a candidate file");
    checkTask(task, file->plan());
  }
  enter(ChildPhase::Start, "opening the device");
  std::unique_ptr<Device> device = Device::open(ordinal);
  if (task.kind == ChildTask::Probe)
    reply(probe(*device));
  else
    reply(work(*device, file->plan(), task));
  // A context that is lost, or a driver that hangs, must not keep it alive; a
  // tool that watches has something to say at the end.
  if (!task.isWatched)
    _exit(0);
  return 0;
} catch (const std::exception &error) {
  fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
