//===- Builtin.cpp - Finds what comes with Lathe --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Load.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace lathe;

std::string lathe::builtinTemplates(const char *argv0, void *anchor) {
  std::string program = llvm::sys::fs::getMainExecutable(argv0, anchor);
  llvm::SmallString<256> folder(program);
  llvm::sys::path::remove_filename(folder);
  llvm::sys::path::append(folder, "..", "share", "lathe", "templates");
  llvm::sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
  if (llvm::sys::fs::is_directory(folder))
    return std::string(folder);
  return LATHE_SOURCE_TEMPLATES;
}
