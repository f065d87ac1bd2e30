//===- CompileDriver.cpp - The one way through ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileDriver.h"
#include "Commands.h"
#include "InstanceRecords.h"
#include "KernelProver.h"
#include "MeasureStage.h"
#include "ProgressLine.h"
#include "RankStage.h"

#include "Dispatch/Convert.h"
#include "Dispatch/Dispatch.h"
#include "lathe/Conversion/Registry.h"
#include "lathe/Ingest/ReadTemplate.h"
#include "lathe/Package/Package.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <chrono>

using namespace lathe;
using namespace lathe::tool;
using llvm::errs;
using llvm::outs;
using llvm::StringRef;
namespace json = llvm::json;

std::vector<std::string> tool::stageNames() {
  return {"import", "roofline", "plan",  "specialize", "tile",
          "gpu",    "target",   "build", "select"};
}

CompileDriver::CompileDriver(const CompileOptions &options) : options(options) {
  mlir::DialectRegistry registry;
  registerPipelineDialects(registry);
  registry.insert<dispatch::DispatchDialect>();
  context.appendDialectRegistry(registry);
  context.disableMultithreading();
}

void CompileDriver::run() {
  load();
  if (reached("import"))
    return;
  plan();
  if (options.stopAfter == "roofline" || options.stopAfter == "plan")
    return;
  build();
  if (buildStage() != BuildStage::Binary || reached("build"))
    return;
  if (options.measure)
    return measure();
  if (!options.candidates.file.empty())
    writeCandidates(options.candidates.file);
  if (!options.ship.output.empty() || options.stopAfter == "select")
    ship();
}

void CompileDriver::writeCandidates(const std::string &file) {
  CandidatesOptions chosen = options.candidates;
  chosen.file = file;
  if (llvm::Error error =
          writeCandidateFile(*problem, input, kernels, *builder, chosen))
    failWith(std::move(error));
}

/// What the three commands do one after the other; files that nobody named go.
void CompileDriver::measure() {
  TemporaryFolder folder;
  RankOptions rank;
  rank.candidates = options.candidates.file;
  if (rank.candidates.empty())
    rank.candidates = valueOrFail(folder.file("run.cand"));
  rank.database = options.database;
  if (rank.database.empty())
    rank.database = valueOrFail(folder.file("records.sqlite"));
  rank.templates = options.templates;
  rank.ship = options.ship;
  writeCandidates(rank.candidates);
  if (llvm::Error error = measureCandidates(rank.candidates, rank.database))
    failWith(std::move(error));
  rankCandidates(rank);
}

void CompileDriver::ship() {
  json::Object provenance = valueOrFail(provenanceOf(*problem));
  provenance["tools"] = sha256Hex(builder->fingerprint());
  Shipment shipment(
      {*problem, input, operators, kernels, *builder, std::move(provenance)},
      options.ship);
  shipment.select();
  if (options.stopAfter != "select")
    shipment.prove();
  if (options.ship.explainPruning)
    printPruned(shipment.selected().rejected);
  dumpTables(shipment.selected().tables);
  if (options.stopAfter == "select")
    return;
  shipment.link();
  shipment.write();
}

bool CompileDriver::reached(StringRef stage) {
  dump(stage, problem->getOperation());
  return options.stopAfter == stage;
}

void CompileDriver::dump(StringRef name, mlir::Operation *op) {
  if (options.dumpDirectory.empty())
    return;
  llvm::SmallString<128> path(options.dumpDirectory);
  if (std::error_code code = llvm::sys::fs::create_directories(path))
    failWith(llvm::createFileError(path, code));
  std::string number = std::to_string(dumps++);
  llvm::sys::path::append(path, (number.size() < 2 ? "0" : "") + number + "-" +
                                    name + ".mlir");
  std::string text;
  llvm::raw_string_ostream(text) << *op << "\n";
  if (llvm::Error error = writeFileAtomically(path, text))
    failWith(std::move(error));
}

//===----------------------------------------------------------------------===//
// Load and plan
//===----------------------------------------------------------------------===//

static std::string hashOfFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? sha256Hex((*buffer)->getBuffer()) : "";
}

static json::Object
textsToJson(const std::map<std::string, std::string, std::less<>> &texts) {
  json::Object object;
  for (const auto &[name, text] : texts)
    object[name] = text;
  return object;
}

