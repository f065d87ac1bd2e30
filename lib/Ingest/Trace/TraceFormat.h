//===- TraceFormat.h - Reads any trace --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_TRACE_TRACEFORMAT_H
#define LATHE_LIB_INGEST_TRACE_TRACEFORMAT_H

#include "TraceEvents.h"

#include "llvm/Support/Error.h"

namespace lathe {

/// Reads a file of whatever format its first bytes show. Errors do not name
/// the file.
llvm::Error readTrace(llvm::StringRef path, TraceEvents &events);

} // namespace lathe

#endif // LATHE_LIB_INGEST_TRACE_TRACEFORMAT_H
