//===- InspectCandidates.cpp - lathe inspect of candidate files -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InspectCandidates.h"

#include "BundleText.h"
#include "Commands.h"

#include "lathe/Measure/Candidates.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <set>

using namespace lathe;
using namespace lathe::tool;
using llvm::outs;
using llvm::StringRef;

static std::string dimsText(const measure::Problem &problem) {
  std::string text;
  for (const auto &[name, value] : problem.dims)
    text += (text.empty() ? "" : " ") + name + "=" + value.text();
  return text;
}

static void printReferences(const measure::Candidates &plan) {
  TextTable text({"reference", "rows over", "image", "missing"});
  for (const measure::ReferencePlan &reference : plan.references) {
    bool isThere = reference.missing.empty();
    text.add({reference.op, std::to_string(reference.rowRank) + " dims",
              isThere ? plan.images[reference.image].sha256.substr(0, 16) : "",
              reference.missing});
  }
  outs() << "references\n";
  text.print(outs(), 2);
}

static void printKernels(const measure::Candidates &plan,
                         const std::set<uint32_t> &entries) {
  TextTable text({"operator", "kernel", "role", "origin", "proof", "threads",
                  "registers", "spill", "shared", "timed", "checks", "image"});
  for (const measure::KernelPlan &kernel : plan.kernels) {
    if (!entries.count(kernel.entry))
      continue;
    size_t timed = 0;
    for (const measure::LaunchPlan &launch : kernel.launches)
      timed += plan.problems[launch.problem].timed;
    const uint32_t *block = kernel.block;
    text.add(
        {plan.entries[kernel.entry].name, kernel.name, kernel.role,
         kernel.origin,
         kernel.refused.empty() ? kernel.proof : "refused: " + kernel.refused,
         std::to_string(block[0] * block[1] * block[2]),
         std::to_string(kernel.registers), std::to_string(kernel.spillBytes),
         std::to_string(kernel.staticSharedBytes + kernel.sharedBytes),
         std::to_string(timed), std::to_string(kernel.launches.size() - timed),
         plan.images[kernel.image].sha256.substr(0, 16)});
  }
  outs() << "kernels\n";
  text.print(outs(), 2);
}

static void printProblems(const measure::Candidates &plan,
                          const std::set<uint32_t> &entries) {
  TextTable text({"operator", "why", "size", "timed", "phase", "weight",
                  "roofline us", "draws"});
  for (const measure::Problem &problem : plan.problems) {
    if (!entries.count(problem.entry))
      continue;
    std::string draws;
    for (const measure::DrawPlan &draw : problem.draws)
      draws += (draws.empty() ? "" : " ") + draw.name;
    text.add({plan.entries[problem.entry].name, problem.why, dimsText(problem),
              problem.timed ? "yes" : "", problem.phase,
              problem.weight > 0 ? llvm::formatv("{0:f4}", problem.weight).str()
                                 : "",
              llvm::formatv("{0:f3}", problem.rooflineUs).str(), draws});
  }
  outs() << "problems\n";
  text.print(outs(), 2);
}

static void printImages(const measure::Candidates &plan,
                        const std::set<uint32_t> &entries) {
  std::set<uint32_t> used;
  for (const measure::KernelPlan &kernel : plan.kernels)
    if (entries.count(kernel.entry))
      used.insert(kernel.image);
  for (uint32_t entry : entries) {
    const measure::ReferencePlan &reference =
        plan.references[plan.entries[entry].reference];
    if (reference.missing.empty())
      used.insert(reference.image);
  }
  TextTable text({"image", "kind", "bytes"});
  for (uint32_t index : used) {
    const measure::Image &image = plan.images[index];
    text.add({image.sha256, image.isPtx ? "ptx" : "cubin",
              std::to_string(image.bytes.size())});
  }
  outs() << "images\n";
  text.print(outs(), 2);
}

static measure::CandidateFile openFile(StringRef path) {
  try {
    return measure::CandidateFile::open(path.str());
  } catch (const std::runtime_error &error) {
    failWith(llvm::createStringError(StringRef("error: ") + error.what()));
  }
}

void tool::inspectCandidates(StringRef path, StringRef op, bool json) {
  measure::CandidateFile file = openFile(path);
  const measure::Candidates &plan = file.plan();
  std::set<uint32_t> entries;
  std::vector<std::string> names;
  for (size_t i = 0; i != plan.entries.size(); ++i) {
    names.push_back(plan.entries[i].name);
    if (op.empty() || op == names.back())
      entries.insert(uint32_t(i));
  }
  if (entries.empty() && !op.empty())
    failWith(unknownName("operator", op, names));
  if (json) {
    outs() << llvm::formatv(
        "{0:2}\n", valueOrFail(llvm::json::parse(measure::writePlan(plan))));
    return;
  }
  outs() << path << ": candidates for " << plan.target.name << " ("
         << plan.target.arch << "), written by lathe " << plan.lathe << "\n"
         << "sha256 " << file.hash() << '\n';
  printReferences(plan);
  printKernels(plan, entries);
  printProblems(plan, entries);
  printImages(plan, entries);
}
