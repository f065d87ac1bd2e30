//===- Files.cpp - Hashes, atomic writes, near names ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Package/Package.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace lathe;
using llvm::StringRef;

std::string lathe::sha256Hex(StringRef bytes) {
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes));
  return llvm::toHex(digest, /*LowerCase=*/true);
}

std::string lathe::nearestName(StringRef name,
                               llvm::ArrayRef<std::string> candidates) {
  std::string best;
  unsigned bestDistance = std::max<unsigned>(2, name.size() / 2) + 1;
  for (const std::string &candidate : candidates) {
    unsigned distance = name.edit_distance(candidate, true, bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

llvm::Error lathe::writeFileAtomically(StringRef path, StringRef bytes) {
  // Beside the target: rename must not cross file systems. A Ctrl-C removes it.
  auto temporary = llvm::sys::fs::TempFile::create(
      path + ".tmp-%%%%%%%%",
      llvm::sys::fs::all_read | llvm::sys::fs::all_write);
  if (!temporary)
    return llvm::createStringError(
        path + ": cannot write: " + llvm::toString(temporary.takeError()));
  llvm::raw_fd_ostream stream(temporary->FD, /*shouldClose=*/false);
  stream << bytes;
  stream.flush();
  if (stream.has_error()) {
    std::string reason = stream.error().message();
    stream.clear_error();
    llvm::consumeError(temporary->discard());
    return llvm::createStringError(path + ": cannot write: " + reason);
  }
  if (auto error = temporary->keep(path))
    return llvm::createStringError(
        path + ": cannot rename: " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}