json::Object CompileDriver::provenance() const {
  json::Object importance, entries;
  for (const OpSetEntry &entry : input.opset.entries) {
    importance[entry.name] = entry.importance;
    entries[entry.name] = json::Object{{"op", entry.op},
                                       {"options", textsToJson(entry.options)},
                                       {"dtypes", textsToJson(entry.dtypes)}};
  }
  json::Object records;
  for (const OperatorSpec &spec : input.operators)
    records[spec.name] = operatorRecord(spec);
  return json::Object{
      {"lathe", LATHE_VERSION},
      {"operators", std::move(records)},
      {"llvm", LLVM_VERSION_STRING},
      {"opset", json::Object{{"name", input.opset.name},
                             {"source", input.opset.source},
                             {"sha256", hashOfFile(options.ops)},
                             {"importance", std::move(importance)},
                             {"entries", std::move(entries)}}},
      {"histogram", json::Object{{"name", input.histogram.name},
                                 {"description", input.histogram.description},
                                 {"source", input.histogram.source},
                                 {"sha256", hashOfFile(options.shapes)}}},
      {"targets", targetRecords(input.targets)}};
}

void CompileDriver::load() {
  templateDirs = templateFolders(options.templates);
  operators = valueOrFail(loadOperators(templateDirs));
  input.opset = valueOrFail(loadOpSet(options.ops, operators));
  input.histogram =
      valueOrFail(loadHistogram(options.shapes, input.opset, operators));
  for (const std::string &target : options.targets)
    input.targets.push_back(valueOrFail(findHardware(target, templateDirs)));
  for (const OpSetEntry &entry : input.opset.entries)
    if (llvm::none_of(input.operators, [&](const OperatorSpec &spec) {
          return spec.name == entry.op;
        }))
      input.operators.push_back(operators.find(entry.op)->second);

  errs() << "op set '" << input.opset.name
         << "': " << input.opset.entries.size() << " operators, "
         << input.histogram.points.size() << " shapes; targets";
  for (const Hardware &target : input.targets)
    errs() << " " << target.name << " (" << target.arch << ")";
  errs() << "\n";
  for (const Hardware &target : input.targets)
    if (!target.compilable)
      failWith(llvm::createStringError("error: no code generator for '" +
                                       target.arch + "' of target '" +
                                       target.name + "'"));
  problem = valueOrFail(importProblem(context, input));
  attachProvenance(*problem, provenance());
}

void CompileDriver::plan() {
  if (llvm::Error error = evaluateRoofline(*problem))
    failWith(std::move(error));
  if (reached("roofline"))
    return;
  EnumerateOptions enumerate;
  enumerate.templateDirs = templateDirs;
  enumerate.schedules = options.schedules;
  if (!options.candidates.file.empty() || options.measure)
    enumerate.spares = options.schedules;
  enumerate.exact = options.exact;
  std::vector<PrunedKernel> pruned;
  if (llvm::Error error = enumerateCandidates(*problem, enumerate, &pruned))
    failWith(std::move(error));
  if (options.ship.explainPruning)
    printPruned(pruned);
  errs() << "planned " << listCandidates(*problem).size() << " candidates; "
         << pruned.size() << " schedules pruned\n";
  reached("plan");
}

//===----------------------------------------------------------------------===//
// Build
//===----------------------------------------------------------------------===//

BuildStage CompileDriver::buildStage() const {
  return llvm::StringSwitch<BuildStage>(options.stopAfter)
      .Case("specialize", BuildStage::Specialized)
      .Case("tile", BuildStage::Tile)
      .Case("gpu", BuildStage::GPU)
      .Case("target", BuildStage::Target)
      .Default(BuildStage::Binary);
}

