//===- Arithmetic.cpp - add, mul, fma, min, ... ---------------------------===//
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
enum class Op { Add, Sub, Mul, Mad, Div, Rem, Min, Max, Abs, Neg };
enum class Part { Low, High, Wide };

struct Arithmetic {
  Op op = Op::Add;
  Type type;
  Part part = Part::Low;
  unsigned sources = 2;
  Rounding rounding = Rounding::NearestEven;
  MinMax minMax;
  bool flushes = false;      ///< .ftz
  bool saturates = false;    ///< .sat
  bool clampsToZero = false; ///< .relu
};
} // namespace

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static uint64_t computeInteger(const Arithmetic &how, uint64_t a, uint64_t b,
                               uint64_t c) {
  bool isSigned = how.type.kind == Type::Signed;
  unsigned bits = how.type.bits;
  auto extend = [&](uint64_t value) -> __int128 {
    return isSigned ? __int128(SignExtend64(value, bits)) : __int128(value);
  };
  __int128 x = extend(a), y = extend(b);
  switch (how.op) {
  case Op::Add:
  case Op::Sub: {
    __int128 sum = how.op == Op::Add ? x + y : x - y;
    if (how.saturates)
      sum = std::clamp<__int128>(sum, minIntN(bits), maxIntN(bits));
    return uint64_t(sum);
  }
  case Op::Mul:
  case Op::Mad: {
    unsigned __int128 product =
        static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(y);
    if (how.part == Part::High)
      product = isSigned ? static_cast<unsigned __int128>((x * y) >> bits)
                         : product >> bits;
    if (how.op == Op::Mad && how.saturates)
      return uint64_t(
          std::clamp<__int128>(__int128(product) + SignExtend64(c, bits),
                               minIntN(bits), maxIntN(bits)));
    return uint64_t(product) + (how.op == Op::Mad ? c : 0);
  }
  case Op::Div: // by zero: all ones, as the machine does
    return y == 0 ? ~uint64_t(0) : uint64_t(x / y);
  case Op::Rem:
    return y == 0 ? a : uint64_t(x % y);
  case Op::Min:
  case Op::Max: {
    bool first = (how.op == Op::Min) == (x < y);
    uint64_t result = first ? a : b;
    return result;
  }
  case Op::Abs:
    return uint64_t(x < 0 ? -x : x);
  case Op::Neg:
    return uint64_t(-x);
  }
  llvm_unreachable("every operation returns");
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

template <typename T>
static T computeWide(const Arithmetic &how, T a, T b, T c) {
  switch (how.op) {
  case Op::Add:
    return addRounded(a, b, how.rounding);
  case Op::Sub:
    return addRounded(a, -b, how.rounding);
  case Op::Mul:
    return mulRounded(a, b, how.rounding);
  case Op::Mad:
    return fmaRounded(a, b, c, how.rounding);
  case Op::Div:
    return divRounded(a, b, how.rounding);
  case Op::Min:
  case Op::Max:
    return minMax(how.minMax, a, b);
  case Op::Abs:
    return std::fabs(a);
  case Op::Neg:
    return -a;
  case Op::Rem:
    break;
  }
  llvm_unreachable("no remainder of floats");
}

static uint64_t computeSingle(const Arithmetic &how, uint64_t a, uint64_t b,
                              uint64_t c) {
  auto source = [&](uint64_t bits) {
    float value = llvm::bit_cast<float>(uint32_t(bits));
    return how.flushes ? flushed(value) : value;
  };
  float value = computeWide(how, source(a), source(b), source(c));
  if (how.flushes)
    value = flushed(value);
  if (how.saturates)
    value = saturated(value);
  return llvm::bit_cast<uint32_t>(value);
}

static uint64_t computeDouble(const Arithmetic &how, uint64_t a, uint64_t b,
                              uint64_t c) {
  return llvm::bit_cast<uint64_t>(computeWide(how, llvm::bit_cast<double>(a),
                                              llvm::bit_cast<double>(b),
                                              llvm::bit_cast<double>(c)));
}

static uint64_t computeHalf(const Arithmetic &how, uint16_t a, uint16_t b,
                            uint16_t c) {
  FloatFormat format =
      how.type.kind == Type::BFloat ? FloatFormat::BF16 : FloatFormat::F16;
  uint64_t result = 0;
  switch (how.op) {
  case Op::Add:
    result = addSmall(format, a, b);
    break;
  case Op::Sub:
    result = addSmall(format, a, b ^ 0x8000);
    break;
  case Op::Mul: // adding -0 changes no product
    result = fmaSmall(format, a, b, 0x8000);
    break;
  case Op::Mad:
    result = fmaSmall(format, a, b, c);
    break;
  default:
    result = encodeFloat(format, minMax(how.minMax, decodeFloat(format, a),
                                        decodeFloat(format, b)));
  }
  double value = decodeFloat(format, result);
  if (how.saturates)
    return encodeFloat(format, saturated(value));
  return how.clampsToZero && value <= 0 ? 0 : result;
}

static uint64_t computeFloat(const Arithmetic &how, uint64_t a, uint64_t b,
                             uint64_t c) {
  // Sign bits alone, so that NaN keeps its payload.
  uint64_t sign = uint64_t(1) << (how.type.bits - 1);
  if (how.op == Op::Neg && !how.flushes)
    return a ^ sign;
  if (how.op == Op::Abs && !how.flushes)
    return a & ~sign;
  return how.type.bits == 64   ? computeDouble(how, a, b, c)
         : how.type.bits == 32 ? computeSingle(how, a, b, c)
                               : computeHalf(how, a, b, c);
}

//===----------------------------------------------------------------------===//

static void run(Frame &frame, const Statement &statement) {
  auto &how = statement.as<Arithmetic>();
  std::array<uint64_t, 3> in = {};
  for (unsigned i = 0; i < how.sources; ++i) {
    Type type = how.type;
    if (i == 2 && how.part == Part::Wide)
      type.bits *= 2;
    in[i] = readAs(frame, statement.operands[i + 1], type);
  }
  uint64_t result = 0;
  for (unsigned lane = 0; lane < how.type.lanes; ++lane) {
    unsigned shift = lane * how.type.bits;
    uint64_t mask = maskTrailingOnes<uint64_t>(how.type.bits);
    if (how.type.lanes == 1)
      mask = ~uint64_t(0);
    uint64_t a = (in[0] >> shift) & mask, b = (in[1] >> shift) & mask,
             c = (in[2] >> shift) & mask;
    uint64_t value = how.type.isFloating() ? computeFloat(how, a, b, c)
                                           : computeInteger(how, a, b, c);
    result |= how.type.lanes == 1 ? value : (value & mask) << shift;
  }
  frame.write(statement.operands[0], result);
}

static std::optional<Rounding> takeRounding(Modifiers &modifiers) {
  return StringSwitch<std::optional<Rounding>>(
             modifiers.take({"rn", "rz", "rm", "rp"}))
      .Case("rn", Rounding::NearestEven)
      .Case("rz", Rounding::TowardZero)
      .Case("rm", Rounding::Down)
      .Case("rp", Rounding::Up)
      .Default(std::nullopt);
}

static bool isKnownFloat(const Arithmetic &how, bool rounds) {
  bool isNarrow = how.type.bits == 16;
  bool isMinMax = how.op == Op::Min || how.op == Op::Max;
  if (how.op == Op::Rem || (isNarrow && how.op == Op::Div) ||
      (isNarrow && how.rounding != Rounding::NearestEven) ||
      (isNarrow && how.flushes) || (how.type.bits == 64 && how.flushes))
    return false;
  // Without a rounding, div is not f32's or f64's exact one.
  if (how.op == Op::Div ? !rounds : rounds && isMinMax)
    return false;
  return isMinMax || !(how.minMax.propagateNaN || how.minMax.xorSign);
}

static bool decodeArithmetic(Statement &statement, Modifiers &modifiers, Op op,
                             unsigned sources) {
  Arithmetic how;
  how.op = op;
  how.sources = sources;
  StringRef part = modifiers.take({"lo", "hi", "wide"});
  how.part = part == "hi"     ? Part::High
             : part == "wide" ? Part::Wide
                              : Part::Low;
  std::optional<Rounding> rounding = takeRounding(modifiers);
  how.rounding = rounding.value_or(Rounding::NearestEven);
  how.flushes = modifiers.has("ftz");
  how.minMax.max = op == Op::Max;
  how.minMax.propagateNaN = modifiers.has("NaN");
  how.minMax.xorSign = modifiers.has("xorsign") && modifiers.has("abs");
  how.saturates = modifiers.has("sat");
  how.clampsToZero = modifiers.has("relu");
  std::optional<Type> type = modifiers.takeType();
  if (!type || type->kind == Type::Bits || type->kind > Type::BFloat ||
      !hasOperands(statement, sources + 1))
    return false;
  how.type = *type;
  if (type->isFloating()) {
    if (!part.empty() || !isKnownFloat(how, rounding.has_value()) ||
        (how.clampsToZero && (op != Op::Mad || type->bits != 16)))
      return false;
  } else {
    bool multiplies = op == Op::Mul || op == Op::Mad;
    bool isSigned = type->kind == Type::Signed;
    if (rounding || how.flushes || how.minMax.propagateNaN ||
        how.minMax.xorSign || multiplies == part.empty() ||
        (how.part == Part::Wide && type->bits == 64) ||
        (how.saturates && (!isSigned || type->bits != 32)) ||
        ((op == Op::Abs || op == Op::Neg) && !isSigned))
      return false;
  }
  setDecoded(statement, how);
  statement.run = run;
  return true;
}

template <Op op, unsigned sources>
static bool decodeAs(Statement &statement, Modifiers &modifiers, const Site &) {
  return decodeArithmetic(statement, modifiers, op, sources);
}

//===----------------------------------------------------------------------===//
// Functions of one value
//===----------------------------------------------------------------------===//

namespace {
struct Function {
  float (*narrow)(float, bool) = nullptr;
  Type type;
  Rounding rounding = Rounding::NearestEven;
  bool flushes = false;
};
} // namespace

static void runApproximation(Frame &frame, const Statement &statement) {
  auto &function = statement.as<Function>();
  uint64_t in = readAs(frame, statement.operands[1], function.type), out = 0;
  if (function.type.bits == 32) {
    float value = llvm::bit_cast<float>(uint32_t(in));
    out = llvm::bit_cast<uint32_t>(function.narrow(value, function.flushes));
  } else {
    FloatFormat format = function.type.kind == Type::BFloat ? FloatFormat::BF16
                                                            : FloatFormat::F16;
    for (unsigned lane = 0; lane < function.type.lanes; ++lane) {
      float value = decodeFloat(format, (in >> (lane * 16)) & 0xFFFF);
      out |= encodeFloat(format, function.narrow(value, false)) << (lane * 16);
    }
  }
  frame.write(statement.operands[0], out);
}

static void runRoot(Frame &frame, const Statement &statement) {
  auto &function = statement.as<Function>();
  bool isRoot = statement.base == "sqrt";
  uint64_t in = readAs(frame, statement.operands[1], function.type), out;
  if (function.type.bits == 64) {
    double value = llvm::bit_cast<double>(in);
    out = llvm::bit_cast<uint64_t>(
        isRoot ? sqrtRounded(value, function.rounding)
               : divRounded(1.0, value, function.rounding));
  } else {
    float value = llvm::bit_cast<float>(uint32_t(in));
    value = function.flushes ? flushed(value) : value;
    value = isRoot ? sqrtRounded(value, function.rounding)
                   : divRounded(1.0f, value, function.rounding);
    out = llvm::bit_cast<uint32_t>(function.flushes ? flushed(value) : value);
  }
  frame.write(statement.operands[0], out);
}

static bool decodeFunction(Statement &statement, Modifiers &modifiers,
                           const Site &) {
  Function function;
  function.narrow =
      StringSwitch<float (*)(float, bool)>(statement.base)
          .Case("ex2", ex2Approx)
          .Case("lg2", lg2Approx)
          .Case("rcp", rcpApprox)
          .Case("rsqrt", rsqrtApprox)
          .Case("sqrt", sqrtApprox)
          .Case("sin", sinApprox)
          .Case("cos", cosApprox)
          .Default([](float value, bool) { return tanhApprox(value); });
  bool approximate = modifiers.has("approx");
  std::optional<Rounding> rounding = takeRounding(modifiers);
  function.rounding = rounding.value_or(Rounding::NearestEven);
  function.flushes = modifiers.has("ftz");
  std::optional<Type> type = modifiers.takeType();
  if (!type || !type->isFloating() || !hasOperands(statement, 2) ||
      approximate == rounding.has_value())
    return false;
  function.type = *type;
  bool hasHalves = statement.base == "ex2" || statement.base == "tanh";
  bool hasRoundings = statement.base == "sqrt" || statement.base == "rcp";
  if ((type->bits == 16 && !hasHalves) || (rounding && !hasRoundings) ||
      (type->bits == 64 && (approximate || function.flushes)))
    return false;
  statement.run = approximate ? runApproximation : runRoot;
  setDecoded(statement, function);
  return true;
}

void ptx::addArithmetic(Decoders &decoders) {
  decoders["add"] = decodeAs<Op::Add, 2>;
  decoders["sub"] = decodeAs<Op::Sub, 2>;
  decoders["mul"] = decodeAs<Op::Mul, 2>;
  decoders["mad"] = decodeAs<Op::Mad, 3>;
  decoders["fma"] = decodeAs<Op::Mad, 3>;
  decoders["div"] = decodeAs<Op::Div, 2>;
  decoders["rem"] = decodeAs<Op::Rem, 2>;
  decoders["min"] = decodeAs<Op::Min, 2>;
  decoders["max"] = decodeAs<Op::Max, 2>;
  decoders["abs"] = decodeAs<Op::Abs, 1>;
  decoders["neg"] = decodeAs<Op::Neg, 1>;
  for (StringRef name :
       {"ex2", "lg2", "rcp", "rsqrt", "sqrt", "sin", "cos", "tanh"})
    decoders[name] = decodeFunction;
}
