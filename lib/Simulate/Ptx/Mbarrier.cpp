//===- Mbarrier.cpp - mbarrier.* ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Nvidia/Mbarrier.h"
#include "Decode.h"

using namespace llvm;
using namespace lathe::sim;
using namespace lathe::sim::ptx;

// Semantics, scope and space as far as they change nothing here: an address
// says itself which block it belongs to.
static void takeScope(Modifiers &modifiers) {
  modifiers.take({"relaxed", "release", "acquire"});
  modifiers.take({"cta", "cluster"});
  modifiers.take({"shared", "shared::cta", "shared::cluster"});
}

static bool isAddress(const Statement &statement, size_t at) {
  return at < statement.operands.size() &&
         statement.operands[at].kind == ptx::Operand::Address &&
         statement.operands[at].parts.size() == 1;
}

static void runArrive(Frame &frame, const Statement &statement) {
  Arrival arrival = statement.as<Arrival>();
  auto &in = statement.operands;
  if (in.size() > 2) {
    uint32_t value = frame.read(in[2]);
    // With expect_tx the operand counts bytes, else arrivals.
    (arrival.expectTx ? arrival.expectTx : arrival.count) = value;
  }
  frame.write(in[0], mbarrierArrive(frame.thread, frame.site,
                                    frame.readAddress(in[1]), arrival));
}

static bool decodeArrive(Statement &statement, Modifiers &modifiers,
                         bool drops) {
  Arrival arrival;
  arrival.drop = drops;
  arrival.expectTx = modifiers.has("expect_tx");
  arrival.noComplete = modifiers.has("noComplete");
  takeScope(modifiers);
  size_t least = arrival.expectTx || arrival.noComplete ? 3 : 2;
  setDecoded(statement, arrival);
  statement.run = runArrive;
  return hasOperands(statement, least, 3) && isAddress(statement, 1);
}

namespace {
struct Wait {
  bool parity, blocks;
};
} // namespace

static void runWait(Frame &frame, const Statement &statement) {
  auto wait = statement.as<Wait>();
  auto &in = statement.operands;
  uint64_t address = frame.readAddress(in[1]), value = frame.read(in[2]);
  bool done = true;
  if (wait.blocks && wait.parity)
    mbarrierWaitParity(frame.thread, frame.site, address, uint32_t(value));
  else if (wait.blocks)
    mbarrierWaitState(frame.thread, frame.site, address, value);
  else
    done = wait.parity
               ? mbarrierTestParity(frame.thread, frame.site, address,
                                    uint32_t(value))
               : mbarrierTestState(frame.thread, frame.site, address, value);
  frame.write(in[0], done);
}

static bool decodeWait(Statement &statement, Modifiers &modifiers,
                       bool blocks) {
  setDecoded(statement, Wait{modifiers.has("parity"), blocks});
  takeScope(modifiers);
  statement.run = runWait;
  return hasOperands(statement, 3, blocks ? 4 : 3) && isAddress(statement, 1);
}

// expect_tx, complete_tx and init: an address and a number.
static bool decodeCount(Statement &statement, Modifiers &modifiers,
                        Execute run) {
  takeScope(modifiers);
  statement.run = run;
  return hasOperands(statement, 2) && isAddress(statement, 0);
}

static bool decodeOperation(Statement &statement, Modifiers &modifiers,
                            StringRef what) {
  if (what == "arrive" || what == "arrive_drop")
    return decodeArrive(statement, modifiers, what == "arrive_drop");
  if (what == "test_wait" || what == "try_wait")
    return decodeWait(statement, modifiers, what == "try_wait");
  if (what == "init")
    return decodeCount(
        statement, modifiers, [](Frame &frame, const Statement &statement) {
          mbarrierInit(frame.thread, frame.site,
                       frame.readAddress(statement.operands[0]),
                       uint32_t(frame.read(statement.operands[1])));
        });
  if (what == "expect_tx")
    return decodeCount(
        statement, modifiers, [](Frame &frame, const Statement &statement) {
          mbarrierExpectTx(frame.thread, frame.site,
                           frame.readAddress(statement.operands[0]),
                           uint32_t(frame.read(statement.operands[1])));
        });
  if (what == "complete_tx")
    return decodeCount(
        statement, modifiers, [](Frame &frame, const Statement &statement) {
          mbarrierCompleteTx(frame.thread, frame.site,
                             frame.readAddress(statement.operands[0]),
                             uint32_t(frame.read(statement.operands[1])));
        });
  if (what == "inval") {
    takeScope(modifiers);
    statement.run = [](Frame &frame, const Statement &statement) {
      mbarrierInvalidate(frame.thread, frame.site,
                         frame.readAddress(statement.operands[0]));
    };
    return hasOperands(statement, 1) && isAddress(statement, 0);
  }
  statement.run = [](Frame &frame, const Statement &statement) {
    frame.write(statement.operands[0],
                mbarrierPendingCount(frame.read(statement.operands[1])));
  };
  return what == "pending_count" && hasOperands(statement, 2);
}

void ptx::addMbarriers(Decoders &decoders) {
  decoders["mbarrier"] = [](Statement &statement, Modifiers &modifiers,
                            const Site &) {
    std::string what = modifiers.next().str();
    modifiers.take({what});
    return decodeOperation(statement, modifiers, what) && modifiers.has("b64");
  };
}
