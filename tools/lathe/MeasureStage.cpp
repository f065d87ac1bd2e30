//===- MeasureStage.cpp - Measuring on this machine -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MeasureStage.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace lathe;
using namespace lathe::tool;
using llvm::Error;
using llvm::StringRef;

constexpr StringRef deviceTool = "lathe-device";

/// Beside the running binary, else on PATH; empty if it is nowhere.
static std::string findDeviceTool() {
  std::string self = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  StringRef folder = llvm::sys::path::parent_path(self);
  if (auto beside = llvm::sys::findProgramByName(deviceTool, {folder}))
    return *beside;
  if (auto found = llvm::sys::findProgramByName(deviceTool))
    return *found;
  return "";
}

Error tool::measureCandidates(StringRef candidates, StringRef database) {
  std::string program = findDeviceTool();
  if (program.empty())
    return llvm::createStringError("error: --measure: found no " + deviceTool +
                                   " beside lathe or on PATH");
  std::string reason;
  int status = llvm::sys::ExecuteAndWait(
      program, {program, "run", candidates, "--db", database}, std::nullopt, {},
      0, 0, &reason);
  if (status == 0)
    return Error::success();
  if (status < 0)
    return llvm::createStringError("error: " + program + ": " + reason);
  return llvm::createStringError("error: " + program + " ended with code " +
                                 llvm::Twine(status));
}

TemporaryFolder::~TemporaryFolder() {
  if (!path.empty())
    llvm::sys::fs::remove_directories(path);
}

llvm::Expected<std::string> TemporaryFolder::file(StringRef name) {
  if (path.empty()) {
    llvm::SmallString<128> made;
    if (std::error_code code =
            llvm::sys::fs::createUniqueDirectory("lathe-measure", made))
      return llvm::createStringError("error: no temporary folder: " +
                                     code.message());
    path = made.str().str();
  }
  llvm::SmallString<128> at(path);
  llvm::sys::path::append(at, name);
  return at.str().str();
}
