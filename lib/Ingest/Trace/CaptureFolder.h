//===- CaptureFolder.h - Folders of traces ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_TRACE_CAPTUREFOLDER_H
#define LATHE_LIB_INGEST_TRACE_CAPTUREFOLDER_H

#include "TraceEvents.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace lathe {

/// A trace, and what its folder and its name say about it.
struct TraceFile {
  std::string path;
  TraceCapture capture;
  int64_t rank = -1;
};

/// The files themselves, and for a folder the traces in it and in its
/// `capture_traces`, by name. An `execution_details.json` says which of them
/// captured what; it is hostile input like they are. What was left out is
/// added to `lines`.
llvm::Expected<std::vector<TraceFile>>
listTraces(llvm::ArrayRef<std::string> paths, std::vector<std::string> &lines);

} // namespace lathe

#endif // LATHE_LIB_INGEST_TRACE_CAPTUREFOLDER_H
