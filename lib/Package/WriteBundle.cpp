//===- WriteBundle.cpp - Bundles to files ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Manifest.h"
#include "Members.h"

#include "lathe/Package/Package.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace lathe;
using namespace llvm::object;
using llvm::StringRef;

static Member imageMember(const BundleImage &image) {
  Member member;
  member.role = "image";
  member.arch = image.arch;
  member.entry = image.entry;
  member.image = image.bytes;
  switch (image.kind) {
  case BundleImage::Cubin:
    member.kind = IMG_Cubin;
    break;
  case BundleImage::Ptx:
    member.kind = IMG_PTX;
    member.image += '\0'; // goes to the driver as a C string
    break;
  case BundleImage::CodeObject:
    member.kind = IMG_Object;
    break;
  case BundleImage::Object:
    member.kind = IMG_Object;
    member.role = "link";
    break;
  case BundleImage::Module:
    member.kind = IMG_Bitcode;
    member.role = "module";
    member.symbol = image.symbol;
    break;
  }
  bool amd = StringRef(image.arch).starts_with("gfx");
  member.triple = amd ? "amdgcn-amd-amdhsa" : "nvptx64-nvidia-cuda";
  // So that extracting images by triple misses what nobody loads.
  if (member.role == "link")
    member.triple = "lathe-link";
  if (member.role == "module")
    member.triple = "lathe-module";
  member.producer = amd ? OFK_HIP : OFK_Cuda;
  return member;
}

static llvm::Error checkImages(const Bundle &bundle) {
  llvm::StringSet<> served, known;
  for (const DispatchTable &table : bundle.tables)
    for (const DispatchCase &row : table.cases)
      known.insert(table.entry + "/" + row.arch);
  for (const BundleImage &image : bundle.images) {
    std::string key = image.entry + "/" + image.arch;
    StringRef kind = imageKindName(image.kind);
    if (!known.contains(key))
      return llvm::createStringError("the " + kind + " of '" + image.entry +
                                     "' for " + image.arch +
                                     " serves no case of a dispatch table");
    // One object or module per kernel is fine: nothing loads them.
    if (!served.insert(key + "/" + kind.str()).second && image.isLoaded())
      return llvm::createStringError("two images of one kind serve '" +
                                     image.entry + "' on " + image.arch);
    if (image.kind == BundleImage::Ptx && StringRef(image.bytes).contains('\0'))
      return llvm::createStringError("the PTX of '" + image.entry + "' for " +
                                     image.arch + " has a zero byte in it");
    if (image.bytes.empty())
      return llvm::createStringError("the " + kind + " of '" + image.entry +
                                     "' for " + image.arch + " is empty");
  }
  for (const DispatchTable &table : bundle.tables)
    for (const DispatchCase &row : table.cases) {
      std::string key = table.entry + "/" + row.arch + "/";
      if (!served.contains(key + "cubin") && !served.contains(key + "ptx") &&
          !served.contains(key + "code object"))
        return llvm::createStringError(
            "'" + table.entry + "' has cases but no image for " + row.arch);
    }
  return llvm::Error::success();
}

llvm::Expected<std::string> lathe::serializeBundle(const Bundle &unsorted) {
  // In an order of its own, so that the caller's threads cannot show.
  Bundle bundle = unsorted;
  llvm::sort(bundle.images, [](const BundleImage &a, const BundleImage &b) {
    return std::tie(a.entry, a.arch, a.kind, a.bytes) <
           std::tie(b.entry, b.arch, b.kind, b.bytes);
  });
  if (auto error = checkImages(bundle))
    return std::move(error);

  std::vector<std::string> members;
  Member manifest;
  manifest.role = "manifest";
  manifest.triple = "lathe-manifest";
  manifest.arch = "any";
  llvm::raw_string_ostream(manifest.image)
      << llvm::formatv("{0:2}\n", llvm::json::Value(completeManifest(bundle)));
  members.push_back(writeMember(manifest));

  llvm::StringSet<> entries;
  for (const DispatchTable &table : bundle.tables) {
    if (!entries.insert(table.entry).second)
      return llvm::createStringError("two dispatch tables serve '" +
                                     table.entry + "'");
    auto encoded = encodeTable(table);
    if (!encoded)
      return encoded.takeError();
    Member member;
    member.role = "table";
    member.triple = "lathe-dispatch-table";
    member.arch = table.entry;
    member.entry = table.entry;
    member.image = std::move(*encoded);
    members.push_back(writeMember(member));
  }
  for (const BundleImage &image : bundle.images)
    members.push_back(writeMember(imageMember(image)));

  return joinMembers(members);
}

llvm::Error lathe::writeBundle(const Bundle &bundle, StringRef path) {
  auto bytes = serializeBundle(bundle);
  if (!bytes)
    return bytes.takeError();
  return writeFileAtomically(path, *bytes);
}
