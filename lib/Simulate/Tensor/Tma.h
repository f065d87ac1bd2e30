//===- Tma.h - Bulk copies between global and shared memory -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.bulk and cp.async.bulk.tensor over plain values, for intrinsics and
// inline PTX alike (PTX ISA 9, data movement instructions).
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_TENSOR_TMA_H
#define LATHE_LIB_SIMULATE_TENSOR_TMA_H

#include "../Machine.h"
#include "../Nvidia/Atomics.h"
#include "TmaBox.h"

#include <optional>

namespace lathe::sim {

/// Reads the map at an address: a parameter of the kernel or global memory.
/// Ends the launch if there is none, or if its rank is another.
EncodedMap readTensorMap(Thread &thread, const Site &site, uint64_t address,
                         unsigned rank);

/// Box into shared memory; completes on the mbarrier with the bytes of the
/// whole box. `multicast`: blocks of the cluster that get it, at the same
/// offsets.
void tensorLoad(Thread &thread, const Site &site, uint64_t shared,
                uint64_t mbarrier, const EncodedMap &map,
                const TensorCoordinates &at, std::optional<uint16_t> multicast);

/// Box out of shared memory, as part of the thread's open bulk group. A row
/// that the tensor's end cuts off inside a chunk of 16 bytes is written up to
/// the end of that chunk, with zeros. `reduction` combines with what is there,
/// and with nothing beyond the tensor.
void tensorStore(Thread &thread, const Site &site, uint64_t shared,
                 const EncodedMap &map, const TensorCoordinates &at,
                 std::optional<AtomicOp> reduction);

/// From global memory, or from the block's own shared memory into another
/// block's; completes on the mbarrier.
void bulkLoad(Thread &thread, const Site &site, uint64_t shared,
              uint64_t mbarrier, uint64_t source, uint64_t bytes,
              std::optional<uint16_t> multicast);

struct BulkReduction {
  AtomicOp op = AtomicOp::Add;
  AtomicType type = AtomicType::F32;
};
/// Whether the bulk instructions have the combination.
bool isBulkReduction(AtomicOp op, AtomicType type);
/// To global memory, as part of the thread's open bulk group.
void bulkStore(Thread &thread, const Site &site, uint64_t global,
               uint64_t shared, uint64_t bytes,
               std::optional<BulkReduction> reduction);

/// cp.async.bulk.commit_group.
void bulkCommit(Thread &thread, const Site &site);
/// cp.async.bulk.wait_group: until at most `pending` of the thread's latest
/// groups are open. `readsOnly`: open means that sources may still be read.
void bulkWait(Thread &thread, const Site &site, uint64_t pending,
              bool readsOnly);

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_TENSOR_TMA_H
