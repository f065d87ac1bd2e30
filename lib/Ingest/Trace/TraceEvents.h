//===- TraceEvents.h - What importers read out of a trace -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file's events in the form that all trace formats share. Times are in
// nanoseconds; names and arguments are interned.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_TRACE_TRACEEVENTS_H
#define LATHE_LIB_INGEST_TRACE_TRACEEVENTS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <optional>
#include <string>
#include <vector>

namespace lathe {

/// Numbers texts from 0 in the order in which they come.
class Interner {
public:
  uint32_t add(llvm::StringRef text) {
    auto [it, isNew] = ids.try_emplace(text, uint32_t(texts.size()));
    if (isNew) {
      texts.push_back(it->getKey());
      bytes += text.size();
    }
    return it->second;
  }
  llvm::StringRef operator[](uint32_t id) const { return texts[id]; }
  size_t size() const { return texts.size(); }
  size_t byteSize() const { return bytes; }

private:
  llvm::StringMap<uint32_t> ids;
  std::vector<llvm::StringRef> texts;
  size_t bytes = 0;
};

constexpr uint64_t noId = ~uint64_t(0);
constexpr uint32_t noIndex = ~uint32_t(0);

/// An operator of the framework, or a range that a program marked.
struct TraceOp {
  int64_t start = 0, end = 0;
  uint64_t external = noId;
  uint32_t thread = 0, name = 0, arguments = 0;
};

/// A call that starts work on the device.
struct TraceLaunch {
  int64_t start = 0;
  uint64_t correlation = noId;
  uint32_t thread = 0;
  bool isGraph = false;
};

/// Work on the device: a kernel, a copy, a fill.
struct TraceKernel {
  int64_t start = 0, duration = 0;
  uint64_t correlation = noId, external = noId;
  uint32_t name = 0;
  uint32_t thread = noIndex; ///< its stream, if recorded
};

/// One end of an arrow from a launch on the host to its kernel.
struct TraceFlow {
  uint64_t id = noId;
  int64_t time = 0;
  uint32_t thread = 0;
};

/// From `start` to `end`; nothing if that is negative or no number.
inline std::optional<int64_t> durationOf(int64_t start, int64_t end) {
  int64_t duration;
  if (end < start || llvm::SubOverflow(end, start, duration))
    return std::nullopt;
  return duration;
}

/// Which graph the whole of a file captured, if something beside it says so.
struct TraceCapture {
  int64_t batch = -1;    ///< negative: nothing does
  std::string mode;      ///< FULL, PIECEWISE, ..; may be empty
  bool fromName = false; ///< then an annotation knows better
};

struct TraceEvents {
  /// `arguments` is the JSON `{"dims": .., "types": .., "strides": ..,
  /// "values": ..}` as far as recorded; empty if nothing was.
  Interner names, arguments, threads;
  std::vector<TraceOp> ops, annotations;
  std::vector<TraceLaunch> launches;
  std::vector<TraceKernel> kernels;
  std::vector<TraceFlow> flowStarts, flowEnds;
  /// What the reader has to say, one line each.
  std::vector<std::string> lines;
  TraceCapture capture;
  bool hasShapes = false;
  int64_t rank = -1; ///< in a distributed run, if recorded

  size_t byteSize() const {
    return names.byteSize() + arguments.byteSize() +
           (ops.size() + annotations.size()) * sizeof(TraceOp) +
           launches.size() * sizeof(TraceLaunch) +
           kernels.size() * sizeof(TraceKernel) +
           (flowStarts.size() + flowEnds.size()) * sizeof(TraceFlow);
  }
};

} // namespace lathe

#endif // LATHE_LIB_INGEST_TRACE_TRACEEVENTS_H
