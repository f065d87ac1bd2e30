//===- Synchronize.cpp - Barriers, fences and copies by threads -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Nvidia/Barrier.h"
#include "../Nvidia/CpAsync.h"
#include "../Nvidia/Mbarrier.h"
#include "../Nvidia/Warp.h"
#include "Decode.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace lathe::sim;
using namespace lathe::sim::ptx;

//===----------------------------------------------------------------------===//
// Barriers of a block
//===----------------------------------------------------------------------===//

namespace {
struct BlockBarrier {
  bool aligned;
  BarrierReduction reduction = BarrierReduction::Count;
};
} // namespace

static std::optional<uint64_t>
readCount(Frame &frame, const Statement &statement, size_t at) {
  if (at >= statement.operands.size())
    return std::nullopt;
  return uint32_t(frame.read(statement.operands[at]));
}

static void runBarrierSync(Frame &frame, const Statement &statement) {
  barrierSync(
      frame.thread, frame.site, uint32_t(frame.read(statement.operands[0])),
      readCount(frame, statement, 1), statement.as<BlockBarrier>().aligned);
}

static void runBarrierArrive(Frame &frame, const Statement &statement) {
  barrierArrive(
      frame.thread, frame.site, uint32_t(frame.read(statement.operands[0])),
      *readCount(frame, statement, 1), statement.as<BlockBarrier>().aligned);
}

static void runBarrierReduce(Frame &frame, const Statement &statement) {
  auto &barrier = statement.as<BlockBarrier>();
  auto &in = statement.operands;
  std::optional<uint64_t> count;
  if (in.size() == 4)
    count = readCount(frame, statement, 2);
  frame.write(in[0],
              barrierReduce(frame.thread, frame.site,
                            uint32_t(frame.read(in[1])), count, barrier.aligned,
                            barrier.reduction, frame.readPredicate(in.back())));
}

static bool decodeClusterBarrier(Statement &statement, Modifiers &modifiers) {
  bool arrives = modifiers.take({"arrive", "wait"}) == "arrive";
  bool relaxed = modifiers.has("relaxed");
  modifiers.has(arrives ? "release" : "acquire");
  bool aligned = modifiers.has("aligned");
  if ((relaxed && !arrives) || !hasOperands(statement, 0))
    return false;
  setDecoded(statement, std::pair(relaxed, aligned));
  statement.run = [](Frame &frame, const Statement &statement) {
    auto [relaxed, aligned] = statement.as<std::pair<bool, bool>>();
    clusterArrive(frame.thread, frame.site, relaxed, aligned);
  };
  if (!arrives)
    statement.run = [](Frame &frame, const Statement &statement) {
      clusterWait(frame.thread, frame.site,
                  statement.as<std::pair<bool, bool>>().second);
    };
  return true;
}

