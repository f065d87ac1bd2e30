//===- Score.cpp - How near to the roofline -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Rank/Score.h"
#include "lathe/Measure/Statistics.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace lathe;

/// Further from the best baseline than what a measurement repeats to.
static constexpr double slowerThan = 1.01;

const std::pair<const std::string, BaselineTime> *
ScoredShape::bestBaseline() const {
  const std::pair<const std::string, BaselineTime> *best = nullptr;
  for (const auto &item : baselines)
    if (!best || item.second.us < best->second.us)
      best = &item;
  return best;
}

std::optional<double> ScoredShape::ratio() const {
  auto best = bestBaseline();
  if (!us || !best)
    return std::nullopt;
  return ratioTo(best->second);
}

static GroupScore groupOf(llvm::ArrayRef<const ScoredShape *> shapes) {
  GroupScore group;
  std::vector<double> scores, attainables, baselines;
  double logRatio = 0;
  for (const ScoredShape *shape : shapes) {
    ++group.shapes;
    if (!shape->us)
      continue;
    ++group.measured;
    scores.push_back(shape->score());
    attainables.push_back(shape->attainable());
    auto ratio = shape->ratio();
    if (!ratio)
      continue;
    ++group.compared;
    group.slower += *ratio * slowerThan < 1;
    logRatio += std::log(*ratio);
    baselines.push_back(shape->rooflineUs / shape->bestBaseline()->second.us);
  }
  group.score = measure::summarize(std::move(scores)).median;
  group.attainable = measure::summarize(std::move(attainables)).median;
  if (group.compared) {
    group.ratio = std::exp(logRatio / group.compared);
    group.baselineScore = measure::summarize(std::move(baselines)).median;
  }
  return group;
}

ScoreAnswer lathe::scoreOf(const ScoreQuestion &question) {
  ScoreAnswer answer;
  std::map<std::string, std::vector<const ScoredShape *>> byEntry;
  std::vector<std::string> order;
  for (const ScoredShape &shape : question.shapes) {
    auto &shapes = byEntry[shape.entry];
    if (shapes.empty())
      order.push_back(shape.entry);
    shapes.push_back(&shape);
  }
  bool anyImportance = false;
  for (const std::string &entry : order) {
    const auto &shapes = byEntry[entry];
    OperatorScore &scored = answer.operators.emplace_back();
    scored.entry = entry;
    auto importance = question.importance.find(entry);
    if (importance != question.importance.end())
      scored.importance = importance->second;
    scored.all = groupOf(shapes);
    anyImportance |= scored.importance > 0 && scored.all.measured;
    std::map<std::string, std::vector<const ScoredShape *>> byPhase;
    for (const ScoredShape *shape : shapes)
      byPhase[shape->phase].push_back(shape);
    for (const auto &[phase, list] : byPhase)
      scored.phases[phase] = groupOf(list);
  }
  double total = 0;
  for (const OperatorScore &scored : answer.operators) {
    if (!scored.all.measured)
      continue;
    double weight = anyImportance ? scored.importance : 1;
    total += weight;
    answer.aggregate += weight * scored.all.score;
    answer.attainable += weight * scored.all.attainable;
  }
  if (total > 0) {
    answer.aggregate /= total;
    answer.attainable /= total;
  }
  return answer;
}
