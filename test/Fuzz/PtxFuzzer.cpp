//===- PtxFuzzer.cpp - Inspects anything as PTX ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Codegen/InspectPtx.h"

#include <algorithm>
#include <cstdlib>

using namespace lathe;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  // Renaming to the same names changes nothing.
  if (renamePtx(text, {{"rows", "rows"}, {"vprintf", "vprintf"}}) != text)
    std::abort();
  auto module = inspectPtx(text);
  if (!module) {
    llvm::consumeError(module.takeError());
    return 0;
  }
  // Each declared name is in one of the lists, once.
  for (const std::string &name : module->unresolved)
    if (std::count(module->symbols.begin(), module->symbols.end(), name))
      std::abort();
  PtxExpectation expected;
  expected.parameters = {{"x", 8}, {"T", 8}, {"eps", 4}, {"more", 24}};
  expected.threads = 128;
  llvm::consumeError(checkPtx(*module, expected));
  return 0;
}
