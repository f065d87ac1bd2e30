//===- Container.cpp - Members behind a directory of hashes ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Container.h"

#include "Sha256.h"
#include "lathe/Runtime/lathe_table.h"

#include <cstring>

using namespace lathe::runtime;

static lathe_status tampered(size_t offset) {
  return fail(LATHE_TAMPERED,
              "the member at offset %zu does not match its SHA-256", offset);
}

/// Checks the directory's own hash and everything it says about the file.
static lathe_status
checkDirectory(std::string_view bytes, const OffloadMember &member,
               std::vector<lathe_directory_record> &records) {
  std::string_view image = member.entries.front().image;
  lathe_directory_header header;
  if (image.size() < sizeof header + 32)
    return fail(LATHE_MALFORMED, "the directory is too small");
  memcpy(&header, image.data(), sizeof header);
  if (memcmp(header.magic, LATHE_DIRECTORY_MAGIC, 8) != 0)
    return fail(LATHE_NOT_A_BUNDLE, "the container has no Lathe directory");
  if (header.version != LATHE_DIRECTORY_VERSION)
    return fail(LATHE_UNSUPPORTED, "bundle version %u, expected %u",
                header.version, LATHE_DIRECTORY_VERSION);
  size_t body = image.size() - sizeof header - 32;
  if (body % sizeof(lathe_directory_record) != 0 ||
      header.num_members != body / sizeof(lathe_directory_record))
    return fail(LATHE_MALFORMED, "the directory's size does not fit its count");

  size_t hashed = size_t(image.data() + image.size() - 32 - bytes.data());
  uint8_t digest[32];
  sha256(bytes.data(), hashed, digest);
  if (memcmp(digest, bytes.data() + hashed, 32) != 0)
    return tampered(0);
  // Nothing but padding may follow the hash, which does not cover it.
  for (size_t i = hashed + 32; i < member.size; ++i)
    if (bytes[i] != 0)
      return tampered(0);
  if (header.file_size != bytes.size())
    return fail(header.file_size > bytes.size() ? LATHE_TRUNCATED
                                                : LATHE_MALFORMED,
                "the file has %zu bytes, its directory says %llu", bytes.size(),
                static_cast<unsigned long long>(header.file_size));
  records.resize(header.num_members);
  if (body)
    memcpy(records.data(), image.data() + sizeof header, body);
  return LATHE_OK;
}

lathe_status lathe::runtime::readContainer(std::string_view bytes,
                                           std::vector<OffloadEntry> &entries) {
  OffloadMember member;
  if (lathe_status status = readOffloadMember(bytes, 0, member)) {
    if (status == LATHE_TRUNCATED && bytes.size() < 4)
      return fail(LATHE_TRUNCATED, "the file has only %zu bytes", bytes.size());
    return status;
  }
  if (member.entries.front().get("lathe.member") != "directory")
    return fail(LATHE_NOT_A_BUNDLE,
                "an offload binary, but not one that Lathe wrote");
  std::vector<lathe_directory_record> records;
  if (lathe_status status = checkDirectory(bytes, member, records))
    return status;

  size_t at = member.size;
  for (const lathe_directory_record &record : records) {
    if (record.offset != at || record.size > bytes.size() - at)
      return fail(LATHE_MALFORMED, "the directory has a gap at offset %zu", at);
    uint8_t digest[32];
    sha256(bytes.data() + at, record.size, digest);
    if (memcmp(digest, record.sha256, 32) != 0)
      return tampered(at);
    if (lathe_status status = readOffloadMember(bytes, at, member))
      return status;
    if (member.size != record.size)
      return fail(LATHE_MALFORMED,
                  "the member at offset %zu has another size "
                  "than in the directory",
                  at);
    for (OffloadEntry &entry : member.entries)
      entries.push_back(std::move(entry));
    at += member.size;
  }
  if (at != bytes.size())
    return fail(LATHE_MALFORMED, "%zu bytes follow the last member",
                bytes.size() - at);
  return LATHE_OK;
}
