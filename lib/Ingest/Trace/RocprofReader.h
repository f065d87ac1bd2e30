//===- RocprofReader.h - Reads traces of rocprofv3 --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_TRACE_ROCPROFREADER_H
#define LATHE_LIB_INGEST_TRACE_ROCPROFREADER_H

#include "TraceEvents.h"

#include "llvm/Support/Error.h"

namespace lathe {

/// A `*_kernel_trace.csv`.
llvm::Error readRocprofCsv(llvm::StringRef text, TraceEvents &events);

/// What a reader of rocprofv3's formats does last.
void finishRocprof(TraceEvents &events);

/// A `*_results.json`: kernels, HIP calls and roctx ranges. `text` is followed by EventScanner::padding bytes.
llvm::Error readRocprofJson(llvm::StringRef text, TraceEvents &events);

} // namespace lathe

#endif // LATHE_LIB_INGEST_TRACE_ROCPROFREADER_H
