//===- Report.h - What a simulated launch showed ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_SIMULATE_REPORT_H
#define LATHE_SIMULATE_REPORT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace lathe::sim {

enum class FaultKind {
  OutOfBounds,
  Misaligned,
  UninitializedRead,
  ReadOnlyWrite,
  SharedRace,          ///< accesses of one block without order
  GlobalRace,          ///< accesses of two blocks without order
  Divergence,          ///< lanes meet at different collectives
  Deadlock,            ///< nobody can run; the message says who waits where
  Barrier,             ///< mbarrier misuse: over-arrival, no init, wrong phase
  TransactionMismatch, ///< bytes arrived are not the bytes expected
  AsyncHazard,         ///< buffer or accumulator in flight, missing proxy fence
  InvalidOperand,
  Timeout, ///< instruction budget used up
  Trap,    ///< the kernel executed a trap or unreachable
};

/// "out-of-bounds", "misaligned", ...
llvm::StringRef faultKindName(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::OutOfBounds;
  std::string message;     ///< what was found, what was expected
  std::string instruction; ///< as printed in LLVM IR, one line
  std::string location;    ///< file:line:column of the source, or empty
  std::array<uint32_t, 3> block = {}, thread = {};
  uint64_t count = 1; ///< times seen at this instruction
};

/// How one memory instruction used its path. Counted per warp request.
struct AccessStatistic {
  std::string instruction, location;
  bool shared = false;
  uint64_t requests = 0;
  uint64_t sectors = 0;   ///< 32-byte pieces of global memory
  uint64_t ideal = 0;     ///< sectors that the bytes would fill
  uint64_t conflicts = 0; ///< extra passes over the banks of shared memory
};

struct RunReport {
  std::vector<Fault> faults;
  bool aborted = false;      ///< the launch did not run to its end
  uint64_t blocksRun = 0;    ///< of the grid, or of the sample
  uint64_t instructions = 0; ///< LLVM instructions over all threads
  uint64_t barriers = 0;     ///< block barriers completed
  uint64_t collectives = 0;  ///< warp collectives completed
  uint64_t switches = 0;     ///< from fiber to fiber
  /// Bytes of global memory whose order went unchecked for lack of memory.
  uint64_t unchecked = 0;
  double seconds = 0;
  std::vector<AccessStatistic> accesses; ///< only if asked for

  bool ok() const { return faults.empty() && !aborted; }
  void print(llvm::raw_ostream &os) const;
  llvm::json::Value toJSON() const;
};

} // namespace lathe::sim

#endif // LATHE_SIMULATE_REPORT_H
