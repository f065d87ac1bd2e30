//===- MeasuredRecords.h - Records to what ranking asks for -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_MEASUREDRECORDS_H
#define LATHE_TOOLS_LATHE_MEASUREDRECORDS_H

#include "lathe/Rank/MeasuredTimes.h"
#include "lathe/Records/Records.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <set>
#include <vector>

namespace lathe::tool {

/// Why rows of other kernels are left out.
inline constexpr llvm::StringLiteral strangers = "of kernels that are not here";

/// Whose rows may be used.
struct RecordFilter {
  std::string arch;       ///< of the kernels: sm_90a runs on sm_90
  std::string device;     ///< name or part of it; empty: there may be but one
  bool anyDriver = false; ///< else only those of the last run's driver
};

/// A kernel as it would ship.
struct KernelIdentity {
  std::string entry, kernel, imageSha;
};

/// Rows that hold for these kernels, on one device; nothing else is ever used.
struct RecordSelection {
  std::vector<records::StoredMeasurement>
      rows; ///< in order of their being added
  std::string device, driver;
  /// How many rows were left out, by the reason.
  std::map<std::string, unsigned> ignored;

  void printIgnored(llvm::raw_ostream &os) const;
};

/// "sm_90a" runs on "sm_90".
bool runsOn(llvm::StringRef arch, llvm::StringRef deviceArch);

/// Opens the file to read. Errors: not a file of records; rows of several
/// devices and none was asked for; no row of the one that was.
llvm::Expected<std::vector<records::StoredMeasurement>>
readRecords(const std::string &path);

/// Baselines have no image of ours: they are left to the caller.
llvm::Expected<RecordSelection>
selectRecords(std::vector<records::StoredMeasurement> rows,
              llvm::ArrayRef<KernelIdentity> kernels,
              const RecordFilter &filter);

/// The last verdict of a kernel counts, but WRONG and RACY stay: the same
/// binary does not become right, and an impossible time of a winner refuses it.
/// Of times the last retimed one counts, else the last; those of kernels
/// without a verdict are left out, and counted.
MeasuredTimes timesOf(RecordSelection &selection,
                      llvm::ArrayRef<KernelIdentity> kernels);

/// What all kernels that were retimed at a size have in common is the other
/// process, not theirs: it is laid on those that were not retimed, so that none
/// wins by having been timed only before. Needs two that were.
void shareDrift(const RecordSelection &selection, MeasuredTimes &times);

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_MEASUREDRECORDS_H
