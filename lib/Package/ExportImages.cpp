//===- ExportImages.cpp - Fat binaries and code objects -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitPtx.h"

#include "lathe/Codegen/Compile.h"
#include "lathe/Package/Export.h"

#include "Codegen/Process.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace lathe;
using llvm::StringRef;

using ArtifactMap = std::map<std::string, Artifact>; // by symbol

/// What was packed: the figures that a merged kernel must keep.
static llvm::Expected<ResourceUsage> packedUsage(const Bundle &bundle,
                                                 StringRef entry,
                                                 StringRef arch,
                                                 StringRef symbol) {
  for (const DispatchTable &table : bundle.tables)
    if (table.entry == entry)
      for (const DispatchCase &row : table.cases)
        if (row.arch == arch && row.symbol == symbol)
          return row.usage;
  return llvm::createStringError("the image of '" + entry + "' for " + arch +
                                 " has a kernel '" + symbol +
                                 "' that no case names");
}

/// Adds a kernel; entries may share one, but not two under one name.
static llvm::Error addArtifact(const Bundle &bundle, const BundleImage &image,
                               StringRef symbol, Artifact artifact,
                               ArtifactMap &artifacts) {
  auto usage = packedUsage(bundle, image.entry, image.arch, symbol);
  if (!usage)
    return usage.takeError();
  artifact.symbol = symbol.str();
  artifact.arch = image.arch;
  artifact.usage = *usage;
  auto [it, isNew] = artifacts.try_emplace(symbol.str(), artifact);
  if (!isNew && (it->second.text != artifact.text ||
                 it->second.object != artifact.object))
    return llvm::createStringError("two different kernels for " + image.arch +
                                   " are named '" + symbol + "'");
  return llvm::Error::success();
}

/// The kernels of one architecture, each alone.
static llvm::Expected<ArtifactMap> collectArtifacts(const Bundle &bundle,
                                                    StringRef arch) {
  ArtifactMap artifacts;
  for (const BundleImage &image : bundle.images) {
    if (image.arch != arch)
      continue;
    if (image.kind == BundleImage::Ptx) {
      auto kernels = splitPtxKernels(image.bytes);
      if (!kernels)
        return kernels.takeError();
      for (auto &[symbol, text] : *kernels) {
        Artifact artifact;
        artifact.text = text;
        if (auto error =
                addArtifact(bundle, image, symbol, artifact, artifacts))
          return std::move(error);
      }
    } else if (image.kind == BundleImage::Object) {
      auto symbol = kernelOfObject(image.bytes);
      if (!symbol)
        return symbol.takeError();
      Artifact artifact;
      artifact.object = image.bytes;
      if (auto error = addArtifact(bundle, image, *symbol, artifact, artifacts))
        return std::move(error);
    }
  }
  for (const DispatchTable &table : bundle.tables)
    for (const DispatchCase &row : table.cases)
      if (row.arch == arch && !artifacts.count(row.symbol))
        return llvm::createStringError(
            "the bundle has no " +
            llvm::Twine(arch.starts_with("gfx") ? "object" : "PTX") + " of '" +
            row.symbol + "' for " + arch + ", so it cannot be merged");
  return artifacts;
}

llvm::Expected<std::map<std::string, std::string>>
lathe::kernelsOfPtx(StringRef ptx) {
  return splitPtxKernels(ptx);
}

llvm::Expected<std::map<std::string, Artifact>>
lathe::kernelsOf(const Bundle &bundle, StringRef entry, StringRef arch) {
  std::map<std::string, Artifact> kernels;
  for (const BundleImage &image : bundle.images) {
    if (image.entry != entry || image.arch != arch)
      continue;
    if (image.kind == BundleImage::Ptx) {
      auto texts = splitPtxKernels(image.bytes);
      if (!texts)
        return texts.takeError();
      for (auto &[symbol, text] : *texts)
        kernels[symbol].text = text;
    } else if (image.kind == BundleImage::Object) {
      auto symbol = kernelOfObject(image.bytes);
      if (!symbol)
        return symbol.takeError();
      kernels[*symbol].object = image.bytes;
    }
  }
  return kernels;
}

static llvm::Expected<MergedImage>
mergeArch(const Bundle &bundle, StringRef arch, const Toolkit &toolkit) {
  auto target = lookupTarget(arch);
  if (!target)
    return target.takeError();
  auto artifacts = collectArtifacts(bundle, arch);
  if (!artifacts)
    return artifacts.takeError();
  std::vector<const Artifact *> list;
  for (auto &[symbol, artifact] : *artifacts)
    list.push_back(&artifact);
  CodegenOptions options;
  options.toolkit = toolkit;
  return mergeArtifacts(list, *target, options);
}

llvm::Expected<std::string> lathe::exportFatbin(const Bundle &bundle,
                                                const Toolkit &toolkit) {
  std::set<std::string> archs;
  for (const DispatchTable &table : bundle.tables)
    for (const DispatchCase &row : table.cases)
      if (StringRef(row.arch).starts_with("sm_"))
        archs.insert(row.arch);
  if (archs.empty())
    return llvm::createStringError("the bundle has no NVIDIA kernels");
  if (toolkit.ptxas.empty())
    return llvm::createStringError(
        "a fat binary needs ptxas, which is not in " + toolkit.ptxasMissing);
  llvm::SmallString<256> tool(llvm::sys::path::parent_path(toolkit.ptxas));
  llvm::sys::path::append(tool, "fatbinary");
  if (!llvm::sys::fs::can_execute(tool))
    return llvm::createStringError(
        "a fat binary needs NVIDIA's fatbinary tool, "
        "which is not at " +
        tool);
  auto scratch = TempDir::create();
  if (!scratch)
    return scratch.takeError();
  std::string output = scratch->file("out.fatbin");
  std::vector<std::string> arguments = {"--64", "--create=" + output};
  for (const std::string &arch : archs) {
    auto merged = mergeArch(bundle, arch, toolkit);
    if (!merged)
      return merged.takeError();
    std::string number = arch.substr(3);
    auto add = [&](StringRef kind, StringRef extension, StringRef bytes) {
      std::string file = scratch->file((arch + extension).str());
      arguments.push_back(
          ("--image3=kind=" + kind + ",sm=" + number + ",file=" + file).str());
      return writeFile(file, bytes);
    };
    if (auto error = add("elf", ".cubin", merged->image))
      return std::move(error);
    bool portable = llvm::isDigit(number.back());
    if (portable)
      if (auto error = add("ptx", ".ptx", merged->text))
        return std::move(error);
  }
  std::vector<StringRef> references(arguments.begin(), arguments.end());
  auto run = runTool(tool, references, *scratch);
  if (!run)
    return run.takeError();
  if (run->exitCode != 0)
    return llvm::createStringError("fatbinary failed with exit code " +
                                   llvm::Twine(run->exitCode) + ": " +
                                   StringRef(run->output).trim());
  return readFile(output);
}

llvm::Expected<std::string> lathe::exportCodeObject(const Bundle &bundle,
                                                    StringRef arch,
                                                    const Toolkit &toolkit) {
  if (!arch.starts_with("gfx"))
    return llvm::createStringError("'" + arch + "' is not an AMD architecture");
  bool known = llvm::any_of(bundle.images, [&](const BundleImage &image) {
    return image.arch == arch;
  });
  if (!known)
    return llvm::createStringError("the bundle has no kernels for " + arch);
  auto merged = mergeArch(bundle, arch, toolkit);
  if (!merged)
    return merged.takeError();
  return std::move(merged->image);
}
