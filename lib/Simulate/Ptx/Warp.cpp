//===- Warp.cpp - shfl, vote, match, redux, elect -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Nvidia/Warp.h"
#include "Decode.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace lathe::sim;
using namespace lathe::sim::ptx;

// `d|p`: the predicate, if it is written.
static void writeSecond(Frame &frame, const Statement &statement, bool value) {
  if (!statement.operands[0].parts.empty())
    frame.write(statement.operands[0].parts[0], value);
}

static bool decodeShuffle(Statement &statement, Modifiers &modifiers,
                          const Site &) {
  std::optional<ShuffleMode> mode =
      StringSwitch<std::optional<ShuffleMode>>(
          modifiers.take({"up", "down", "bfly", "idx"}))
          .Case("up", ShuffleMode::Up)
          .Case("down", ShuffleMode::Down)
          .Case("bfly", ShuffleMode::Butterfly)
          .Case("idx", ShuffleMode::Index)
          .Default(std::nullopt);
  if (!mode || !modifiers.has("sync") || !modifiers.has("b32") ||
      !hasOperands(statement, 5))
    return false;
  setDecoded(statement, *mode);
  statement.run = [](Frame &frame, const Statement &statement) {
    auto &in = statement.operands;
    Shuffled result = shuffle(frame.thread, frame.site, frame.read(in[4]),
                              statement.as<ShuffleMode>(), frame.read(in[1]),
                              frame.read(in[2]), frame.read(in[3]));
    frame.write(in[0], result.value);
    writeSecond(frame, statement, result.valid);
  };
  return true;
}

static bool decodeVote(Statement &statement, Modifiers &modifiers,
                       const Site &) {
  std::optional<VoteMode> mode =
      StringSwitch<std::optional<VoteMode>>(
          modifiers.take({"all", "any", "uni", "ballot"}))
          .Case("all", VoteMode::All)
          .Case("any", VoteMode::Any)
          .Case("uni", VoteMode::Uniform)
          .Case("ballot", VoteMode::Ballot)
          .Default(std::nullopt);
  if (!mode || !modifiers.has("sync") ||
      !modifiers.has(*mode == VoteMode::Ballot ? "b32" : "pred") ||
      !hasOperands(statement, 3))
    return false;
  setDecoded(statement, *mode);
  statement.run = [](Frame &frame, const Statement &statement) {
    auto &in = statement.operands;
    frame.write(in[0],
                vote(frame.thread, frame.site, frame.read(in[2]),
                     statement.as<VoteMode>(), frame.readPredicate(in[1])));
  };
  return true;
}

static bool decodeMatch(Statement &statement, Modifiers &modifiers,
                        const Site &) {
  bool all = modifiers.take({"any", "all"}) == "all";
  std::optional<Type> type;
  if (!modifiers.has("sync") || !(type = modifiers.takeType()) ||
      type->bits < 32 || !hasOperands(statement, 3))
    return false;
  setDecoded(statement, std::pair(*type, all));
  statement.run = [](Frame &frame, const Statement &statement) {
    auto [type, all] = statement.as<std::pair<Type, bool>>();
    auto &in = statement.operands;
    Matched result = match(frame.thread, frame.site, frame.read(in[2]), all,
                           readAs(frame, in[1], type));
    frame.write(in[0], result.lanes);
    writeSecond(frame, statement, result.all);
  };
  return true;
}

static bool decodeRedux(Statement &statement, Modifiers &modifiers,
                        const Site &) {
  if (!modifiers.has("sync") || !hasOperands(statement, 3))
    return false;
  ReduxKind kind;
  StringRef op = modifiers.take({"add", "and", "or", "xor", "min", "max"});
  kind.absolute = modifiers.has("abs");
  kind.propagateNaN = modifiers.has("NaN");
  std::optional<Type> type = modifiers.takeType();
  bool isFloat = type && type->kind == Type::Float;
  bool isSigned = type && type->kind == Type::Signed;
  if (!type || type->bits != 32 ||
      ((kind.absolute || kind.propagateNaN || isFloat) && op != "min" &&
       op != "max"))
    return false;
  kind.op = StringSwitch<ReduxOp>(op)
                .Case("add", ReduxOp::Add)
                .Case("and", ReduxOp::And)
                .Case("or", ReduxOp::Or)
                .Case("xor", ReduxOp::Xor)
                .Case("min", isFloat    ? ReduxOp::MinFloat
                             : isSigned ? ReduxOp::MinSigned
                                        : ReduxOp::MinUnsigned)
                .Default(isFloat    ? ReduxOp::MaxFloat
                         : isSigned ? ReduxOp::MaxSigned
                                    : ReduxOp::MaxUnsigned);
  setDecoded(statement, kind);
  statement.run = [](Frame &frame, const Statement &statement) {
    auto &in = statement.operands;
    frame.write(in[0], redux(frame.thread, frame.site, frame.read(in[2]),
                             statement.as<ReduxKind>(), frame.read(in[1])));
  };
  return !op.empty();
}

static bool decodeElect(Statement &statement, Modifiers &modifiers,
                        const Site &) {
  if (!modifiers.has("sync") || !hasOperands(statement, 2))
    return false;
  statement.run = [](Frame &frame, const Statement &statement) {
    Elected elected =
        elect(frame.thread, frame.site, frame.read(statement.operands[1]));
    frame.write(statement.operands[0], elected.leader);
    writeSecond(frame, statement, elected.isLeader);
  };
  return true;
}

static bool decodeActive(Statement &statement, Modifiers &modifiers,
                         const Site &) {
  statement.run = [](Frame &frame, const Statement &statement) {
    frame.write(statement.operands[0], activeLanes(frame.thread, frame.site));
  };
  return modifiers.has("b32") && hasOperands(statement, 1);
}

void ptx::addWarp(Decoders &decoders) {
  decoders["shfl"] = decodeShuffle;
  decoders["vote"] = decodeVote;
  decoders["match"] = decodeMatch;
  decoders["redux"] = decodeRedux;
  decoders["elect"] = decodeElect;
  decoders["activemask"] = decodeActive;
}
