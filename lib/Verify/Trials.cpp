//===- Trials.cpp - Which sizes a kernel is tried at ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CasePlanner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>

using namespace lathe;

/// Whether the guards leave a dim that the kernel takes at run time one size.
static bool pinsDims(const TrialQuestion &question, const DispatchCase &row) {
  return llvm::any_of(row.guards, [&](const DimGuard &guard) {
    auto dim = llvm::find_if(question.spec->dims, [&](const DimSpec &dim) {
      return dim.name == guard.dim;
    });
    return dim != question.spec->dims.end() && dim->kind == DimKind::Static &&
           !question.constants.count(dim->name) && guard.lo == guard.hi;
  });
}

llvm::Expected<TrialPlan> lathe::planTrials(const TrialQuestion &question) {
  TrialPlan plan;
  std::set<std::string> known;
  std::deque<CasePlanner> planners; // they refer to themselves
  auto isPinned = [&](const DispatchCase &row) {
    return question.own && pinsDims(question, row);
  };
  size_t all = 0; ///< what the kernel admits by itself
  if (llvm::any_of(question.cases, isPinned)) {
    planners.emplace_back(question, 0, *question.own, CasePlanner::Kernel, plan,
                          known);
    all = 1;
  }
  for (auto [i, row] : llvm::enumerate(question.cases))
    planners.emplace_back(
        question, i, row.guards,
        isPinned(row) ? CasePlanner::Ends : CasePlanner::Whole, plan, known);
  for (auto [i, planner] : llvm::enumerate(planners))
    if (!planner.addNeeded() && i >= all)
      return llvm::createStringError(
          "no size can be tried that case %zu of kernel '%s' admits", i - all,
          question.cases[i - all].kernel.c_str());
  if (plan.trials.empty())
    return llvm::createStringError(
        "every size that the cases of kernel '%s' admit is too large",
        question.cases.empty() ? "" : question.cases.front().kernel.c_str());
  for (bool firstRound : {true, false}) {
    bool more = true;
    for (size_t kind = 0; more; ++kind) {
      more = false;
      for (CasePlanner &planner : planners)
        more |= planner.addWanted(kind, firstRound);
    }
  }
  return plan;
}

std::string lathe::textOf(const Bindings &bindings) {
  std::string text;
  for (const auto &[name, value] : bindings) {
    text += name + (value.isList ? "=[" : "=");
    for (int64_t element : value.elements)
      text += std::to_string(element) + ',';
    text += value.isList ? "]" : "";
  }
  return text;
}

void TrialQuestion::print(llvm::raw_ostream &os) const {
  os << "operator " << spec->name << ", " << cases.size() << " cases, "
     << instances.size() << " hot shapes\n";
  for (const auto &[name, value] : constants)
    os << "  " << name << " = " << value << "\n";
  for (const DispatchCase &row : cases) {
    os << "  " << caseKindName(row.kind) << ":";
    for (const DimGuard &guard : row.guards)
      os << " " << guard.lo << " <= " << guard.dim << " <= " << guard.hi
         << (guard.multiple == 1 ? ""
                                 : ", of " + std::to_string(guard.multiple));
    os << "; grid " << row.gridX.str() << ", " << row.gridY.str() << ", "
       << row.gridZ.str() << "\n";
  }
}

void Trial::print(llvm::raw_ostream &os) const {
  os << why << ": " << textOf(bindings) << " grid " << grid[0] << "x" << grid[1]
     << "x" << grid[2];
  if (!blocks.empty()) {
    os << " blocks";
    for (uint64_t block : blocks)
      os << " " << block;
  }
  os << (thorough ? ", thorough" : "") << (aliased ? ", in place" : "") << "\n";
}
