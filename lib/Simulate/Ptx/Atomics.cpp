//===- Atomics.cpp - atom and red -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Nvidia/Atomics.h"
#include "Memory.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace lathe::sim;
using namespace lathe::sim::ptx;

namespace {
struct Atomic {
  AtomicOp op;
  AtomicType type;
  Type bits; ///< of the operands
  Space space;
  unsigned count = 1; ///< elements: red.v2, ...
  bool returns = false, acquires = false, releases = false;
};
} // namespace

static void run(Frame &frame, const Statement &statement) {
  auto &atomic = statement.as<Atomic>();
  unsigned first = atomic.returns ? 1 : 0;
  uint64_t address = frame.readAddress(statement.operands[first]);
  const ptx::Operand &source = statement.operands[first + 1];
  Machine &machine = Machine::current();
  checkSpace(frame, atomic.space, address);
  if (atomic.releases)
    machine.releaseAt(frame.thread, address);
  for (unsigned i = 0; i < atomic.count; ++i) {
    const ptx::Operand &operand =
        source.kind == ptx::Operand::Vector ? source.parts[i] : source;
    uint64_t value = readAs(frame, operand, atomic.bits), compare = 0;
    if (atomic.op == AtomicOp::CompareExchange) {
      compare = value;
      value = readAs(frame, statement.operands[first + 2], atomic.bits);
    }
    uint64_t old = atomicAccess(frame.thread, frame.site,
                                address + i * atomic.bits.bytes(), atomic.op,
                                atomic.type, value, compare);
    if (!atomic.returns)
      continue;
    const ptx::Operand &to = statement.operands[0];
    frame.write(to.kind == ptx::Operand::Vector ? to.parts[i] : to, old);
  }
  if (atomic.acquires)
    machine.acquireAt(frame.thread, address);
}

static bool decodeAtomic(Statement &statement, Modifiers &modifiers,
                         const Site &) {
  Atomic atomic{};
  atomic.returns = statement.base == "atom";
  StringRef order =
      modifiers.take({"relaxed", "acquire", "release", "acq_rel"});
  atomic.acquires = order == "acquire" || order == "acq_rel";
  atomic.releases = order == "release" || order == "acq_rel";
  modifiers.take({"cta", "cluster", "gpu", "sys"});
  if (!takeSpace(modifiers, atomic.space))
    return false;
  std::optional<AtomicOp> op =
      StringSwitch<std::optional<AtomicOp>>(
          modifiers.take({"add", "inc", "dec", "exch", "cas", "and", "or",
                          "xor", "min", "max"}))
          .Case("add", AtomicOp::Add)
          .Case("inc", AtomicOp::Increment)
          .Case("dec", AtomicOp::Decrement)
          .Case("exch", AtomicOp::Exchange)
          .Case("cas", AtomicOp::CompareExchange)
          .Case("and", AtomicOp::And)
          .Case("or", AtomicOp::Or)
          .Case("xor", AtomicOp::Xor)
          .Case("min", AtomicOp::Min)
          .Case("max", AtomicOp::Max)
          .Default(std::nullopt);
  modifiers.has("noftz");
  bool hinted = modifiers.has("L2::cache_hint");
  atomic.count = takeElementCount(modifiers);
  std::optional<AtomicType> type =
      StringSwitch<std::optional<AtomicType>>(modifiers.next())
          .Case("b16", AtomicType::B16)
          .Case("b32", AtomicType::B32)
          .Case("b64", AtomicType::B64)
          .Case("u32", AtomicType::U32)
          .Case("s32", AtomicType::S32)
          .Case("u64", AtomicType::U64)
          .Case("s64", AtomicType::S64)
          .Case("f16", AtomicType::F16)
          .Case("bf16", AtomicType::BF16)
          .Case("f16x2", AtomicType::F16x2)
          .Case("bf16x2", AtomicType::BF16x2)
          .Case("f32", AtomicType::F32)
          .Case("f64", AtomicType::F64)
          .Default(std::nullopt);
  if (!op || !type || !isAtomic(*op, *type))
    return false;
  atomic.op = *op;
  atomic.type = *type;
  atomic.bits = *modifiers.takeType();
  bool compares = *op == AtomicOp::CompareExchange;
  if (!hasOperands(statement, 2 + atomic.returns + compares + hinted))
    return false;
  const ptx::Operand &address = statement.operands[atomic.returns];
  const ptx::Operand &source = statement.operands[atomic.returns + 1];
  if (address.kind != ptx::Operand::Address || address.parts.size() != 1)
    return false;
  if (atomic.count > 1 &&
      (source.kind != ptx::Operand::Vector ||
       source.parts.size() != atomic.count || compares ||
       (atomic.returns && statement.operands[0].parts.size() != atomic.count)))
    return false;
  setDecoded(statement, atomic);
  statement.run = run;
  return true;
}

void ptx::addAtomics(Decoders &decoders) {
  decoders["atom"] = decodeAtomic;
  decoders["red"] = decodeAtomic;
}
