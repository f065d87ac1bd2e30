//===- Assembly.cpp - Inline assembly of amdgcn modules -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waits, barriers, hints, and pins: empty text whose results are its operands.
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"
#include "LdsDma.h"
#include "Site.h"
#include "Waits.h"

#include "llvm/ADT/StringExtras.h"

using namespace lathe::sim;
using namespace lathe::sim::amd;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

// "vmcnt(0) & lgkmcnt(0)", or the encoded operand. A counter that is not named
// is not waited for.
static llvm::Expected<unsigned> parseWait(StringRef text) {
  constexpr unsigned none = 63;
  uint64_t encoded;
  if (!text.getAsInteger(0, encoded))
    return vectorCount(encoded);
  unsigned count = none;
  llvm::SmallVector<StringRef, 4> parts;
  llvm::SplitString(text, parts, " \t&,");
  if (parts.empty())
    return llvm::createStringError("s_waitcnt without an operand");
  for (StringRef part : parts) {
    auto [name, rest] = part.split('(');
    unsigned value;
    bool isCounter = name == "vmcnt" || name == "lgkmcnt" || name == "expcnt";
    if (!isCounter || !rest.consume_back(")") || rest.getAsInteger(0, value))
      return llvm::createStringError(
          "s_waitcnt operand '%s', expected vmcnt(n), lgkmcnt(n) or expcnt(n)",
          part.str().c_str());
    if (name == "vmcnt")
      count = value;
  }
  return count;
}

llvm::Expected<AssemblyStep> amd::parseStatement(StringRef statement) {
  auto [mnemonic, operands] = llvm::getToken(statement);
  operands = operands.trim();
  if (mnemonic == "s_barrier" && operands.empty())
    return AssemblyStep{AssemblyStep::Barrier};
  if (mnemonic == "s_waitcnt") {
    auto count = parseWait(operands);
    if (!count)
      return count.takeError();
    return AssemblyStep{AssemblyStep::Wait, *count};
  }
  uint64_t value;
  if ((mnemonic == "s_nop" || mnemonic == "s_setprio") &&
      !operands.getAsInteger(0, value))
    return AssemblyStep{AssemblyStep::Hint};
  if (mnemonic == "s_sleep" && !operands.getAsInteger(0, value))
    return AssemblyStep{AssemblyStep::Sleep};
  return llvm::createStringError("amdgcn assembly '%s'",
                                 statement.trim().str().c_str());
}

llvm::Expected<std::vector<AssemblyStep>>
amd::parseAssembly(StringRef assembly) {
  std::vector<AssemblyStep> steps;
  llvm::SmallVector<StringRef, 8> statements;
  llvm::SplitString(assembly, statements, "\n;");
  for (StringRef statement : statements) {
    statement = statement.split("//").first.trim();
    if (statement.empty())
      continue;
    auto step = parseStatement(statement);
    if (!step)
      return step.takeError();
    steps.push_back(*step);
  }
  return steps;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {

struct Assembly {
  std::vector<AssemblyStep> steps;
};

/// Only results that are tied to operands, in order, have a value.
llvm::Error checkPins(const Site &site) {
  if (site.results.empty())
    return llvm::Error::success();
  llvm::SmallVector<StringRef, 8> constraints;
  StringRef(site.constraints).split(constraints, ',');
  size_t outputs = site.results.size();
  for (size_t i = 0; i < outputs; ++i) {
    size_t input = outputs + i;
    unsigned tied;
    if (input >= constraints.size() || i >= site.operands.size() ||
        constraints[input].getAsInteger(10, tied) || tied != i ||
        slotBytes(site.operands[i]) != slotBytes(site.results[i]))
      return llvm::createStringError(
          "amdgcn assembly '%s' with results of its own",
          site.assembly.c_str());
  }
  return llvm::Error::success();
}

Prepared prepareAssembly(const Site &site) {
  if (llvm::Error error = checkPins(site))
    return std::move(error);
  auto steps = parseAssembly(site.assembly);
  if (!steps)
    return steps.takeError();
  return std::make_shared<Assembly>(Assembly{std::move(*steps)});
}

void runAssembly(Call &call) {
  const auto &assembly =
      *static_cast<const Assembly *>(call.site.prepared.get());
  for (const AssemblyStep &step : assembly.steps)
    switch (step.kind) {
    case AssemblyStep::Barrier:
      runBarrier(call);
      break;
    case AssemblyStep::Wait:
      waitForLdsDma(call, step.count);
      break;
    case AssemblyStep::Sleep:
      call.thread.yield(call.site);
      break;
    case AssemblyStep::Hint:
      break;
    }
  for (unsigned i = 0; i < call.site.results.size(); ++i)
    copyOperand(call, i, call.result(i), slotBytes(call.site.results[i]));
}

} // namespace

void lathe::sim::addAmdAssembly(InstructionSet &set) {
  set.add("asm.amdgcn", {runAssembly, prepareAssembly});
}
