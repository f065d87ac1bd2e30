//===- Seen.h - Shapes that were seen somewhere --------------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What importers share: shapes with or without counts and times become an op
// set and a histogram.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_INGEST_SEEN_H
#define LATHE_INGEST_SEEN_H

#include "lathe/Ingest/Load.h"

namespace lathe {

/// `choice` is an entry with options, dtypes and scalars; its name is wanted
/// but not needed.
struct SeenShape {
  OpSetEntry choice;
  Bindings dims;
  std::string phase = "prefill/decode";
  double count = 0, timeUs = 0; ///< 0: not recorded
};

struct SeenShapes {
  OpSet opset;
  Histogram histogram;
  /// What no operator does or what lacks a dim, with how often it was seen.
  std::map<std::string, uint64_t> uncovered;
  /// What was not understood or was assumed, with how often.
  std::map<std::string, uint64_t> notes;
};

/// Collects shapes: equal ones are one point. Strides are dims and are kept.
class ShapeCollector {
public:
  ShapeCollector(const OperatorTable &operators, const Hardware &reference)
      : operators(operators), reference(reference) {}

  /// A shape that lacks dims or is out of range becomes `uncovered`.
  void add(const SeenShape &shape);
  void addUncovered(const std::string &what) { ++seen.uncovered[shown(what)]; }
  void addNote(const std::string &what) { ++seen.notes[shown(what)]; }
  /// Uses these entries as they are; later shapes name them in choice.name.
  void setEntries(const OpSet &opset);

  /// Weights are shares of the recorded time if every shape has one, else of
  /// calls (1 where not recorded) times the roofline time on the reference
  /// hardware.
  llvm::Expected<SeenShapes> finish();

private:
  static std::string shown(const std::string &what);

  const OperatorTable &operators;
  const Hardware &reference;
  bool fixedEntries = false;
  SeenShapes seen;
  std::map<std::string, size_t> points; ///< by entry, phase and dims
};

} // namespace lathe

#endif // LATHE_INGEST_SEEN_H
