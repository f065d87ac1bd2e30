//===- ChildProtocol.h - What a child is asked and answers ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One JSON object a line. Readers check everything: a child that went astray
// may send anything.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_MEASURE_CHILDPROTOCOL_H
#define LATHE_MEASURE_CHILDPROTOCOL_H

#include "lathe/Measure/Device.h"
#include "lathe/Measure/Timer.h"
#include "lathe/Measure/Verdict.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace lathe::measure {

struct ChildTask {
  enum Kind {
    Probe,     ///< the device, its floors; runs known kernels
    Candidate, ///< check one kernel, then time it
    Retime     ///< kernels that passed, against each other
  } kind = Probe;
  uint64_t seed = 0;
  uint32_t kernel = 0;
  bool isTimed = true, isWatched = false;
  /// Candidate: by problem, what was fastest so far. Retime: by problem, the
  /// winner and one of the others (or itself, where it is alone).
  struct Pairing {
    uint32_t problem = 0, kernel = 0, rival = 0;
  };
  std::vector<Pairing> pairings;
  TimerOptions timer;
};

/// What a child is busy with, from which its limits follow.
enum class ChildPhase { Start, Load, Launch, Reference, Time };
constexpr size_t childPhases = 5;
/// "start", "load", "launch", "reference", "time".
const char *phaseName(ChildPhase phase);

struct PhaseReply {
  ChildPhase phase = ChildPhase::Start;
  std::string text;
};

struct ProbeReply {
  DeviceInfo device;
  std::string driver; ///< NVML's, or empty
  Floors floors;
  double fillBytesPerSecond = 0; ///< written by the driver's fill
  ClockSample clocks;
  int devices = 0;      ///< how many there are
  bool isSound = false; ///< known kernels gave the known answers
};

/// A kernel at a problem.
struct TimeReply {
  uint32_t problem = 0, kernel = 0;
  int64_t rival = -1; ///< kernel it was interleaved with
  Honesty honesty = Honesty::Good;
  std::string reason; ///< of another honesty
  double timeUs = 0, lowUs = 0, highUs = 0, spread = 0;
  double ratio = 0, ratioLow = 0, ratioHigh = 0; ///< over the rival's
  std::string samples, clocks; ///< JSON, as in MeasurementRecord
  std::string evidence;        ///< JSON object
};

struct VerdictReply {
  DeviceVerdict verdict = DeviceVerdict::Crash;
  std::string reason;
  std::string evidence = "{}"; ///< JSON object
  /// Whose launch it was, where several kernels ran: the task's, or one beside
  /// it.
  enum Blame { Unknown, Own, Rival } blame = Unknown;
};

using ChildReply =
    std::variant<PhaseReply, ProbeReply, TimeReply, VerdictReply>;

std::string writeTask(const ChildTask &task);
/// Throws std::runtime_error.
ChildTask readTask(const std::string &line);
std::string writeReply(const ChildReply &reply);
/// Throws std::runtime_error that says what is wrong with the line.
ChildReply readReply(const std::string &line);

/// JSON of a row: samples in µs by method; clocks.
std::string samplesText(const Samples &samples);
std::string clocksText(const std::vector<ClockSample> &clocks);
std::string floorsText(const Floors &floors);

} // namespace lathe::measure

#endif // LATHE_MEASURE_CHILDPROTOCOL_H
