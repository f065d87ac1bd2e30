//===- TraceFormat.cpp - Reads any trace ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceFormat.h"
#include "InputFile.h"
#include "KinetoReader.h"
#include "RocprofReader.h"
#include "SqliteReader.h"

#include "llvm/ADT/Twine.h"

using namespace lathe;
using llvm::StringRef;
using llvm::Twine;

static llvm::Error fail(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Up to `size` bytes of a file, unpacked if it is packed.
static llvm::Expected<std::string> readUnpacked(StringRef path, size_t size,
                                                std::string &problem) {
  auto input = InputFile::open(path);
  if (!input)
    return input.takeError();
  std::string text;
  while (text.size() < size) {
    size_t had = text.size(), want = std::min<size_t>(size - had, 1 << 20);
    text.resize(had + want);
    size_t got = input->read(&text[had], want);
    text.resize(had + got);
    if (!got)
      break;
  }
  problem = input->problem();
  return text;
}

/// In pieces, as it may be larger than memory.
static llvm::Error readKinetoFile(StringRef path, TraceEvents &events) {
  auto input = InputFile::open(path);
  if (!input)
    return input.takeError();
  auto read = [&](char *to, size_t size) { return input->read(to, size); };
  llvm::Error error = readKineto(read, events);
  if (std::string problem = input->problem(); !problem.empty())
    events.lines.push_back(problem);
  return error;
}

llvm::Error lathe::readTrace(StringRef path, TraceEvents &events) {
  constexpr size_t headSize = 4096, maxSize = size_t(512) << 20;
  std::string problem;
  auto head = readUnpacked(path, headSize, problem);
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
  auto text = readUnpacked(path, maxSize + 1, problem);
  if (!text)
    return text.takeError();
  if (!problem.empty())
    events.lines.push_back(problem);
  if (text->size() > maxSize)
    return fail("more than " + Twine(maxSize >> 20) +
                " MiB; rocprofv3's rocpd format has no such limit");
  if (isCsv)
    return readRocprofCsv(*text, events);
  size_t size = text->size();
  text->append(EventScanner::padding, '\0');
  return readRocprofJson(StringRef(*text).take_front(size), events);
}
