//===- EventScanner.h - Cuts a JSON trace into events -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A trace is one JSON object whose `traceEvents` is an array of events, or that
// array alone. It may be larger than memory and cut off or damaged anywhere, so
// only the frame is read here: each event is found by its brackets and handed
// on as text.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_TRACE_EVENTSCANNER_H
#define LATHE_LIB_INGEST_TRACE_EVENTSCANNER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace lathe {

class EventScanner {
public:
  /// Bytes that may be read behind every text that is handed out.
  static constexpr size_t padding = 64;
  /// A longer event is taken for a damaged one.
  static constexpr size_t maxEvent = 4 << 20;

  /// Fills a buffer and returns how much it filled; 0 at the end.
  using Read = llvm::function_ref<size_t(char *, size_t)>;
  /// Whether the event is sound; if not, the next one is looked for inside it.
  using OnEvent = llvm::function_ref<bool(llvm::StringRef event)>;
  /// A value of the outermost object, in JSON.
  using OnMetadata =
      llvm::function_ref<void(llvm::StringRef key, llvm::StringRef value)>;

  EventScanner(Read read, OnEvent onEvent, OnMetadata onMetadata)
      : read(read), onEvent(onEvent), onMetadata(onMetadata) {}

  /// Reads to the end. An error only if this is no trace at all.
  llvm::Error run();

  uint64_t bytes = 0;     ///< read in all
  uint64_t lostBytes = 0; ///< of these, in no complete event
  bool closed = false;    ///< whether the outermost value ends

private:
  enum class Keep { Yes, No };
  static constexpr size_t npos = ~size_t(0);

  bool more();
  bool skipSpace(bool commas);
  size_t valueEnd(Keep keep);
  size_t bracketsEnd(size_t at, Keep keep);
  bool object();
  bool events();
  bool resynchronize(size_t looked);
  char peek() const { return buffer[begin]; }

  Read read;
  OnEvent onEvent;
  OnMetadata onMetadata;
  std::vector<char> buffer;
  size_t begin = 0, end = 0; ///< what is read and not yet consumed
  bool atEnd = false;
  uint64_t lookedAgain = 0; ///< bytes of damaged events, scanned twice
};

} // namespace lathe

#endif // LATHE_LIB_INGEST_TRACE_EVENTSCANNER_H
