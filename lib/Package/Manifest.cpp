//===- Manifest.cpp - The manifest ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Manifest.h"

#include "lathe/Package/Package.h"
#include "lathe/Plan/KernelName.h"

#include "llvm/ADT/StringMap.h"

using namespace lathe;
using llvm::StringRef;
namespace json = llvm::json;

StringRef lathe::imageKindName(BundleImage::Kind kind) {
  switch (kind) {
  case BundleImage::Cubin:
    return "cubin";
  case BundleImage::Ptx:
    return "ptx";
  case BundleImage::CodeObject:
    return "code object";
  case BundleImage::Object:
    return "object";
  case BundleImage::Module:
    return "module";
  }
  return "unknown";
}

json::Object lathe::resourcesToJson(const ResourceUsage &usage) {
  json::Object out;
  for (const ResourceField &field : resourceFields)
    out[field.name] = usage.*field.field;
  return out;
}

static json::Value
integers(const std::map<std::string, int64_t, std::less<>> &values) {
  json::Object out;
  for (auto &[name, value] : values)
    out[name] = value;
  return out;
}

static json::Object kernelToJson(const Bundle &bundle,
                                 const DispatchTable &table,
                                 const DispatchCase &row,
                                 const llvm::StringMap<std::string> &hashes) {
  json::Object out{{"name", row.kernel},
                   {"symbol", row.symbol},
                   {"entry", table.entry},
                   {"arch", row.arch},
                   {"threads", row.blockThreads},
                   {"resources", resourcesToJson(row.usage)},
                   {"origin", row.origin},
                   {"verdict", row.verdict.empty() ? "unproven" : row.verdict},
                   {"model_us", row.modelUs}};
  if (auto hash = hashes.find(table.entry + "/" + row.arch);
      hash != hashes.end())
    out["image_sha256"] = hash->second;
  if (!row.imageSha.empty())
    out["alone_sha256"] = row.imageSha;
  if (auto found = bundle.evidence.find(table.entry + "/" + row.kernel);
      found != bundle.evidence.end())
    out["evidence"] = json::Object(found->second);
  // Names that no candidate has (hand-made tables) carry no schedule.
  if (auto candidate = parseKernelName(row.kernel)) {
    out["template"] = candidate->templateName;
    out["schedule"] = integers(candidate->schedule);
    out["constants"] = integers(candidate->constants);
  } else {
    llvm::consumeError(candidate.takeError());
  }
  return out;
}

/// Case `index` of the table, of which there is a measurement.
static json::Object measuredToJson(const DispatchTable &table, size_t index) {
  const DispatchCase &row = table.cases[index];
  const MeasuredCase &measured = *row.measured;
  json::Object out{{"entry", table.entry},      {"case", int64_t(index)},
                   {"origin", row.origin},      {"dims", measured.dims},
                   {"us", measured.us},         {"low_us", measured.lowUs},
                   {"high_us", measured.highUs}};
  if (!measured.runnerUp.empty())
    out["runner_up"] = json::Object{{"kernel", measured.runnerUp},
                                    {"ratio", measured.ratio},
                                    {"low", measured.ratioLow},
                                    {"high", measured.ratioHigh}};
  return out;
}

json::Object lathe::completeManifest(const Bundle &bundle) {
  json::Object manifest = bundle.manifest;
  manifest["schema"] = manifestSchema;
  json::Array images;
  llvm::StringMap<std::string> hashes; // of what launches load
  for (const BundleImage &image : bundle.images) {
    std::string hash = sha256Hex(image.bytes);
    std::string key = image.entry + "/" + image.arch;
    bool binary = image.kind == BundleImage::Cubin ||
                  image.kind == BundleImage::CodeObject;
    if (binary)
      hashes[key] = hash;
    else if (image.kind == BundleImage::Ptx)
      hashes.try_emplace(key, hash);
    json::Object record{{"entry", image.entry},
                        {"arch", image.arch},
                        {"kind", imageKindName(image.kind)},
                        {"bytes", int64_t(image.bytes.size())},
                        {"sha256", hash}};
    if (!image.symbol.empty())
      record["symbol"] = image.symbol;
    images.push_back(std::move(record));
  }
  manifest["images"] = std::move(images);

  json::Array kernels, measured;
  bool proven = true;
  llvm::StringMap<bool> seen;
  for (const DispatchTable &table : bundle.tables)
    for (size_t i = 0; i < table.cases.size(); ++i) {
      const DispatchCase &row = table.cases[i];
      if (row.measured)
        measured.push_back(measuredToJson(table, i));
      proven &= row.verdict == "PASSED";
      if (seen.try_emplace(table.entry + "/" + row.kernel, true).second)
        kernels.push_back(kernelToJson(bundle, table, row, hashes));
    }
  manifest["kernels"] = std::move(kernels);
  if (!measured.empty())
    manifest["measured_cases"] = std::move(measured);
  manifest["verdict"] = proven ? "proven" : "unproven";
  return manifest;
}

