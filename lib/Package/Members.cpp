//===- Members.cpp - Offload binaries behind a directory ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Members.h"

#include "lathe/Runtime/lathe_table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <cstring>

using namespace lathe;
using namespace llvm::object;
using llvm::StringRef;

std::string lathe::writeMember(const Member &member) {
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

std::string lathe::joinMembers(llvm::ArrayRef<std::string> members) {
  std::string out = directory(members);
  for (const std::string &member : members)
    out += member;
  return out;
}
