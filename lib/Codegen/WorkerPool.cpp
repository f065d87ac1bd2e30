//===- WorkerPool.cpp - Jobs in processes that may die --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Codegen/WorkerPool.h"

#include "Process.h"
#include "WorkerProcess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

using namespace llvm;

extern char **environ;

namespace lathe {

using Clock = std::chrono::steady_clock;
using Outcome = JobResult::Outcome;

namespace {

constexpr size_t kReadAtOnce = 4 << 20;
constexpr size_t kKeepStderr = 64 << 10;
constexpr int kTailLines = 20;
constexpr int kMemoryWatchMs = 20;

/// While it lives, SIGINT and SIGTERM only wake the loop, and SIGPIPE is an
/// error of write. One at a time in a process.
class SignalGuard {
public:
  SignalGuard() {
    received = 0;
    if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) != 0)
      wake[0] = wake[1] = -1;
    wakeFd = wake[1];
    struct sigaction action = {};
    action.sa_handler = [](int signal) {
      int saved = errno;
      received = signal;
      (void)!write(wakeFd, "", 1);
      errno = saved;
    };
    sigaction(SIGINT, &action, &oldInt);
    sigaction(SIGTERM, &action, &oldTerm);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, &oldPipe);
  }
  ~SignalGuard() {
    sigaction(SIGINT, &oldInt, nullptr);
    sigaction(SIGTERM, &oldTerm, nullptr);
    sigaction(SIGPIPE, &oldPipe, nullptr);
    for (int fd : wake)
      if (fd >= 0)
        close(fd);
  }

  int wakeup() const { return wake[0]; }
  static int signal() { return received; }

private:
  static volatile sig_atomic_t received;
  static volatile sig_atomic_t wakeFd;
  int wake[2];
  struct sigaction oldInt, oldTerm, oldPipe;
};
volatile sig_atomic_t SignalGuard::received = 0;
volatile sig_atomic_t SignalGuard::wakeFd = -1;

std::atomic<bool> poolRunning{false};

struct Worker {
  ChildProcess process;
  std::optional<size_t> job;
  std::string outgoing, incoming, log;
  size_t sent = 0;
  Clock::time_point started;
  double processorAtStart = 0;

  bool busy() const { return job.has_value(); }
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - started).count();
  }
  /// What is left of a job's time.
  double secondsLeft(const WorkerOptions &options) const {
    double byClock = options.secondsPerJob * options.patience - seconds();
    if (options.patience <= 1)
      return byClock;
    return std::min(byClock, options.secondsPerJob + processorAtStart -
                                 process.processorSeconds());
  }
  void readLog() {
    if (process.error() >= 0 &&
        readAvailable(process.error(), log, kReadAtOnce) == ReadState::End)
      process.closeError();
    if (log.size() > 2 * kKeepStderr)
      log.erase(0, log.size() - kKeepStderr);
  }
};

// The line that says most about a crash; the last one if none stands out.
StringRef tellingLine(StringRef log) {
  StringRef last;
  for (StringRef line : split(log, '\n')) {
    line = line.trim();
    for (StringRef mark : {"LLVM ERROR:", "Assertion `", "SUMMARY: ", "what():",
                           "terminate called", "error:"})
      if (line.contains(mark))
        return line;
    if (!line.empty())
      last = line;
  }
  return last;
}

std::string tail(StringRef log) {
  SmallVector<StringRef> lines;
  log.rtrim().split(lines, '\n');
  auto first =
      lines.size() > kTailLines ? lines.end() - kTailLines : lines.begin();
  return join(first, lines.end(), "\n");
}

} // namespace

struct WorkerPool::Impl {
  using Done = function_ref<void(size_t, JobResult)>;

  explicit Impl(WorkerOptions given) : options(std::move(given)) {}

  Error prepare(size_t jobs);
  Error feed(Worker &worker, size_t job, Request request);
  void finish(Worker &worker, JobResult result, Done done);
  void fail(Worker &worker, Outcome outcome, std::string reason, Done done);
  void lost(Worker &worker, Done done);
  void serve(Worker &worker, short readable, short writable, Done done);
  void answer(Worker &worker, Done done);
  void watch(Worker &worker, Done done);
  void abandon();
  void waitForEvents(const SignalGuard &guard, Done done);

