//===- Ranges.h - Ranges that a program marked ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_TRACE_RANGES_H
#define LATHE_LIB_INGEST_TRACE_RANGES_H

#include "TraceEvents.h"

namespace lathe {

/// Adds an NVTX or roctx range: an operator if its text is that of one, as
/// PyTorch writes it (`name, seq = 1, sizes = [[1, 2], [2]], ..`), else an
/// annotation. `op` has the time and the thread.
void addRange(llvm::StringRef text, TraceOp op, TraceEvents &events);

/// Leaves only launches that a kernel has the correlation of.
void keepUsedLaunches(TraceEvents &events);

} // namespace lathe

#endif // LATHE_LIB_INGEST_TRACE_RANGES_H
