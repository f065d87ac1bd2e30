//===- Placement.h - Which histogram point a call belongs to ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_TRACE_PLACEMENT_H
#define LATHE_LIB_INGEST_TRACE_PLACEMENT_H

#include "Patterns.h"
#include "TraceEvents.h"

#include "llvm/ADT/DenseMap.h"

namespace lathe {

/// What is known about calls of one name with the same arguments.
struct PlacedCall {
  /// Unknown: no pattern. Recognized: an operator, but `problem` keeps it out
  /// of the histogram. Placed: `entry` and `dims` are valid.
  enum Rank { Unknown, Recognized, Placed } rank = Unknown;
  std::string op, entry, problem;
  Bindings dims;
  bool assumedStrides = false;
  std::vector<std::string> assumed; ///< options and scalars not in the call
};

/// Numbers calls and places each once. Without an op set it makes one.
class Placement {
public:
  /// `fixed` is the op set to keep to, or null.
  Placement(const PatternSet &patterns, const OperatorTable &operators,
            const OpSet *fixed, llvm::StringRef assumedDType = "");

  uint32_t add(llvm::StringRef name, llvm::StringRef arguments);
  const PlacedCall &call(uint32_t id) const { return calls[id]; }
  llvm::StringRef name(uint32_t id) const { return names[keys[id].first]; }
  size_t byteSize() const { return names.byteSize() + arguments.byteSize(); }

  OpSet opset;

private:
  PlacedCall place(const RecognizedCall &call);
  OpSetEntry *entryFor(const OperatorSpec &spec, const RecognizedCall &call);

  const PatternSet &patterns;
  const OperatorTable &operators;
  const bool isFixed;
  const std::string assumedDType;
  Interner names, arguments;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> ids;
  std::vector<std::pair<uint32_t, uint32_t>> keys;
  std::vector<PlacedCall> calls;
};

} // namespace lathe

#endif // LATHE_LIB_INGEST_TRACE_PLACEMENT_H
