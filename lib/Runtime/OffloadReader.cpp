//===- OffloadReader.cpp - LLVM offload binaries --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OffloadReader.h"

#include <cstring>

using namespace lathe::runtime;

namespace {

struct Header {
  uint8_t magic[4];
  uint32_t version;
  uint64_t size;
  uint64_t entryOffset;
  uint64_t entrySizeOrCount; // version 1: bytes; version 2: number of entries
};

struct Entry {
  uint16_t imageKind, offloadKind;
  uint32_t flags;
  uint64_t stringOffset, numStrings;
  uint64_t imageOffset, imageSize;
};

constexpr uint64_t maxStrings = 64, maxEntries = 64;

template <typename T> T load(const char *at) {
  T value;
  memcpy(&value, at, sizeof value);
  return value;
}

/// Whether `count` elements of `size` bytes at `offset` lie within `limit`.
bool inside(uint64_t offset, uint64_t count, uint64_t size, uint64_t limit) {
  return offset <= limit && count <= (limit - offset) / size;
}

lathe_status malformed(size_t offset, const char *what) {
  return fail(LATHE_MALFORMED, "offload binary at offset %zu: %s", offset,
              what);
}

} // namespace

std::string_view OffloadEntry::get(std::string_view key) const {
  for (auto &[name, value] : strings)
    if (name == key)
      return value;
  return {};
}

static lathe_status readStrings(std::string_view bytes, size_t offset,
                                const Entry &raw, bool sized,
                                OffloadEntry &entry) {
  uint64_t stride = sized ? 24 : 16;
  if (raw.numStrings > maxStrings ||
      !inside(raw.stringOffset, raw.numStrings, stride, bytes.size()))
    return malformed(offset, "the string table leaves it");
  auto text = [&](uint64_t at, std::string_view &out) {
    if (at >= bytes.size())
      return false;
    const void *end = memchr(bytes.data() + at, 0, bytes.size() - at);
    if (!end)
      return false;
    out = {bytes.data() + at,
           size_t(static_cast<const char *>(end) - (bytes.data() + at))};
    return true;
  };
  for (uint64_t i = 0; i < raw.numStrings; ++i) {
    const char *at = bytes.data() + raw.stringOffset + i * stride;
    uint64_t valueOffset = load<uint64_t>(at + 8);
    std::string_view key, value;
    if (!text(load<uint64_t>(at), key))
      return malformed(offset, "a string leaves it");
    if (sized) {
      uint64_t size = load<uint64_t>(at + 16);
      if (!inside(valueOffset, size, 1, bytes.size()))
        return malformed(offset, "a string leaves it");
      value = bytes.substr(valueOffset, size);
    } else if (!text(valueOffset, value)) {
      return malformed(offset, "a string leaves it");
    }
    entry.strings.push_back({key, value});
  }
  return LATHE_OK;
}

lathe_status lathe::runtime::readOffloadMember(std::string_view file,
                                               size_t offset,
                                               OffloadMember &member) {
  if (offset > file.size() || file.size() - offset < sizeof(Header))
    return fail(LATHE_TRUNCATED,
                "offload binary at offset %zu: its header needs %zu bytes, %zu "
                "are left",
                offset, sizeof(Header), file.size() - offset);
  auto header = load<Header>(file.data() + offset);
  if (memcmp(header.magic, offloadMagic, sizeof offloadMagic) != 0)
    return fail(LATHE_NOT_A_BUNDLE, "no offload binary at offset %zu", offset);
  if (header.version != 1 && header.version != 2)
    return fail(LATHE_UNSUPPORTED,
                "offload binary at offset %zu: version %u, expected 1 or 2",
                offset, header.version);
  if (header.size < sizeof(Header) || header.size % 8 != 0)
    return malformed(offset, "its size is impossible");
  if (header.size > file.size() - offset)
    return fail(LATHE_TRUNCATED,
                "offload binary at offset %zu: %llu bytes long, %zu are left",
                offset, static_cast<unsigned long long>(header.size),
                file.size() - offset);

  bool sized = header.version == 2;
  uint64_t count = sized ? header.entrySizeOrCount : 1;
  std::string_view bytes = file.substr(offset, header.size);
  if (!sized && header.entrySizeOrCount < sizeof(Entry))
    return malformed(offset, "its entry is too small");
  if (count == 0 || count > maxEntries ||
      !inside(header.entryOffset, count, sizeof(Entry), bytes.size()))
    return malformed(offset, "its entries leave it");

  member.offset = offset;
  member.size = header.size;
  member.entries.clear();
  for (uint64_t i = 0; i < count; ++i) {
    auto raw =
        load<Entry>(bytes.data() + header.entryOffset + i * sizeof(Entry));
    if (!inside(raw.imageOffset, raw.imageSize, 1, bytes.size()))
      return malformed(offset, "the image leaves it");
    OffloadEntry entry;
    entry.kind = static_cast<ImageKind>(raw.imageKind);
    entry.image = bytes.substr(raw.imageOffset, raw.imageSize);
    if (lathe_status status = readStrings(bytes, offset, raw, sized, entry))
      return status;
    member.entries.push_back(std::move(entry));
  }
  return LATHE_OK;
}
