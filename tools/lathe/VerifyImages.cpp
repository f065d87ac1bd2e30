//===- VerifyImages.cpp - What ships against its modules ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyImages.h"

#include "lathe/Codegen/Compile.h"
#include "lathe/Package/Export.h"
#include "lathe/Package/Package.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"

using namespace lathe;
using namespace lathe::tool;
using llvm::StringRef;

const BundleImage *tool::findModule(const Bundle &bundle, StringRef entry,
                                    const DispatchCase &row) {
  for (const BundleImage &image : bundle.images)
    if (image.kind == BundleImage::Module && image.entry == entry &&
        image.arch == row.arch && image.symbol == row.symbol)
      return &image;
  return nullptr;
}

bool tool::isForeign(const Bundle &bundle, StringRef entry,
                     const DispatchCase &row) {
  auto found = bundle.evidence.find((entry + "/" + row.kernel).str());
  return found != bundle.evidence.end() &&
         found->second.getString("origin") == "external" &&
         found->second.getString("form") != "tile";
}

static const BundleImage *findImage(const Bundle &bundle, StringRef entry,
                                    StringRef arch, BundleImage::Kind kind) {
  for (const BundleImage &image : bundle.images)
    if (image.kind == kind && image.entry == entry && image.arch == arch)
      return &image;
  return nullptr;
}

namespace {

class ImageChecker {
public:
  ImageChecker(const Bundle &bundle, const DispatchTable &table, StringRef arch,
               const Toolkit &toolkit)
      : bundle(bundle), table(table), arch(arch), toolkit(toolkit) {}

  llvm::Error run();
  ImageCheck check;

private:
  llvm::Error emit(const TargetSpec &target);
  llvm::Error compareKernels(const TargetSpec &target);
  llvm::Error compareImage(const TargetSpec &target);

  const Bundle &bundle;
  const DispatchTable &table;
  StringRef arch;
  const Toolkit &toolkit;
  std::vector<Artifact> artifacts; ///< in the order in which they were linked
};

} // namespace

llvm::Error ImageChecker::emit(const TargetSpec &target) {
  auto shipped = kernelsOf(bundle, table.entry, arch);
  if (!shipped)
    return shipped.takeError();
  for (const DispatchCase &row : table.cases) {
    if (row.arch != arch ||
        llvm::any_of(artifacts, [&](const Artifact &artifact) {
          return artifact.symbol == row.symbol;
        }))
      continue;
    if (isForeign(bundle, table.entry, row)) {
      Artifact &artifact = artifacts.emplace_back();
      artifact.text = (*shipped)[row.symbol].text;
      artifact.arch = row.arch;
      artifact.symbol = row.symbol;
      artifact.usage = row.usage;
      continue;
    }
    const BundleImage *module = findModule(bundle, table.entry, row);
    if (!module)
      return llvm::createStringError("the bundle has no module of '" +
                                     row.kernel + "'");
    auto artifact = emitBitcode(module->bytes, target);
    if (!artifact)
      return artifact.takeError();
    artifact->symbol = row.symbol;
    artifact->usage = row.usage;
    artifacts.push_back(std::move(*artifact));
  }
  return llvm::Error::success();
}

/// An image has the newest PTX version of its kernels.
static StringRef withoutVersion(StringRef ptx) {
  return ptx.starts_with(".version") ? ptx.split('\n').second : ptx;
}

llvm::Error ImageChecker::compareKernels(const TargetSpec &target) {
  auto shipped = kernelsOf(bundle, table.entry, arch);
  if (!shipped)
    return shipped.takeError();
  for (const Artifact &artifact : artifacts) {
    auto found = shipped->find(artifact.symbol);
    bool same = found != shipped->end();
    if (same && target.isAMD())
      same = found->second.object == artifact.object;
    if (same && target.isNVIDIA()) {
      auto alone = kernelsOfPtx(artifact.text);
      if (!alone)
        return alone.takeError();
      same = withoutVersion((*alone)[artifact.symbol]) ==
             withoutVersion(found->second.text);
    }
    if (!same)
      check.kernels[artifact.symbol] =
          target.isAMD()
              ? "the object that ships is not what the module compiles to"
              : "the PTX that ships is not what the module compiles to";
  }
  return llvm::Error::success();
}

llvm::Error ImageChecker::compareImage(const TargetSpec &target) {
  const BundleImage *shipped =
      findImage(bundle, table.entry, arch,
                target.isAMD() ? BundleImage::CodeObject : BundleImage::Cubin);
  if (!shipped)
    return llvm::Error::success();
  if (target.isNVIDIA() && toolkit.ptxas.empty()) {
    check.unchecked = "no ptxas (" + toolkit.ptxasMissing +
                      "), so the cubin was not compared";
    return llvm::Error::success();
  }
  CodegenOptions options;
  options.toolkit = toolkit;
  options.spillAllowance = INT64_MAX;
  std::vector<const Artifact *> pointers;
  for (const Artifact &artifact : artifacts)
    pointers.push_back(&artifact);
  auto merged = mergeArtifacts(pointers, target, options);
  if (!merged)
    return merged.takeError();
  if (merged->image == shipped->bytes)
    return llvm::Error::success();
  auto tools = toolFingerprint(toolkit);
  if (!tools)
    return tools.takeError();
  bool sameTools = bundle.manifest.getString("tools") == sha256Hex(*tools);
  (sameTools ? check.image : check.unchecked) =
      target.isAMD() ? "the code object is not what the modules link to here"
                     : "the cubin is not what ptxas makes of the modules here";
  return llvm::Error::success();
}

llvm::Error ImageChecker::run() {
  auto target = lookupTarget(arch);
  if (!target)
    return target.takeError();
  if (llvm::Error error = emit(*target))
    return error;
  if (llvm::Error error = compareKernels(*target))
    return error;
  return check.kernels.empty() ? compareImage(*target) : llvm::Error::success();
}

ImageCheck tool::checkImages(const Bundle &bundle, const DispatchTable &table,
                             StringRef arch, const Toolkit &toolkit) {
  ImageChecker checker(bundle, table, arch, toolkit);
  ImageCheck &check = checker.check;
  if (llvm::Error error = checker.run())
    check.image = llvm::toString(std::move(error));
  StringRef made = bundle.manifest.getString("llvm").value_or("");
  bool differs = !check.image.empty() || !check.kernels.empty();
  if (differs && made != LLVM_VERSION_STRING) {
    check.unchecked = ("made with LLVM " + made + ", and LLVM " +
                       LLVM_VERSION_STRING + " gives other code")
                          .str();
    check.kernels.clear();
    check.image.clear();
  }
  return std::move(check);
}