void CompileDriver::build() {
  BuilderOptions builderOptions;
  builderOptions.jobs = options.ship.jobs;
  builderOptions.cacheDirectory = options.ship.cacheDirectory;
  builderOptions.spillAllowance = options.spillAllowance;
  builderOptions.stopAfter = buildStage();
  if (!options.dumpDirectory.empty()) {
    llvm::SmallString<128> path(options.dumpDirectory);
    llvm::sys::path::append(path, "kernels");
    builderOptions.dumpDirectory = path.str().str();
  }
  builder.emplace(valueOrFail(KernelBuilder::create(builderOptions)));
  if (builder->toolkit().ptxas.empty() &&
      llvm::any_of(input.targets,
                   [](const Hardware &t) { return t.vendor == "nvidia"; }))
    errs() << "warning: no ptxas (" << builder->toolkit().ptxasMissing
           << "): the bundle will hold PTX without cubins\n";

  std::map<std::string, TemplateSource> templates;
  std::vector<BuildRequest> requests;
  std::vector<std::string> names;
  for (const PlannedCandidate &planned : listCandidates(*problem)) {
    if (kernels.count(planned.kernel))
      continue;
    kernels[planned.kernel];
    const OperatorSpec &spec = operators.find(planned.candidate.op)->second;
    BuildRequest request;
    request.candidate = planned.candidate;
    request.symbol = planned.symbol;
    for (const DimSpec &dim : spec.dims)
      if (dim.isForKernels())
        request.dims.push_back(dim.name);
    for (const Hardware &target : input.targets)
      if (target.arch == planned.candidate.arch) {
        request.sharedMemory = target.sharedPerBlock;
        request.features = target.features;
        break;
      }
    std::string file =
        spec.name + "/" + planned.candidate.templateName + ".mlir";
    TemplateSource &source = templates[file];
    if (source.kernel.file.empty()) {
      source = valueOrFail(
          readTemplate(spec.directory, planned.candidate.templateName));
      source.kernel.file = file;
    }
    request.source = source;
    requests.push_back(std::move(request));
    names.push_back(planned.kernel);
  }

  auto start = std::chrono::steady_clock::now();
  ProgressLine line(requests.size());
  std::vector<BuiltKernel> built = valueOrFail(
      builder->build(requests, [&](size_t done, const BuildTotals &totals) {
        line.print(done, totals.built,
                   llvm::formatv("building {0}/{1}, {2} from cache, {3} failed",
                                 done, requests.size(), totals.cached,
                                 totals.failed));
      }));
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  const BuildTotals &totals = builder->totals();
  if (totals.built)
    errs() << llvm::format(
        "built %u kernels in %.1f s (%.0f per minute with %u workers): MLIR "
        "%.1f s, LLVM %.1f s, ptxas and lld %.1f s\n",
        totals.built, seconds, totals.built / seconds * 60, options.ship.jobs,
        totals.times.mlirMs / 1e3, totals.times.llvmMs / 1e3,
        totals.times.assembleMs / 1e3);

  constexpr unsigned maxShown = 5;
  unsigned shown = 0;
  for (auto [name, kernel] : llvm::zip_equal(names, built)) {
    if (!kernel.error.empty()) {
      if (options.ship.explainPruning || shown++ < maxShown)
        errs() << "rejected " << name << ": " << kernel.error << "\n";
      if (llvm::Error error = rejectCandidate(*problem, name, kernel.error))
        failWith(std::move(error));
    } else if (buildStage() == BuildStage::Binary) {
      const Artifact &artifact = *kernel.artifact;
      size_t bytes =
          artifact.image.empty() ? artifact.text.size() : artifact.image.size();
      if (llvm::Error error =
              attachUsage(*problem, name, artifact.usage, bytes))
        failWith(std::move(error));
      std::string refused = valueOrFail(
          attachLaunch(*problem, name, artifact.maps, artifact.sharedBytes));
      if (!refused.empty() &&
          (options.ship.explainPruning || shown++ < maxShown))
        errs() << "rejected " << name << ": " << refused << "\n";
    }
    kernels[name] = std::move(kernel);
  }
  if (buildStage() == BuildStage::Binary)
    keepOneGeneric(*problem);
  if (shown > maxShown)
    errs() << "rejected " << shown - maxShown
           << " more kernels; --explain-pruning lists them\n";
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

void CompileDriver::dumpTables(llvm::ArrayRef<DispatchTable> chosen) {
  if (options.dumpDirectory.empty())
    return;
  mlir::OpBuilder opBuilder(&context);
  context.loadDialect<dispatch::DispatchDialect>();
  auto module = mlir::ModuleOp::create(opBuilder.getUnknownLoc());
  mlir::OwningOpRef<mlir::ModuleOp> tables(module);
  opBuilder.setInsertionPointToEnd(module.getBody());
  for (const DispatchTable &table : chosen)
    dispatch::buildTable(opBuilder, opBuilder.getUnknownLoc(), table);
  dump("dispatch", module);
}
