//===- Copies.cpp - cp.async, cp.async.bulk, cp.reduce --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Tensor/Tma.h"
#include "Decode.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace lathe::sim;
using namespace lathe::sim::ptx;

namespace {
/// The operands of a bulk copy, by what they mean; indices into the statement.
struct Copy {
  unsigned rank = 0; ///< 0: bytes, not a box
  bool multicasts = false;
  std::optional<AtomicOp> op;
  std::optional<AtomicType> type; ///< of a reduction of bytes
};
} // namespace

static TensorCoordinates coordinates(Frame &frame, const ptx::Operand &box,
                                     unsigned rank) {
  TensorCoordinates at = {};
  const ptx::Operand &list = box.parts[1];
  for (unsigned i = 0; i < rank; ++i)
    at[i] = int32_t(
        frame.read(list.kind == ptx::Operand::Vector ? list.parts[i] : list));
  return at;
}

static EncodedMap mapOf(Frame &frame, const ptx::Operand &box, unsigned rank) {
  return readTensorMap(frame.thread, frame.site, frame.readAddress(box), rank);
}

// [dst], [map, {c0, ...}], [mbarrier]{, mask}{, hint}
static void runTensorLoad(Frame &frame, const Statement &statement) {
  auto &copy = statement.as<Copy>();
  auto &in = statement.operands;
  std::optional<uint16_t> mask;
  if (copy.multicasts)
    mask = uint16_t(frame.read(in[3]));
  tensorLoad(frame.thread, frame.site, frame.readAddress(in[0]),
             frame.readAddress(in[2]), mapOf(frame, in[1], copy.rank),
             coordinates(frame, in[1], copy.rank), mask);
}

// [map, {c0, ...}], [src]{, hint}
static void runTensorStore(Frame &frame, const Statement &statement) {
  auto &copy = statement.as<Copy>();
  auto &in = statement.operands;
  tensorStore(frame.thread, frame.site, frame.readAddress(in[1]),
              mapOf(frame, in[0], copy.rank),
              coordinates(frame, in[0], copy.rank), copy.op);
}

// [dst], [src], size, [mbarrier]{, mask}{, hint}
static void runBulkLoad(Frame &frame, const Statement &statement) {
  auto &in = statement.operands;
  std::optional<uint16_t> mask;
  if (statement.as<Copy>().multicasts)
    mask = uint16_t(frame.read(in[4]));
  bulkLoad(frame.thread, frame.site, frame.readAddress(in[0]),
           frame.readAddress(in[3]), frame.readAddress(in[1]),
           uint32_t(frame.read(in[2])), mask);
}

// [dst], [src], size{, hint}
static void runBulkStore(Frame &frame, const Statement &statement) {
  auto &copy = statement.as<Copy>();
  auto &in = statement.operands;
  std::optional<BulkReduction> reduction;
  if (copy.op)
    reduction = BulkReduction{*copy.op, *copy.type};
  bulkStore(frame.thread, frame.site, frame.readAddress(in[0]),
            frame.readAddress(in[1]), uint32_t(frame.read(in[2])), reduction);
}

static bool isAddress(const Statement &statement, size_t at, size_t parts = 1) {
  return at < statement.operands.size() &&
         statement.operands[at].kind == ptx::Operand::Address &&
         statement.operands[at].parts.size() == parts;
}

static std::optional<AtomicOp> takeReduction(Modifiers &modifiers) {
  return StringSwitch<std::optional<AtomicOp>>(
             modifiers.take(
                 {"add", "min", "max", "inc", "dec", "and", "or", "xor"}))
      .Case("add", AtomicOp::Add)
      .Case("min", AtomicOp::Min)
      .Case("max", AtomicOp::Max)
      .Case("inc", AtomicOp::Increment)
      .Case("dec", AtomicOp::Decrement)
      .Case("and", AtomicOp::And)
      .Case("or", AtomicOp::Or)
      .Case("xor", AtomicOp::Xor)
      .Default(std::nullopt);
}

// Group instructions: commit_group, wait_group{.read} N.
static bool decodeGroup(Statement &statement, Modifiers &modifiers) {
  if (modifiers.has("commit_group")) {
    statement.run = [](Frame &frame, const Statement &) {
      bulkCommit(frame.thread, frame.site);
    };
    return hasOperands(statement, 0);
  }
  bool fits = modifiers.has("wait_group");
  setDecoded(statement, modifiers.has("read"));
  statement.run = [](Frame &frame, const Statement &statement) {
    bulkWait(frame.thread, frame.site, frame.read(statement.operands[0]),
             statement.as<bool>());
  };
  return fits && hasOperands(statement, 1);
}

