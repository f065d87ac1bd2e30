//===- RankStage.cpp - From candidates and records to a bundle ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankStage.h"
#include "Commands.h"
#include "KernelProver.h"
#include "MeasuredRecords.h"

#include "lathe/Conversion/Registry.h"
#include "lathe/Measure/Candidates.h"
#include "lathe/Package/PlanCandidates.h"
#include "lathe/Plan/ReadProblem.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <stdexcept>

using namespace lathe;
using namespace lathe::tool;
using llvm::errs;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

class Ranking {
public:
  explicit Ranking(const RankOptions &options);
  void run();

private:
  void readProblemModule();
  void loadSpecs(const json::Object &provenance);
  void readKernels();
  void readTimes();
  void readOutside();

  const RankOptions &options;
  ShipOptions ship;
  std::optional<measure::CandidateFile> file;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> problem;
  PlanInput input;
  OperatorTable operators;
  std::map<std::string, BuiltKernel> kernels;
  OutsideKernels outside;
  MeasuredTimes times;
};

} // namespace

Ranking::Ranking(const RankOptions &options)
    : options(options), ship(options.ship) {
  mlir::DialectRegistry registry;
  registerPipelineDialects(registry);
  context.appendDialectRegistry(registry);
  context.disableMultithreading();
}

void Ranking::readProblemModule() {
  std::string_view text = file->member("problem");
  if (text.empty())
    failWith(llvm::createStringError(
        "error: %s: no problem module in it, expected what lathe compile "
        "--candidates writes",
        options.candidates.c_str()));
  problem = mlir::parseSourceString<mlir::ModuleOp>(
      StringRef(text.data(), text.size()), mlir::ParserConfig(&context),
      options.candidates);
  if (!problem)
    failWith(llvm::createStringError("error: %s: its problem module is broken",
                                     options.candidates.c_str()));
  input = valueOrFail(readProblem(*problem));
}

/// Inputs and references come from the operators' folders, which must be those
/// that the kernels were built for.
void Ranking::loadSpecs(const json::Object &provenance) {
  operators = valueOrFail(loadOperators(templateFolders(options.templates)));
  const json::Object *recorded = provenance.getObject("operators");
  for (const OpSetEntry &entry : input.opset.entries) {
    auto found = operators.find(entry.op);
    if (found == operators.end())
      failWith(llvm::createStringError(
          "error: no folder of operator '" + entry.op +
          "' that the file names, expected one below --templates"));
    const json::Value *before = recorded ? recorded->get(entry.op) : nullptr;
    if (!before || *before != json::Value(operatorRecord(found->second)))
      failWith(llvm::createStringError(
          "error: operator '" + entry.op + "' in " + found->second.directory +
          " is not the one that " + options.candidates + " was made for"));
  }
}

void Ranking::readKernels() {
  for (auto &[name, artifact] : valueOrFail(candidateArtifacts(*file)))
    kernels[name].artifact = std::move(artifact);
  for (const measure::KernelPlan &plan : file->plan().kernels)
    if (!plan.refused.empty())
      ship.select.refused[{file->plan().entries[plan.entry].name, plan.name}] =
          plan.refused;
}

void Ranking::readTimes() {
  const measure::Candidates &plan = file->plan();
  std::vector<KernelIdentity> identities;
  for (const measure::KernelPlan &kernel : plan.kernels)
    identities.push_back({plan.entries[kernel.entry].name, kernel.name,
                          plan.images[kernel.image].sha256});
  RecordFilter filter{plan.target.arch, options.device, options.anyDriver};
  RecordSelection selection = valueOrFail(selectRecords(
      valueOrFail(readRecords(options.database)), identities, filter));
  times = timesOf(selection, identities);
  shareDrift(selection, times);
  selection.printIgnored(errs());
  size_t measured = 0, refused = 0;
  for (const auto &item : times.kernels) {
    measured += item.second.refused.empty() && !item.second.times.empty();
    refused += !item.second.refused.empty();
  }
  if (selection.device.empty())
    failWith(llvm::createStringError(
        "error: %s: no record of these kernels; lathe-device run %s --db %s "
        "makes them",
        options.database.c_str(), options.candidates.c_str(),
        options.database.c_str()));
  errs() << "measured on " << selection.device << ", driver "
         << selection.driver << ": " << measured << " of " << identities.size()
         << " kernels, " << refused << " refused\n";
}

/// What the simulator cannot run needs the device's word.
void Ranking::readOutside() {
  const measure::Candidates &plan = file->plan();
  for (const measure::KernelPlan &kernel : plan.kernels) {
    std::pair<std::string, std::string> key{plan.entries[kernel.entry].name,
                                            kernel.name};
    if (kernel.origin != "external")
      continue;
    outside[key] = {kernel.form, kernel.proof == "sanitizer"};
    const MeasuredKernel *found = times.find(key.first, key.second);
    if (!found || !found->passed)
      ship.select.refused.try_emplace(
          key, "is from outside, and no device has passed it");
  }
}

void Ranking::run() {
  try {
    file = measure::CandidateFile::open(options.candidates);
  } catch (const std::runtime_error &error) {
    failWith(llvm::createStringError(StringRef("error: ") + error.what()));
  }
  readProblemModule();
  json::Object provenance = valueOrFail(provenanceOf(*problem));
  loadSpecs(provenance);
  readKernels();
  readTimes();
  readOutside();
  provenance["tools"] = file->plan().tools;
  provenance["measured"] = json::Object{{"device", times.device},
                                        {"driver", times.driver},
                                        {"candidates", file->hash()}};

  BuilderOptions builderOptions;
  builderOptions.jobs = ship.jobs;
  builderOptions.cacheDirectory = ship.cacheDirectory;
  KernelBuilder builder = valueOrFail(KernelBuilder::create(builderOptions));
  ship.select.times = &times;
  Shipment shipment({*problem, input, operators, kernels, builder,
                     std::move(provenance), &outside},
                    ship);
  shipment.select();
  shipment.prove();
  if (ship.explainPruning)
    printPruned(shipment.selected().rejected);
  shipment.link();
  shipment.write();
}

void tool::rankCandidates(const RankOptions &options) {
  Ranking(options).run();
}
