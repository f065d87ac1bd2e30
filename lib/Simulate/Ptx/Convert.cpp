//===- Convert.cpp - cvt --------------------------------------------------===//
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
struct Conversion {
  Type to, from;
  std::optional<Rounding> rounding;
  bool roundsToInteger = false; ///< .rni and its kin
  bool nearestAway = false;     ///< .rna
  bool saturates = false;       ///< .sat
  bool saturatesFinite = false; ///< .satfinite
  bool clampsToZero = false;    ///< .relu
  bool flushes = false;
  bool joins = false; ///< two sources, the first in the upper half
};
} // namespace

static FloatFormat formatOf(Type type) {
  switch (type.kind) {
  case Type::BFloat:
    return FloatFormat::BF16;
  case Type::E4M3:
    return FloatFormat::F8E4M3FN;
  case Type::E5M2:
    return FloatFormat::F8E5M2;
  case Type::TF32:
    return FloatFormat::TF32;
  default:
    return type.bits == 16   ? FloatFormat::F16
           : type.bits == 32 ? FloatFormat::F32
                             : FloatFormat::F64;
  }
}

static bool isFloat(Type type) {
  return type.isFloating() || type.kind > Type::Predicate;
}

static uint64_t fromFloat(const Conversion &how, uint64_t bits) {
  double value = decodeFloat(formatOf(how.from), bits);
  Rounding rounding = how.rounding.value_or(Rounding::NearestEven);
  if (how.flushes && how.from.bits == 32)
    value = flushed(float(value));
  if (!isFloat(how.to))
    return toInteger(value, rounding, how.to.bits, how.to.kind == Type::Signed,
                     how.from.bits == 64 || how.to.bits == 64);
  if (how.roundsToInteger && std::isfinite(value))
    value = toIntegral(value, rounding);
  if (how.saturates)
    value = saturated(value);
  FloatFormat format = formatOf(how.to);
  if (format == FloatFormat::F64)
    return llvm::bit_cast<uint64_t>(value);
  if (format == FloatFormat::F32) {
    float result = toFloat(value, rounding);
    return llvm::bit_cast<uint32_t>(how.flushes ? flushed(result) : result);
  }
  Narrowing narrowing;
  narrowing.rounding = how.nearestAway ? FloatRounding::NearestAway
                       : rounding == Rounding::TowardZero
                           ? FloatRounding::TowardZero
                           : FloatRounding::NearestEven;
  narrowing.relu = how.clampsToZero;
  narrowing.saturate = how.saturatesFinite;
  return narrow(format, value, narrowing);
}

static uint64_t fromInteger(const Conversion &how, uint64_t bits) {
  bool isSigned = how.from.kind == Type::Signed;
  uint64_t value =
      isSigned ? uint64_t(SignExtend64(bits, how.from.bits)) : bits;
  if (isFloat(how.to)) {
    Rounding rounding = how.rounding.value_or(Rounding::NearestEven);
    if (how.to.bits == 64)
      return llvm::bit_cast<uint64_t>(
          integerToDouble(value, isSigned, rounding));
    if (how.to.bits == 32)
      return llvm::bit_cast<uint32_t>(
          integerToFloat(value, isSigned, rounding));
    return narrow(formatOf(how.to), integerToDouble(value, isSigned, rounding),
                  {rounding == Rounding::TowardZero
                       ? FloatRounding::TowardZero
                       : FloatRounding::NearestEven});
  }
  if (!how.saturates)
    return value;
  unsigned bitsTo = how.to.bits;
  if (how.to.kind == Type::Signed)
    return isSigned ? uint64_t(std::clamp<int64_t>(value, minIntN(bitsTo),
                                                   maxIntN(bitsTo)))
                    : std::min<uint64_t>(value, maxIntN(bitsTo));
  if (isSigned && int64_t(value) < 0)
    return 0;
  return std::min<uint64_t>(value, maskTrailingOnes<uint64_t>(bitsTo));
}

static void run(Frame &frame, const Statement &statement) {
  auto &how = statement.as<Conversion>();
  uint64_t result = 0;
  if (how.joins) {
    uint64_t high =
        fromFloat(how, readAs(frame, statement.operands[1], how.from));
    uint64_t low =
        fromFloat(how, readAs(frame, statement.operands[2], how.from));
    result = high << how.to.bits | low;
  } else {
    uint64_t in = readAs(frame, statement.operands[1], how.from);
    for (unsigned lane = 0; lane < how.from.lanes; ++lane) {
      uint64_t bits = in >> (lane * how.from.bits) &
                      maskTrailingOnes<uint64_t>(how.from.bits);
      uint64_t part =
          isFloat(how.from) ? fromFloat(how, bits) : fromInteger(how, bits);
      result |= how.from.lanes == 1 ? part : part << (lane * how.to.bits);
    }
  }
  frame.write(statement.operands[0], result);
}

static bool isKnown(const Conversion &how, unsigned sources) {
  bool toFloat = isFloat(how.to), fromFloats = isFloat(how.from);
  if (how.joins)
    return sources == 2 && how.from.kind == Type::Float &&
           how.from.bits == 32 && how.rounding && toFloat && how.to.bits <= 16;
  if (sources != 1 || how.to.lanes != how.from.lanes)
    return false;
  if (toFloat && fromFloats) {
    bool narrows = how.to.bits < how.from.bits || how.to.kind == Type::TF32 ||
                   how.to.kind != how.from.kind;
    bool rounds = how.rounding || how.nearestAway;
    return rounds || how.to.bits > how.from.bits || !narrows ||
           how.from.bits == 8;
  }
  if (toFloat != fromFloats)
    return how.rounding &&
           (toFloat ? !how.roundsToInteger : how.roundsToInteger);
  return !how.rounding;
}

static bool decodeConversion(Statement &statement, Modifiers &modifiers,
                             const Site &) {
  Conversion how;
  StringRef rounding = modifiers.take(
      {"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna"});
  how.nearestAway = rounding == "rna";
  how.roundsToInteger = !how.nearestAway && rounding.consume_back("i");
  how.rounding = StringSwitch<std::optional<Rounding>>(rounding)
                     .Case("rn", Rounding::NearestEven)
                     .Case("rz", Rounding::TowardZero)
                     .Case("rm", Rounding::Down)
                     .Case("rp", Rounding::Up)
                     .Default(std::nullopt);
  how.flushes = modifiers.has("ftz");
  how.saturates = modifiers.has("sat");
  how.saturatesFinite = modifiers.has("satfinite");
  how.clampsToZero = modifiers.has("relu");
  std::optional<Type> to = modifiers.takeType(), from = modifiers.takeType();
  if (!to || !from || to->kind == Type::Bits || from->kind == Type::Bits ||
      to->kind == Type::Predicate || from->kind == Type::Predicate ||
      !hasOperands(statement, 2, 3))
    return false;
  how.to = *to;
  how.from = *from;
  how.joins = to->lanes == 2 && from->lanes == 1;
  // encodeFloat has no directed roundings, which halves would need.
  bool isDirected =
      how.rounding == Rounding::Down || how.rounding == Rounding::Up;
  if ((isDirected && isFloat(*to) && to->bits < 32 && !how.roundsToInteger) ||
      !isKnown(how, statement.operands.size() - 1))
    return false;
  setDecoded(statement, how);
  statement.run = run;
  return true;
}

void ptx::addConversions(Decoders &decoders) {
  decoders["cvt"] = decodeConversion;
}
