//===- Interpret.cpp - One thread through a routine -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Machine.h"
#include "Decode.h"
#include "lathe/Support/FloatFormat.h"

#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace lathe::sim;
using namespace lathe::sim::ptx;

uint64_t Frame::read(const ptx::Operand &operand) const {
  if (operand.kind != ptx::Operand::Reg)
    return operand.bits;
  if (operand.reg.undefined && operand.reg.base == Register::In) {
    Machine::current().fault(FaultKind::UninitializedRead, &thread, site,
                             statement->opcode + " reads an undefined operand");
    return 0;
  }
  return read(operand.reg);
}

float Frame::readFloat(const ptx::Operand &operand) const {
  uint64_t bits = read(operand);
  if (operand.kind == ptx::Operand::Double)
    return llvm::bit_cast<double>(bits);
  return llvm::bit_cast<float>(uint32_t(bits));
}

double Frame::readDouble(const ptx::Operand &operand) const {
  uint64_t bits = read(operand);
  if (operand.kind == ptx::Operand::Single)
    return llvm::bit_cast<float>(uint32_t(bits));
  return llvm::bit_cast<double>(bits);
}

uint64_t ptx::readAs(const Frame &frame, const ptx::Operand &operand,
                     Type type) {
  if (type.kind == Type::Float && type.lanes == 1) {
    if (type.bits == 32)
      return llvm::bit_cast<uint32_t>(frame.readFloat(operand));
    if (type.bits == 64)
      return llvm::bit_cast<uint64_t>(frame.readDouble(operand));
  }
  if (type.isFloating() && operand.kind == ptx::Operand::Double)
    return encodeFloat(type.kind == Type::BFloat ? FloatFormat::BF16
                                                 : FloatFormat::F16,
                       frame.readDouble(operand));
  uint64_t bits = frame.read(operand);
  if (type.kind == Type::Predicate)
    return (bits != 0) != operand.negated;
  return bits & maskTrailingOnes<uint64_t>(type.bits * type.lanes);
}

static void interpret(Call &call) {
  auto &routine = *static_cast<const Routine *>(call.site.prepared.get());
  for (const Routine::Move &move : routine.moves)
    std::memmove(call.out + move.to, call.in + move.from, move.bytes);
  if (routine.statements.empty())
    return;
  SmallVector<char, 256> local(routine.localBytes);
  Frame frame(call, local.data());
  while (frame.next < routine.statements.size()) {
    const Statement &statement = routine.statements[frame.next++];
    if (statement.isGuarded &&
        (frame.read(statement.guard) != 0) == statement.guardNegated)
      continue;
    frame.statement = &statement;
    statement.run(frame, statement);
  }
}

void lathe::sim::addPtx(InstructionSet &set) {
  set.add("asm", {interpret, ptx::prepare, false});
}

namespace {
/// A statement that runs as an intrinsic.
struct Forwarded {
  Site site;
  Handler run = nullptr;
  std::vector<ptx::Operand> operands, results; ///< as in the site
};
} // namespace

static void runForwarded(Frame &frame, const Statement &statement) {
  auto &forwarded = statement.as<Forwarded>();
  SmallVector<uint64_t, 16> in(forwarded.operands.size());
  SmallVector<uint64_t, 8> out(forwarded.results.size());
  for (auto [value, operand, slot] :
       zip_equal(in, forwarded.operands, forwarded.site.operands)) {
    if (slot.kind == Slot::Float && slot.bits == 32)
      value = llvm::bit_cast<uint32_t>(frame.readFloat(operand));
    else if (slot.kind == Slot::Float && slot.bits == 64)
      value = llvm::bit_cast<uint64_t>(frame.readDouble(operand));
    else if (operand.kind == ptx::Operand::Address)
      value = frame.readAddress(operand);
    else
      value = frame.read(operand);
    if (slot.bits == 1)
      value = (value != 0) != operand.negated;
    else if (slot.bits < 64)
      value &= maskTrailingOnes<uint64_t>(slot.bits);
  }
  Call call{frame.thread, forwarded.site, reinterpret_cast<char *>(out.data()),
            reinterpret_cast<const char *>(in.data())};
  forwarded.run(call);
  for (auto [value, operand] : zip_equal(out, forwarded.results))
    frame.write(operand, value);
}

bool ptx::forward(Statement &statement, const Site &site, StringRef intrinsic,
                  ArrayRef<Passed> operands, ArrayRef<Passed> results) {
  const Instruction *instruction = InstructionSet::get().find(intrinsic);
  if (!instruction)
    return false;
  Forwarded forwarded;
  forwarded.run = instruction->run;
  forwarded.site.id = site.id;
  forwarded.site.name = intrinsic.str();
  forwarded.site.text = site.text;
  forwarded.site.location = site.location;
  auto add = [](ArrayRef<Passed> passed, SmallVectorImpl<Slot> &slots,
                std::vector<ptx::Operand> &values) {
    for (const Passed &each : passed) {
      Slot slot;
      slot.kind = each.kind;
      slot.bits = each.bits;
      slot.isBFloat = each.isBFloat;
      slot.offset = slots.size() * 8;
      ptx::Operand value;
      value.bits = each.constant;
      if (each.operand)
        value = *each.operand;
      slot.isConstant = value.kind == ptx::Operand::Integer;
      slot.constant = value.bits;
      slots.push_back(slot);
      values.push_back(std::move(value));
    }
  };
  add(operands, forwarded.site.operands, forwarded.operands);
  add(results, forwarded.site.results, forwarded.results);
  if (instruction->prepare) {
    auto prepared = instruction->prepare(forwarded.site);
    if (!prepared) {
      consumeError(prepared.takeError());
      return false;
    }
    forwarded.site.prepared = std::move(*prepared);
  }
  setDecoded(statement, std::move(forwarded));
  statement.run = runForwarded;
  return true;
}
