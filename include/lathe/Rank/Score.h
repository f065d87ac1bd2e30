//===- Score.h - How near to the roofline -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// S = T_roofline / T per shape, the median over an operator's shapes, and the
// mean over operators by their importance, as in the published benchmark
// (Atrex-Bench, revision eb8697d). Beside it the attainable score, which
// divides T_floor = max(T_roofline at measured ceilings, an empty launch).
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_RANK_SCORE_H
#define LATHE_RANK_SCORE_H

#include "llvm/Support/JSON.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace lathe {

/// Somebody else's time at a shape.
struct BaselineTime {
  double us = 0;
  /// Its time over ours where both were interleaved; else of the two times.
  std::optional<double> pairedRatio;
};

struct ScoredShape {
  std::string entry, phase, dims;
  double rooflineUs = 0, floorUs = 0;
  std::string caseName, kernel; ///< what the bundle picks
  std::optional<double> us;     ///< nothing: not measured
  double lowUs = 0, highUs = 0;
  std::map<std::string, BaselineTime> baselines; ///< by name

  double score() const { return us ? rooflineUs / *us : 0; }
  double attainable() const { return us ? floorUs / *us : 0; }
  double ratioTo(const BaselineTime &baseline) const {
    return baseline.pairedRatio.value_or(us ? baseline.us / *us : 0);
  }
  /// The fastest; null if there is none.
  const std::pair<const std::string, BaselineTime> *bestBaseline() const;
  /// Its time over ours.
  std::optional<double> ratio() const;
};

struct ScoreQuestion {
  std::string device, driver, target;
  double launchFloorUs = 0;
  bool isFloorMeasured = false; ///< in these records; else it is published
  std::vector<ScoredShape> shapes;
  std::map<std::string, double> importance; ///< by entry
  std::vector<std::string> unserved;        ///< entries without a table
};

/// Medians over the measured shapes; ratios are geometric means over those that
/// have a baseline, `baselineScore` is the best baselines' own median.
struct GroupScore {
  unsigned shapes = 0, measured = 0, compared = 0, slower = 0;
  double score = 0, attainable = 0, ratio = 0, baselineScore = 0;
};

struct OperatorScore {
  std::string entry;
  double importance = 0;
  GroupScore all;
  std::map<std::string, GroupScore> phases;
};

struct ScoreAnswer {
  std::vector<OperatorScore> operators; ///< in the shapes' order
  /// By importance over operators with a measured shape; where none is known
  /// all count the same.
  double aggregate = 0, attainable = 0;

  /// With `baselines` every one of them per shape, not only the best.
  void print(llvm::raw_ostream &os, const ScoreQuestion &question,
             bool baselines) const;
  llvm::json::Value toJSON(const ScoreQuestion &question) const;
};

ScoreAnswer scoreOf(const ScoreQuestion &question);

} // namespace lathe

#endif // LATHE_RANK_SCORE_H