static llvm::Error malformed(const llvm::Twine &what) {
  return llvm::createStringError("manifest: " + what);
}

static void readKernel(const json::Object &from, DispatchCase &row) {
  if (const json::Object *resources = from.getObject("resources"))
    for (const ResourceField &field : resourceFields)
      row.usage.*field.field = resources->getInteger(field.name).value_or(0);
  row.origin = from.getString("origin").value_or("").str();
  row.verdict = from.getString("verdict").value_or("unproven").str();
  row.modelUs = from.getNumber("model_us").value_or(0);
  row.imageSha = from.getString("alone_sha256").value_or("").str();
}

static llvm::Error readMeasured(const json::Value &from, Bundle &bundle) {
  json::Path::Root root("measured_cases");
  json::ObjectMapper object(from, root);
  std::string entry, origin;
  int64_t index = 0;
  MeasuredCase measured;
  if (!object || !object.map("entry", entry) || !object.map("case", index) ||
      !object.map("origin", origin) || !object.map("dims", measured.dims) ||
      !object.map("us", measured.us) || !object.map("low_us", measured.lowUs) ||
      !object.map("high_us", measured.highUs))
    return root.getError();
  if (const json::Object *runnerUp =
          from.getAsObject()->getObject("runner_up")) {
    measured.runnerUp = runnerUp->getString("kernel").value_or("").str();
    measured.ratio = runnerUp->getNumber("ratio").value_or(0);
    measured.ratioLow = runnerUp->getNumber("low").value_or(0);
    measured.ratioHigh = runnerUp->getNumber("high").value_or(0);
  }
  for (DispatchTable &table : bundle.tables)
    if (table.entry == entry && index >= 0 &&
        size_t(index) < table.cases.size()) {
      table.cases[size_t(index)].origin = origin;
      table.cases[size_t(index)].measured = std::move(measured);
      return llvm::Error::success();
    }
  return malformed("measured_cases names case " + llvm::Twine(index) + " of '" +
                   entry + "', which is not there");
}

llvm::Error lathe::applyManifest(Bundle &bundle) {
  if (bundle.manifest.getInteger("schema") != manifestSchema)
    return malformed("expected schema " + llvm::Twine(manifestSchema));
  const json::Array *images = bundle.manifest.getArray("images");
  if (!images || images->size() != bundle.images.size())
    return malformed("expected one record per image");
  for (size_t i = 0; i < images->size(); ++i) {
    const json::Object *record = (*images)[i].getAsObject();
    const BundleImage &image = bundle.images[i];
    if (!record || record->getString("sha256") != sha256Hex(image.bytes))
      return malformed("the image of '" + image.entry + "' for " + image.arch +
                       " has another hash than stated");
  }

  llvm::StringMap<const json::Object *> byName;
  if (const json::Array *kernels = bundle.manifest.getArray("kernels"))
    for (const json::Value &value : *kernels)
      if (const json::Object *kernel = value.getAsObject())
        byName[(kernel->getString("entry").value_or("") + "/" +
                kernel->getString("name").value_or(""))
                   .str()] = kernel;
  for (DispatchTable &table : bundle.tables)
    for (DispatchCase &row : table.cases) {
      auto it = byName.find(table.entry + "/" + row.kernel);
      if (it == byName.end())
        return malformed("no record of kernel '" + row.kernel + "'");
      readKernel(*it->second, row);
      if (const json::Object *evidence = it->second->getObject("evidence"))
        bundle.evidence[table.entry + "/" + row.kernel] = *evidence;
    }
  if (const json::Array *measured = bundle.manifest.getArray("measured_cases"))
    for (const json::Value &value : *measured)
      if (llvm::Error error = readMeasured(value, bundle))
        return error;
  return llvm::Error::success();
}
