//===- Control.cpp - Branches and what changes no value -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Program.h"
#include "Memory.h"

using namespace llvm;
using namespace lathe::sim;
using namespace lathe::sim::ptx;

// Whoever jumps back may be polling.
static void runBranch(Frame &frame, const Statement &statement) {
  bool isBackward = statement.target < frame.next;
  if (isBackward) {
    lathe_sim_count(frame.next - statement.target);
    frame.thread.yield(frame.site);
  }
  frame.next = statement.target;
}

static bool decodeBranch(Statement &statement, Modifiers &modifiers,
                         const Site &) {
  modifiers.has("uni");
  statement.run = runBranch;
  return hasOperands(statement, 1) &&
         statement.operands[0].kind == ptx::Operand::Label;
}

static bool decodeExit(Statement &statement, Modifiers &, const Site &) {
  statement.run = [](Frame &frame, const Statement &) { frame.thread.exit(); };
  return hasOperands(statement, 0);
}

static bool decodeTrap(Statement &statement, Modifiers &, const Site &) {
  statement.run = [](Frame &frame, const Statement &) {
    Machine::current().abort(FaultKind::Trap, &frame.thread, frame.site,
                             "the kernel executed a trap");
  };
  return hasOperands(statement, 0);
}

static bool decodeSleep(Statement &statement, Modifiers &modifiers,
                        const Site &) {
  statement.run = [](Frame &frame, const Statement &) {
    frame.thread.yield(frame.site);
  };
  return modifiers.has("u32") && hasOperands(statement, 1);
}

static void doNothing(Frame &, const Statement &) {}

// Hints to caches. discard leaves 128 bytes without a value, and no kernel may
// rely on what it reads there.
static bool decodeHint(Statement &statement, Modifiers &modifiers,
                       const Site &) {
  Space space;
  if (statement.base == "prefetch")
    modifiers.has("param"); // of tensor maps
  if (!takeSpace(modifiers, space) || space == Space::Shared)
    return false;
  modifiers.take({"L1", "L2"});
  modifiers.has("tensormap");
  takeCacheHints(modifiers);
  statement.run = doNothing;
  return hasOperands(statement, 1, 2) &&
         statement.operands[0].kind == ptx::Operand::Address;
}

static bool decodeEvent(Statement &statement, Modifiers &modifiers,
                        const Site &) {
  modifiers.has("mask");
  statement.run = doNothing;
  return hasOperands(statement, 1);
}

static bool decodeRegisters(Statement &statement, Modifiers &modifiers,
                            const Site &site) {
  StringRef direction = modifiers.take({"inc", "dec"});
  return !direction.empty() && modifiers.has("sync") &&
         modifiers.has("aligned") && modifiers.has("u32") &&
         hasOperands(statement, 1) &&
         forward(
             statement, site,
             ("llvm.nvvm.setmaxnreg." + direction + ".sync.aligned.u32").str(),
             {{&statement.operands[0], 32}}, {});
}

static bool decodeDependency(Statement &statement, Modifiers &modifiers,
                             const Site &site) {
  StringRef what = modifiers.take({"wait", "launch_dependents"});
  return !what.empty() && hasOperands(statement, 0) &&
         forward(statement, site,
                 what == "wait" ? "llvm.nvvm.griddepcontrol.wait"
                                : "llvm.nvvm.griddepcontrol.launch.dependents",
                 {}, {});
}

void ptx::addControl(Decoders &decoders) {
  decoders["bra"] = decodeBranch;
  decoders["exit"] = decodeExit;
  decoders["trap"] = decodeTrap;
  decoders["nanosleep"] = decodeSleep;
  decoders["prefetch"] = decodeHint;
  decoders["prefetchu"] = decodeHint;
  decoders["applypriority"] = decodeHint;
  decoders["discard"] = decodeHint;
  decoders["pmevent"] = decodeEvent;
  decoders["setmaxnreg"] = decodeRegisters;
  decoders["griddepcontrol"] = decodeDependency;
}
