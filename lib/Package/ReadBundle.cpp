//===- ReadBundle.cpp - Bundles from files --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecodeTable.h"
#include "Manifest.h"

#include "lathe/Package/Package.h"
#include "lathe/Runtime/lathe_runtime.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/OffloadBinary.h"

#include <memory>

using namespace lathe;
using namespace llvm::object;
using llvm::StringRef;

static llvm::Error runtimeError(lathe_status status) {
  return llvm::createStringError(llvm::Twine(lathe_status_name(status)) + ": " +
                                 lathe_last_error());
}

static void addImage(const OffloadBinary &member, Bundle &bundle) {
  BundleImage image;
  image.entry = member.getString("lathe.entry").str();
  image.arch = member.getArch().str();
  image.bytes = member.getImage().str();
  StringRef role = member.getString("lathe.member");
  if (role == "link" || role == "module") {
    image.kind = role == "link" ? BundleImage::Object : BundleImage::Module;
    image.symbol = member.getString("lathe.symbol").str();
    bundle.images.push_back(std::move(image));
    return;
  }
  switch (member.getImageKind()) {
  case IMG_PTX:
    image.kind = BundleImage::Ptx;
    image.bytes.pop_back(); // the zero that the driver needs
    break;
  case IMG_Cubin:
    image.kind = BundleImage::Cubin;
    break;
  default:
    image.kind = BundleImage::CodeObject;
  }
  bundle.images.push_back(std::move(image));
}

llvm::Expected<Bundle> lathe::parseBundle(StringRef bytes) {
  // The runtime's word decides; what follows reads what it has accepted.
  lathe_bundle *opened;
  if (lathe_status status =
          lathe_open_memory(bytes.data(), bytes.size(), 0, &opened))
    return runtimeError(status);
  lathe_close(opened);

  Bundle bundle;
  llvm::SmallVector<OffloadFile> members;
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(bytes);
  if (auto error = extractOffloadBinaries(buffer->getMemBufferRef(), members))
    return std::move(error);
  for (const OffloadFile &file : members) {
    const OffloadBinary &member = *file.getBinary();
    StringRef role = member.getString("lathe.member");
    if (role == "table") {
      bundle.tables.push_back(decodeTable(member.getImage()));
    } else if (role == "image" || role == "link" || role == "module") {
      addImage(member, bundle);
    } else if (role == "manifest") {
      auto manifest = llvm::json::parse(member.getImage());
      if (!manifest)
        return manifest.takeError();
      if (!manifest->getAsObject())
        return llvm::createStringError("the manifest is not a JSON object");
      bundle.manifest = std::move(*manifest->getAsObject());
    }
  }
  if (auto error = applyManifest(bundle))
    return std::move(error);
  return bundle;
}

llvm::Expected<Bundle> lathe::readBundle(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError(path +
                                   ": error: " + buffer.getError().message());
  auto bundle = parseBundle((*buffer)->getBuffer());
  if (!bundle)
    return llvm::createStringError(
        path + ": error: " + llvm::toString(bundle.takeError()));
  return bundle;
}

llvm::Error lathe::requireArchs(const Bundle &bundle,
                                llvm::ArrayRef<std::string> archs) {
  std::string holes;
  for (const DispatchTable &table : bundle.tables)
    for (const std::string &arch : archs) {
      bool hasCase = llvm::any_of(table.cases,
                                  [&](auto &row) { return row.arch == arch; });
      bool hasImage = llvm::any_of(bundle.images, [&](auto &image) {
        return image.entry == table.entry && image.arch == arch &&
               image.isLoaded();
      });
      if (hasCase && hasImage)
        continue;
      if (!holes.empty())
        holes += '\n';
      holes += "'" + table.entry + "' has no " +
               (hasCase ? "image" : "kernel") + " for " + arch;
    }
  if (holes.empty())
    return llvm::Error::success();
  return llvm::createStringError(holes);
}
