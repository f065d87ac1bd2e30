//===- Enclosing.h - Which range an event lies in ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_TRACE_ENCLOSING_H
#define LATHE_LIB_INGEST_TRACE_ENCLOSING_H

#include "TraceEvents.h"

#include "llvm/ADT/ArrayRef.h"

namespace lathe {

/// Order of `ops` by thread and start, with outer ranges before inner ones.
std::vector<uint32_t> nestingOrder(llvm::ArrayRef<TraceOp> ops);

/// The range that each of `ops` lies in directly, or noIndex. `order` is
/// nestingOrder(ops).
std::vector<uint32_t> parents(llvm::ArrayRef<TraceOp> ops,
                              llvm::ArrayRef<uint32_t> order);

/// A moment on a thread.
struct TracePoint {
  uint32_t thread = 0;
  int64_t time = 0;
};

/// The innermost of `ranges` around each point, or noIndex.
std::vector<uint32_t> enclosing(llvm::ArrayRef<TracePoint> points,
                                llvm::ArrayRef<TraceOp> ranges);

} // namespace lathe

#endif // LATHE_LIB_INGEST_TRACE_ENCLOSING_H
