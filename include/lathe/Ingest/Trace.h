//===- Trace.h - Imports profiler traces ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Traces become a histogram of the operators that pattern files know. Nothing
// is guessed in silence: what has no shape, no operator or had to be assumed is
// a line, and its time is the histogram's unshapedWeight. Names of files, hosts
// and users do not reach the result.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_INGEST_TRACE_H
#define LATHE_INGEST_TRACE_H

#include "lathe/Ingest/Load.h"

namespace lathe {

struct TraceImportOptions {
  /// Traces of the PyTorch profiler (JSON, also gzip), Nsight Systems (sqlite)
  /// and rocprofv3 (CSV, JSON, rocpd), in any mixture. A folder stands for the
  /// JSON traces in it and in its `capture_traces`.
  std::vector<std::string> files;
  /// Pattern files, or folders of them; of two patterns that fit the first
  /// counts.
  std::vector<std::string> patterns;
  /// Phase of calls in no step that a pattern knows; empty: not known.
  std::string phase;
  /// Dtype where a trace records none (ranges of Nsight Systems); empty: such
  /// calls have no shape.
  std::string assumedDType;
  /// Only the traces of this rank; negative: all.
  int64_t rank = -1;
};

/// One row of the report: an operator, or why time has no shape.
struct TraceRow {
  std::string name;
  double calls = 0, timeUs = 0;
  unsigned points = 0;
};

struct TraceImport {
  OpSet opset; ///< the given one, or one made from the calls
  Histogram histogram;
  std::vector<TraceRow> shaped, unshaped; ///< by falling time
  std::vector<std::string> lines;
  double timeUs = 0; ///< of everything on the device
};

/// `opset` is the op set to keep to, or null to make one. An error if a file
/// cannot be read, or if no call has a shape.
llvm::Expected<TraceImport> importTrace(const TraceImportOptions &options,
                                        const OperatorTable &operators,
                                        const OpSet *opset);

} // namespace lathe

#endif // LATHE_INGEST_TRACE_H
