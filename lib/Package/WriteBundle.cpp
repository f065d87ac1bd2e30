//===- WriteBundle.cpp - Bundles to files ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Manifest.h"

#include "lathe/Package/Package.h"
#include "lathe/Runtime/lathe_table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace lathe;
using namespace llvm::object;
using llvm::StringRef;

namespace {

struct Member {
  StringRef role, triple, arch, entry, symbol;
  ImageKind kind = IMG_None;
  OffloadKind producer = OFK_None;
  std::string image;
};

} // namespace

static std::string writeMember(const Member &member) {
  OffloadBinary::OffloadingImage out;
  out.TheImageKind = member.kind;
  out.TheOffloadKind = member.producer;
  out.StringData["triple"] = member.triple;
  out.StringData["arch"] = member.arch;
  out.StringData["lathe.member"] = member.role;
  if (!member.entry.empty())
    out.StringData["lathe.entry"] = member.entry;
  if (!member.symbol.empty())
    out.StringData["lathe.symbol"] = member.symbol;
  out.Image = llvm::MemoryBuffer::getMemBuffer(member.image, "", false);
  return OffloadBinary::write(out).str().str();
}

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

/// The directory for members that follow it; its size does not depend on them.
static std::string directory(llvm::ArrayRef<std::string> members) {
  size_t body = sizeof(lathe_directory_header) +
                members.size() * sizeof(lathe_directory_record);
  Member member;
  member.role = "directory";
  member.triple = "lathe-directory";
  member.arch = "any";
  member.image.assign(body + 32, '\0');
  size_t offset = writeMember(member).size();

  lathe_directory_header header = {};
  memcpy(header.magic, LATHE_DIRECTORY_MAGIC, sizeof header.magic);
  header.version = LATHE_DIRECTORY_VERSION;
  header.num_members = uint32_t(members.size());
  char *at = member.image.data() + sizeof header;
  for (const std::string &other : members) {
    lathe_directory_record record = {offset, other.size(), {}};
    auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(other));
    llvm::copy(digest, record.sha256);
    memcpy(at, &record, sizeof record);
    at += sizeof record;
    offset += other.size();
  }
  header.file_size = offset;
  memcpy(member.image.data(), &header, sizeof header);

  std::string out = writeMember(member);
  size_t image = StringRef(out).find(member.image);
  auto digest = llvm::SHA256::hash(
      llvm::arrayRefFromStringRef(StringRef(out).take_front(image + body)));
  llvm::copy(digest, out.begin() + image + body);
  return out;
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

  std::string out = directory(members);
  for (const std::string &member : members)
    out += member;
  return out;
}

llvm::Error lathe::writeBundle(const Bundle &bundle, StringRef path) {
  auto bytes = serializeBundle(bundle);
  if (!bytes)
    return bytes.takeError();
  return writeFileAtomically(path, *bytes);
}
