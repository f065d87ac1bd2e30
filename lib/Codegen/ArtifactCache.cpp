//===- ArtifactCache.cpp - Work done once ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Codegen/ArtifactCache.h"

#include "Process.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>

using namespace llvm;

namespace lathe {

// magic, SHA-256 over key and frame, frame
static constexpr StringLiteral kMagic = "LATHEC1\n";
static constexpr size_t kHashBytes = 32;
static constexpr StringLiteral kTempPrefix = "tmp-";

static std::string keyedHash(StringRef key, StringRef frame) {
  SHA256 hash;
  hash.update(key);
  hash.update(frame);
  std::array<uint8_t, 32> bytes = hash.final();
  return std::string(bytes.begin(), bytes.end());
}

std::string cacheKey(ArrayRef<StringRef> parts) {
  SHA256 hash;
  for (StringRef part : parts) {
    uint8_t length[8];
    support::endian::write64le(length, part.size());
    hash.update(length);
    hash.update(part);
  }
  return toHex(hash.final(), /*LowerCase=*/true);
}

ArtifactCache::ArtifactCache(std::string directory, uint64_t maxBytes)
    : directory(std::move(directory)), maxBytes(maxBytes) {}

std::string ArtifactCache::defaultDirectory() {
  if (const char *given = std::getenv("LATHE_CACHE"))
    return given;
  SmallString<128> path;
  if (!sys::path::home_directory(path))
    return "";
  sys::path::append(path, ".cache", "lathe");
  return path.str().str();
}

// Keys that `cacheKey` did not make are hashed, so that none is a path.
std::string ArtifactCache::entryPath(StringRef key) const {
  auto isDigit = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  };
  std::string name =
      key.size() == 64 && all_of(key, isDigit) ? key.str() : cacheKey(key);
  SmallString<128> path(directory);
  sys::path::append(path, StringRef(name).take_front(2),
                    StringRef(name).drop_front(2));
  return path.str().str();
}

std::optional<Message> ArtifactCache::lookupMessage(StringRef key) {
  if (directory.empty())
    return std::nullopt;
  const std::string path = entryPath(key);
  Expected<std::string> bytes = readFile(path);
  if (!bytes) {
    consumeError(bytes.takeError());
    return std::nullopt;
  }
  StringRef rest = *bytes;
  const bool framed = rest.consume_front(kMagic) && rest.size() >= kHashBytes;
  if (framed && keyedHash(key, rest.drop_front(kHashBytes)) ==
                    rest.take_front(kHashBytes)) {
    Expected<Message> message = decodeMessage(rest.drop_front(kHashBytes));
    if (message) {
      utimensat(AT_FDCWD, path.c_str(), nullptr, 0); // now the youngest
      return std::move(*message);
    }
    consumeError(message.takeError());
  }
  sys::fs::remove(path);
  return std::nullopt;
}

void ArtifactCache::storeMessage(StringRef key, const Message &message) {
  error.clear();
  if (directory.empty())
    return;
  const std::string path = entryPath(key);
  const std::string frame = encodeMessage(message);
  const std::string bytes = kMagic.str() + keyedHash(key, frame) + frame;
  if (bytes.size() > maxBytes)
    return;
  auto fail = [&](const Twine &what, std::error_code ec) {
    error = (what + ": " + ec.message()).str();
  };
  StringRef parent = sys::path::parent_path(path);
  if (std::error_code ec = sys::fs::create_directories(parent))
    return fail("cannot create '" + parent + "'", ec);
  SmallString<128> model(parent), temp;
  sys::path::append(model, kTempPrefix + "%%%%%%%%%%%%");
  if (std::error_code ec = sys::fs::createUniqueFile(model, temp))
    return fail("cannot create a file in '" + parent + "'", ec);
  if (Error failed = writeFile(temp, bytes)) {
    error = toString(std::move(failed));
    sys::fs::remove(temp);
    return;
  }
  if (std::error_code ec = sys::fs::rename(temp, path)) {
    sys::fs::remove(temp);
    return fail("cannot rename to '" + path + "'", ec);
  }
  if (total)
    *total += bytes.size();
  if (!total || *total > maxBytes)
    shrink();
}

namespace {
struct Entry {
  std::string path;
  uint64_t size;
  sys::TimePoint<> used;
};
} // namespace

// Counts the directory, removes what killed processes left behind, and the
// oldest entries down to 9/10 of the limit so that this stays rare.
void ArtifactCache::shrink() {
  std::vector<Entry> entries;
  uint64_t sum = 0;
  const auto stale = std::chrono::system_clock::now() - std::chrono::hours(1);
  std::error_code ec;
  for (sys::fs::recursive_directory_iterator it(directory, ec, false), end;
       !ec && it != end; it.increment(ec)) {
    ErrorOr<sys::fs::basic_file_status> status = it->status();
    if (!status || status->type() != sys::fs::file_type::regular_file)
      continue;
    if (sys::path::filename(it->path()).starts_with(kTempPrefix)) {
      if (status->getLastModificationTime() < stale)
        sys::fs::remove(it->path());
      continue;
    }
    entries.push_back(
        {it->path(), status->getSize(), status->getLastModificationTime()});
    sum += status->getSize();
  }
  if (sum > maxBytes) {
    llvm::sort(entries, [](const Entry &a, const Entry &b) {
      return std::tie(a.used, a.path) < std::tie(b.used, b.path);
    });
    for (const Entry &entry : entries) {
      if (sum <= maxBytes - maxBytes / 10)
        break;
      if (!sys::fs::remove(entry.path))
        sum -= entry.size;
    }
  }
  total = sum;
}

std::optional<Artifact> ArtifactCache::lookup(StringRef key) {
  std::optional<Message> message = lookupMessage(key);
  if (!message || !message->header.get("symbol"))
    return std::nullopt;
  Expected<Artifact> artifact = artifactFromMessage(*message);
  if (artifact)
    return std::move(*artifact);
  consumeError(artifact.takeError());
  return std::nullopt;
}

void ArtifactCache::store(StringRef key, const Artifact &artifact) {
  storeMessage(key, artifactToMessage(artifact));
}

std::optional<std::string> ArtifactCache::lookupError(StringRef key) {
  std::optional<Message> message = lookupMessage(key);
  if (!message)
    return std::nullopt;
  std::optional<StringRef> text = message->header.getString("error");
  return text ? std::optional<std::string>(text->str()) : std::nullopt;
}

void ArtifactCache::storeError(StringRef key, StringRef text) {
  Message message;
  message.header["error"] = json::fixUTF8(text);
  storeMessage(key, message);
}

} // namespace lathe
