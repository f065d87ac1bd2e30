//===- Bundle.cpp - Opens and checks bundles ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"

#include "Sha256.h"

#include <algorithm>
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

/// Gives an image to the architecture of the table that it serves.
static lathe_status placeImage(lathe_bundle &bundle,
                               const OffloadEntry &entry) {
  std::string_view name = entry.get("lathe.entry"), arch = entry.get("arch");
  for (auto &table : bundle.tables) {
    if (name != table->entry())
      continue;
    for (uint32_t i = 0; i < table->header->archs.count; ++i) {
      if (arch != table->archName(i))
        continue;
      bool isPtx = entry.kind == ImageKind::Ptx;
      std::string_view &slot =
          isPtx ? table->images[i].ptx : table->images[i].binary;
      if (!slot.empty())
        return fail(LATHE_MALFORMED, "two images serve %s on %s",
                    table->entry(), table->archName(i));
      // PTX goes to the driver as a C string.
      if (isPtx && entry.image.find('\0') == std::string_view::npos)
        return fail(LATHE_MALFORMED, "the PTX of %s for %s does not end",
                    table->entry(), table->archName(i));
      slot = entry.image;
      return LATHE_OK;
    }
  }
  return fail(LATHE_MALFORMED,
              "an image serves '%.*s' on '%.*s', which no "
              "table mentions",
              int(std::min<size_t>(name.size(), 80)), name.data(),
              int(std::min<size_t>(arch.size(), 40)), arch.data());
}

static lathe_status placeTable(lathe_bundle &bundle,
                               const OffloadEntry &entry) {
  auto table = std::make_unique<lathe_table>();
  if (lathe_status status = parseTable(entry.image, *table))
    return status;
  for (auto &other : bundle.tables)
    if (!strcmp(other->entry(), table->entry()))
      return fail(LATHE_MALFORMED, "two tables serve %s", table->entry());
  bundle.tables.push_back(std::move(table));
  return LATHE_OK;
}

static lathe_status placeMember(lathe_bundle &bundle, const OffloadEntry &entry,
                                bool &hasManifest) {
  std::string_view role = entry.get("lathe.member");
  if (role == "table")
    return placeTable(bundle, entry);
  if (role == "image")
    return placeImage(bundle, entry);
  if (role == "link" || role == "module")
    return LATHE_OK;
  if (role != "manifest")
    return fail(LATHE_MALFORMED, "a member's role is '%.*s'",
                int(std::min<size_t>(role.size(), 80)), role.data());
  if (hasManifest)
    return fail(LATHE_MALFORMED, "there are two manifests");
  hasManifest = true;
  bundle.manifest.assign(entry.image);
  return LATHE_OK;
}

static lathe_status checkComplete(const lathe_bundle &bundle,
                                  bool hasManifest) {
  if (!hasManifest)
    return fail(LATHE_MALFORMED, "there is no manifest");
  for (auto &table : bundle.tables)
    for (uint32_t i = 0; i < table->header->archs.count; ++i)
      if (table->images[i].binary.empty() && table->images[i].ptx.empty())
        return fail(LATHE_MALFORMED, "%s has cases but no image for %s",
                    table->entry(), table->archName(i));
  return LATHE_OK;
}

lathe_status lathe::runtime::parseBundle(lathe_bundle &bundle) {
  std::string_view bytes = bundle.bytes;
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
  bool hasManifest = false;
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
    for (const OffloadEntry &entry : member.entries)
      if (lathe_status status = placeMember(bundle, entry, hasManifest))
        return status;
    at += member.size;
  }
  if (at != bytes.size())
    return fail(LATHE_MALFORMED, "%zu bytes follow the last member",
                bytes.size() - at);
  return checkComplete(bundle, hasManifest);
}

static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replace = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
    }
  }
  return row[b.size()];
}

const char *lathe::runtime::nearestEntry(const lathe_bundle &bundle,
                                         std::string_view name) {
  name = name.substr(0, 128);
  const char *best = nullptr;
  size_t bestDistance = std::max<size_t>(2, name.size() / 2);
  for (auto &table : bundle.tables) {
    size_t distance = editDistance(name, table->entry());
    if (distance <= bestDistance && (!best || distance < bestDistance)) {
      best = table->entry();
      bestDistance = distance;
    }
  }
  return best;
}
