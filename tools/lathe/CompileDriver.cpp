//===- CompileDriver.cpp - The one way through ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileDriver.h"
#include "Commands.h"
#include "InstanceRecords.h"
#include "KernelProver.h"
#include "ProgressLine.h"
#include "ReportCommand.h"

#include "Dispatch/Convert.h"
#include "Dispatch/Dispatch.h"
#include "lathe/Codegen/Target.h"
#include "lathe/Conversion/Registry.h"
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
#include <set>

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

CompileDriver::CompileDriver(const CompileOptions &options)
    : options(options), selectOptions(options.select) {
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
  select();
  if (options.stopAfter != "select")
    prove();
  explain(selection.rejected);
  dumpTables();
  if (options.stopAfter == "select")
    return;
  link();
  write();
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
}

void CompileDriver::explain(llvm::ArrayRef<PrunedKernel> pruned) {
  if (!options.explainPruning)
    return;
  for (const PrunedKernel &kernel : pruned)
    outs() << "pruned " << kernel.entry << " " << kernel.kernel << ": "
           << kernel.reason << "\n";
}

void CompileDriver::plan() {
  if (llvm::Error error = evaluateRoofline(*problem))
    failWith(std::move(error));
  if (reached("roofline"))
    return;
  EnumerateOptions enumerate;
  enumerate.templateDirs = templateDirs;
  enumerate.schedules = options.schedules;
  enumerate.exact = options.exact;
  std::vector<PrunedKernel> pruned;
  if (llvm::Error error = enumerateCandidates(*problem, enumerate, &pruned))
    failWith(std::move(error));
  explain(pruned);
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
  builderOptions.jobs = options.jobs;
  builderOptions.cacheDirectory = options.cacheDirectory;
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

  std::map<std::string, std::string> templateTexts;
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
      if (dim.kind != DimKind::List)
        request.dims.push_back(dim.name);
    for (const Hardware &target : input.targets)
      if (target.arch == planned.candidate.arch)
        request.sharedMemory = target.sharedPerBlock;
    request.templateFile =
        spec.name + "/" + planned.candidate.templateName + ".mlir";
    std::string &text = templateTexts[request.templateFile];
    if (text.empty()) {
      llvm::SmallString<256> path(spec.directory);
      llvm::sys::path::append(path, planned.candidate.templateName + ".mlir");
      auto buffer = llvm::MemoryBuffer::getFile(path);
      if (!buffer)
        failWith(llvm::createFileError(path, buffer.getError()));
      text = (*buffer)->getBuffer().str();
    }
    request.templateText = text;
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
        totals.built, seconds, totals.built / seconds * 60, options.jobs,
        totals.times.mlirMs / 1e3, totals.times.llvmMs / 1e3,
        totals.times.assembleMs / 1e3);

  constexpr unsigned maxShown = 5;
  unsigned shown = 0;
  for (auto [name, kernel] : llvm::zip_equal(names, built)) {
    if (!kernel.error.empty()) {
      if (options.explainPruning || shown++ < maxShown)
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
    }
    kernels[name] = std::move(kernel);
  }
  if (shown > maxShown)
    errs() << "rejected " << shown - maxShown
           << " more kernels; --explain-pruning lists them\n";
}

//===----------------------------------------------------------------------===//
// Select, link, write
//===----------------------------------------------------------------------===//

void CompileDriver::select() {
  selection = valueOrFail(selectKernels(*problem, selectOptions));
}

void CompileDriver::dumpTables() {
  if (options.dumpDirectory.empty())
    return;
  mlir::OpBuilder opBuilder(&context);
  context.loadDialect<dispatch::DispatchDialect>();
  auto module = mlir::ModuleOp::create(opBuilder.getUnknownLoc());
  mlir::OwningOpRef<mlir::ModuleOp> tables(module);
  opBuilder.setInsertionPointToEnd(module.getBody());
  for (const DispatchTable &table : selection.tables)
    dispatch::buildTable(opBuilder, opBuilder.getUnknownLoc(), table);
  dump("dispatch", module);
}

