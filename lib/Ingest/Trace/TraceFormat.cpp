//===- TraceFormat.cpp - Reads any trace ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceFormat.h"
#include "KinetoReader.h"
#include "RocprofReader.h"
#include "SqliteReader.h"

#include "llvm/ADT/Twine.h"

#include <zlib.h>

using namespace lathe;
using llvm::StringRef;
using llvm::Twine;

static llvm::Error fail(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Up to `size` bytes of a file, unpacked if it is packed.
static llvm::Expected<std::string> readUnpacked(StringRef path, size_t size) {
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file(
      gzopen(path.str().c_str(), "rb"), gzclose);
  if (!file)
    return fail("cannot open");
  std::string text;
  while (text.size() < size) {
    size_t had = text.size(), want = std::min<size_t>(size - had, 1 << 20);
    text.resize(had + want);
    int got = gzread(file.get(), &text[had], unsigned(want));
    text.resize(had + size_t(std::max(got, 0)));
    if (got <= 0)
      break;
  }
  return text;
}

llvm::Error lathe::readTrace(StringRef path, TraceEvents &events) {
  constexpr size_t headSize = 4096, maxSize = size_t(512) << 20;
  auto head = readUnpacked(path, headSize);
  if (!head)
    return head.takeError();
  StringRef start = StringRef(*head).ltrim();
  if (start.starts_with("SQLite format 3"))
    return readSqliteTrace(path, events);
  bool isRocprof =
      start.starts_with("{") && start.contains("\"rocprofiler-sdk-tool\"");
  bool isCsv = start.split('\n').first.contains("Kernel_Name") ||
               start.split('\n').first.contains("KernelName");
  if (!isRocprof && !isCsv)
    return readKinetoFile(path, events);
  // Unlike a trace of PyTorch, these are read as a whole.
  auto text = readUnpacked(path, maxSize + 1);
  if (!text)
    return text.takeError();
  if (text->size() > maxSize)
    return fail("more than " + Twine(maxSize >> 20) +
                " MiB; rocprofv3's rocpd format has no such limit");
  if (isCsv)
    return readRocprofCsv(*text, events);
  size_t size = text->size();
  text->append(EventScanner::padding, '\0');
  return readRocprofJson(StringRef(*text).take_front(size), events);
}
