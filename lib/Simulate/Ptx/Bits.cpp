//===- Bits.cpp - Logic, shifts, bit fields and comparisons ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Nvidia/Arithmetic.h"
#include "Decode.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace llvm;
using namespace lathe;
using namespace lathe::sim;
using namespace lathe::sim::ptx;

//===----------------------------------------------------------------------===//
// Logic
//===----------------------------------------------------------------------===//

using Combine = uint64_t (*)(Type type, uint64_t a, uint64_t b, uint64_t c);

namespace {
struct Logic {
  Type type;
  Combine combine;
};
} // namespace

static uint64_t shiftLeft(Type type, uint64_t a, uint64_t b, uint64_t) {
  b = uint32_t(b);
  return b >= type.bits ? 0 : a << b;
}

static uint64_t shiftRight(Type type, uint64_t a, uint64_t b, uint64_t) {
  b = std::min<uint64_t>(uint32_t(b), type.bits);
  if (type.kind == Type::Signed)
    return uint64_t(SignExtend64(a, type.bits) >> std::min<uint64_t>(b, 63));
  return b >= type.bits ? 0 : a >> b;
}

static uint64_t reverse(Type type, uint64_t a, uint64_t, uint64_t) {
  return type.bits == 64 ? reverseBits(a) : reverseBits(uint32_t(a));
}

static uint64_t countLeading(Type type, uint64_t a, uint64_t, uint64_t) {
  return type.bits == 64 ? countl_zero(a) : countl_zero(uint32_t(a));
}

template <unsigned sources>
static void runLogic(Frame &frame, const Statement &statement) {
  auto &logic = statement.as<Logic>();
  std::array<uint64_t, 3> in = {};
  for (unsigned i = 0; i < sources; ++i)
    in[i] = readAs(frame, statement.operands[i + 1], logic.type);
  frame.write(statement.operands[0],
              logic.combine(logic.type, in[0], in[1], in[2]));
}

template <unsigned sources>
static bool decodeLogic(Statement &statement, Modifiers &modifiers,
                        const Site &) {
  Combine combine =
      StringSwitch<Combine>(statement.base)
          .Case("and",
                [](Type, uint64_t a, uint64_t b, uint64_t) { return a & b; })
          .Case("or",
                [](Type, uint64_t a, uint64_t b, uint64_t) { return a | b; })
          .Case("xor",
                [](Type, uint64_t a, uint64_t b, uint64_t) { return a ^ b; })
          .Case("not",
                [](Type type, uint64_t a, uint64_t, uint64_t) {
                  return type.kind == Type::Predicate ? a ^ 1 : ~a;
                })
          .Case("cnot", [](Type, uint64_t a, uint64_t,
                           uint64_t) { return uint64_t(a == 0); })
          .Case("popc", [](Type, uint64_t a, uint64_t,
                           uint64_t) { return uint64_t(popcount(a)); })
          .Case("clz", countLeading)
          .Case("brev", reverse)
          .Case("shl", shiftLeft)
          .Case("shr", shiftRight)
          .Default(nullptr);
  std::optional<Type> type = modifiers.takeType();
  if (!type || type->isFloating() || type->lanes != 1 ||
      !hasOperands(statement, sources + 1))
    return false;
  setDecoded(statement, Logic{*type, combine});
  statement.run = runLogic<sources>;
  return true;
}

//===----------------------------------------------------------------------===//
// Bit fields, lop3, funnel shifts
//===----------------------------------------------------------------------===//

static bool decodeExtract(Statement &statement, Modifiers &modifiers,
                          const Site &) {
  std::optional<Type> type = modifiers.takeType();
  if (!type || type->bits < 32 || type->kind == Type::Bits ||
      !hasOperands(statement, 4))
    return false;
  setDecoded(statement, *type);
  statement.run = [](Frame &frame, const Statement &statement) {
    auto &type = statement.as<Type>();
    frame.write(statement.operands[0],
                bitFieldExtract(readAs(frame, statement.operands[1], type),
                                frame.read(statement.operands[2]),
                                frame.read(statement.operands[3]), type.bits,
                                type.kind == Type::Signed));
  };
  return true;
}

static bool decodeInsert(Statement &statement, Modifiers &modifiers,
                         const Site &) {
  std::optional<Type> type = modifiers.takeType();
  if (!type || type->bits < 32 || type->kind != Type::Bits ||
      !hasOperands(statement, 5))
    return false;
  setDecoded(statement, *type);
  statement.run = [](Frame &frame, const Statement &statement) {
    auto &type = statement.as<Type>();
    frame.write(statement.operands[0],
                bitFieldInsert(readAs(frame, statement.operands[1], type),
                               readAs(frame, statement.operands[2], type),
                               frame.read(statement.operands[3]),
                               frame.read(statement.operands[4]), type.bits));
  };
  return true;
}

static bool decodeLookup(Statement &statement, Modifiers &modifiers,
                         const Site &) {
  if (!modifiers.has("b32") || !hasOperands(statement, 5))
    return false;
  statement.run = [](Frame &frame, const Statement &statement) {
    uint32_t a = frame.read(statement.operands[1]),
             b = frame.read(statement.operands[2]),
             c = frame.read(statement.operands[3]),
             table = frame.read(statement.operands[4]), result = 0;
    for (unsigned row = 0; row < 8; ++row)
      if (table >> row & 1)
        result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
    frame.write(statement.operands[0], result);
  };
  return true;
}

namespace {
struct Funnel {
  bool left, clamps;
};
} // namespace

static bool decodeFunnel(Statement &statement, Modifiers &modifiers,
                         const Site &) {
  bool left = modifiers.take({"l", "r"}) == "l";
  bool clamps = modifiers.take({"clamp", "wrap"}) == "clamp";
  if (!modifiers.has("b32") || !hasOperands(statement, 4))
    return false;
  setDecoded(statement, Funnel{left, clamps});
  statement.run = [](Frame &frame, const Statement &statement) {
    auto &funnel = statement.as<Funnel>();
    uint64_t low = uint32_t(frame.read(statement.operands[1]));
    uint64_t both = low | frame.read(statement.operands[2]) << 32;
    uint32_t amount = frame.read(statement.operands[3]);
    amount = funnel.clamps ? std::min(amount, 32u) : amount & 31;
    frame.write(statement.operands[0],
                funnel.left ? both << amount >> 32 : both >> amount);
  };
  return true;
}

static bool decodeFind(Statement &statement, Modifiers &modifiers,
                       const Site &) {
  bool shift = modifiers.has("shiftamt");
  std::optional<Type> type = modifiers.takeType();
  if (!type || type->bits < 32 || type->kind == Type::Bits ||
      !hasOperands(statement, 2))
    return false;
  setDecoded(statement, std::pair(*type, shift));
  statement.run = [](Frame &frame, const Statement &statement) {
    auto [type, shift] = statement.as<std::pair<Type, bool>>();
    frame.write(statement.operands[0],
                findLeading(readAs(frame, statement.operands[1], type),
                            type.bits, type.kind == Type::Signed, shift));
  };
  return true;
}

void ptx::addBitOperations(Decoders &decoders) {
  for (StringRef name : {"and", "or", "xor", "shl", "shr"})
    decoders[name] = decodeLogic<2>;
  for (StringRef name : {"not", "cnot", "popc", "clz", "brev"})
    decoders[name] = decodeLogic<1>;
  decoders["bfe"] = decodeExtract;
  decoders["bfi"] = decodeInsert;
  decoders["lop3"] = decodeLookup;
  decoders["shf"] = decodeFunnel;
  decoders["bfind"] = decodeFind;
}