/// The kernels that an entry's table names, each once, in order.
void CompileDriver::link() {
  std::vector<ImageRequest> requests;
  for (const DispatchTable &table : selection.tables) {
    std::map<std::string, ImageRequest> byArch;
    std::set<std::string> seen;
    for (const DispatchCase &row : table.cases) {
      if (!seen.insert(row.kernel).second)
        continue;
      ImageRequest &request = byArch[row.arch];
      request.entry = table.entry;
      request.arch = row.arch;
      request.kernels.push_back(&*kernels[row.kernel].artifact);
    }
    for (auto &item : byArch)
      requests.push_back(std::move(item.second));
  }
  std::vector<MergedImage> images = valueOrFail(builder->merge(requests));
  for (auto [request, image] : llvm::zip_equal(requests, images)) {
    TargetSpec target = valueOrFail(lookupTarget(request.arch));
    auto add = [&, &entry = request.entry,
                &arch = request.arch](BundleImage::Kind kind, std::string bytes,
                                      std::string symbol = {}) {
      if (!bytes.empty())
        bundle.images.push_back(
            {kind, entry, arch, std::move(bytes), std::move(symbol)});
    };
    for (const Artifact *kernel : request.kernels)
      add(BundleImage::Module, kernel->bitcode, kernel->symbol);
    if (target.isAMD()) {
      add(BundleImage::CodeObject, image.image);
      for (const Artifact *kernel : request.kernels)
        add(BundleImage::Object, kernel->object);
    } else {
      add(BundleImage::Cubin, image.image);
      add(BundleImage::Ptx, image.text);
    }
  }
  bundle.tables = selection.tables;
}

/// Where only PTX ships, the driver compiles it at load.
static std::vector<std::string>
archsWithoutCubin(llvm::ArrayRef<BundleImage> images) {
  std::set<std::string> archs, cubins;
  for (const BundleImage &image : images)
    if (image.kind == BundleImage::Ptx)
      archs.insert(image.arch);
    else if (image.kind == BundleImage::Cubin)
      cubins.insert(image.arch);
  std::vector<std::string> without;
  for (const std::string &arch : archs)
    if (!cubins.count(arch))
      without.push_back(arch);
  return without;
}

static std::string hashOfFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? sha256Hex((*buffer)->getBuffer()) : "";
}

void CompileDriver::write() {
  json::Object &manifest = bundle.manifest;
  manifest["lathe"] = LATHE_VERSION;
  manifest["llvm"] = LLVM_VERSION_STRING;
  manifest["tools"] = sha256Hex(builder->fingerprint());
  manifest["opset"] = json::Object{{"name", input.opset.name},
                                   {"source", input.opset.source},
                                   {"sha256", hashOfFile(options.ops)}};
  manifest["histogram"] =
      json::Object{{"name", input.histogram.name},
                   {"description", input.histogram.description},
                   {"source", input.histogram.source},
                   {"sha256", hashOfFile(options.shapes)}};
  json::Object operatorRecords;
  for (const DispatchTable &table : selection.tables)
    operatorRecords[table.op] = operatorRecord(operators.at(table.op));
  manifest["operators"] = std::move(operatorRecords);
  manifest["targets"] = targetRecords(input.targets);
  manifest["instances"] =
      valueOrFail(instanceRecords(*problem, input, selection.tables));
  manifest["coverage"] = selection.coverage.toJSON();
  json::Array unserved;
  for (const UnservedEntry &entry : listUnserved(*problem))
    unserved.push_back(json::Object{{"entry", entry.entry},
                                    {"arch", entry.arch},
                                    {"reason", entry.reason}});
  for (const CoverageRow &row : selection.coverage.rows)
    for (const auto &[kernel, reason] : selectOptions.refused)
      if (kernel.first == row.entry && !row.reason.empty() &&
          StringRef(row.reason).contains(kernel.second))
        unserved.push_back(json::Object{
            {"entry", row.entry}, {"arch", row.arch}, {"reason", row.reason}});
  manifest["unserved"] = std::move(unserved);
  json::Array refused;
  for (const auto &[kernel, reason] : selectOptions.refused)
    refused.push_back(json::Object{{"entry", kernel.first},
                                   {"kernel", kernel.second},
                                   {"reason", reason}});
  manifest["refused"] = std::move(refused);
  manifest["ptx_only"] = json::Array(archsWithoutCubin(bundle.images));

  if (llvm::Error error = requireArchs(bundle, options.requireArchs))
    failWith(llvm::createStringError("error: no bundle, as --require-arch "
                                     "finds holes:\n" +
                                     llvm::toString(std::move(error))));
  if (llvm::Error error = writeBundle(bundle, options.output))
    failWith(std::move(error));
  report();
  if (!options.reportFile.empty())
    if (llvm::Error error = writeReport(options.output, options.reportFile))
      failWith(std::move(error));
}

void CompileDriver::report() {
  selection.coverage.print(outs());
  uint64_t bytes = 0;
  llvm::sys::fs::file_size(options.output, bytes);
  outs() << "wrote " << options.output << " (" << bytes << " bytes); "
         << (options.unproven
                 ? "every kernel in it is unproven: --unproven left the "
                   "correctness gate out\n"
                 : "every kernel in it has passed the correctness gate\n");
}
