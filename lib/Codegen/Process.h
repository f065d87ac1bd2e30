//===- Process.h - Temporary files and external programs --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_CODEGEN_PROCESS_H
#define LATHE_LIB_CODEGEN_PROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace lathe {

/// A private directory that goes away with the object, whatever is in it.
class TempDir {
public:
  static llvm::Expected<TempDir> create();
  TempDir(TempDir &&other) : path(std::move(other.path)) { other.path.clear(); }
  TempDir &operator=(TempDir &&) = delete;
  ~TempDir();

  const std::string &str() const { return path; }
  std::string file(llvm::StringRef name) const;

private:
  explicit TempDir(llvm::StringRef path) : path(path) {}
  std::string path;
};

struct ToolResult {
  int exitCode = 0;
  std::string output; ///< standard output and error, interleaved
};

/// Runs a program without a shell and waits for it. The error is a failure to
/// start or a signal; a non-zero exit code is the caller's to judge.
llvm::Expected<ToolResult> runTool(llvm::StringRef program,
                                   llvm::ArrayRef<llvm::StringRef> arguments,
                                   const TempDir &scratch);

/// Runs a compiler that writes `output`, and gives what it wrote. Where it
/// fails, the error is what it printed.
llvm::Expected<std::string>
runCompiler(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> arguments,
            llvm::StringRef output, const TempDir &scratch);

llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes);
llvm::Expected<std::string> readFile(llvm::StringRef path);

} // namespace lathe

#endif // LATHE_LIB_CODEGEN_PROCESS_H