  WorkerOptions options;
  ChildCommand command;
  std::optional<TempDir> scratch; ///< TMPDIR of the workers
  std::deque<Worker> workers;
  int signal = 0;
};

Error WorkerPool::Impl::prepare(size_t jobs) {
  if (!scratch) {
    Expected<TempDir> directory = TempDir::create();
    if (!directory)
      return directory.takeError();
    scratch.emplace(std::move(*directory));
    command.executable = options.executable;
    command.arguments = {options.executable};
    append_range(command.arguments, options.arguments);
    for (char **entry = environ; *entry; ++entry)
      if (!StringRef(*entry).starts_with("TMPDIR="))
        command.environment.push_back(*entry);
    command.environment.push_back("TMPDIR=" + scratch->str());
#if !LLVM_ADDRESS_SANITIZER_BUILD // whose shadow would count
    command.dataLimit = options.mayReserve ? 0 : options.memoryPerJob;
#endif
  }
  size_t wanted = std::min<size_t>(std::max(options.workers, 1u), jobs);
  while (workers.size() < wanted)
    workers.emplace_back();
  return Error::success();
}

Error WorkerPool::Impl::feed(Worker &worker, size_t job, Request request) {
  if (worker.process.running() && worker.process.dead())
    worker.process.end(0);
  if (!worker.process.running())
    if (Error error = worker.process.start(command))
      return error;
  worker.readLog();
  worker.log.clear();
  worker.incoming.clear();
  worker.outgoing = encodeMessage(request);
  worker.sent = 0;
  worker.started = Clock::now();
  worker.processorAtStart = worker.process.processorSeconds();
  worker.job = job;
  return Error::success();
}

void WorkerPool::Impl::finish(Worker &worker, JobResult result, Done done) {
  result.seconds = worker.seconds();
  result.stderrTail = tail(worker.log);
  size_t job = *worker.job;
  worker.job.reset();
  worker.outgoing.clear();
  worker.incoming.clear();
  done(job, std::move(result));
}

// Ends the worker; the next job gets a new one.
void WorkerPool::Impl::fail(Worker &worker, Outcome outcome, std::string reason,
                            Done done) {
  if (worker.process.running()) {
    worker.readLog();
    worker.process.end(0);
  }
  JobResult result;
  result.outcome = outcome;
  result.reason = std::move(reason);
  finish(worker, std::move(result), done);
}

// The worker went away by itself.
void WorkerPool::Impl::lost(Worker &worker, Done done) {
  worker.readLog();
  const std::string status = describeStatus(worker.process.end(1000));
  if (!worker.busy())
    return;
  StringRef line = tellingLine(worker.log);
  std::string reason = status + (line.empty() ? "" : ": ") + line.str();
  const bool memory = any_of(
      ArrayRef<StringRef>{"out of memory", "out-of-memory", "bad_alloc"},
      [&](StringRef mark) { return StringRef(worker.log).contains(mark); });
  fail(worker, memory ? Outcome::OutOfMemory : Outcome::Crashed, reason, done);
}

void WorkerPool::Impl::answer(Worker &worker, Done done) {
  auto size = frameSize(worker.incoming);
  if (!size)
    return fail(worker, Outcome::Crashed,
                "worker answered nonsense: " + toString(size.takeError()),
                done);
  if (!*size || worker.incoming.size() < **size)
    return;
  Expected<Response> response = decodeMessage(worker.incoming);
  if (!response)
    return fail(worker, Outcome::Crashed,
                "worker answered nonsense: " + toString(response.takeError()),
                done);
  worker.readLog();
  JobResult result;
  result.outcome = Outcome::Done;
  result.response = std::move(*response);
  finish(worker, std::move(result), done);
}

void WorkerPool::Impl::serve(Worker &worker, short readable, short writable,
                             Done done) {
  worker.readLog();
  if (writable && worker.busy() && worker.sent < worker.outgoing.size()) {
    StringRef rest = StringRef(worker.outgoing).drop_front(worker.sent);
    ssize_t put = write(worker.process.input(), rest.data(), rest.size());
    if (put > 0)
      worker.sent += size_t(put);
    else if (put < 0 && errno != EAGAIN && errno != EINTR)
      return lost(worker, done);
  }
  if (!readable)
    return;
  ReadState state =
      readAvailable(worker.process.output(), worker.incoming, kReadAtOnce);
  if (!worker.incoming.empty() && worker.busy())
    answer(worker, done);
  // An answer may be the last thing that a worker says.
  if (state == ReadState::End && worker.process.running())
    lost(worker, done);
}

