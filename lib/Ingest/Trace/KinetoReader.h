//===- KinetoReader.h - Reads a PyTorch profiler trace ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_TRACE_KINETOREADER_H
#define LATHE_LIB_INGEST_TRACE_KINETOREADER_H

#include "EventScanner.h"
#include "TraceEvents.h"

namespace lathe {

/// Reads a trace whose bytes `read` gives. Damaged events are left out and
/// counted in `events.lines`; an error only if this is no trace, or if what has
/// to be kept of it does not fit.
llvm::Error readKineto(EventScanner::Read read, TraceEvents &events);

/// Decimal microseconds as nanoseconds, exactly; nothing if it is no number or
/// out of range.
std::optional<int64_t> parseMicroseconds(llvm::StringRef text);

} // namespace lathe

#endif // LATHE_LIB_INGEST_TRACE_KINETOREADER_H
