//===- BarrierInstructions.cpp - Barriers, fences, clusters ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Barrier.h"
#include "Mbarrier.h"
#include "Register.h"
#include "Space.h"

using namespace llvm;

namespace lathe::sim {

namespace {

struct BarrierInfo {
  bool aligned, counted;
  BarrierReduction reduction = BarrierReduction::Count;
};

std::optional<uint64_t> threadsOf(const Call &call) {
  if (infoOf<BarrierInfo>(call).counted)
    return call.integer(1);
  return std::nullopt;
}

void runSync(Call &call) {
  barrierSync(call.thread, call.site, call.integer(0), threadsOf(call),
              infoOf<BarrierInfo>(call).aligned);
}

void runArrive(Call &call) {
  barrierArrive(call.thread, call.site, call.integer(0), call.integer(1),
                infoOf<BarrierInfo>(call).aligned);
}

void runReduce(Call &call) {
  const auto &info = infoOf<BarrierInfo>(call);
  bool predicate = call.integer(info.counted ? 2 : 1) & 1;
  call.setInteger(barrierReduce(call.thread, call.site, call.integer(0),
                                threadsOf(call), info.aligned, info.reduction,
                                predicate));
}

template <bool relaxed, bool aligned> void runClusterArrive(Call &call) {
  clusterArrive(call.thread, call.site, relaxed, aligned);
}

template <bool aligned> void runClusterWait(Call &call) {
  clusterWait(call.thread, call.site, aligned);
}

template <FenceScope scope> void runFence(Call &call) {
  fence(call.thread, scope);
}

void runFenceProxy(Call &call) { fenceProxyAsync(call.thread); }

void runFenceInit(Call &call) { fenceForRelaxed(*call.thread.warp); }

// Only shared memory is tracked by proxy; the tensor map is read when it is
// used, whoever wrote it.
void runNothing(Call &) {}

void runMap(Call &call) {
  call.setInteger(
      mapAddress(call.thread, call.site, call.integer(0), call.integer(1)));
}

void runRank(Call &call) {
  call.setInteger(blockRank(call.thread, call.site, call.integer(0)));
}

template <Space space> void runIsSpace(Call &call) {
  call.setInteger(isInSpace(call.thread, space, call.integer(0)));
}

void addFences(InstructionSet &set) {
  addNvvm(set, "membar.cta", runFence<FenceScope::Block>);
  addNvvm(set, "membar.gl", runFence<FenceScope::Device>);
  addNvvm(set, "membar.sys", runFence<FenceScope::System>);
  addNvvm(set, "fence.sc.cluster", runFence<FenceScope::Cluster>);
  addNvvm(set, "fence.mbarrier_init.release.cluster", runFenceInit);
  for (StringRef kind : {"acquire.sync_restrict.space.cluster.scope.cluster",
                         "release.sync_restrict.space.cta.scope.cluster"}) {
    addNvvm(set, "fence." + kind, runFence<FenceScope::Cluster>);
    addNvvm(set, "fence.proxy.async_generic." + kind, runFenceProxy);
  }
  for (StringRef kind : {"async", "async.shared_cta", "async.shared_cluster"})
    addNvvm(set, "fence.proxy." + kind, runFenceProxy);
  for (StringRef kind : {"alias", "async.global"})
    addNvvm(set, "fence.proxy." + kind, runNothing);
  addNvvm(set, "fence.proxy.tensormap_generic.release.cta",
          runFence<FenceScope::Block>);
  addNvvm(set, "fence.proxy.tensormap_generic.release.cluster",
          runFence<FenceScope::Cluster>);
  addNvvm(set, "fence.proxy.tensormap_generic.release.gpu",
          runFence<FenceScope::Device>);
  addNvvm(set, "fence.proxy.tensormap_generic.release.sys",
          runFence<FenceScope::System>);
  for (StringRef scope : {"cta", "cluster", "gpu", "sys"})
    addNvvm(set, "fence.proxy.tensormap_generic.acquire." + scope, runNothing);
}

} // namespace

void addBarriers(InstructionSet &set) {
  const std::pair<StringRef, BarrierReduction> reductions[] = {
      {"popc", BarrierReduction::Count},
      {"and", BarrierReduction::And},
      {"or", BarrierReduction::Or}};
  for (bool aligned : {false, true}) {
    StringRef suffix = aligned ? ".aligned" : "";
    for (bool counted : {false, true}) {
      StringRef form = counted ? ".count" : ".all";
      addNvvm(set, "barrier.cta.sync" + suffix + form, runSync,
              BarrierInfo{aligned, counted});
      for (auto [name, reduction] : reductions)
        addNvvm(set, "barrier.cta.red." + name + suffix + form, runReduce,
                BarrierInfo{aligned, counted, reduction});
    }
    addNvvm(set, "barrier.cta.arrive" + suffix + ".count", runArrive,
            BarrierInfo{aligned, true});
  }
  addFences(set);
}

void addClusters(InstructionSet &set) {
  addNvvm(set, "barrier.cluster.arrive", runClusterArrive<false, false>);
  addNvvm(set, "barrier.cluster.arrive.aligned", runClusterArrive<false, true>);
  addNvvm(set, "barrier.cluster.arrive.relaxed", runClusterArrive<true, false>);
  addNvvm(set, "barrier.cluster.arrive.relaxed.aligned",
          runClusterArrive<true, true>);
  addNvvm(set, "barrier.cluster.wait", runClusterWait<false>);
  addNvvm(set, "barrier.cluster.wait.aligned", runClusterWait<true>);
  for (StringRef suffix : {"", ".shared.cluster"}) {
    addNvvm(set, "mapa" + suffix, runMap);
    addNvvm(set, "getctarank" + suffix, runRank);
  }
  addNvvm(set, "isspacep.const", runIsSpace<Space::Constant>);
  addNvvm(set, "isspacep.global", runIsSpace<Space::Global>);
  addNvvm(set, "isspacep.local", runIsSpace<Space::Local>);
  addNvvm(set, "isspacep.shared", runIsSpace<Space::Shared>);
  addNvvm(set, "isspacep.shared.cluster", runIsSpace<Space::SharedCluster>);
}

} // namespace lathe::sim
