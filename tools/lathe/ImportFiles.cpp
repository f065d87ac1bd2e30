//===- ImportFiles.cpp - What the importers' commands share ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportFiles.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace lathe;
using namespace lathe::tool;

std::vector<std::string>
tool::templateFolders(llvm::ArrayRef<std::string> templates) {
  std::vector<std::string> result = {
      builtinTemplates("", reinterpret_cast<void *>(&templateFolders))};
  result.insert(result.end(), templates.begin(), templates.end());
  return result;
}

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

void tool::addTemplatesOption(CLI::App &command,
                              std::vector<std::string> &templates) {
  command
      .add_option("--templates", templates,
                  "Folder with operators and patterns of your own; they add to "
                  "or replace the built-in ones")
      ->check(CLI::ExistingDirectory);
}
