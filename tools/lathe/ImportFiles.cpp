//===- ImportFiles.cpp - What the importers' commands share ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportFiles.h"

#include "lathe/Ingest/Write.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace lathe;
using namespace lathe::tool;

OperatorTable tool::loadFolders(llvm::ArrayRef<std::string> folders) {
  auto has = [](llvm::StringRef folder, llvm::StringRef name) {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, name);
    return llvm::sys::fs::exists(path);
  };
  std::vector<std::string> withOperators;
  for (const std::string &folder : folders)
    if (!has(folder, "patterns") || has(folder, "operators"))
      withOperators.push_back(folder);
  return valueOrFail(loadOperators(withOperators));
}

void tool::writeImported(llvm::StringRef file,
                         llvm::function_ref<void(llvm::raw_ostream &)> write) {
  llvm::Error error = llvm::writeToOutput(file, [&](llvm::raw_ostream &os) {
    write(os);
    return llvm::Error::success();
  });
  if (error)
    failWith(llvm::joinErrors(
        llvm::createStringError(llvm::inconvertibleErrorCode(),
                                file + ": error: cannot write"),
        std::move(error)));
  if (file != "-")
    llvm::outs() << "wrote " << file << '\n';
}

void tool::writeImportedPair(
    const std::string &folder, const OpSet &opset, const Histogram &histogram,
    const OperatorTable &operators,
    llvm::function_ref<void(llvm::raw_ostream &)> notes) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder)) {
    llvm::errs() << folder
                 << ": error: cannot create folder: " << error.message()
                 << '\n';
    throw CommandFailed{};
  }
  auto below = [&](const char *name) {
    llvm::SmallString<256> file(folder);
    llvm::sys::path::append(file, name);
    return file.str().str();
  };
  writeImported(below("opset.yaml"), [&](llvm::raw_ostream &os) {
    writeOpSet(os, opset, operators);
  });
  writeImported(below("histogram.yaml"), [&](llvm::raw_ostream &os) {
    writeHistogram(os, histogram, opset, operators);
    if (notes)
      notes(os);
  });
}

void tool::addTemplatesOption(CLI::App &command,
                              std::vector<std::string> &templates) {
  command
      .add_option("--templates", templates,
                  "Folder with operators and patterns of your own; they add to "
                  "or replace the built-in ones")
      ->check(CLI::ExistingDirectory);
}
