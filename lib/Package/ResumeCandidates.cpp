//===- ResumeCandidates.cpp - Going on from a candidate file --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidatePlanner.h"

#include "lathe/Ingest/Bind.h"
#include "lathe/Plan/ReadProblem.h"
#include "lathe/Verify/Inputs.h"

#include "llvm/ADT/STLExtras.h"

using namespace lathe;
using llvm::Error;
using llvm::StringRef;

/// The case whose inputs a problem draws: its only draw has that name.
static StringRef ownDraws(const measure::Problem &problem) {
  bool isOwn =
      problem.draws.size() == 1 &&
      llvm::none_of(llvm::ArrayRef({DrawMode::Realistic, DrawMode::Adversarial,
                                    DrawMode::Edge}),
                    [&](DrawMode mode) {
                      return drawModeName(mode) == problem.draws.front().name;
                    });
  return isOwn ? StringRef(problem.draws.front().name) : StringRef();
}

Error CandidatePlanner::resume(const measure::Candidates &plan) {
  Impl &my = *impl;
  if (plan.target.name != my.target.name || plan.target.arch != my.target.arch)
    return llvm::createStringError("the candidate file is for " +
                                   plan.target.name + " (" + plan.target.arch +
                                   "), expected " + my.target.name + " (" +
                                   my.target.arch + ")");
  my.plan = plan;
  for (auto [i, image] : llvm::enumerate(my.plan.images)) {
    my.storage.emplace_back(image.bytes);
    image.bytes = my.storage.back();
    my.images[image.sha256] = uint32_t(i);
  }
  for (auto [i, problem] : llvm::enumerate(my.plan.problems))
    my.problems[problemKey(problem, ownDraws(problem))] = uint32_t(i);
  for (auto [i, planned] : llvm::enumerate(my.plan.entries)) {
    PlannedEntry entry;
    entry.entry = findEntry(my.input.opset, planned.name);
    if (!entry.entry)
      continue; // nobody adds to it
    entry.spec = &operatorOf(my.input, *entry.entry);
    measure::EntryPlan own = planEntry(*entry.spec, *entry.entry);
    if (own.op != planned.op || own.dtypes != planned.dtypes ||
        own.options != planned.options || own.scalars != planned.scalars ||
        own.operands.size() != planned.operands.size())
      return llvm::createStringError("entry '" + planned.name +
                                     "' of the candidate file has another "
                                     "operator, dtypes or options");
    entry.index = uint32_t(i);
    entry.rowRank = my.plan.references[planned.reference].rowRank;
    my.references[referenceKey(own.op, *entry.spec, *entry.entry)] =
        planned.reference;
    for (auto [j, problem] : llvm::enumerate(my.plan.problems)) {
      if (problem.entry != i || !problem.timed)
        continue;
      Bindings dims;
      for (const auto &[name, value] : problem.dims)
        if (!value.isList())
          dims[name] = ExprValue(value.asNumber());
      for (const auto &[name, list] : problem.lists)
        dims[name] = ExprValue(list);
      auto bindings = bindAll(*entry.spec, *entry.entry, dims);
      if (!bindings)
        return bindings.takeError();
      entry.timed.push_back(uint32_t(j));
      entry.timedAt.push_back(std::move(*bindings));
      if (problem.weight > 0)
        entry.hot.push_back(entry.timedAt.back());
    }
    my.entries[planned.name] = std::move(entry);
  }
  return Error::success();
}
