//===- Shipment.cpp - From built kernels to a bundle ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shipment.h"
#include "Commands.h"
#include "InstanceRecords.h"
#include "KernelProver.h"
#include "ReportCommand.h"

#include "lathe/Codegen/Target.h"
#include "lathe/Package/Package.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace lathe;
using namespace lathe::tool;
using llvm::outs;
using llvm::StringRef;
namespace json = llvm::json;

static constexpr StringRef provenanceName = "problem.provenance";

void tool::attachProvenance(mlir::ModuleOp problem, json::Object provenance) {
  std::string text = llvm::formatv("{0}", json::Value(std::move(provenance)));
  problem->setAttr(provenanceName,
                   mlir::StringAttr::get(problem.getContext(), text));
}

llvm::Expected<json::Object> tool::provenanceOf(mlir::ModuleOp problem) {
  auto text = problem->getAttrOfType<mlir::StringAttr>(provenanceName);
  if (!text)
    return llvm::createStringError("the problem module has no '" +
                                   provenanceName + "'");
  auto value = json::parse(text.getValue());
  if (!value)
    return value.takeError();
  if (json::Object *object = value->getAsObject())
    return std::move(*object);
  return llvm::createStringError("'" + provenanceName +
                                 "' of the problem module is no object");
}

void tool::printPruned(llvm::ArrayRef<PrunedKernel> pruned) {
  for (const PrunedKernel &kernel : pruned)
    outs() << "pruned " << kernel.entry << " " << kernel.kernel << ": "
           << kernel.reason << "\n";
}

Shipment::Shipment(BuiltWork work, const ShipOptions &options)
    : work(std::move(work)), options(options), selectOptions(options.select) {}

void Shipment::select() {
  selection = valueOrFail(selectKernels(work.problem, selectOptions));
}

/// The image under which a candidate file carries the kernel alone, and records
/// know it; PTX ends in a zero there.
static std::string imageHash(const Artifact &kernel) {
  return sha256Hex(kernel.image.empty() ? kernel.text + '\0' : kernel.image);
}

/// The kernels that an entry's table names, each once, in order.
void Shipment::link() {
  std::vector<ImageRequest> requests;
  bundle.tables = selection.tables;
  for (DispatchTable &table : bundle.tables) {
    std::map<std::string, ImageRequest> byArch;
    std::set<std::string> seen;
    for (DispatchCase &row : table.cases) {
      row.imageSha = imageHash(*work.kernels.at(row.kernel).artifact);
      if (!seen.insert(row.kernel).second)
        continue;
      ImageRequest &request = byArch[row.arch];
      request.entry = table.entry;
      request.arch = row.arch;
      request.kernels.push_back(&*work.kernels.at(row.kernel).artifact);
    }
    for (auto &item : byArch)
      requests.push_back(std::move(item.second));
  }
  std::vector<MergedImage> images = valueOrFail(work.builder.merge(requests));
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

const OutsideKernel *Shipment::outside(StringRef entry,
                                       StringRef kernel) const {
  if (!work.outside)
    return nullptr;
  auto found = work.outside->find({entry.str(), kernel.str()});
  return found == work.outside->end() ? nullptr : &found->second;
}

/// Adds to the evidence where a kernel comes from and what proves it.
void Shipment::describeOutside() {
  for (const DispatchTable &table : bundle.tables)
    for (const DispatchCase &row : table.cases)
      if (const OutsideKernel *found = outside(table.entry, row.kernel)) {
        json::Object &evidence =
            bundle.evidence[table.entry + "/" + row.kernel];
        evidence["origin"] = "external";
        evidence["form"] = found->form;
        evidence["proof"] = found->sanitized   ? "sanitizer on the device"
                            : options.unproven ? "none"
                                               : "simulator";
      }
}

void Shipment::write() {
  describeOutside();
  json::Object &manifest = bundle.manifest;
  for (auto &[field, value] : work.provenance)
    manifest[field] = value;
  json::Object operatorRecords;
  for (const DispatchTable &table : selection.tables)
    operatorRecords[table.op] = operatorRecord(work.operators.at(table.op));
  manifest["operators"] = std::move(operatorRecords);
  manifest["instances"] = valueOrFail(instanceRecords(
      work.problem, work.input, selection.tables, options.select.times));
  manifest["coverage"] = selection.coverage.toJSON();
  json::Array unserved;
  for (const UnservedEntry &entry : listUnserved(work.problem))
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
  if (!selection.modelFits.empty())
    manifest["model_fit"] = modelFitsToJson(selection.modelFits);
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

void Shipment::report() {
  selection.coverage.print(outs());
  printModelFits(outs(), selection.modelFits);
  if (options.regret)
    printRegret(outs(), selection.modelFits);
  uint64_t bytes = 0;
  llvm::sys::fs::file_size(options.output, bytes);
  outs() << "wrote " << options.output << " (" << bytes << " bytes); "
         << (options.unproven
                 ? "every kernel in it is unproven: --unproven left the "
                   "correctness gate out"
                 : "every kernel in it has passed the correctness gate");
  auto sanitized = llvm::count_if(bundle.evidence, [](const auto &item) {
    auto proof = item.second.getString("proof");
    return proof && proof->starts_with("sanitizer");
  });
  if (sanitized && !options.unproven)
    outs() << ", but for " << sanitized
           << " that cannot be simulated and passed under compute-sanitizer "
              "on a device";
  outs() << "\n";
}
