//===- InputFile.cpp - A file that may be packed --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputFile.h"

#include <zlib.h>
#include <zstd.h>

using namespace lathe;
using llvm::StringRef;

llvm::Expected<InputFile> InputFile::open(StringRef path) {
  constexpr int maxWindowLog = 27; // 128 MiB, zstd's own default
  InputFile input;
  input.file.reset(gzopen(path.str().c_str(), "rb"),
                   [](gzFile file) { file ? gzclose(file) : 0; });
  if (!input.file)
    return llvm::createStringError(
        std::error_code(errno, std::generic_category()), "cannot open");
  gzbuffer(input.file.get(), 1 << 18);
  char magic[4];
  int got = gzread(input.file.get(), magic, sizeof magic);
  gzrewind(input.file.get());
  if (StringRef(magic, got < 0 ? 0 : size_t(got)) == "\x28\xb5\x2f\xfd") {
    input.zstd.reset(ZSTD_createDCtx(), ZSTD_freeDCtx);
    ZSTD_DCtx_setParameter(input.zstd.get(), ZSTD_d_windowLogMax, maxWindowLog);
    input.packed.resize(1 << 18);
  }
  return input;
}

size_t InputFile::read(char *to, size_t size) {
  if (zstd)
    return readZstd(to, size);
  int got = gzread(file.get(), to, unsigned(size));
  return got < 0 ? 0 : size_t(got);
}

size_t InputFile::readZstd(char *to, size_t size) {
  ZSTD_outBuffer out = {to, size, 0};
  while (out.pos != out.size && zstdProblem.empty()) {
    if (packedBegin == packedEnd) {
      int got = gzread(file.get(), packed.data(), unsigned(packed.size()));
      packedBegin = 0;
      packedEnd = got < 0 ? 0 : size_t(got);
    }
    bool noMore = packedBegin == packedEnd;
    size_t had = out.pos;
    ZSTD_inBuffer in = {packed.data(), packedEnd, packedBegin};
    size_t hint = ZSTD_decompressStream(zstd.get(), &out, &in);
    packedBegin = in.pos;
    if (ZSTD_isError(hint)) {
      zstdProblem =
          std::string("the zstd stream is damaged: ") + ZSTD_getErrorName(hint);
      break;
    }
    if (noMore && out.pos == had) {
      if (!atFrameEnd)
        zstdProblem = "the zstd stream is cut off";
      break;
    }
    atFrameEnd = hint == 0;
  }
  return out.pos;
}

std::string InputFile::problem() const {
  if (zstd)
    return zstdProblem;
  int code;
  gzerror(file.get(), &code);
  if (code == Z_OK || code == Z_STREAM_END)
    return "";
  if (code == Z_BUF_ERROR)
    return "the gzip stream is cut off";
  return code == Z_ERRNO
             ? std::string("the file cannot be read to its end")
             : std::string("the gzip stream is damaged: ") + zError(code);
}
