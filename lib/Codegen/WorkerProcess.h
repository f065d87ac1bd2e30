//===- WorkerProcess.h - A child process and its streams --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_CODEGEN_WORKERPROCESS_H
#define LATHE_LIB_CODEGEN_WORKERPROCESS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lathe {

/// What a child is started with; built before the fork, since only
/// async-signal-safe calls are allowed after it.
struct ChildCommand {
  std::string executable;
  std::vector<std::string> arguments; ///< argv[0] included
  std::vector<std::string> environment;
  uint64_t dataLimit = 0; ///< RLIMIT_DATA; 0 means none
};

/// A child in a process group of its own, that dies with this process, and
/// the nonblocking ends of its three standard streams.
class ChildProcess {
public:
  ChildProcess() = default;
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &operator=(const ChildProcess &) = delete;
  ~ChildProcess() { end(0); }

  llvm::Error start(const ChildCommand &command);
  bool running() const { return pid > 0; }
  /// Has ended by itself and waits for `end`.
  bool dead() const;

  int input() const { return in; }
  int output() const { return out; }
  int error() const { return err; } ///< -1 after the child closed it
  void closeInput();
  void closeError();

  /// Closes its standard input, waits for it to exit, then kills what is left
  /// of its group. Returns the wait status.
  int end(unsigned patienceMs);

  /// Resident bytes of the child and of its own children.
  uint64_t residentBytes() const;
  /// Of all threads of the child, without its own children; 0 once it is gone.
  double processorSeconds() const;

private:
  pid_t pid = -1;
  int in = -1, out = -1, err = -1;
};

/// "worker ended by signal 6 (Aborted)", "worker exited with status 1"
std::string describeStatus(int status);

enum class ReadState { MoreLater, End };

/// Appends what a nonblocking descriptor has, up to `limit` bytes at a time.
ReadState readAvailable(int fd, std::string &buffer, size_t limit);

} // namespace lathe

#endif // LATHE_LIB_CODEGEN_WORKERPROCESS_H