static bool isBox(const Statement &statement, size_t at, unsigned rank) {
  if (!isAddress(statement, at, 2))
    return false;
  const ptx::Operand &list = statement.operands[at].parts[1];
  return list.kind == ptx::Operand::Vector ? list.parts.size() == rank
                                           : rank == 1;
}

static void doNothing(Frame &, const Statement &) {}

static bool decodeBulk(Statement &statement, Modifiers &modifiers,
                       bool isPrefetch) {
  StringRef next = modifiers.next();
  if (next == "commit_group" || next == "wait_group")
    return decodeGroup(statement, modifiers);
  Copy copy;
  if (modifiers.has("tensor"))
    copy.rank =
        StringSwitch<unsigned>(modifiers.take({"1d", "2d", "3d", "4d", "5d"}))
            .Case("1d", 1)
            .Case("2d", 2)
            .Case("3d", 3)
            .Case("4d", 4)
            .Case("5d", 5)
            .Default(6);
  if (copy.rank > 5)
    return false;
  if (isPrefetch) {
    bool fits = modifiers.has("L2") && modifiers.has("global");
    modifiers.has("tile");
    bool hinted = modifiers.has("L2::cache_hint");
    statement.run = doNothing;
    return fits &&
           (copy.rank ? isBox(statement, 0, copy.rank)
                      : isAddress(statement, 0)) &&
           hasOperands(statement, (copy.rank ? 1 : 2) + hinted);
  }
  StringRef to = modifiers.take({"shared::cluster", "shared::cta", "global"});
  StringRef from = modifiers.take({"shared::cta", "global"});
  modifiers.has("tile");
  bool completes = modifiers.has("mbarrier::complete_tx::bytes");
  bool grouped = modifiers.has("bulk_group");
  copy.multicasts = modifiers.has("multicast::cluster");
  bool hinted = modifiers.has("L2::cache_hint");
  bool reduces = statement.modifiers.front() == "reduce";
  if (reduces) {
    copy.op = takeReduction(modifiers);
    modifiers.has("noftz");
    if (!copy.op || to != "global")
      return false;
  }
  bool isLoad = to.starts_with("shared");
  if (to.empty() || from.empty() || completes != isLoad || grouped == isLoad ||
      (copy.multicasts && to != "shared::cluster"))
    return false;
  size_t count = 0;
  if (copy.rank && isLoad) {
    statement.run = runTensorLoad;
    count = 3;
    if (!isAddress(statement, 0) || !isBox(statement, 1, copy.rank) ||
        !isAddress(statement, 2) || from != "global")
      return false;
  } else if (copy.rank) {
    statement.run = runTensorStore;
    count = 2;
    if (!isBox(statement, 0, copy.rank) || !isAddress(statement, 1))
      return false;
  } else {
    statement.run = isLoad ? runBulkLoad : runBulkStore;
    count = isLoad ? 4 : 3;
    if (!isAddress(statement, 0) || !isAddress(statement, 1) ||
        (isLoad && !isAddress(statement, 3)))
      return false;
    if (reduces) {
      copy.type = StringSwitch<std::optional<AtomicType>>(modifiers.next())
                      .Cases({"u32", "b32"}, AtomicType::U32)
                      .Case("s32", AtomicType::S32)
                      .Cases({"u64", "b64"}, AtomicType::U64)
                      .Case("s64", AtomicType::S64)
                      .Case("f16", AtomicType::F16)
                      .Case("bf16", AtomicType::BF16)
                      .Case("f32", AtomicType::F32)
                      .Case("f64", AtomicType::F64)
                      .Default(std::nullopt);
      if (!copy.type || !isBulkReduction(*copy.op, *copy.type))
        return false;
      modifiers.takeType();
    }
  }
  setDecoded(statement, copy);
  return hasOperands(statement, count + copy.multicasts + hinted);
}

void ptx::addCopies(Decoders &decoders) {
  decoders["cp"] = [](Statement &statement, Modifiers &modifiers,
                      const Site &) {
    modifiers.has("reduce");
    if (!modifiers.has("async"))
      return false;
    if (!modifiers.has("bulk"))
      return decodeThreadCopy(statement, modifiers);
    return decodeBulk(statement, modifiers, modifiers.has("prefetch"));
  };
}
