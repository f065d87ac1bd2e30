//===- Supervisor.h - Candidates onto devices ----------------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_DEVICE_SUPERVISOR_H
#define LATHE_TOOLS_LATHE_DEVICE_SUPERVISOR_H

#include "Progress.h"
#include "RunLog.h"

#include <deque>

namespace lathe::device {

struct RunOptions {
  std::string candidates, database;
  std::string devices = "0"; ///< ordinals, or "all"
  std::string only;          ///< a regular expression for kernels' names
  std::string entry;
  double timeLimit = 60;        ///< s
  uint64_t memoryLimit = 16384; ///< MiB of the host
  bool isTimed = true, isFresh = false;
  unsigned pairs = 20, retime = 2;
  std::string sanitizer;
  std::optional<uint64_t> seed;
};

/// What is to be done, handed out to whoever asks.
template <typename T> class Queue {
public:
  void push(T item) {
    std::lock_guard<std::mutex> lock(mutex);
    items.push_back(std::move(item));
  }
  std::optional<T> pop() {
    std::lock_guard<std::mutex> lock(mutex);
    if (items.empty())
      return std::nullopt;
    T item = std::move(items.front());
    items.pop_front();
    return item;
  }
  size_t size() const {
    std::lock_guard<std::mutex> lock(mutex);
    return items.size();
  }

private:
  mutable std::mutex mutex;
  std::deque<T> items;
};

/// What all workers share.
struct SharedRun {
  const RunOptions &options;
  const measure::CandidateFile &file;
  RunLog &log;
  Progress &progress;
  const std::atomic<bool> &cancel;
  std::string sanitizer; ///< its path, or empty
  Queue<uint32_t> kernels;
  Queue<std::vector<measure::ChildTask::Pairing>> retimings;
  std::atomic<unsigned> lost{0}; ///< devices
};

/// One device, one child at a time. Its thread must live as long as it does.
class Worker {
public:
  Worker(SharedRun &run, int ordinal, std::string runId);

  /// Until there is nothing left, the run is cancelled or the device is lost.
  void measureAll();
  void retimeAll();
  bool isLost() const { return lost; }

private:
  void measure(uint32_t kernel);
  void retime(const std::vector<measure::ChildTask::Pairing> &pairings);
  Outcome ask(const measure::ChildTask &task);
  /// Under each of the sanitizer's tools; the first that finds something.
  Outcome watch(uint32_t kernel, uint64_t seed);
  /// After what may have hurt the device: whether it is well. Changes the
  /// verdict if it is not.
  void probeAfter(Outcome &outcome);
  measure::ChildTask task(measure::ChildTask::Kind kind, uint64_t seed) const;
  uint64_t seed() const;

  SharedRun &run;
  ChildSetup setup;
  std::string runId;
  std::unique_ptr<measure::ChildProcess> spare; ///< started ahead of time
  bool lost = false;
};

/// What a device answers to a probe; throws std::runtime_error with the reason.
measure::ProbeReply probeDevice(ChildSetup setup,
                                const std::atomic<bool> &cancel);

/// The part of CUDA_VISIBLE_DEVICES that shows a device alone.
std::string visibleDevice(int ordinal);

} // namespace lathe::device

#endif // LATHE_TOOLS_LATHE_DEVICE_SUPERVISOR_H
