//===- WorkerPool.h - Jobs in processes that may die ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_CODEGEN_WORKERPOOL_H
#define LATHE_CODEGEN_WORKERPOOL_H

#include "lathe/Codegen/Message.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <memory>

namespace lathe {

using Request = Message;
using Response = Message;

struct JobResult {
  enum class Outcome {
    Done,
    Crashed,     ///< the worker ended or spoke nonsense
    TimedOut,    ///< killed at the time limit
    OutOfMemory, ///< killed, or failed to allocate, at the memory limit
    Interrupted, ///< SIGINT or SIGTERM reached the pool before the job ended
  };
  Outcome outcome = Outcome::Interrupted;
  Response response;      ///< only if Done
  std::string reason;     ///< one line, only if not Done
  std::string stderrTail; ///< last lines the worker printed during the job
  double seconds = 0;

  bool ok() const { return outcome == Outcome::Done; }
};

struct WorkerOptions {
  std::string executable = "/proc/self/exe";
  std::vector<std::string>
      arguments; ///< after argv[0]; must lead to workerMain
  unsigned workers = 1;
  double secondsPerJob = 120;
  /// Above 1 the limit is on the worker's processor time, so that other load of
  /// the machine is not held against a job, and on so many times as long by the
  /// clock.
  double patience = 1;
  /// Resident bytes of a worker with its children; 0 means no limit.
  uint64_t memoryPerJob = uint64_t(4) << 30;
  /// Jobs may map more than that as long as they do not touch it.
  bool mayReserve = false;
};

/// Child processes that answer requests. Whatever a job does to its worker
/// costs that job alone: the worker is replaced and the others go on.
class WorkerPool {
public:
  explicit WorkerPool(WorkerOptions options);
  ~WorkerPool();
  WorkerPool(const WorkerPool &) = delete;
  WorkerPool &operator=(const WorkerPool &) = delete;

  /// Runs jobs 0..count-1. `make` is called just before job i starts, `done`
  /// as soon as it ended, both on the calling thread; jobs start in order but
  /// end in any. While it runs, SIGINT and SIGTERM end every worker and the
  /// remaining jobs become Interrupted. The error is a failure to start
  /// workers at all.
  llvm::Error run(size_t count, llvm::function_ref<Request(size_t)> make,
                  llvm::function_ref<void(size_t, JobResult)> done);

  /// The same with all results at once: result i belongs to request i.
  llvm::Expected<std::vector<JobResult>> run(std::vector<Request> requests);

  /// The signal that ended the last run, or 0.
  int interruptedBy() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// The worker's side: answers requests on standard input until it ends. What
/// the handler prints on standard output goes to standard error.
int workerMain(const std::function<Response(const Request &)> &handler);

} // namespace lathe

#endif // LATHE_CODEGEN_WORKERPOOL_H
