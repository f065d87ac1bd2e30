//===- ChildProcess.h - A process that may do anything ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Its own process group, no core file, dies with the thread that started it.
// It reads lines from file descriptor 3 and answers in lines on 4; what it
// prints is kept apart. Nothing that it sends can cost more than the limits.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_MEASURE_CHILDPROCESS_H
#define LATHE_MEASURE_CHILDPROCESS_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace lathe::measure {

inline constexpr int requestDescriptor = 3, replyDescriptor = 4;

struct ChildLimits {
  uint64_t residentBytes = uint64_t(16) << 30;
  size_t keptOutput = size_t(64) << 10; ///< of stdout and stderr together
  size_t lineBytes = size_t(4) << 20;   ///< of one answer
  size_t replyBytes = size_t(64) << 20; ///< of all answers
};

struct ChildEvent {
  enum Kind {
    Line,
    Ended,    ///< by itself; see `describeEnd`
    TimedOut, ///< nothing came within the limit
    TooMuchMemory,
    TooMuchReply,
    Cancelled
  } kind = Ended;
  std::string line; ///< without the line end
};

class ChildProcess {
public:
  /// `command[0]` is a path. Throws std::runtime_error.
  ChildProcess(const std::vector<std::string> &command,
               const ChildLimits &limits);
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &operator=(const ChildProcess &) = delete;
  /// Kills its whole process group.
  ~ChildProcess();

  /// Adds the line end. A child that is gone, or does not read, takes nothing,
  /// and ends the next `wait`, or lets its time run out.
  void send(const std::string &line);
  /// The next event; counts the time from this call on. Stops early once
  /// `cancel` is set.
  ChildEvent wait(std::chrono::milliseconds limit,
                  const std::atomic<bool> &cancel);
  /// Kills the group; afterwards the process is gone, or `isStuck`.
  void kill();
  /// It cannot be killed: the driver holds it.
  bool isStuck() const { return stuck; }

  /// Waits for it to end by itself at most `limit`; then kills it.
  void finish(std::chrono::milliseconds limit);
  /// "exited with status 3", "died by SIGSEGV"; empty while it runs.
  std::string describeEnd() const;
  /// Ended by a signal that nobody here sent.
  bool diedBySignal() const;
  int exitStatus() const; ///< -1 unless it exited by itself
  /// What it printed: the last bytes of it.
  const std::string &output() const { return printed; }

private:
  /// Whether it has ended.
  bool reap();
  void readOutput();
  bool readReply();
  uint64_t residentBytes() const;

  ChildLimits limits;
  pid_t pid = -1;
  int request = -1, reply = -1, prints = -1;
  std::string pending, printed;
  size_t replied = 0;
  bool ended = false, killed = false, stuck = false;
  int status = 0;
};

} // namespace lathe::measure

#endif // LATHE_MEASURE_CHILDPROCESS_H
