//===- Faults.h - Faults of one machine -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_FAULTS_H
#define LATHE_LIB_SIMULATE_FAULTS_H

#include "Instruction.h"
#include "lathe/Simulate/Report.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Twine.h"

namespace lathe::sim {

/// Instruction text of a site, at most `width` characters.
std::string shortText(const Site &site, unsigned width = 96);

/// One entry per kind and site.
class FaultLog {
public:
  static constexpr unsigned maxDistinct = 64;

  struct Entry {
    Fault fault;
    uint32_t site;
    uint64_t position; ///< of the cluster
  };

  /// Counts another one of a known fault; false: it is new.
  bool repeat(FaultKind kind, const Site &site);
  void add(FaultKind kind, const Thread *thread, const Site &site,
           const llvm::Twine &message);
  llvm::ArrayRef<Entry> all() const { return entries; }

  /// Joins the logs of several machines: by position, without what lies behind
  /// `lastPosition`.
  static std::vector<Fault> merge(llvm::ArrayRef<const FaultLog *> logs,
                                  uint64_t lastPosition);

private:
  static uint64_t keyOf(FaultKind kind, uint32_t site) {
    return uint64_t(site) << 8 | uint64_t(kind);
  }
  std::vector<Entry> entries;
  llvm::DenseMap<uint64_t, unsigned> index;
};

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_FAULTS_H
