//===- TmaInstructions.cpp - Intrinsics of the bulk copies ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tma.h"

using namespace llvm;
using namespace lathe::sim;

static TensorCoordinates coordinates(Call &call, unsigned first,
                                     unsigned rank) {
  TensorCoordinates at = {};
  for (unsigned i = 0; i < rank; ++i)
    at[i] = int32_t(call.integer(first + i));
  return at;
}

// dst, mbarrier, map, coordinates, mask, cache hint, has mask, has hint, group
template <unsigned rank> static void loadBox(Call &call) {
  EncodedMap map = readTensorMap(call.thread, call.site, call.integer(2), rank);
  std::optional<uint16_t> multicast;
  if (call.integer(3 + rank + 2))
    multicast = uint16_t(call.integer(3 + rank));
  tensorLoad(call.thread, call.site, call.integer(0), call.integer(1), map,
             coordinates(call, 3, rank), multicast);
}

// The same for one block: no mask.
template <unsigned rank> static void loadBoxOfBlock(Call &call) {
  EncodedMap map = readTensorMap(call.thread, call.site, call.integer(2), rank);
  tensorLoad(call.thread, call.site, call.integer(0), call.integer(1), map,
             coordinates(call, 3, rank), std::nullopt);
}

// src, map, coordinates, cache hint, has hint
template <unsigned rank> static void storeBox(Call &call) {
  EncodedMap map = readTensorMap(call.thread, call.site, call.integer(1), rank);
  tensorStore(call.thread, call.site, call.integer(0), map,
              coordinates(call, 2, rank), std::nullopt);
}

template <unsigned rank, AtomicOp op> static void reduceBox(Call &call) {
  EncodedMap map = readTensorMap(call.thread, call.site, call.integer(1), rank);
  tensorStore(call.thread, call.site, call.integer(0), map,
              coordinates(call, 2, rank), op);
}

static void doNothing(Call &) {}

// dst, mbarrier, src, bytes, mask, cache hint, has mask, has hint
static void loadBytes(Call &call) {
  std::optional<uint16_t> multicast;
  if (call.integer(6))
    multicast = uint16_t(call.integer(4));
  bulkLoad(call.thread, call.site, call.integer(0), call.integer(1),
           call.integer(2), call.integer(3), multicast);
}

static void copyBytes(Call &call) {
  bulkLoad(call.thread, call.site, call.integer(0), call.integer(1),
           call.integer(2), call.integer(3), std::nullopt);
}

static void storeBytes(Call &call) {
  bulkStore(call.thread, call.site, call.integer(0), call.integer(1),
            call.integer(2), std::nullopt);
}

template <unsigned rank> static void addRank(InstructionSet &set) {
  std::string prefix = "llvm.nvvm.cp.async.bulk.tensor.";
  std::string suffix = "tile." + std::to_string(rank) + "d";
  set.add(prefix + "g2s." + suffix, loadBox<rank>);
  set.add(prefix + "g2s.cta." + suffix, loadBoxOfBlock<rank>);
  set.add(prefix + "s2g." + suffix, storeBox<rank>);
  set.add(prefix + "prefetch." + suffix, doNothing);
  std::string reduce = prefix + "reduce.";
  set.add(reduce + "add." + suffix, reduceBox<rank, AtomicOp::Add>);
  set.add(reduce + "min." + suffix, reduceBox<rank, AtomicOp::Min>);
  set.add(reduce + "max." + suffix, reduceBox<rank, AtomicOp::Max>);
  set.add(reduce + "inc." + suffix, reduceBox<rank, AtomicOp::Increment>);
  set.add(reduce + "dec." + suffix, reduceBox<rank, AtomicOp::Decrement>);
  set.add(reduce + "and." + suffix, reduceBox<rank, AtomicOp::And>);
  set.add(reduce + "or." + suffix, reduceBox<rank, AtomicOp::Or>);
  set.add(reduce + "xor." + suffix, reduceBox<rank, AtomicOp::Xor>);
}

void lathe::sim::addTma(InstructionSet &set) {
  addRank<1>(set);
  addRank<2>(set);
  addRank<3>(set);
  addRank<4>(set);
  addRank<5>(set);
  std::string prefix = "llvm.nvvm.cp.async.bulk.";
  set.add(prefix + "global.to.shared.cluster", loadBytes);
  set.add(prefix + "global.to.shared.cta", copyBytes);
  set.add(prefix + "shared.cta.to.cluster", copyBytes);
  set.add(prefix + "shared.cta.to.global", storeBytes);
  set.add(prefix + "prefetch.L2", doNothing);
  set.add("llvm.nvvm.prefetch.tensormap", doNothing);
  set.add(prefix + "commit.group",
          [](Call &call) { bulkCommit(call.thread, call.site); });
  set.add(prefix + "wait.group", [](Call &call) {
    bulkWait(call.thread, call.site, call.integer(0), false);
  });
  set.add(prefix + "wait.group.read", [](Call &call) {
    bulkWait(call.thread, call.site, call.integer(0), true);
  });
}
