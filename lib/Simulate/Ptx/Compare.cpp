//===- Compare.cpp - setp -------------------------------------------------===//
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

namespace {
enum class Order { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };

struct Comparison {
  Type type;
  unsigned accepted = 0; ///< of Order's bits
  StringRef combination; ///< and, or, xor with a third predicate; or empty
  bool flushes = false;
};
} // namespace

template <typename T> static Order compare(T a, T b) {
  return a < b    ? Order::Less
         : a == b ? Order::Equal
         : a > b  ? Order::Greater
                  : Order::Unordered;
}

static double floatOf(const Comparison &comparison, uint64_t bits) {
  const Type &type = comparison.type;
  if (type.bits == 64)
    return llvm::bit_cast<double>(bits);
  if (type.bits == 32) {
    float value = llvm::bit_cast<float>(uint32_t(bits));
    return comparison.flushes ? flushed(value) : value;
  }
  return decodeFloat(
      type.kind == Type::BFloat ? FloatFormat::BF16 : FloatFormat::F16, bits);
}

static Order order(const Comparison &comparison, uint64_t a, uint64_t b) {
  const Type &type = comparison.type;
  if (type.isFloating())
    return compare(floatOf(comparison, a), floatOf(comparison, b));
  if (type.kind == Type::Signed)
    return compare(SignExtend64(a, type.bits), SignExtend64(b, type.bits));
  return compare(a, b);
}

static void run(Frame &frame, const Statement &statement) {
  auto &comparison = statement.as<Comparison>();
  bool holds =
      unsigned(order(comparison,
                     readAs(frame, statement.operands[1], comparison.type),
                     readAs(frame, statement.operands[2], comparison.type))) &
      comparison.accepted;
  auto combine = [&](bool value) {
    if (comparison.combination.empty())
      return value;
    bool third = frame.readPredicate(statement.operands[3]);
    return comparison.combination == "and"  ? value && third
           : comparison.combination == "or" ? value || third
                                            : value != third;
  };
  const ptx::Operand &to = statement.operands[0];
  bool first = combine(holds), second = combine(!holds);
  frame.write(to, first);
  if (!to.parts.empty())
    frame.write(to.parts[0], second);
}

static bool decodeComparison(Statement &statement, Modifiers &modifiers,
                             const Site &) {
  unsigned less = unsigned(Order::Less), equal = unsigned(Order::Equal),
           greater = unsigned(Order::Greater),
           unordered = unsigned(Order::Unordered);
  StringRef name = modifiers.next();
  Comparison comparison;
  StringRef plain = name;
  bool ofFloats = name.size() == 3 && plain.consume_back("u");
  comparison.accepted = StringSwitch<unsigned>(plain)
                            .Case("eq", equal)
                            .Case("ne", less | greater)
                            .Cases({"lt", "lo"}, less)
                            .Cases({"le", "ls"}, less | equal)
                            .Cases({"gt", "hi"}, greater)
                            .Cases({"ge", "hs"}, greater | equal)
                            .Case("num", less | equal | greater)
                            .Case("nan", unordered)
                            .Default(0);
  if (!comparison.accepted)
    return false;
  modifiers.take({name});
  ofFloats |= name == "num" || name == "nan";
  bool ofUnsigned =
      name == "lo" || name == "ls" || name == "hi" || name == "hs";
  if (name != plain)
    comparison.accepted |= unordered;
  comparison.combination = modifiers.take({"and", "or", "xor"});
  if (!comparison.combination.empty()) // outlive the statement's own strings
    comparison.combination = comparison.combination == "and"  ? "and"
                             : comparison.combination == "or" ? "or"
                                                              : "xor";
  comparison.flushes = modifiers.has("ftz");
  std::optional<Type> type = modifiers.takeType();
  if (!type || type->lanes != 1 || type->kind > Type::BFloat ||
      (ofFloats && !type->isFloating()) ||
      (ofUnsigned && type->kind == Type::Signed) ||
      !hasOperands(statement, comparison.combination.empty() ? 3 : 4))
    return false;
  comparison.type = *type;
  setDecoded(statement, comparison);
  statement.run = run;
  return true;
}

void ptx::addComparisons(Decoders &decoders) {
  decoders["setp"] = decodeComparison;
}
