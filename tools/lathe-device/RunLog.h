//===- RunLog.h - Rows of a run, and what earlier ones left --- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_DEVICE_RUNLOG_H
#define LATHE_TOOLS_LATHE_DEVICE_RUNLOG_H

#include "Conversation.h"

#include "lathe/Measure/Candidates.h"
#include "lathe/Records/Records.h"

#include <mutex>
#include <set>

namespace lathe::device {

inline constexpr const char *toolName = "lathe-device " LATHE_VERSION;

/// A time that counts: of a kernel that passed.
struct KernelTime {
  uint32_t kernel = 0;
  double timeUs = 0, rooflineUs = 0;
};

/// Comparisons with a part of a reference.
struct SampledTotals {
  uint64_t draws = 0, compared = 0, elements = 0;
};

/// Everything that workers tell each other. Any thread may call any member.
class RunLog {
public:
  /// `problems` limits what kernels are asked at, by index.
  RunLog(records::Database database, const measure::CandidateFile &file);

  /// Adds the run of a device; gives its id.
  std::string begin(const measure::ProbeReply &device);
  /// Takes what earlier runs said of the file's kernels on such a device, with
  /// this tool. Verdicts of `wantTimes`: only those that came with times.
  void resume(const measure::ProbeReply &device, bool wantTimes);

  bool isDone(uint32_t kernel) const;
  bool isRetimed(const measure::ChildTask::Pairing &pairing) const;
  /// What the kernel was found to be, if it is known.
  std::optional<measure::DeviceVerdict> verdict(uint32_t kernel) const;
  std::string reason(uint32_t kernel) const;

  /// The verdict and all times, in one transaction.
  void add(const std::string &run, uint32_t kernel, uint64_t seed,
           const Outcome &outcome, bool isTimed);
  void addRetimed(const std::string &run, uint64_t seed,
                  const Outcome &outcome);

  /// Of all children that have answered.
  PhaseSeconds seconds() const;
  /// Of all evidence of this run.
  SampledTotals sampled() const;

  /// Of kernels that passed at the problem, fastest first.
  std::vector<KernelTime> times(uint32_t problem) const;

private:
  records::MeasurementRecord describe(const std::string &run, const char *kind,
                                      uint32_t kernel, uint64_t seed) const;
  records::MeasurementRecord describe(const std::string &run, const char *kind,
                                      uint64_t seed,
                                      const measure::TimeReply &time) const;
  std::string key(uint32_t kernel) const;
  std::string retimeKey(const std::string &kernelSha,
                        const std::string &rivalSha,
                        const std::string &dims) const;
  void addSeconds(const PhaseSeconds &seconds);
  void addSampled(const std::vector<records::MeasurementRecord> &rows);
  /// Times of a kernel count no more.
  void forget(uint32_t kernel);
  /// Times of a kernel count from now on.
  void keep(uint32_t kernel, uint32_t problem, double timeUs);

  mutable std::mutex mutex;
  records::Database database;
  const measure::CandidateFile &file;
  const measure::Candidates &plan;
  std::vector<std::string> plans; ///< hash of what is asked of each kernel
  struct Said {
    measure::DeviceVerdict verdict;
    std::string reason;
  };
  std::map<uint32_t, Said> verdicts;
  std::map<uint32_t, std::vector<KernelTime>> best; ///< by problem
  std::set<std::string> retimed;
  PhaseSeconds spent = {};
  SampledTotals sampledTotals;
};

} // namespace lathe::device

#endif // LATHE_TOOLS_LATHE_DEVICE_RUNLOG_H
