//===- VerifyStage.cpp - Only what is right ships -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "KernelProver.h"
#include "Shipment.h"
#include "lathe/Plan/PlannedKernel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <chrono>

using namespace lathe;
using namespace lathe::tool;
using llvm::errs;
namespace json = llvm::json;

/// Dims of the entry's hot shapes, heaviest first.
static std::vector<Bindings> instancesOf(const Histogram &histogram,
                                         llvm::StringRef entry) {
  std::vector<const HistogramPoint *> points;
  for (const HistogramPoint &point : histogram.points)
    if (point.entry == entry)
      points.push_back(&point);
  // Ties keep the histogram's order, in which the points lie in memory.
  llvm::sort(points, [](const auto *a, const auto *b) {
    return std::make_pair(-a->weight, a) < std::make_pair(-b->weight, b);
  });
  std::vector<Bindings> instances;
  for (const HistogramPoint *point : points)
    instances.push_back(point->dims);
  return instances;
}

/// What would ship now, and has no answer yet.
std::vector<GateQuestion> Shipment::openQuestions(
    const std::map<std::string, GateAnswer> &answers) const {
  std::vector<GateQuestion> questions;
  std::map<std::pair<std::string, std::string>, std::vector<DimGuard>> guards;
  for (PlannedKernel &kernel : readCandidates(work.problem))
    guards[{kernel.entry, kernel.kernel}] = std::move(kernel.guards);
  for (const DispatchTable &table : selection.tables) {
    const OperatorSpec &spec = work.operators.find(table.op)->second;
    std::vector<Bindings> instances =
        instancesOf(work.input.histogram, table.entry);
    for (GateQuestion &question : gateQuestions(table, spec, instances)) {
      const OutsideKernel *found = outside(table.entry, question.kernel);
      if (found && found->sanitized)
        continue;
      question.bitcode =
          work.kernels.find(question.kernel)->second.artifact->bitcode;
      question.hiddenSeed = hiddenSeedOf(question.bitcode, spec);
      if (auto own = guards.find({table.entry, question.kernel});
          own != guards.end())
        question.own = own->second;
      if (!answers.count(gateKey(question)))
        questions.push_back(std::move(question));
    }
  }
  return questions;
}

void Shipment::refuse(const GateQuestion &question, const GateAnswer &answer) {
  std::string reason =
      (verdictName(answer.verdict) + ": " + answer.reason).str();
  errs() << "refused " << question.kernel << ": " << reason << "\n";
  SelectOptions &select = selectOptions;
  select.refused[{question.entry.name, question.kernel}] = reason;
}

/// Proves what was selected and selects again without what failed, until
/// everything that would ship has passed.
void Shipment::prove() {
  if (options.unproven)
    return;
  ProverOptions proverOptions;
  proverOptions.jobs = options.jobs;
  proverOptions.cacheDirectory = options.cacheDirectory;
  proverOptions.version = work.builder.fingerprint();
  KernelProver prover(proverOptions);
  std::map<std::string, GateAnswer> answers; ///< by gateKey
  auto start = std::chrono::steady_clock::now();
  while (true) {
    std::vector<GateQuestion> questions = openQuestions(answers);
    if (questions.empty())
      break;
    std::vector<GateAnswer> found = valueOrFail(prover.prove(questions));
    bool again = false;
    for (auto [question, answer] : llvm::zip_equal(questions, found)) {
      if (answer.verdict != Verdict::Passed) {
        refuse(question, answer);
        again = true;
      } else {
        std::string place = question.entry.name + "/" + question.kernel;
        bundle.evidence[place] = answer.evidence;
      }
      answers[gateKey(question)] = std::move(answer);
    }
    if (!again)
      break;
    select();
  }
  const ProverTotals &totals = prover.totals();
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  if (totals.run)
    errs() << llvm::format(
        "proved %u kernels in %.1f s with %u workers: %.2f "
        "G instructions, %.0f M per second of a worker\n",
        totals.run, seconds, options.jobs, double(totals.instructions) / 1e9,
        double(totals.instructions) / 1e6 / std::max(totals.seconds, 1e-3));
  // Refused here, or by a device that measured it.
  if (selection.tables.empty() && !selection.rejected.empty())
    failWith(llvm::createStringError(
        "error: no bundle: no kernel passed the correctness gate"));
  for (DispatchTable &table : selection.tables)
    for (DispatchCase &row : table.cases)
      row.verdict = verdictName(Verdict::Passed).str();
}
