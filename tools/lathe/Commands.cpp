//===- Commands.cpp - What several subcommands share ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "lathe/Ingest/Load.h"

using namespace lathe;

std::vector<std::string>
tool::templateFolders(llvm::ArrayRef<std::string> templates) {
  std::vector<std::string> result = {
      builtinTemplates("", reinterpret_cast<void *>(&templateFolders))};
  result.insert(result.end(), templates.begin(), templates.end());
  return result;
}
