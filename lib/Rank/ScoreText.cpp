//===- ScoreText.cpp - The score in words and as JSON ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Rank/Score.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace lathe;
namespace json = llvm::json;

static void printGroup(llvm::raw_ostream &os, const GroupScore &group) {
  os << llvm::format("%5u/%-5u", group.measured, group.shapes);
  if (!group.measured) {
    os << "\n";
    return;
  }
  os << llvm::format("%8.3f%11.3f", group.score, group.attainable);
  if (group.compared)
    os << llvm::format("%11.3f%8.3f%7u", group.baselineScore, group.ratio,
                       group.slower);
  os << "\n";
}

static void printShapes(llvm::raw_ostream &os, const ScoreQuestion &question,
                        bool baselines) {
  size_t entryWidth = 5, dimsWidth = 4;
  for (const ScoredShape &shape : question.shapes) {
    entryWidth = std::max(entryWidth, shape.entry.size());
    dimsWidth = std::max(dimsWidth, shape.dims.size());
  }
  os << llvm::left_justify("entry", entryWidth) << "  "
     << llvm::left_justify("phase", 14) << "  "
     << llvm::left_justify("dims", dimsWidth)
     << "     T us   T_roofline  T_floor      S  case     best baseline\n";
  for (const ScoredShape &shape : question.shapes) {
    os << llvm::left_justify(shape.entry, entryWidth) << "  "
       << llvm::left_justify(shape.phase, 14) << "  "
       << llvm::left_justify(shape.dims, dimsWidth);
    if (!shape.us) {
      os << llvm::format("        -%13.3f%9.3f      -  ", shape.rooflineUs,
                         shape.floorUs)
         << llvm::left_justify(shape.caseName, 8) << " unmeasured\n";
      continue;
    }
    os << llvm::format("%9.3f%13.3f%9.3f%7.3f  ", *shape.us, shape.rooflineUs,
                       shape.floorUs, shape.score())
       << llvm::left_justify(shape.caseName, 8);
    if (auto best = shape.bestBaseline())
      os << " " << best->first
         << llvm::format(" %.3f us, ratio %.3f", best->second.us,
                         *shape.ratio());
    os << "\n";
    if (baselines)
      for (const auto &[name, time] : shape.baselines)
        os << "    " << name
           << llvm::format(" %.3f us, ratio %.3f\n", time.us,
                           shape.ratioTo(time));
  }
}

void ScoreAnswer::print(llvm::raw_ostream &os, const ScoreQuestion &question,
                        bool baselines) const {
  os << "measured on " << question.device << ", driver " << question.driver
     << "; rooflines of " << question.target
     << llvm::format("; an empty launch takes %.3f us", question.launchFloorUs)
     << (question.isFloorMeasured
             ? "\n"
             : ", as published: the run did not measure it\n");
  printShapes(os, question, baselines);
  size_t width = 8;
  for (const OperatorScore &scored : operators)
    for (const auto &item : scored.phases)
      width = std::max({width, scored.entry.size(), item.first.size() + 2});
  os << "\n"
     << llvm::left_justify("operator", width)
     << "  importance   shapes       S attainable  S of best  ratio slower\n";
  for (const OperatorScore &scored : operators) {
    os << llvm::left_justify(scored.entry, width)
       << llvm::format("%12.4f  ", scored.importance);
    printGroup(os, scored.all);
    for (const auto &[phase, group] : scored.phases) {
      os << llvm::left_justify("  " + phase, width) << "              ";
      printGroup(os, group);
    }
  }
  for (const std::string &entry : question.unserved)
    os << llvm::left_justify(entry, width) << "  not served\n";
  os << llvm::format("S_agg %.4f, attainable %.4f\n", aggregate, attainable);
}

static json::Object groupToJson(const GroupScore &group) {
  json::Object out{{"shapes", group.shapes}, {"measured", group.measured}};
  if (group.measured) {
    out["score"] = group.score;
    out["attainable"] = group.attainable;
  }
  if (group.compared) {
    out["compared"] = group.compared;
    out["slower"] = group.slower;
    out["ratio"] = group.ratio;
    out["baseline_score"] = group.baselineScore;
  }
  return out;
}

static json::Object shapeToJson(const ScoredShape &shape) {
  json::Object out{
      {"entry", shape.entry},      {"phase", shape.phase},
      {"dims", shape.dims},        {"roofline_us", shape.rooflineUs},
      {"floor_us", shape.floorUs}, {"case", shape.caseName},
      {"kernel", shape.kernel}};
  if (shape.us) {
    out["us"] = *shape.us;
    out["low_us"] = shape.lowUs;
    out["high_us"] = shape.highUs;
    out["score"] = shape.score();
    out["attainable"] = shape.attainable();
  }
  if (auto ratio = shape.ratio()) {
    out["best_baseline"] = shape.bestBaseline()->first;
    out["ratio"] = *ratio;
  }
  json::Object baselines;
  for (const auto &[name, time] : shape.baselines)
    baselines[name] = time.us;
  out["baselines_us"] = std::move(baselines);
  return out;
}

json::Value ScoreAnswer::toJSON(const ScoreQuestion &question) const {
  json::Array shapes, scored;
  for (const ScoredShape &shape : question.shapes)
    shapes.push_back(shapeToJson(shape));
  for (const OperatorScore &op : operators) {
    json::Object object = groupToJson(op.all), phases;
    object["entry"] = op.entry;
    object["importance"] = op.importance;
    for (const auto &[phase, group] : op.phases)
      phases[phase] = groupToJson(group);
    object["phases"] = std::move(phases);
    scored.push_back(std::move(object));
  }
  return json::Object{{"device", question.device},
                      {"driver", question.driver},
                      {"target", question.target},
                      {"launch_floor_us", question.launchFloorUs},
                      {"launch_floor_measured", question.isFloorMeasured},
                      {"shapes", std::move(shapes)},
                      {"operators", std::move(scored)},
                      {"unserved", json::Array(question.unserved)},
                      {"score", aggregate},
                      {"attainable", attainable}};
}
