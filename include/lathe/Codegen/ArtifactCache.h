//===- ArtifactCache.h - Work done once -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_CODEGEN_ARTIFACTCACHE_H
#define LATHE_CODEGEN_ARTIFACTCACHE_H

#include "lathe/Codegen/Artifact.h"
#include "lathe/Codegen/Message.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace lathe {

/// SHA-256 (64 hex digits) over the parts and their lengths: what determines
/// an artifact, such as template text, candidate name, options, and
/// `toolFingerprint`.
std::string cacheKey(llvm::ArrayRef<llvm::StringRef> parts);

/// Artifacts by key in a directory, for any number of processes at a time. An
/// entry that is damaged in any way is a miss and is removed; a failure to
/// write costs only the entry. `maxBytes` is enforced when storing, oldest use
/// first. Not for use by two threads at once.
class ArtifactCache {
public:
  /// An empty directory name makes a cache that never holds anything.
  ArtifactCache(std::string directory, uint64_t maxBytes);

  /// $LATHE_CACHE if set (empty: none), else ~/.cache/lathe.
  static std::string defaultDirectory();

  std::optional<Artifact> lookup(llvm::StringRef key);
  void store(llvm::StringRef key, const Artifact &artifact);

  /// Text of an error that the same inputs will give again.
  std::optional<std::string> lookupError(llvm::StringRef key);
  void storeError(llvm::StringRef key, llvm::StringRef text);

  /// Any message, for callers with more than an artifact to keep.
  std::optional<Message> lookupMessage(llvm::StringRef key);
  void storeMessage(llvm::StringRef key, const Message &message);

  /// Why the last store failed; empty if it did not.
  const std::string &lastError() const { return error; }

private:
  std::string entryPath(llvm::StringRef key) const;
  void shrink();

  std::string directory;
  uint64_t maxBytes;
  std::optional<uint64_t> total; ///< bytes in the directory, as last known
  std::string error;
};

} // namespace lathe

#endif // LATHE_CODEGEN_ARTIFACTCACHE_H