static bool decodeBarrier(Statement &statement, Modifiers &modifiers,
                          const Site &) {
  if (statement.base == "barrier" && modifiers.has("cluster"))
    return decodeClusterBarrier(statement, modifiers);
  if (statement.base == "bar" && modifiers.has("warp")) {
    statement.run = [](Frame &frame, const Statement &statement) {
      syncWarp(frame.thread, frame.site, frame.read(statement.operands[0]));
    };
    return modifiers.has("sync") && hasOperands(statement, 1);
  }
  modifiers.has("cta");
  BlockBarrier barrier;
  StringRef what = modifiers.take({"sync", "arrive", "red"});
  // `bar` means `barrier.aligned`.
  barrier.aligned = modifiers.has("aligned") || statement.base == "bar";
  size_t least = 1, most = 2;
  if (what == "red") {
    StringRef op = modifiers.take({"popc", "and", "or"});
    barrier.reduction = op == "popc"  ? BarrierReduction::Count
                        : op == "and" ? BarrierReduction::And
                                      : BarrierReduction::Or;
    if (op.empty() || !modifiers.has(op == "popc" ? "u32" : "pred"))
      return false;
    least = 3;
    most = 4;
  } else if (what == "arrive") {
    least = 2;
  }
  statement.run = what == "sync"     ? runBarrierSync
                  : what == "arrive" ? runBarrierArrive
                                     : runBarrierReduce;
  setDecoded(statement, barrier);
  return !what.empty() && hasOperands(statement, least, most);
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

static bool decodeProxyFence(Statement &statement, Modifiers &modifiers,
                             const Site &site) {
  if (modifiers.has("alias"))
    return forward(statement, site, "llvm.nvvm.fence.proxy.alias", {}, {});
  if (modifiers.take({"async", "async.global"}).empty())
    return false;
  StringRef space =
      modifiers.take({"global", "shared::cta", "shared::cluster"});
  std::string name = "llvm.nvvm.fence.proxy.async";
  if (!space.empty())
    name += space == "global"        ? ".global"
            : space == "shared::cta" ? ".shared_cta"
                                     : ".shared_cluster";
  return forward(statement, site, name, {}, {});
}

static bool decodeFence(Statement &statement, Modifiers &modifiers,
                        const Site &site) {
  if (!hasOperands(statement, 0))
    return false;
  if (modifiers.has("proxy"))
    return decodeProxyFence(statement, modifiers, site);
  if (modifiers.has("mbarrier_init"))
    return modifiers.has("release") && modifiers.has("cluster") &&
           forward(statement, site,
                   "llvm.nvvm.fence.mbarrier_init.release.cluster", {}, {});
  modifiers.take({"sc", "acq_rel", "acquire", "release"});
  std::optional<FenceScope> scope =
      StringSwitch<std::optional<FenceScope>>(
          modifiers.take({"cta", "cluster", "gpu", "gl", "sys"}))
          .Case("cta", FenceScope::Block)
          .Case("cluster", FenceScope::Cluster)
          .Cases({"gpu", "gl"}, FenceScope::Device)
          .Case("sys", FenceScope::System)
          .Default(std::nullopt);
  if (!scope)
    return false;
  setDecoded(statement, *scope);
  statement.run = [](Frame &frame, const Statement &statement) {
    fence(frame.thread, statement.as<FenceScope>());
  };
  return true;
}

//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

static void runCopy(Frame &frame, const Statement &statement) {
  auto &in = statement.operands;
  uint64_t bytes = frame.read(in[2]), sourceBytes = bytes;
  if (in.size() > 3)
    sourceBytes = uint32_t(frame.read(in[3]));
  cpAsync(frame.thread, frame.site, frame.readAddress(in[0]),
          frame.readAddress(in[1]), bytes, sourceBytes);
}

static bool decodeCopy(Statement &statement, Modifiers &modifiers) {
  StringRef cache = modifiers.take({"ca", "cg"});
  bool fits = !modifiers.take({"shared", "shared::cta"}).empty() &&
              modifiers.has("global") && !cache.empty();
  modifiers.take({"L2::64B", "L2::128B", "L2::256B"});
  bool hinted = modifiers.has("L2::cache_hint");
  if (!fits || !hasOperands(statement, 3, 4 + hinted))
    return false;
  auto &in = statement.operands;
  if (hinted) // the last operand, which changes no value
    in.pop_back();
  bool isSize = in.size() >= 3 && in[2].kind == ptx::Operand::Integer &&
                (in[2].bits == 16 ||
                 (cache == "ca" && (in[2].bits == 4 || in[2].bits == 8)));
  statement.run = runCopy;
  return isSize && in[0].kind == ptx::Operand::Address &&
         in[1].kind == ptx::Operand::Address && in[1].parts.size() == 1;
}

bool ptx::decodeThreadCopy(Statement &statement, Modifiers &modifiers) {
  if (modifiers.has("commit_group")) {
    statement.run = [](Frame &frame, const Statement &) {
      cpAsyncCommit(frame.thread, frame.site);
    };
    return hasOperands(statement, 0);
  }
  if (modifiers.has("wait_all")) {
    statement.run = [](Frame &frame, const Statement &) {
      cpAsyncWait(frame.thread, frame.site, std::nullopt);
    };
    return hasOperands(statement, 0);
  }
  if (modifiers.has("wait_group")) {
    statement.run = [](Frame &frame, const Statement &statement) {
      cpAsyncWait(frame.thread, frame.site, frame.read(statement.operands[0]));
    };
    return hasOperands(statement, 1);
  }
  if (modifiers.has("mbarrier")) {
    bool fits = modifiers.has("arrive");
    setDecoded(statement, modifiers.has("noinc"));
    modifiers.take({"shared", "shared::cta"});
    statement.run = [](Frame &frame, const Statement &statement) {
      cpAsyncArrive(frame.thread, frame.site,
                    frame.readAddress(statement.operands[0]),
                    statement.as<bool>());
    };
    return fits && modifiers.has("b64") && hasOperands(statement, 1) &&
           statement.operands[0].kind == ptx::Operand::Address;
  }
  return decodeCopy(statement, modifiers);
}

void ptx::addSynchronization(Decoders &decoders) {
  decoders["bar"] = decodeBarrier;
  decoders["barrier"] = decodeBarrier;
  decoders["fence"] = decodeFence;
  decoders["membar"] = decodeFence;
}
