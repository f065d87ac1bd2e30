//===- MeasureStage.h - Measuring on this machine ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TOOLS_LATHE_MEASURESTAGE_H
#define LATHE_TOOLS_LATHE_MEASURESTAGE_H

#include "llvm/Support/Error.h"

#include <string>

namespace lathe::tool {

/// Runs `lathe-device run candidates --db database` and waits.
llvm::Error measureCandidates(llvm::StringRef candidates,
                              llvm::StringRef database);

/// Files that nobody asked to keep.
class TemporaryFolder {
public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder();
  /// The folder is made when it is first asked for.
  llvm::Expected<std::string> file(llvm::StringRef name);

private:
  std::string path;
};

} // namespace lathe::tool

#endif // LATHE_TOOLS_LATHE_MEASURESTAGE_H
