//===- ChildProcess.cpp - A process that may do anything ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Measure/ChildProcess.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace lathe::measure;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

/// How often memory and cancellation are looked at.
constexpr milliseconds glance(50);
/// A killed process that the driver does not let go within it is stuck.
constexpr milliseconds patience(20000);

/// Both ends above every descriptor that the child's side is moved to.
struct Pipe {
  int ends[2] = {-1, -1};

  Pipe() {
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0)
      throw std::runtime_error(std::string("cannot make a pipe: ") +
                               strerror(errno));
    for (int i : {0, 1}) {
      ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 16);
      close(low[i]);
    }
    if (ends[0] < 0 || ends[1] < 0)
      throw std::runtime_error("too many open files");
  }
  ~Pipe() {
    for (int end : ends)
      if (end >= 0)
        close(end);
  }
  int take(int which) { return std::exchange(ends[which], -1); }
};

} // namespace

/// Between fork and exec: only what is safe beside other threads.
[[noreturn]] static void becomeChild(char *const *command, pid_t parent,
                                     int request, int reply, int prints) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(126);
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  sigset_t nothing;
  sigemptyset(&nothing);
  sigprocmask(SIG_SETMASK, &nothing, nullptr);
  int nowhere = open("/dev/null", O_RDONLY);
  if (dup2(nowhere, 0) < 0 || dup2(prints, 1) < 0 || dup2(prints, 2) < 0 ||
      dup2(request, requestDescriptor) < 0 || dup2(reply, replyDescriptor) < 0)
    _exit(126);
  syscall(SYS_close_range, replyDescriptor + 1, ~0u, 0);
  execv(command[0], command);
  _exit(127);
}

ChildProcess::ChildProcess(const std::vector<std::string> &command,
                           const ChildLimits &limits)
    : limits(limits) {
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  Pipe toChild, fromChild, output;
  pid_t self = getpid();
  pid = fork();
  if (pid < 0)
    throw std::runtime_error(std::string("cannot start a process: ") +
                             strerror(errno));
  if (pid == 0)
    becomeChild(arguments.data(), self, toChild.ends[0], fromChild.ends[1],
                output.ends[1]);
  setpgid(pid, pid); // both do: whoever comes first
  request = toChild.take(1);
  reply = fromChild.take(0);
  prints = output.take(0);
  for (int descriptor : {request, reply, prints})
    fcntl(descriptor, F_SETFL, O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
  kill();
  for (int descriptor : {request, reply, prints})
    close(descriptor);
}

void ChildProcess::send(const std::string &line) {
  std::string text = line + "\n";
  size_t sent = 0;
  Clock::time_point deadline = Clock::now() + patience;
  while (sent < text.size()) {
    ssize_t count = write(request, text.data() + sent, text.size() - sent);
    if (count > 0) {
      sent += size_t(count);
      continue;
    }
    if (errno != EINTR && errno != EAGAIN)
      return;
    // It does not read; it may be waiting for somebody to read what it prints.
    readOutput();
    if (reap() || Clock::now() > deadline)
      return;
    struct pollfd wanted = {request, POLLOUT, 0};
    poll(&wanted, 1, int(glance.count()));
  }
}

bool ChildProcess::reap() {
  if (ended)
    return true;
  siginfo_t info = {};
  if (waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid != pid)
    return false;
  // Others of its group may live on. Until it is reaped its number is its own.
  ::kill(-pid, SIGKILL);
  ended = waitpid(pid, &status, 0) == pid;
  return ended;
}

void ChildProcess::readOutput() {
  char buffer[16384];
  ssize_t count;
  while ((count = read(prints, buffer, sizeof(buffer))) > 0) {
    printed.append(buffer, size_t(count));
    if (printed.size() > limits.keptOutput)
      printed.erase(0, printed.size() - limits.keptOutput);
  }
}

/// False once the other end is closed.
bool ChildProcess::readReply() {
  char buffer[65536];
  while (pending.size() <= limits.lineBytes) {
    ssize_t count = read(reply, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return count < 0 && errno == EAGAIN;
    pending.append(buffer, size_t(count));
    replied += size_t(count);
  }
  return true;
}

uint64_t ChildProcess::residentBytes() const {
  char path[32];
  snprintf(path, sizeof(path), "/proc/%d/statm", int(pid));
  FILE *file = fopen(path, "re");
  if (!file)
    return 0;
  unsigned long long size = 0, resident = 0;
  int fields = fscanf(file, "%llu %llu", &size, &resident);
  fclose(file);
  return fields == 2 ? resident * uint64_t(sysconf(_SC_PAGESIZE)) : 0;
}

ChildEvent ChildProcess::wait(milliseconds limit,
                              const std::atomic<bool> &cancel) {
  Clock::time_point deadline = Clock::now() + limit;
  bool open = true;
  while (true) {
    readOutput();
    open = open && readReply();
    size_t end = pending.find('\n');
    if (end != std::string::npos && end <= limits.lineBytes &&
        replied <= limits.replyBytes) {
      ChildEvent event{ChildEvent::Line, pending.substr(0, end)};
      pending.erase(0, end + 1);
      return event;
    }
    if (pending.size() > limits.lineBytes || replied > limits.replyBytes)
      return {ChildEvent::TooMuchReply, {}};
    if (reap()) {
      // What it wrote last may have come after the look above.
      if (open && readReply(), pending.find('\n') != std::string::npos)
        continue;
      readOutput();
      return {ChildEvent::Ended, {}};
    }
    if (cancel.load(std::memory_order_relaxed))
      return {ChildEvent::Cancelled, {}};
    if (residentBytes() > limits.residentBytes)
      return {ChildEvent::TooMuchMemory, {}};
    auto left =
        std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (left.count() <= 0)
      return {ChildEvent::TimedOut, {}};
    // A closed pipe is always ready: then only time passes.
    struct pollfd wanted[2] = {{open ? reply : -1, POLLIN, 0},
                               {open ? prints : -1, POLLIN, 0}};
    milliseconds pause = std::min(left, open ? glance : milliseconds(1));
    poll(wanted, 2, int(pause.count()));
  }
}

void ChildProcess::kill() {
  if (reap())
    return;
  killed = true;
  ::kill(-pid, SIGKILL);
  Clock::time_point deadline = Clock::now() + patience;
  while (!reap() && Clock::now() < deadline)
    std::this_thread::sleep_for(milliseconds(1));
  stuck = !ended;
  readOutput();
}

void ChildProcess::finish(milliseconds limit) {
  Clock::time_point deadline = Clock::now() + limit;
  while (!reap() && Clock::now() < deadline) {
    readOutput();
    std::this_thread::sleep_for(milliseconds(1));
  }
  kill();
  readOutput();
}

bool ChildProcess::diedBySignal() const {
  return ended && !killed && WIFSIGNALED(status);
}

int ChildProcess::exitStatus() const {
  return ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string ChildProcess::describeEnd() const {
  if (!ended)
    return {};
  if (WIFSIGNALED(status)) {
    const char *name = sigabbrev_np(WTERMSIG(status));
    return "died by " + (name ? "SIG" + std::string(name)
                              : "signal " + std::to_string(WTERMSIG(status)));
  }
  return "exited with status " + std::to_string(WEXITSTATUS(status));
}
