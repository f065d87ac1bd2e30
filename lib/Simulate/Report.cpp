//===- Report.cpp - What a simulated launch showed ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Simulate/Report.h"

#include "llvm/Support/ErrorHandling.h"

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
