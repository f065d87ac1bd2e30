//===- Gate.h - Is a kernel right? ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a kernel on the simulator at the sizes of Verify/Trials.h, with visible
// and hidden draws of Verify/Inputs.h, under permuted schedules, and compares
// with the operator's reference. The first failure decides.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_VERIFY_GATE_H
#define LATHE_VERIFY_GATE_H

#include "lathe/Codegen/Message.h"
#include "lathe/Verify/Trials.h"

namespace lathe {

enum class Verdict {
  Passed,
  Wrong,      ///< another result than the reference's
  Fault,      ///< an access or synchronization that is not allowed
  Racy,       ///< the result, or an access, depends on the schedule
  Timeout,    ///< it does not end
  Unsupported ///< no reference, or an instruction that nobody can simulate
};
/// "PASSED", "WRONG", ...
llvm::StringRef verdictName(Verdict verdict);
std::optional<Verdict> parseVerdict(llvm::StringRef name);

struct GateQuestion {
  std::string kernel;  ///< its name
  std::string bitcode; ///< the module that the backend received
  OperatorSpec spec;
  OpSetEntry entry;                         ///< options, dtypes and scalars
  std::vector<DispatchCase> cases;          ///< all that launch the kernel
  std::optional<std::vector<DimGuard>> own; ///< as TrialQuestion's
  std::vector<Bindings> instances; ///< dims of hot shapes, heaviest first
  uint64_t hiddenSeed = 0;
  unsigned schedules = 10; ///< runs that must agree bit for bit
  TrialBudget budget;
};

struct GateAnswer {
  Verdict verdict = Verdict::Unsupported;
  std::string reason; ///< one line; empty if it passed
  /// Sizes, draws, seeds, worst errors, faults; nothing that depends on the
  /// machine or on time.
  llvm::json::Object evidence;
  uint64_t instructions = 0; ///< simulated
  double seconds = 0;
};

/// Errors: the operator or its reference is broken, or the question is.
llvm::Expected<GateAnswer> runGate(const GateQuestion &question);

/// For workers: the operator travels as its folder, which is read again.
Message gateMessage(const GateQuestion &question);
/// Answers a message of gateMessage.
Message answerGateMessage(const Message &message);
llvm::Expected<GateAnswer> gateAnswer(const Message &message);

/// Guards as they stand in evidence. Errors: what is no guard.
llvm::json::Array guardsToJSON(llvm::ArrayRef<DimGuard> guards);
llvm::Expected<std::vector<DimGuard>>
guardsFromJSON(const llvm::json::Array &guards);

/// Changes with everything that a verdict depends on but the tools: kernel,
/// cases, shapes, the operator's files, seed and budget.
std::string gateKey(const GateQuestion &question);

/// A seed that nobody chose, the same for the same kernel and operator.
uint64_t hiddenSeedOf(llvm::StringRef bitcode, const OperatorSpec &spec);

} // namespace lathe

#endif // LATHE_VERIFY_GATE_H
