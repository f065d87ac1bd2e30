//===- Decode.cpp - From opcodes to what runs -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode.h"
#include "lathe/Simulate/Simulator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace lathe::sim;
using namespace lathe::sim::ptx;

std::optional<Type> ptx::parseType(StringRef text) {
  return StringSwitch<std::optional<Type>>(text)
      .Case("b8", Type{Type::Bits, 8})
      .Case("b16", Type{Type::Bits, 16})
      .Case("b32", Type{Type::Bits, 32})
      .Case("b64", Type{Type::Bits, 64})
      .Case("u8", Type{Type::Unsigned, 8})
      .Case("u16", Type{Type::Unsigned, 16})
      .Case("u32", Type{Type::Unsigned, 32})
      .Case("u64", Type{Type::Unsigned, 64})
      .Case("s8", Type{Type::Signed, 8})
      .Case("s16", Type{Type::Signed, 16})
      .Case("s32", Type{Type::Signed, 32})
      .Case("s64", Type{Type::Signed, 64})
      .Case("u16x2", Type{Type::Unsigned, 16, 2})
      .Case("s16x2", Type{Type::Signed, 16, 2})
      .Case("f16", Type{Type::Float, 16})
      .Case("f16x2", Type{Type::Float, 16, 2})
      .Case("bf16", Type{Type::BFloat, 16})
      .Case("bf16x2", Type{Type::BFloat, 16, 2})
      .Case("f32", Type{Type::Float, 32})
      .Case("f64", Type{Type::Float, 64})
      .Case("tf32", Type{Type::TF32, 32})
      .Case("e4m3", Type{Type::E4M3, 8})
      .Case("e5m2", Type{Type::E5M2, 8})
      .Case("e4m3x2", Type{Type::E4M3, 8, 2})
      .Case("e5m2x2", Type{Type::E5M2, 8, 2})
      .Case("pred", Type{Type::Predicate, 8})
      .Default(std::nullopt);
}

StringRef Modifiers::take(std::initializer_list<StringRef> names) {
  for (auto *it = left.begin(); it != left.end(); ++it)
    if (is_contained(names, *it)) {
      StringRef found = *it;
      left.erase(it);
      return found;
    }
  return "";
}

std::optional<Type> Modifiers::takeType() {
  if (left.empty())
    return std::nullopt;
  std::optional<Type> type = parseType(left.front());
  if (type)
    left.erase(left.begin());
  return type;
}

static Error unsupported(const Statement &statement) {
  return make_error<UnsupportedError>(
      std::vector<std::string>{"ptx " + statement.opcode});
}

static const Decoders &decoders() {
  static const Decoders all = [] {
    Decoders set;
    addMoves(set);
    addArithmetic(set);
    addComparisons(set);
    addBitOperations(set);
    addConversions(set);
    addMemory(set);
    addAtomics(set);
    addControl(set);
    addWarp(set);
    addSynchronization(set);
    addMbarriers(set);
    addMatrices(set);
    addCopies(set);
    return set;
  }();
  return all;
}

// Special registers are read through their intrinsics, into hidden registers
// that a statement before the reader fills.
static Error decodeSpecials(Statement &statement, const Site &site,
                            Routine &routine,
                            std::vector<Statement> &prologue) {
  for (ptx::Operand &operand : statement.operands) {
    if (operand.kind != ptx::Operand::Special)
      continue;
    std::string name = operand.name.substr(1);
    bool wide = name == "clock64" || name == "globaltimer";
    llvm::replace(name, '_', '.');
    Statement read;
    read.opcode = operand.name;
    read.operands.emplace_back();
    operand.kind = ptx::Operand::Reg;
    operand.reg.base = Register::Local;
    operand.reg.bytes = wide ? 8 : 4;
    operand.reg.offset = routine.localBytes;
    routine.localBytes += 8;
    read.operands[0] = operand;
    if (!forward(read, site, "llvm.nvvm.read.ptx.sreg." + name, {},
                 {{&read.operands[0], wide ? 64u : 32u}}))
      return unsupported(read);
    prologue.push_back(std::move(read));
  }
  return Error::success();
}

static bool isWritable(const ptx::Operand &operand) {
  if (operand.kind == ptx::Operand::Vector)
    return all_of(operand.parts, isWritable);
  return operand.kind == ptx::Operand::Reg ||
         operand.kind == ptx::Operand::Sink;
}

static bool isPlain(const ptx::Operand &operand) {
  return operand.kind != ptx::Operand::Address &&
         operand.kind != ptx::Operand::Vector &&
         operand.kind != ptx::Operand::Label;
}

// Decoders of instructions with addresses check their operands' kinds. Here is
// what all others share: plain operands, the first of which is a register.
static bool haveKnownKinds(const Statement &statement) {
  StringRef base = statement.base;
  bool takesAddresses =
      StringSwitch<bool>(base)
          .Cases({"ld", "st", "atom", "red", "cp", "mbarrier"}, true)
          .Cases({"prefetch", "prefetchu", "applypriority", "discard"}, true)
          .Cases({"ldmatrix", "stmatrix", "wgmma", "mma", "bra"}, true)
          .Default(false);
  bool returnsNothing =
      StringSwitch<bool>(base)
          .Cases({"st", "red", "cp", "mbarrier", "stmatrix", "wgmma"}, true)
          .Cases({"prefetch", "prefetchu", "applypriority", "discard"}, true)
          .Cases({"bra", "bar", "barrier", "nanosleep", "pmevent"}, true)
          .Case("setmaxnreg", true)
          .Default(false);
  if (!returnsNothing && !statement.operands.empty() &&
      !isWritable(statement.operands[0]))
    return false;
  if (base == "mov")
    return all_of(statement.operands, [](const ptx::Operand &operand) {
      return isPlain(operand) || (operand.kind == ptx::Operand::Vector &&
                                  all_of(operand.parts, isPlain));
    });
  return takesAddresses || all_of(statement.operands, isPlain);
}

Error ptx::decode(Statement &statement, const Site &site) {
  auto found = decoders().find(statement.base);
  Modifiers modifiers(statement);
  if (found == decoders().end() || !haveKnownKinds(statement) ||
      !found->second(statement, modifiers, site) || !modifiers.empty())
    return unsupported(statement);
  return Error::success();
}

Expected<std::shared_ptr<const void>> ptx::prepare(const Site &site) {
  Expected<Routine> routine = parse(site);
  if (!routine)
    return routine.takeError();
  // Statements move when reads of special registers come before them; branch
  // targets move along.
  std::vector<Statement> statements;
  std::vector<uint32_t> moved;
  std::vector<std::string> unknown;
  auto collect = [&](Error error) -> Error {
    return handleErrors(std::move(error), [&](const UnsupportedError &named) {
      append_range(unknown, named.instructions);
    });
  };
  for (Statement &statement : routine->statements) {
    moved.push_back(statements.size());
    if (Error error =
            collect(decodeSpecials(statement, site, *routine, statements)))
      return std::move(error);
    if (Error error = collect(decode(statement, site)))
      return std::move(error);
    statements.push_back(std::move(statement));
  }
  if (!unknown.empty())
    return make_error<UnsupportedError>(std::move(unknown));
  moved.push_back(statements.size());
  for (Statement &statement : statements)
    statement.target = moved[statement.target];
  routine->statements = std::move(statements);
  return std::shared_ptr<const void>(
      std::make_shared<const Routine>(std::move(*routine)));
}
