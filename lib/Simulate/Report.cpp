//===- Report.cpp - What a simulated launch showed ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Simulate/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace lathe::sim;

llvm::StringRef lathe::sim::faultKindName(FaultKind kind) {
  switch (kind) {
  case FaultKind::OutOfBounds:
    return "out-of-bounds";
  case FaultKind::Misaligned:
    return "misaligned";
  case FaultKind::UninitializedRead:
    return "uninitialized-read";
  case FaultKind::ReadOnlyWrite:
    return "read-only-write";
  case FaultKind::SharedRace:
    return "shared-race";
  case FaultKind::GlobalRace:
    return "global-race";
  case FaultKind::Divergence:
    return "divergence";
  case FaultKind::Deadlock:
    return "deadlock";
  case FaultKind::Barrier:
    return "barrier";
  case FaultKind::TransactionMismatch:
    return "transaction-mismatch";
  case FaultKind::AsyncHazard:
    return "async-hazard";
  case FaultKind::InvalidOperand:
    return "invalid-operand";
  case FaultKind::Timeout:
    return "timeout";
  case FaultKind::Trap:
    return "trap";
  }
  llvm_unreachable("unknown fault kind");
}

static std::string coordinates(const std::array<uint32_t, 3> &at) {
  return "(" + llvm::utostr(at[0]) + "," + llvm::utostr(at[1]) + "," +
         llvm::utostr(at[2]) + ")";
}

/// Extra work of a memory instruction, for the order of the table.
static uint64_t waste(const AccessStatistic &access) {
  return access.shared ? access.conflicts : access.sectors - access.ideal;
}

static std::vector<const AccessStatistic *>
worstFirst(const RunReport &report) {
  std::vector<const AccessStatistic *> sorted;
  for (const AccessStatistic &access : report.accesses)
    sorted.push_back(&access);
  // Equal ones stay in the order of the program.
  llvm::sort(sorted, [](const AccessStatistic *a, const AccessStatistic *b) {
    uint64_t wasteA = waste(*a), wasteB = waste(*b);
    return wasteA != wasteB ? wasteA > wasteB : a < b;
  });
  return sorted;
}

void RunReport::print(llvm::raw_ostream &os) const {
  for (const Fault &fault : faults) {
    os << faultKindName(fault.kind) << ": " << fault.message << "\n  block "
       << coordinates(fault.block) << " thread " << coordinates(fault.thread);
    if (fault.count > 1)
      os << ", seen " << fault.count << " times";
    os << "\n  in " << fault.instruction << '\n';
    if (!fault.location.empty())
      os << "  at " << fault.location << '\n';
  }
  os << (aborted          ? "aborted"
         : faults.empty() ? "ok"
                          : "faults")
     << ": " << blocksRun << " blocks, " << instructions << " instructions, "
     << barriers << " barriers, " << collectives << " collectives, " << switches
     << " switches, " << llvm::format("%.3f", seconds) << " s\n";
  if (unchecked)
    os << "order unchecked for " << unchecked
       << " bytes of global memory: the shadow is full\n";
  if (accesses.empty())
    return;
  os << llvm::format("%-6s %12s %12s %12s %12s  %s\n", "memory", "requests",
                     "sectors", "ideal", "conflicts", "instruction");
  for (const AccessStatistic *access : worstFirst(*this)) {
    os << llvm::format("%-6s %12llu ", access->shared ? "shared" : "global",
                       (unsigned long long)access->requests);
    if (access->shared)
      os << llvm::format("%12s %12s %12llu", "-", "-",
                         (unsigned long long)access->conflicts);
    else
      os << llvm::format("%12llu %12llu %12s",
                         (unsigned long long)access->sectors,
                         (unsigned long long)access->ideal, "-");
    os << "  " << access->instruction;
    if (!access->location.empty())
      os << " at " << access->location;
    os << '\n';
  }
}

static llvm::json::Array toArray(const std::array<uint32_t, 3> &at) {
  return llvm::json::Array{at[0], at[1], at[2]};
}

llvm::json::Value RunReport::toJSON() const {
  llvm::json::Array faultList, accessList;
  for (const Fault &fault : faults)
    faultList.push_back(llvm::json::Object{
        {"kind", faultKindName(fault.kind)},
        {"message", llvm::json::fixUTF8(fault.message)},
        {"instruction", llvm::json::fixUTF8(fault.instruction)},
        {"location", llvm::json::fixUTF8(fault.location)},
        {"block", toArray(fault.block)},
        {"thread", toArray(fault.thread)},
        {"count", fault.count}});
  for (const AccessStatistic *access : worstFirst(*this)) {
    llvm::json::Object entry{
        {"instruction", llvm::json::fixUTF8(access->instruction)},
        {"location", llvm::json::fixUTF8(access->location)},
        {"memory", access->shared ? "shared" : "global"},
        {"requests", access->requests}};
    if (access->shared) {
      entry["conflicts"] = access->conflicts;
    } else {
      entry["sectors"] = access->sectors;
      entry["ideal"] = access->ideal;
    }
    accessList.push_back(std::move(entry));
  }
  llvm::json::Object report{{"faults", std::move(faultList)},
                            {"aborted", aborted},
                            {"blocks", blocksRun},
                            {"instructions", instructions},
                            {"barriers", barriers},
                            {"collectives", collectives},
                            {"switches", switches},
                            {"unchecked", unchecked},
                            {"seconds", seconds}};
  if (!accesses.empty())
    report["accesses"] = std::move(accessList);
  return report;
}