void WorkerPool::Impl::watch(Worker &worker, Done done) {
  if (worker.secondsLeft(options) < 0)
    return fail(
        worker, Outcome::TimedOut,
        formatv("time limit of {0:f1} s exceeded", options.secondsPerJob).str(),
        done);
  if (options.memoryPerJob &&
      worker.process.residentBytes() > options.memoryPerJob)
    fail(worker, Outcome::OutOfMemory,
         "memory limit of " + utostr(options.memoryPerJob >> 20) +
             " MiB exceeded",
         done);
}

// Without a word to the caller, who has an error already.
void WorkerPool::Impl::abandon() {
  for (Worker &worker : workers) {
    worker.process.end(0);
    worker.job.reset();
  }
}

void WorkerPool::Impl::waitForEvents(const SignalGuard &guard, Done done) {
  std::vector<pollfd> polled{{guard.wakeup(), POLLIN, 0}};
  double timeout = 1;
  for (Worker &worker : workers) {
    const bool up = worker.process.running();
    const bool sending = worker.busy() && worker.sent < worker.outgoing.size();
    polled.push_back({up ? worker.process.output() : -1, POLLIN, 0});
    polled.push_back({up && sending ? worker.process.input() : -1, POLLOUT, 0});
    polled.push_back(
        {up && worker.busy() ? worker.process.error() : -1, POLLIN, 0});
    if (worker.busy())
      timeout = std::min(timeout, worker.secondsLeft(options));
  }
  int ms = std::max(0, int(timeout * 1000) + 1);
  if (options.memoryPerJob)
    ms = std::min(ms, kMemoryWatchMs);
  if (poll(polled.data(), polled.size(), ms) < 0)
    return;
  for (size_t i = 0; i < workers.size(); ++i) {
    const pollfd *mine = &polled[1 + 3 * i];
    if (workers[i].process.running() &&
        (mine[0].revents || mine[1].revents || mine[2].revents))
      serve(workers[i], mine[0].revents, mine[1].revents, done);
    if (workers[i].busy())
      watch(workers[i], done);
  }
}

WorkerPool::WorkerPool(WorkerOptions options)
    : impl(std::make_unique<Impl>(std::move(options))) {}

WorkerPool::~WorkerPool() {
  // All learn that there is no more work before any is waited for.
  for (Worker &worker : impl->workers)
    worker.process.closeInput();
  for (Worker &worker : impl->workers)
    worker.process.end(200);
}

int WorkerPool::interruptedBy() const { return impl->signal; }

Error WorkerPool::run(size_t count, function_ref<Request(size_t)> make,
                      function_ref<void(size_t, JobResult)> done) {
  if (count == 0)
    return Error::success();
  if (poolRunning.exchange(true))
    return createStringError("another worker pool runs in this process");
  struct Release {
    ~Release() { poolRunning = false; }
  } release;
  if (Error error = impl->prepare(count))
    return error;
  SignalGuard guard;
  impl->signal = 0;
  size_t next = 0, ended = 0;
  auto record = [&](size_t job, JobResult result) {
    ++ended;
    done(job, std::move(result));
  };
  while (ended < count) {
    if ((impl->signal = SignalGuard::signal())) {
      for (Worker &worker : impl->workers) {
        if (worker.busy())
          impl->fail(worker, Outcome::Interrupted, "interrupted", record);
        worker.process.end(0);
      }
      for (; next < count; ++next) {
        JobResult result;
        result.reason = "interrupted";
        record(next, std::move(result));
      }
      break;
    }
    for (Worker &worker : impl->workers)
      if (!worker.busy() && next < count) {
        if (Error error = impl->feed(worker, next, make(next))) {
          impl->abandon();
          return error;
        }
        ++next;
      }
    impl->waitForEvents(guard, record);
  }
  return Error::success();
}

Expected<std::vector<JobResult>>
WorkerPool::run(std::vector<Request> requests) {
  std::vector<JobResult> results(requests.size());
  if (Error error = run(
          requests.size(), [&](size_t i) { return std::move(requests[i]); },
          [&](size_t i, JobResult result) { results[i] = std::move(result); }))
    return std::move(error);
  return results;
}

} // namespace lathe
