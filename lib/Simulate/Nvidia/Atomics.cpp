//===- Atomics.cpp - Read-modify-write of memory --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Atomics.h"

#include "Arithmetic.h"
#include "Register.h"

#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace lathe::sim {

namespace {

bool isFloat(AtomicType type) { return type >= AtomicType::F16; }

FloatFormat formatOf(AtomicType type) {
  return type == AtomicType::F16 || type == AtomicType::F16x2
             ? FloatFormat::F16
             : FloatFormat::BF16;
}

int64_t signedValue(AtomicType type, uint64_t bits) {
  return type == AtomicType::S32 ? int64_t(int32_t(bits)) : int64_t(bits);
}

uint16_t combineSmall(AtomicOp op, FloatFormat format, uint16_t a, uint16_t b) {
  if (op == AtomicOp::Add)
    return addSmall(format, a, b);
  MinMax order;
  order.max = op == AtomicOp::Max;
  return uint16_t(narrow(
      format, minMax(order, decodeFloat(format, a), decodeFloat(format, b)),
      {}));
}

uint64_t combineFloat(AtomicOp op, AtomicType type, uint64_t old,
                      uint64_t operand, bool flush) {
  switch (type) {
  case AtomicType::F32: {
    float a = bit_cast<float>(uint32_t(old));
    float b = bit_cast<float>(uint32_t(operand));
    if (flush)
      return bit_cast<uint32_t>(
          flushed(addRounded(flushed(a), flushed(b), Rounding::NearestEven)));
    return bit_cast<uint32_t>(addRounded(a, b, Rounding::NearestEven));
  }
  case AtomicType::F64:
    return bit_cast<uint64_t>(addRounded(bit_cast<double>(old),
                                         bit_cast<double>(operand),
                                         Rounding::NearestEven));
  case AtomicType::F16:
  case AtomicType::BF16:
    return combineSmall(op, formatOf(type), uint16_t(old), uint16_t(operand));
  default: {
    FloatFormat format = formatOf(type);
    uint32_t low = combineSmall(op, format, uint16_t(old), uint16_t(operand));
    uint32_t high =
        combineSmall(op, format, uint16_t(old >> 16), uint16_t(operand >> 16));
    return low | high << 16;
  }
  }
}

template <typename T, typename Next>
uint64_t replaceAt(char *bytes, Next next) {
  auto *cell = reinterpret_cast<T *>(bytes);
  T seen = __atomic_load_n(cell, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(cell, &seen, T(next(seen)), false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return seen;
}

} // namespace

unsigned atomicBytes(AtomicType type) {
  switch (type) {
  case AtomicType::B16:
  case AtomicType::F16:
  case AtomicType::BF16:
    return 2;
  case AtomicType::B64:
  case AtomicType::U64:
  case AtomicType::S64:
  case AtomicType::F64:
    return 8;
  default:
    return 4;
  }
}

bool isAtomic(AtomicOp op, AtomicType type) {
  bool small = type >= AtomicType::F16 && type <= AtomicType::BF16x2;
  bool bits = type <= AtomicType::B64, wide = atomicBytes(type) == 8;
  switch (op) {
  case AtomicOp::Add:
    return !bits;
  case AtomicOp::Increment:
  case AtomicOp::Decrement:
    return type == AtomicType::U32;
  case AtomicOp::CompareExchange:
    return bits;
  case AtomicOp::Exchange:
  case AtomicOp::And:
  case AtomicOp::Or:
  case AtomicOp::Xor:
    return bits && (wide || type == AtomicType::B32);
  case AtomicOp::Min:
  case AtomicOp::Max:
    return !bits && (!isFloat(type) || small);
  }
  return false;
}

uint64_t atomicResult(AtomicOp op, AtomicType type, uint64_t old,
                      uint64_t operand, uint64_t compare, bool flush) {
  bool isSigned = type == AtomicType::S32 || type == AtomicType::S64;
  switch (op) {
  case AtomicOp::Add:
    return isFloat(type) ? combineFloat(op, type, old, operand, flush)
                         : old + operand;
  case AtomicOp::Increment:
    return old >= operand ? 0 : old + 1;
  case AtomicOp::Decrement:
    return old == 0 || old > operand ? operand : old - 1;
  case AtomicOp::Exchange:
    return operand;
  case AtomicOp::CompareExchange:
    return old == compare ? operand : old;
  case AtomicOp::And:
    return old & operand;
  case AtomicOp::Or:
    return old | operand;
  case AtomicOp::Xor:
    return old ^ operand;
  case AtomicOp::Min:
  case AtomicOp::Max:
    break;
  }
  if (isFloat(type))
    return combineFloat(op, type, old, operand, flush);
  bool less = isSigned ? signedValue(type, operand) < signedValue(type, old)
                       : operand < old;
  return less == (op == AtomicOp::Min) ? operand : old;
}

uint64_t atomicReplace(char *bytes, AtomicOp op, AtomicType type,
                       uint64_t operand, uint64_t compare, bool flush) {
  unsigned size = atomicBytes(type);
  if (size < 8) {
    uint64_t width = (uint64_t(1) << size * 8) - 1;
    operand &= width;
    compare &= width;
  }
  auto next = [&](uint64_t old) {
    return atomicResult(op, type, old, operand, compare, flush);
  };
  if (size == 2)
    return replaceAt<uint16_t>(bytes, next);
  return size == 4 ? replaceAt<uint32_t>(bytes, next)
                   : replaceAt<uint64_t>(bytes, next);
}

uint64_t atomicAccess(Thread &thread, const Site &site, uint64_t address,
                      AtomicOp op, AtomicType type, uint64_t operand,
                      uint64_t compare) {
  Machine &machine = *thread.machine;
  unsigned size = atomicBytes(type);
  char *bytes =
      machine.access(thread, site, address, size, size, AccessKind::Atomic);
  // PTX ISA: atom.add.f32 flushes subnormals in global memory alone.
  bool flush = !machine.isShared(address);
  uint64_t old = atomicReplace(bytes, op, type, operand, compare, flush);
  thread.yield(site);
  return old;
}

namespace {

struct AtomicInfo {
  AtomicOp op;
  bool isFloat;
};

uint64_t operandBits(const Call &call, unsigned index) {
  const Slot &slot = call.site.operands[index];
  uint64_t value = 0;
  std::memcpy(&value, call.data(index), slot.bytesPerLane() * slot.lanes);
  return value;
}

/// By the width of the operand, where the name does not say it.
std::optional<AtomicType> typeOf(const Site &site, const AtomicInfo &info) {
  const Slot &slot = site.operands[1];
  unsigned bits = slot.bits * slot.lanes;
  if (info.isFloat)
    return bits == 64   ? AtomicType::F64
           : bits == 32 ? (slot.lanes == 1 ? AtomicType::F32
                           : slot.isBFloat ? AtomicType::BF16x2
                                           : AtomicType::F16x2)
                        : (slot.isBFloat ? AtomicType::BF16 : AtomicType::F16);
  bool isArithmetic = info.op == AtomicOp::Add || info.op == AtomicOp::Min ||
                      info.op == AtomicOp::Max ||
                      info.op == AtomicOp::Increment ||
                      info.op == AtomicOp::Decrement;
  bool isSigned = info.op == AtomicOp::Min || info.op == AtomicOp::Max;
  switch (bits) {
  case 16:
    return AtomicType::B16;
  case 32:
    return !isArithmetic ? AtomicType::B32
           : isSigned    ? AtomicType::S32
                         : AtomicType::U32;
  case 64:
    return !isArithmetic ? AtomicType::B64
           : isSigned    ? AtomicType::S64
                         : AtomicType::U64;
  default:
    return std::nullopt;
  }
}

struct DecodedAtomic {
  AtomicOp op;
  AtomicType type;
};

void run(Call &call) {
  const auto &info = infoOf<DecodedAtomic>(call);
  bool compares = info.op == AtomicOp::CompareExchange;
  uint64_t old = atomicAccess(call.thread, call.site, call.integer(0), info.op,
                              info.type, operandBits(call, compares ? 2 : 1),
                              compares ? operandBits(call, 1) : 0);
  std::memcpy(call.result(), &old, atomicBytes(info.type));
}

} // namespace

void addNvidiaAtomics(InstructionSet &set) {
  const std::pair<StringRef, AtomicInfo> names[] = {
      {"add.gen.f", {AtomicOp::Add, true}},
      {"add.gen.i", {AtomicOp::Add, false}},
      {"inc.gen.i", {AtomicOp::Increment, false}},
      {"dec.gen.i", {AtomicOp::Decrement, false}},
      {"exch.gen.i", {AtomicOp::Exchange, false}},
      {"xor.gen.i", {AtomicOp::Xor, false}},
      {"max.gen.i", {AtomicOp::Max, false}},
      {"min.gen.i", {AtomicOp::Min, false}},
      {"or.gen.i", {AtomicOp::Or, false}},
      {"and.gen.i", {AtomicOp::And, false}},
      {"cas.gen.i", {AtomicOp::CompareExchange, false}}};
  for (auto &[name, info] : names)
    for (StringRef scope : {".cta", ".sys"}) {
      Instruction instruction;
      instruction.run = run;
      instruction.prepare =
          [info = info](
              const Site &site) -> Expected<std::shared_ptr<const void>> {
        if (Error error = requireDefined(site))
          return std::move(error);
        std::optional<AtomicType> type = typeOf(site, info);
        if (!type || !isAtomic(info.op, *type))
          return createStringError(site.name + " of " +
                                   Twine(site.operands[1].bits) + " bits");
        return std::make_shared<const DecodedAtomic>(
            DecodedAtomic{info.op, *type});
      };
      set.add(("llvm.nvvm.atomic." + name + scope).str(),
              std::move(instruction));
    }
}

} // namespace lathe::sim
