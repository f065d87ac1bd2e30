//===- InputFile.h - A file that may be packed ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_TRACE_INPUTFILE_H
#define LATHE_LIB_INGEST_TRACE_INPUTFILE_H

#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

struct gzFile_s;
struct ZSTD_DCtx_s;

namespace lathe {

/// Reads a file from its start, unpacking gzip and zstd by what its first bytes
/// are, whatever its name.
class InputFile {
public:
  static llvm::Expected<InputFile> open(llvm::StringRef path);

  /// Fills the buffer as far as there is more, and returns how far; 0 at the
  /// end, which may come early: see problem().
  size_t read(char *to, size_t size);

  /// Why the end came early, or empty.
  std::string problem() const;

private:
  size_t readZstd(char *to, size_t size);

  std::shared_ptr<gzFile_s> file;
  std::shared_ptr<ZSTD_DCtx_s> zstd; ///< null unless the file is packed so
  std::vector<char> packed;
  size_t packedBegin = 0, packedEnd = 0;
  bool atFrameEnd = true;
  std::string zstdProblem;
};

} // namespace lathe

#endif // LATHE_LIB_INGEST_TRACE_INPUTFILE_H
