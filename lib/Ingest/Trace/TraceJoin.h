//===- TraceJoin.h - Device time to the calls that caused it ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of nested operators one is counted: the outermost that has a place in the
// histogram, else the outermost that a pattern knows. A kernel belongs to the
// operator that encloses its launch (by correlation id), else to the one that
// KernelLinks finds. Kernels of a replayed graph belong to the operators that
// launched them while the graph was captured, one by one in order.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_TRACE_TRACEJOIN_H
#define LATHE_LIB_INGEST_TRACE_TRACEJOIN_H

#include "Placement.h"

#include "llvm/ADT/MapVector.h"

#include <map>

namespace lathe {

struct Tally {
  double calls = 0, timeNs = 0;
};

class TraceJoin {
public:
  TraceJoin(const PatternSet &patterns, Placement &placement)
      : patterns(patterns), placement(placement) {}

  /// Adds one file. Its captures and replays wait for finish().
  void add(const TraceEvents &events);
  void finish();

  /// By call (Placement::call) and phase; "" is a phase that is not known.
  std::map<std::pair<uint32_t, std::string>, Tally> byCall;
  /// Kernels that belong to no operator, by their cleaned name.
  std::map<std::string, Tally> byKernel;
  double totalNs = 0;
  std::vector<std::string> lines;

private:
  struct Step {
    std::string phase;
    int64_t batch = -1;
    std::string mode = "";
  };
  struct Capture {
    std::vector<uint32_t> launches; ///< the call that made each, or noIndex
    std::map<uint32_t, double> calls;
  };
  struct Replay {
    Step step;
    std::vector<const TraceKernel *> kernels;
  };
  /// One replay, when its file is gone: name and time of each kernel in order.
  struct StoredReplay {
    Step step;
    std::vector<std::pair<uint32_t, int64_t>> kernels;
  };
  class FileJoin;
  struct Choice {
    const Capture *capture = nullptr;
    int64_t batch = -1;
    llvm::StringRef mode;
  };

  Choice choose(const StoredReplay &replay) const;

  void replay(const StoredReplay &replay, std::map<std::string, Tally> &failed);

  const PatternSet &patterns;
  Placement &placement;
  /// By mode and captured batch size.
  std::map<std::string, std::map<int64_t, Capture>> captures;
  std::vector<StoredReplay> replays;
  Interner kernelNames;
  /// Real and captured batch size and the mode to the number of steps.
  std::map<std::tuple<int64_t, int64_t, std::string>, unsigned> padded;
};

} // namespace lathe

#endif // LATHE_LIB_INGEST_TRACE_TRACEJOIN_H
