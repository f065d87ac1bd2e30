//===- Process.cpp - Temporary files and external programs ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Process.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lathe {

Expected<TempDir> TempDir::create() {
  SmallString<128> model, path;
  sys::path::system_temp_directory(true, model);
  sys::path::append(model, "lathe");
  if (std::error_code ec = sys::fs::createUniqueDirectory(model, path))
    return createStringError("cannot create a directory in '" +
                             sys::path::parent_path(model) +
                             "': " + ec.message());
  return TempDir(path);
}

TempDir::~TempDir() {
  if (!path.empty())
    sys::fs::remove_directories(path);
}

std::string TempDir::file(StringRef name) const {
  SmallString<128> result(path);
  sys::path::append(result, name);
  return result.str().str();
}

Expected<ToolResult> runTool(StringRef program, ArrayRef<StringRef> arguments,
                             const TempDir &scratch) {
  SmallVector<StringRef, 16> argv{program};
  append_range(argv, arguments);
  std::string log = scratch.file("log");
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log),
                                          StringRef(log)};
  std::string message;
  bool failed = false;
  ToolResult result;
  result.exitCode = sys::ExecuteAndWait(
      program, argv, /*Env=*/std::nullopt, redirects,
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message, &failed);
  if (failed || result.exitCode < 0)
    return createStringError("cannot run '" + program + "': " + message);
  if (Expected<std::string> text = readFile(log))
    result.output = std::move(*text);
  else
    return text.takeError();
  return result;
}

Expected<std::string> runCompiler(StringRef program,
                                  ArrayRef<StringRef> arguments,
                                  StringRef output, const TempDir &scratch) {
  Expected<ToolResult> run = runTool(program, arguments, scratch);
  if (!run)
    return run.takeError();
  if (run->exitCode != 0)
    return createStringError(StringRef(run->output).rtrim());
  return readFile(output);
}

Error writeFile(StringRef path, StringRef bytes) {
  std::error_code ec;
  raw_fd_ostream out(path, ec);
  if (!ec) {
    out << bytes;
    out.close();
    ec = out.error();
    out.clear_error();
  }
  if (ec)
    return createStringError("cannot write '" + path + "': " + ec.message());
  return Error::success();
}

Expected<std::string> readFile(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

} // namespace lathe
