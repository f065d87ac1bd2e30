//===- Moves.cpp - mov, selp, prmt, cvta, ... -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Machine.h"
#include "../Nvidia/Arithmetic.h"
#include "../Nvidia/Space.h"
#include "Memory.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace lathe::sim;
using namespace lathe::sim::ptx;

// Packs a vector of registers, or unpacks into one.
static void runMove(Frame &frame, const Statement &statement) {
  auto &type = statement.as<Type>();
  const ptx::Operand &to = statement.operands[0];
  const ptx::Operand &from = statement.operands[1];
  unsigned total = type.bits * type.lanes;
  uint64_t value = 0;
  if (from.kind == ptx::Operand::Vector) {
    unsigned bits = total / from.parts.size();
    for (auto [i, part] : enumerate(from.parts))
      value |= (frame.read(part) & maskTrailingOnes<uint64_t>(bits))
               << (i * bits);
  } else {
    value = readAs(frame, from, type);
  }
  if (to.kind == ptx::Operand::Vector) {
    unsigned bits = total / to.parts.size();
    for (auto [i, part] : enumerate(to.parts))
      frame.write(part,
                  (value >> (i * bits)) & maskTrailingOnes<uint64_t>(bits));
  } else {
    frame.write(to, value);
  }
}

static bool decodeMove(Statement &statement, Modifiers &modifiers,
                       const Site &) {
  std::optional<Type> type = modifiers.takeType();
  if (!type || type->bits * type->lanes < 8 || !hasOperands(statement, 2))
    return false;
  for (const ptx::Operand &operand : statement.operands) {
    size_t parts = operand.parts.size();
    if (operand.kind == ptx::Operand::Vector && parts != 2 && parts != 4)
      return false;
  }
  setDecoded(statement, *type);
  statement.run = runMove;
  return true;
}

static bool decodeSelect(Statement &statement, Modifiers &modifiers,
                         const Site &) {
  std::optional<Type> type = modifiers.takeType();
  if (!type || !hasOperands(statement, 4))
    return false;
  setDecoded(statement, *type);
  statement.run = [](Frame &frame, const Statement &statement) {
    bool first = frame.readPredicate(statement.operands[3]);
    frame.write(
        statement.operands[0],
        readAs(frame, statement.operands[first ? 1 : 2], statement.as<Type>()));
  };
  return true;
}

static bool decodePermute(Statement &statement, Modifiers &modifiers,
                          const Site &) {
  if (!modifiers.has("b32") || !hasOperands(statement, 4))
    return false;
  setDecoded(statement,
             StringSwitch<PermuteMode>(
                 modifiers.take({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}))
                 .Case("f4e", PermuteMode::Forward4)
                 .Case("b4e", PermuteMode::Backward4)
                 .Case("rc8", PermuteMode::Replicate8)
                 .Case("ecl", PermuteMode::EdgeLeft)
                 .Case("ecr", PermuteMode::EdgeRight)
                 .Case("rc16", PermuteMode::Replicate16)
                 .Default(PermuteMode::Index));
  statement.run = [](Frame &frame, const Statement &statement) {
    frame.write(statement.operands[0],
                permuteBytes(statement.as<PermuteMode>(),
                             frame.read(statement.operands[1]),
                             frame.read(statement.operands[2]),
                             frame.read(statement.operands[3])));
  };
  return true;
}

// Shared and generic addresses are the same numbers here.
static bool decodeToGeneric(Statement &statement, Modifiers &modifiers,
                            const Site &) {
  modifiers.has("to");
  ptx::Space space;
  if (!takeSpace(modifiers, space) || !hasOperands(statement, 2) ||
      modifiers.take({"u64", "u32"}).empty())
    return false;
  statement.run = [](Frame &frame, const Statement &statement) {
    frame.write(statement.operands[0], frame.read(statement.operands[1]));
  };
  return true;
}

static bool decodeIsSpace(Statement &statement, Modifiers &modifiers,
                          const Site &) {
  StringRef name = modifiers.take(
      {"const", "global", "local", "shared", "shared::cta", "shared::cluster"});
  if (name.empty() || !hasOperands(statement, 2))
    return false;
  setDecoded(statement,
             StringSwitch<lathe::sim::Space>(name)
                 .Case("const", lathe::sim::Space::Constant)
                 .Case("global", lathe::sim::Space::Global)
                 .Case("local", lathe::sim::Space::Local)
                 .Case("shared::cluster", lathe::sim::Space::SharedCluster)
                 .Default(lathe::sim::Space::Shared));
  statement.run = [](Frame &frame, const Statement &statement) {
    frame.write(statement.operands[0],
                isInSpace(frame.thread, statement.as<lathe::sim::Space>(),
                          frame.read(statement.operands[1])));
  };
  return true;
}

static bool decodeMapa(Statement &statement, Modifiers &modifiers,
                       const Site &) {
  modifiers.has("shared::cluster");
  if (modifiers.take({"u32", "u64"}).empty() || !hasOperands(statement, 3))
    return false;
  statement.run = [](Frame &frame, const Statement &statement) {
    frame.write(statement.operands[0],
                mapAddress(frame.thread, frame.site,
                           frame.read(statement.operands[1]),
                           frame.read(statement.operands[2])));
  };
  return true;
}

static bool decodeRank(Statement &statement, Modifiers &modifiers,
                       const Site &) {
  modifiers.has("shared::cluster");
  if (modifiers.take({"u32", "u64"}).empty() || !hasOperands(statement, 2))
    return false;
  statement.run = [](Frame &frame, const Statement &statement) {
    frame.write(
        statement.operands[0],
        blockRank(frame.thread, frame.site, frame.read(statement.operands[1])));
  };
  return true;
}

// A cache policy is a number that only cache hints take.
static bool decodePolicy(Statement &statement, Modifiers &modifiers,
                         const Site &) {
  if (modifiers.has("cvt"))
    modifiers.has("L2");
  else if (!modifiers.has("range"))
    modifiers.has("fractional");
  modifiers.has("global");
  for (int i = 0; i < 2; ++i)
    modifiers.take({"L2::evict_last", "L2::evict_first", "L2::evict_normal",
                    "L2::evict_unchanged"});
  if (!modifiers.has("b64") || !hasOperands(statement, 1, 4))
    return false;
  statement.run = [](Frame &frame, const Statement &statement) {
    frame.write(statement.operands[0], 0);
  };
  return true;
}

void ptx::addMoves(Decoders &decoders) {
  decoders["mov"] = decodeMove;
  decoders["selp"] = decodeSelect;
  decoders["prmt"] = decodePermute;
  decoders["cvta"] = decodeToGeneric;
  decoders["isspacep"] = decodeIsSpace;
  decoders["mapa"] = decodeMapa;
  decoders["getctarank"] = decodeRank;
  decoders["createpolicy"] = decodePolicy;
}
