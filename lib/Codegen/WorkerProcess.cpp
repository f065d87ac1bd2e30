//===- WorkerProcess.cpp - A child process and its streams ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerProcess.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace lathe {

namespace {
/// Both ends of a pipe; closes what was not taken.
struct Pipe {
  int fds[2] = {-1, -1};

  bool open() { return pipe2(fds, O_CLOEXEC) == 0; }
  int take(int end) { return std::exchange(fds[end], -1); }
  void close(int end) {
    if (fds[end] >= 0)
      ::close(take(end));
  }
  ~Pipe() {
    close(0);
    close(1);
  }
};
} // namespace

static Error systemError(const Twine &what) {
  return createStringError(what + ": " + std::strerror(errno));
}

static std::vector<char *> pointers(const std::vector<std::string> &strings) {
  std::vector<char *> result;
  for (const std::string &string : strings)
    result.push_back(const_cast<char *>(string.c_str()));
  result.push_back(nullptr);
  return result;
}

// Between fork and exec: system calls only.
[[noreturn]] static void becomeChild(const ChildCommand &command,
                                     char *const *argv, char *const *envp,
                                     const int streams[3], int status,
                                     pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(127);
  for (int signal : {SIGPIPE, SIGINT, SIGTERM})
    ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  rlimit limit = {0, 0};
  setrlimit(RLIMIT_CORE, &limit);
  if (command.dataLimit) {
    limit.rlim_cur = limit.rlim_max = command.dataLimit;
    setrlimit(RLIMIT_DATA, &limit);
  }
  // The ends are close-on-exec and none is 0..2, except in a parent without
  // standard streams, where dup2 onto itself would keep the flag.
  bool ok = true;
  for (int i = 0; i < 3; ++i)
    ok &=
        streams[i] == i ? fcntl(i, F_SETFD, 0) == 0 : dup2(streams[i], i) == i;
  if (ok)
    execve(command.executable.c_str(), argv, envp);
  int code = errno;
  (void)!write(status, &code, sizeof(code));
  _exit(127);
}

Error ChildProcess::start(const ChildCommand &command) {
  Pipe input, output, error, status;
  if (!input.open() || !output.open() || !error.open() || !status.open())
    return systemError("cannot create a pipe");
  std::vector<char *> argv = pointers(command.arguments);
  std::vector<char *> envp = pointers(command.environment);
  const int streams[3] = {input.fds[0], output.fds[1], error.fds[1]};
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0)
    return systemError("cannot fork");
  if (child == 0)
    becomeChild(command, argv.data(), envp.data(), streams, status.fds[1],
                parent);
  setpgid(child, child); // also here: whoever comes first
  status.close(1);
  int code = 0;
  ssize_t got;
  do
    got = read(status.fds[0], &code, sizeof(code));
  while (got < 0 && errno == EINTR);
  if (got == sizeof(code)) {
    waitpid(child, nullptr, 0);
    errno = code;
    return systemError("cannot execute '" + command.executable + "'");
  }
  pid = child;
  in = input.take(1);
  out = output.take(0);
  err = error.take(0);
  for (int fd : {in, out, err})
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return Error::success();
}

static void closeStream(int &fd) {
  if (fd >= 0)
    close(std::exchange(fd, -1));
}

void ChildProcess::closeInput() { closeStream(in); }
void ChildProcess::closeError() { closeStream(err); }

// WNOWAIT keeps the zombie, and with it the number of the group, so that
// `end` can still kill what is left of the group.
bool ChildProcess::dead() const {
  siginfo_t info;
  info.si_pid = 0;
  return waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

int ChildProcess::end(unsigned patienceMs) {
  if (!running())
    return 0;
  closeInput();
  for (unsigned waited = 0; waited < patienceMs && !dead(); ++waited)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  pid = -1;
  closeStream(out);
  closeError();
  return status;
}

static uint64_t residentOf(pid_t pid) {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/%d/statm", int(pid));
  unsigned long long size = 0, resident = 0;
  if (FILE *file = std::fopen(path, "re")) {
    if (std::fscanf(file, "%llu %llu", &size, &resident) != 2)
      resident = 0;
    std::fclose(file);
  }
  return uint64_t(resident) * uint64_t(sysconf(_SC_PAGESIZE));
}

uint64_t ChildProcess::residentBytes() const {
  uint64_t total = residentOf(pid);
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/%d/task/%d/children", int(pid),
                int(pid));
  if (FILE *file = std::fopen(path, "re")) {
    int child;
    while (std::fscanf(file, "%d", &child) == 1)
      total += residentOf(child);
    std::fclose(file);
  }
  return total;
}

double ChildProcess::processorSeconds() const {
  clockid_t clock;
  timespec time;
  if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 ||
      clock_gettime(clock, &time) != 0)
    return 0;
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

std::string describeStatus(int status) {
  if (WIFSIGNALED(status))
    return "worker ended by signal " + itostr(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ")";
  return "worker exited with status " + itostr(WEXITSTATUS(status));
}

ReadState readAvailable(int fd, std::string &buffer, size_t limit) {
  char chunk[64 << 10];
  size_t total = 0;
  while (total < limit) {
    ssize_t got = read(fd, chunk, sizeof(chunk));
    if (got > 0) {
      buffer.append(chunk, size_t(got));
      total += size_t(got);
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else {
      return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
                 ? ReadState::MoreLater
                 : ReadState::End;
    }
  }
  return ReadState::MoreLater;
}

} // namespace lathe
