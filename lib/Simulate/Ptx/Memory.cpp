//===- Memory.cpp - ld and st ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "../Machine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace lathe::sim;
using namespace lathe::sim::ptx;

bool ptx::takeSpace(Modifiers &modifiers, Space &space) {
  StringRef name = modifiers.take({"global", "shared", "shared::cta",
                                   "shared::cluster", "local", "const", "param",
                                   "param::entry", "param::func"});
  if (name.starts_with("param"))
    return false;
  space = name.starts_with("shared") ? Space::Shared
          : name == "global"         ? Space::Global
                                     : Space::Generic;
  return true;
}

void ptx::takeCacheHints(Modifiers &modifiers) {
  modifiers.take({"ca", "cg", "cs", "cv", "lu", "wb", "wt"});
  modifiers.has("nc");
  modifiers.take({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
                  "L1::evict_last", "L1::no_allocate"});
  modifiers.take({"L2::evict_normal", "L2::evict_first", "L2::evict_last"});
  modifiers.take({"L2::64B", "L2::128B", "L2::256B"});
}

unsigned ptx::takeElementCount(Modifiers &modifiers) {
  return StringSwitch<unsigned>(modifiers.take({"v2", "v4", "v8"}))
      .Case("v2", 2)
      .Case("v4", 4)
      .Case("v8", 8)
      .Default(1);
}

void ptx::checkSpace(Frame &frame, Space space, uint64_t address) {
  Machine &machine = Machine::current();
  if (space != Space::Generic &&
      machine.isShared(address) != (space == Space::Shared))
    machine.abort(FaultKind::OutOfBounds, &frame.thread, frame.site,
                  frame.statement->opcode + " of address 0x" +
                      utohexstr(address) + ", expected one in " +
                      (space == Space::Shared ? "shared" : "global") +
                      " memory");
}

char *ptx::accessSpace(Frame &frame, Space space, uint64_t address,
                       uint64_t bytes, AccessKind kind) {
  checkSpace(frame, space, address);
  return Machine::current().access(frame.thread, frame.site, address, bytes,
                                   bytes, kind);
}

namespace {
struct Transfer {
  Space space = Space::Generic;
  Type type;
  unsigned elementBytes = 4, count = 1;
  bool isStrong = false; ///< volatile, relaxed, acquire, release
  bool acquires = false, releases = false;
};
} // namespace

static bool decodeTransfer(Statement &statement, Modifiers &modifiers) {
  Transfer transfer;
  if (!takeSpace(modifiers, transfer.space))
    return false;
  StringRef order =
      modifiers.take({"weak", "relaxed", "acquire", "release", "volatile"});
  transfer.isStrong = !order.empty() && order != "weak";
  transfer.acquires = order == "acquire";
  transfer.releases = order == "release";
  if (order == "relaxed" || order == "acquire" || order == "release")
    if (modifiers.take({"cta", "cluster", "gpu", "sys"}).empty())
      return false;
  takeCacheHints(modifiers);
  bool hinted = modifiers.has("L2::cache_hint");
  transfer.count = takeElementCount(modifiers);
  std::optional<Type> type = modifiers.takeType();
  if (!type || type->kind == Type::Predicate ||
      !hasOperands(statement, 2 + hinted))
    return false;
  transfer.type = *type;
  transfer.elementBytes = type->bytes();
  if (transfer.count * transfer.elementBytes > 32)
    return false;
  bool isLoad = statement.base == "ld";
  if ((isLoad && transfer.releases) || (!isLoad && transfer.acquires))
    return false;
  const ptx::Operand &address = statement.operands[isLoad ? 1 : 0];
  const ptx::Operand &value = statement.operands[isLoad ? 0 : 1];
  if (address.kind != ptx::Operand::Address || address.parts.size() != 1 ||
      value.kind == ptx::Operand::Address)
    return false;
  if (transfer.count > 1 && (value.kind != ptx::Operand::Vector ||
                             value.parts.size() != transfer.count))
    return false;
  setDecoded(statement, transfer);
  return true;
}

static const ptx::Operand &element(const ptx::Operand &value, unsigned index) {
  return value.kind == ptx::Operand::Vector ? value.parts[index] : value;
}

static void runLoad(Frame &frame, const Statement &statement) {
  auto &transfer = statement.as<Transfer>();
  uint64_t address = frame.readAddress(statement.operands[1]);
  uint64_t bytes = uint64_t(transfer.elementBytes) * transfer.count;
  const char *from = accessSpace(frame, transfer.space, address, bytes,
                                 transfer.isStrong ? AccessKind::AtomicRead
                                                   : AccessKind::Read);
  if (transfer.acquires)
    Machine::current().acquireAt(frame.thread, address);
  for (unsigned i = 0; i < transfer.count; ++i) {
    uint64_t value = 0;
    std::memcpy(&value, from + i * transfer.elementBytes,
                transfer.elementBytes);
    if (transfer.type.kind == Type::Signed)
      value = SignExtend64(value, transfer.elementBytes * 8);
    frame.write(element(statement.operands[0], i), value);
  }
  if (transfer.isStrong)
    frame.thread.yield(frame.site);
}

static void runStore(Frame &frame, const Statement &statement) {
  auto &transfer = statement.as<Transfer>();
  uint64_t address = frame.readAddress(statement.operands[0]);
  uint64_t bytes = uint64_t(transfer.elementBytes) * transfer.count;
  if (transfer.releases)
    Machine::current().releaseAt(frame.thread, address);
  char *to = accessSpace(frame, transfer.space, address, bytes,
                         transfer.isStrong ? AccessKind::AtomicWrite
                                           : AccessKind::Write);
  for (unsigned i = 0; i < transfer.count; ++i) {
    uint64_t value =
        readAs(frame, element(statement.operands[1], i), transfer.type);
    std::memcpy(to + i * transfer.elementBytes, &value, transfer.elementBytes);
  }
}

void ptx::addMemory(Decoders &decoders) {
  decoders["ld"] = [](Statement &statement, Modifiers &modifiers,
                      const Site &) {
    statement.run = runLoad;
    return decodeTransfer(statement, modifiers);
  };
  decoders["st"] = [](Statement &statement, Modifiers &modifiers,
                      const Site &) {
    statement.run = runStore;
    return decodeTransfer(statement, modifiers);
  };
}
