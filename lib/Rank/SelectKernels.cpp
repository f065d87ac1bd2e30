//===- SelectKernels.cpp - Which kernels ship, and for what ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Selection.h"

#include <set>

using namespace lathe;

namespace {

/// Rounds of leaving out kernels that were chosen and then got no case.
constexpr int maxRounds = 4;

/// Names of the kernels in `cases`.
std::set<std::string> kernelsIn(llvm::ArrayRef<DispatchCase> cases) {
  std::set<std::string> names;
  for (const DispatchCase &row : cases)
    names.insert(row.kernel);
  return names;
}

/// All entries on one architecture.
struct ArchSelection {
  std::vector<EntryChoice> choices;
  std::vector<std::vector<DispatchCase>> cases; ///< per choice
  std::vector<PrunedKernel> rejected;

  void select(const SelectOptions &options);
};

} // namespace

void ArchSelection::select(const SelectOptions &options) {
  std::set<const PlannedKernel *> banned;
  std::vector<PrunedKernel> without;
  for (int round = 0; round < maxRounds; ++round) {
    rejected = chooseUnderBudget(choices, options, banned);
    cases.clear();
    bool dropped = false;
    for (const EntryChoice &choice : choices) {
      cases.push_back(makeCases(choice, options));
      describeCases(choice, cases.back());
      std::set<std::string> used = kernelsIn(cases.back());
      for (const PlannedKernel *kernel : choice.chosen)
        if (!used.count(kernel->kernel) && banned.insert(kernel).second) {
          dropped = true;
          without.push_back({choice.entry->name, kernel->kernel,
                             "wins no bucket over its whole extent"});
        }
    }
    if (!dropped)
      break;
  }
  rejected.insert(rejected.end(), without.begin(), without.end());
}

/// Why a kernel may not ship, by the simulator or by the device; else empty.
static std::string refusalOf(const SelectOptions &options,
                             const std::string &entry,
                             const std::string &kernel) {
  auto refused = options.refused.find({entry, kernel});
  if (refused != options.refused.end())
    return refused->second;
  const MeasuredKernel *measured =
      options.times ? options.times->find(entry, kernel) : nullptr;
  return measured ? measured->refused : "";
}

llvm::Expected<Selection> lathe::selectKernels(mlir::ModuleOp module,
                                               const SelectOptions &options) {
  auto input = readProblem(module);
  if (!input)
    return input.takeError();
  auto shapes = rankedShapes(*input);
  if (!shapes)
    return shapes.takeError();
  std::vector<PlannedKernel> kernels = readCandidates(module);
  std::vector<UnservedEntry> unserved = listUnserved(module);
  auto targets = planningTargets(*input);
  if (!targets)
    return targets.takeError();

  Selection selection;
  selection.coverage.unshaped = input->histogram.unshapedWeight;
  std::map<std::string, DispatchTable> tables;
  for (const Hardware *hardware : *targets) {
    ArchSelection arch;
    std::map<std::string, std::string> reasons;
    for (const OpSetEntry &entry : input->opset.entries) {
      EntryChoice choice;
      choice.entry = &entry;
      choice.spec = &operatorOf(*input, entry);
      choice.hardware = hardware;
      choice.shapes = &(*shapes)[entry.name];
      bool any = false;
      for (const PlannedKernel &kernel : kernels) {
        if (kernel.entry != entry.name ||
            kernel.candidate.arch != hardware->arch)
          continue;
        any = true;
        std::string refused = refusalOf(options, entry.name, kernel.kernel);
        if (!refused.empty() && kernel.role == KernelRole::Generic)
          reasons[entry.name] =
              "generic kernel " + kernel.kernel + ": " + refused;
        if (!refused.empty() || !kernel.rejected.empty())
          selection.rejected.push_back(
              {entry.name, kernel.kernel,
               refused.empty() ? kernel.rejected : refused});
        else if (kernel.role != KernelRole::Generic)
          choice.special.push_back(&kernel);
        else if (!choice.generic) // the best comes first
          choice.generic = &kernel;
        else
          selection.rejected.push_back(
              {entry.name, kernel.kernel,
               "would stand in for " + choice.generic->kernel});
      }
      if (choice.generic) {
        std::vector<const PlannedKernel *> all = choice.special;
        all.push_back(choice.generic);
        choice.times = std::make_shared<EntryTimes>(
            *choice.spec, entry, *hardware, options.times, all);
        if (auto fit = modelFitOf(choice))
          selection.modelFits.push_back(*fit);
        arch.choices.push_back(std::move(choice));
        continue;
      }
      if (reasons.count(entry.name))
        continue;
      if (any)
        return llvm::createStringError(
            llvm::inconvertibleErrorCode(),
            "entry '" + entry.name + "' has no generic kernel for " +
                hardware->arch + ": none could be built");
      std::string &reason = reasons[entry.name];
      reason = "not planned for " + hardware->arch;
      for (const UnservedEntry &item : unserved)
        if (item.entry == entry.name && item.arch == hardware->arch)
          reason = item.reason;
    }
    arch.select(options);

    size_t served = 0;
    for (const OpSetEntry &entry : input->opset.entries) {
      EntryChoice nothing;
      nothing.entry = &entry;
      nothing.spec = &operatorOf(*input, entry);
      nothing.hardware = hardware;
      bool has =
          served < arch.choices.size() && arch.choices[served].entry == &entry;
      llvm::ArrayRef<DispatchCase> cases;
      if (has)
        cases = arch.cases[served];
      CoverageRow row = coverageOf(has ? arch.choices[served] : nothing,
                                   input->histogram.points, cases);
      if (!has)
        row.reason = reasons[entry.name];
      selection.coverage.rows.push_back(std::move(row));
      if (!has)
        continue;
      auto [table, isNew] = tables.try_emplace(entry.name);
      if (isNew)
        table->second = makeTable(*nothing.spec, entry);
      llvm::append_range(table->second.cases, cases);
      ++served;
    }
    llvm::append_range(selection.rejected, arch.rejected);
  }
  for (const OpSetEntry &entry : input->opset.entries)
    if (auto table = tables.find(entry.name); table != tables.end())
      selection.tables.push_back(std::move(table->second));
  return selection;
}
