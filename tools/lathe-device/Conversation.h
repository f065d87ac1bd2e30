//===- Conversation.h - One task, one child ------------------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_DEVICE_CONVERSATION_H
#define LATHE_TOOLS_LATHE_DEVICE_CONVERSATION_H

#include "lathe/Measure/ChildProcess.h"
#include "lathe/Measure/ChildProtocol.h"

#include <array>
#include <memory>
#include <optional>

namespace lathe::device {

/// How children are started, and what they may take.
struct ChildSetup {
  std::string candidates;    ///< path of the file, or empty
  std::string visible = "-"; ///< for CUDA_VISIBLE_DEVICES; "-": as it is
  int ordinal = 0;
  double timeLimit = 60; ///< s, of one phase
  measure::ChildLimits limits;
};

/// Seconds of wall time, by ChildPhase.
using PhaseSeconds = std::array<double, measure::childPhases>;

/// What came of a task. Without a verdict of its own a child that crashed, hung
/// or talked nonsense is given one.
struct Outcome {
  std::optional<measure::ProbeReply> probe;
  std::vector<measure::TimeReply> times;
  measure::VerdictReply verdict;
  measure::ChildPhase phase = measure::ChildPhase::Start; ///< the last
  bool isCancelled = false;
  bool isStuck = false; ///< the process cannot be killed
  int exitStatus = -1;
  std::string output; ///< what it printed
  PhaseSeconds seconds = {};
};

/// Starts the program itself as a child that waits for its task. `prefix` runs
/// before it, as a tool that watches it.
std::unique_ptr<measure::ChildProcess>
startChild(const ChildSetup &setup,
           const std::vector<std::string> &prefix = {});

/// Blocks until the child has answered and is gone.
Outcome converse(measure::ChildProcess &child, const measure::ChildTask &task,
                 const ChildSetup &setup, const std::atomic<bool> &cancel);

} // namespace lathe::device

#endif // LATHE_TOOLS_LATHE_DEVICE_CONVERSATION_H
