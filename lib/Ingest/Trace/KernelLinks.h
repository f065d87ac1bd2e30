//===- KernelLinks.h - Kernels whose launch call leads nowhere --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_TRACE_KERNELLINKS_H
#define LATHE_LIB_INGEST_TRACE_KERNELLINKS_H

#include "TraceEvents.h"

#include "llvm/ADT/ArrayRef.h"

namespace lathe {

/// Pairs of an id and an index, sorted.
using IdMap = std::vector<std::pair<uint64_t, uint32_t>>;

/// The first index of the id, or noIndex.
uint32_t findId(llvm::ArrayRef<std::pair<uint64_t, uint32_t>> map, uint64_t id);

/// Operators of kernels by what remains when correlation ids do not tell:
/// `External id`, then the arrows (`ac2g`) from host to device.
class KernelLinks {
public:
  /// `events` must outlive this.
  explicit KernelLinks(const TraceEvents &events);

  /// The operator of one of the events' kernels, or noIndex.
  uint32_t opOf(const TraceKernel &kernel);

  /// How many kernels were given to operators so, a line for each way.
  std::vector<std::string> report() const;

private:
  void followFlows();

  const TraceEvents &events;
  IdMap opByExternal;
  bool externalIsCopy = false;
  bool followed = false;
  std::vector<uint32_t> opByFlow; ///< per kernel
  uint64_t numCopies = 0, byExternal = 0, byFlow = 0;
};

} // namespace lathe

#endif // LATHE_LIB_INGEST_TRACE_KERNELLINKS_H
